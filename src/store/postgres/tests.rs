//! Parsing of connection URIs: every form that libpq accepts, and what is refused.

use std::time::Duration;

use super::options::OptionError;
use super::settings::{Endpoint, Settings, Target, Wanted};
use super::tls::{Roots, SslMode};

fn read(uri: &str) -> Result<Settings, OptionError> {
    Settings::read(uri, &|_| None)
}

fn read_in(uri: &str, environment: &[(&str, &str)]) -> Result<Settings, OptionError> {
    let environment: Vec<(String, String)> =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Settings::read(uri, &|name| {
        environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    })
}

fn targets(uri: &str) -> Vec<String> {
    read(uri).unwrap().targets().into_iter().map(|(_, target)| target.to_string()).collect()
}

fn error(uri: &str) -> String {
    read(uri).err().unwrap_or_else(|| panic!("{uri} was taken")).to_string()
}

#[test]
fn servers_are_found_wherever_a_uri_names_them() {
    for (uri, expected) in [
        ("postgres://noor@db.example/games", vec!["db.example:5432"]),
        ("postgresql://noor@db.example:6432/games", vec!["db.example:6432"]),
        ("postgres://noor@[::1]:6432/games", vec!["[::1]:6432"]),
        ("postgres://noor@one,two:6432,[::1]/games", vec!["one:5432", "two:6432", "[::1]:5432"]),
        ("postgres://noor@one,two/games?port=6432", vec!["one:6432", "two:6432"]),
        ("postgres://noor@/games?host=one,two&port=1,2", vec!["one:1", "two:2"]),
        ("postgres://noor@%2Frun%2Fpostgresql/games", vec!["/run/postgresql:5432"]),
        ("postgres://noor@/games?host=/run/postgresql&port=6432", vec!["/run/postgresql:6432"]),
        ("postgres://noor@/games", vec!["/tmp:5432"]),
        ("postgres:///games?user=noor", vec!["/tmp:5432"]),
        ("postgres://noor@db.example/games?hostaddr=192.0.2.1", vec!["db.example (192.0.2.1):5432"]),
        (
            "postgres://noor@/games?hostaddr=192.0.2.1,2001:db8::1",
            vec!["192.0.2.1:5432", "[2001:db8::1]:5432"],
        ),
    ] {
        assert_eq!(targets(uri), expected, "{uri}");
    }
}

#[test]
fn percent_encoding_is_decoded() {
    let settings = read("postgres://n%40or:p%2Fl%3Aum@db.example/my%20games?application_name=a%26b").unwrap();
    let [(_, target)] = settings.targets()[..] else { panic!("one server") };
    let config = settings.config(target);
    assert_eq!(config.get_user(), Some("n@or"));
    assert_eq!(config.get_password(), Some(&b"p/l:um"[..]));
    assert_eq!(config.get_dbname(), Some("my games"));
    assert_eq!(config.get_application_name(), Some("a&b"));
    assert_eq!(settings.for_listening().config(target).get_application_name(), Some("a&b-listener"));
}

#[test]
fn the_environment_supplies_missing_options() {
    let environment = [
        ("PGHOST", "one,two"),
        ("PGPORT", "6432"),
        ("PGUSER", "noor"),
        ("PGPASSWORD", "plum"),
        ("PGDATABASE", "games"),
        ("PGSSLMODE", "verify-full"),
        ("PGSSLROOTCERT", "/etc/ca.pem"),
        ("PGTARGETSESSIONATTRS", "read-write"),
        ("PGCONNECT_TIMEOUT", "7"),
        ("PGCLIENTENCODING", "LATIN1"),
    ];
    let settings = read_in("postgres://", &environment).unwrap();
    let targets: Vec<&Target> = settings.targets().into_iter().map(|(_, target)| target).collect();
    assert_eq!(targets.len(), 2);
    assert_eq!(targets[1], &Target { place: Endpoint::Name("two".to_owned()), port: 6432 });
    let config = settings.config(targets[0]);
    assert_eq!((config.get_user(), config.get_password()), (Some("noor"), Some(&b"plum"[..])));
    assert_eq!(config.get_dbname(), Some("games"));
    assert_eq!(settings.wanted, Wanted::ReadWrite);
    assert_eq!(settings.connect_timeout, Duration::from_secs(7));
    assert_eq!(settings.tls.mode, SslMode::VerifyFull);
    assert_eq!(settings.tls.roots, Roots::File("/etc/ca.pem".into()));
    // The URI overrides the environment.
    let settings = read_in("postgres://ann@db.example/cards?sslmode=disable", &environment).unwrap();
    assert_eq!(settings.tls.mode, SslMode::Disable);
    assert_eq!(settings.config(settings.targets()[0].1).get_user(), Some("ann"));
}

#[test]
fn tls_is_preferred_and_system_roots_imply_verify_full() {
    let mode = |uri: &str| read(uri).map(|settings| settings.tls.mode);
    assert_eq!(mode("postgres://noor@x/y"), Ok(SslMode::Prefer));
    assert_eq!(mode("postgres://noor@x/y?ssl=true"), Ok(SslMode::Require));
    assert_eq!(mode("postgres://noor@x/y?sslrootcert=system"), Ok(SslMode::VerifyFull));
    assert_eq!(mode("postgres://noor@x/y?sslrootcert=system&sslmode=verify-full"), Ok(SslMode::VerifyFull));
    for weak in ["disable", "prefer", "require", "verify-ca"] {
        let uri = format!("postgres://noor@x/y?sslrootcert=system&sslmode={weak}");
        assert!(error(&uri).contains("needs sslmode=verify-full"), "{uri}");
    }
    let settings = read_in("postgres://noor@x/y", &[("HOME", "/people/noor")]).unwrap();
    assert_eq!(settings.tls.roots, Roots::DefaultFile(Some("/people/noor/.postgresql/root.crt".into())));
}

#[test]
fn unsupported_options_are_refused_by_name() {
    for (uri, why) in [
        ("postgres://noor@x/y?sslmod=require", "unknown option \"sslmod\""),
        ("postgres://noor@x/y?sslmode=maybe", "invalid value of sslmode"),
        ("postgres://noor@x/y?sslmode=", "invalid value of sslmode"),
        ("postgres://noor@x/y?require_auth=scram-sha-256", "require_auth is not supported"),
        ("postgres://noor@x/y?gssencmode=require", "gssencmode is not supported"),
        ("postgres://noor@x/y?service=games", "service is not supported"),
        ("postgres://noor@x/y?sslcertmode=require", "sslcertmode is not supported"),
        ("postgres://noor@x/y?connect_timeout=soon", "invalid value of connect_timeout"),
        ("postgres://noor@x/y?target_session_attrs=best", "invalid value of target_session_attrs"),
        ("postgres://noor@x/y?sslnegotiation=direct", "sslnegotiation=direct needs"),
        ("postgres://noor@x/y?ssl_min_protocol_version=TLSv1.3&ssl_max_protocol_version=TLSv1.2", "is above"),
        ("postgres://noor@x/y?options", "no \"=\""),
        ("postgres://noor@x/y?options=a=b", "second \"=\""),
        ("postgres://noor@x:port/y", "invalid value of port"),
        ("postgres://noor@x:0/y", "invalid value of port"),
        ("postgres://noor@x:1,y:2,z/y?port=1,2", "neither one port"),
        ("postgres://noor@x/y?hostaddr=example", "invalid value of hostaddr"),
        ("postgres://noor@x/y?hostaddr=192.0.2.1,192.0.2.2", "not as many hosts"),
        ("postgres://noor@/y?hostaddr=192.0.2.1&sslmode=verify-full", "needs a host as well as hostaddr"),
        ("postgres://noor@[::1/y", "no \"]\""),
        ("postgres://no%or@x/y", "two hexadecimal digits"),
        ("postgres://noor@x/%00", "zero byte"),
    ] {
        let told = error(uri);
        assert!(told.contains(why), "{uri}: {told}");
    }
    for (variable, value) in [("PGREQUIREAUTH", "scram-sha-256"), ("PGSERVICE", "games"), ("PGSSLMODE", "on")]
    {
        assert!(read_in("postgres://noor@x/y", &[(variable, value)]).is_err(), "{variable}");
    }
    for harmless in ["gssencmode=disable", "gssencmode=prefer", "sslcompression=1", "client_encoding=LATIN1"]
    {
        assert!(read(&format!("postgres://noor@x/y?{harmless}")).is_ok(), "{harmless}");
    }
}

#[test]
fn a_silent_server_is_tried_last_with_a_short_timeout() {
    let settings = read("postgres://noor@one,two,three/games?connect_timeout=6").unwrap();
    settings.silence.note(0, false);
    let places: Vec<usize> = settings.targets().into_iter().map(|(place, _)| place).collect();
    assert_eq!(places, [1, 2, 0]);
    assert_eq!([0, 1].map(|place| settings.patience(place)), [1, 6].map(Duration::from_secs));
    // All connections with these settings share what is known.
    assert_eq!(settings.for_listening().targets()[2].0, 0);
    settings.silence.note(0, true);
    assert_eq!(settings.targets()[0].0, 0);
    let alone = read("postgres://noor@one/games?connect_timeout=6").unwrap();
    alone.silence.note(0, false);
    assert_eq!(alone.patience(0), Duration::from_secs(6));
}
