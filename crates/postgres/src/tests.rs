//! What a connection URL means: servers, their order, and how each is protected.

use std::time::Duration;

use crate::settings::{OptionError, Settings};
use crate::tls::SslMode;

fn read(url: &str) -> Result<Settings, OptionError> {
    Settings::read(url, &|_| None)
}

fn targets(url: &str) -> Vec<String> {
    read(url).unwrap().targets().into_iter().map(ToString::to_string).collect()
}

#[test]
fn servers_are_found_wherever_a_url_names_them() {
    for (url, expected) in [
        ("postgres://noor@db.example/games", vec!["db.example:5432"]),
        ("postgresql://noor@db.example:6432/games", vec!["db.example:6432"]),
        ("postgres://noor@[::1]:6432/games", vec!["[::1]:6432"]),
        ("postgres://noor@one,two:6432,[::1]/games", vec!["one:5432", "two:6432", "[::1]:5432"]),
        ("postgres://noor@/games?host=one&host=two&port=1,2", vec!["one:1", "two:2"]),
        ("postgres://noor@%2Frun%2Fpostgresql/games", vec!["/run/postgresql:5432"]),
        ("postgres://noor@/games?host=/run/postgresql&port=6432", vec!["/run/postgresql:6432"]),
        ("postgres://noor@db.example/games?hostaddr=192.0.2.1", vec!["db.example (192.0.2.1):5432"]),
        (
            "postgres://noor@/games?hostaddr=192.0.2.1,2001:db8::1",
            vec!["192.0.2.1:5432", "[2001:db8::1]:5432"],
        ),
    ] {
        assert_eq!(targets(url), expected, "{url}");
    }
}

#[test]
fn the_driver_reads_the_options() {
    let url = "postgres://n%40or:p%2Fl%3Aum@db.example/my%20games?application_name=a%26b&connect_timeout=7";
    let settings = read(url).unwrap();
    let config = &settings.config;
    assert_eq!((config.get_user(), config.get_password()), (Some("n@or"), Some(&b"p/l:um"[..])));
    assert_eq!(config.get_dbname(), Some("my games"));
    assert_eq!(config.get_application_name(), Some("a&b"));
    assert_eq!(settings.for_listening().config.get_application_name(), Some("a&b-listener"));
    assert_eq!(settings.patience(settings.targets()[0]), Duration::from_secs(7));
    let usual = read("postgres://noor@db.example").unwrap();
    assert_eq!(usual.patience(usual.targets()[0]), Duration::from_secs(3));
    assert_eq!(usual.config.get_tcp_user_timeout(), Some(&Duration::from_secs(15)));
    assert_eq!(usual.config.get_keepalives_idle(), Duration::from_secs(30));
}

#[test]
fn a_server_elsewhere_must_prove_its_name_unless_the_url_says_otherwise() {
    use SslMode::{Disable, Prefer, Require, VerifyCa, VerifyFull};
    for (url, expected) in [
        ("postgres://noor@db.example/y", vec![VerifyFull]),
        ("postgres://noor@192.0.2.1/y", vec![VerifyFull]),
        ("postgres://noor@/y?hostaddr=192.0.2.1", vec![VerifyFull]),
        ("postgres://noor@localhost.example/y", vec![VerifyFull]),
        // Forwarded to another machine, or only named like this one.
        ("postgres://noor@db.example/y?hostaddr=127.0.0.1", vec![VerifyFull]),
        ("postgres://noor@localhost/y?hostaddr=192.0.2.1", vec![VerifyFull]),
        ("postgres://noor@localhost,127.0.0.2,[::1]/y", vec![Prefer, Prefer, Prefer]),
        ("postgres://noor@%2Frun,db.example/y", vec![Disable, VerifyFull]),
        ("postgres://noor@localhost/y?sslrootcert=system", vec![VerifyFull]),
        ("postgres://noor@localhost/y?sslrootcert=/etc/ca.pem", vec![VerifyFull]),
        ("postgres://noor@localhost/y?sslcrl=/etc/ca.crl", vec![VerifyFull]),
        ("postgres://noor@db.example/y?sslmode=disable", vec![Disable]),
        ("postgres://noor@db.example/y?ssl%6dode=require", vec![Require]),
        ("postgres://noor@db.example/y?sslmode=verify-ca&sslrootcert=%2Fetc/ca.pem", vec![VerifyCa]),
    ] {
        let modes: Vec<SslMode> = read(url).unwrap().targets().iter().map(|target| target.mode).collect();
        assert_eq!(modes, expected, "{url}");
    }
}

#[test]
fn a_silent_server_is_tried_last_with_a_short_timeout() {
    let settings = read("postgres://noor@one,two,three/games?connect_timeout=6").unwrap();
    let order = |settings: &Settings| -> Vec<String> {
        settings.targets().iter().map(|target| target.host.clone()).collect()
    };
    settings.targets()[0].silence.note(false);
    assert_eq!(order(&settings), ["two", "three", "one"]);
    let [two, _, one] = settings.targets()[..] else { panic!("three servers") };
    assert_eq!([one, two].map(|target| settings.patience(target)), [1, 6].map(Duration::from_secs));
    // All connections with these settings share what is known.
    assert_eq!(order(&settings.for_listening()), ["two", "three", "one"]);
    one.silence.note(true);
    assert_eq!(order(&settings), ["one", "two", "three"]);
    let alone = read("postgres://noor@one/games?connect_timeout=6").unwrap();
    alone.targets()[0].silence.note(false);
    assert_eq!(alone.patience(alone.targets()[0]), Duration::from_secs(6));
}
