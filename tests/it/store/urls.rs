//! Database URLs: accepted forms, refused forms, and secrets that are never shown.

use estimation_store::{Database, DatabaseUrl, Settings, StoreError, UrlError};

use crate::prelude::*;

fn parse(text: &str) -> Result<DatabaseUrl, UrlError> {
    text.parse()
}

#[test]
fn paths_are_relative_or_absolute() {
    assert_eq!(parse("sqlite://estimation.db"), Ok(DatabaseUrl::sqlite("estimation.db")));
    assert_eq!(parse("sqlite:///var/lib/x.db"), Ok(DatabaseUrl::sqlite("/var/lib/x.db")));
    assert_eq!(parse("sqlite://data/x.db").expect("a URL").to_string(), "sqlite://data/x.db");
    assert!(matches!(parse("postgres://db/x"), Ok(DatabaseUrl::Postgres(_))));
    assert!(matches!(parse("postgresql:///x?host=/run"), Ok(DatabaseUrl::Postgres(_))));
    assert!(matches!(parse("postgres://db/x?sslmod=require"), Err(UrlError::Postgres(_))));
}

#[test]
fn options_that_are_not_read_are_refused_by_name() {
    for (text, why) in [
        ("postgres://noor@x/y?sslmod=require", "unknown option `sslmod`"),
        ("postgres://noor@x/y?passfile=/etc/pgpass", "unknown option `passfile`"),
        ("postgres://noor@x/y?service=games", "unknown option `service`"),
        ("postgres://noor@x/y?require_auth=scram-sha-256", "unknown option `require_auth`"),
        ("postgres://noor@x/y?gssencmode=disable", "unknown option `gssencmode`"),
        ("postgres://noor@x/y?ssl_min_protocol_version=TLSv1.3", "unknown option `ssl_min_protocol_version`"),
        ("postgres://noor@x/y?keepalives_count=3", "unknown option `keepalives_count`"),
        ("postgres://noor@x/y?ssl=true", "unknown option `ssl`"),
        ("postgres://noor@x/y?sslmode=prefer", "sslmode is disable, require, verify-ca or verify-full"),
        ("postgres://noor@x/y?sslmode=", "sslmode is disable, require, verify-ca or verify-full"),
        (
            "postgres://noor@x/y?target_session_attrs=primary",
            "invalid value for option `target_session_attrs`",
        ),
        ("postgres://noor@x/y?connect_timeout=soon", "invalid value for option `connect_timeout`"),
        ("postgres://noor@x:port/y", "invalid value for option `port`"),
        ("postgres://noor@[::1/y", "invalid value for option `host`"),
        ("postgres://noor@x/y?hostaddr=example", "invalid value for option `hostaddr`"),
    ] {
        let told = parse(text).expect_err(text).to_string();
        assert_eq!(told, format!("the database URL cannot be read: {why}"), "{text}");
    }
}

#[test]
fn options_that_contradict_one_another_are_refused() {
    for (text, why) in [
        ("postgres:///y?user=noor", "it names no host"),
        ("postgres://noor@one,/y", "it names no host"),
        ("postgres://noor@x:1,y:2,z/y?port=1,2", "neither one port"),
        ("postgres://noor@one,two/y?port=6432", "neither one port"),
        ("postgres://noor@x/y?hostaddr=192.0.2.1,192.0.2.2", "not as many hosts"),
        ("postgres://noor@x/y?options", "no \"=\""),
        ("postgres://x/y?user=noor&password=pl@m", "as %40"),
        ("postgres://noor@x/y?sslrootcert=system&sslmode=require", "needs sslmode=verify-full"),
        ("postgres://noor@x/y?sslrootcert=system&sslmode=verify-ca", "needs sslmode=verify-full"),
        ("postgres://noor@x/y?sslrootcert=system&sslmode=disable", "needs sslmode=verify-full"),
        ("postgres://noor@x/y?sslmode=verify-ca", "needs a file as sslrootcert"),
        ("postgres://noor@x/y?sslmode=require&sslcrl=/etc/ca.crl", "sslcrl needs"),
        ("postgres://noor@x/y?sslcert=/etc/noor.crt", "need each other"),
    ] {
        let told = parse(text).expect_err(text).to_string();
        assert!(told.contains(why), "{text}: {told}");
    }
}

#[test]
fn variables_of_libpq_are_refused_by_name() {
    let read = |url: &str, variable: &str, value: &str| {
        DatabaseUrl::read(url, &|name| (name == variable).then(|| value.to_owned()))
    };
    for variable in ["PGHOST", "PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSSLMODE", "PGREQUIREAUTH"] {
        let told = read("postgres://noor@x/y", variable, "hunter2").expect_err(variable).to_string();
        assert!(told.contains(&format!("the environment variable {variable} is not read")), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
        // Unset, for libpq.
        read("postgres://noor@x/y", variable, "").expect("an empty value");
        read("sqlite://x.db", variable, "hunter2").expect("another database");
    }
    // The directory of a server's data, which its own programs read.
    read("postgres://noor@x/y", "PGDATA", "/var/lib/postgresql").expect("no option of a connection");
}

#[test]
fn anything_else_is_refused() {
    for text in
        ["mysql://h/d", "estimation.db", "/tmp/x.db", "", "sqlite:x.db", "Postgres://h/d", "file:x.db"]
    {
        assert!(matches!(parse(text), Err(UrlError::UnknownScheme { .. })), "{text}");
    }
    for text in ["sqlite://", "sqlite:///tmp/", "sqlite://:memory:"] {
        assert_eq!(parse(text), Err(UrlError::NoPath), "{text}");
    }
    assert_eq!(parse("sqlite://x.db?mode=ro"), Err(UrlError::SqliteOptions));
    assert_eq!(parse("sqlite://x\0.db"), Err(UrlError::ZeroByte));
}

#[test]
fn passwords_are_not_shown() {
    for text in [
        "postgres://ann:hunter2@db.example:5432/cards",
        "postgres://ann:hunter2@db.example/cards?password=hunter2&sslmode=require",
        "postgresql://ann:p@hunter2/@db.example/cards",
        "postgres://:hunter2@db.example/cards",
    ] {
        let url = parse(text).expect("a URL");
        for shown in [url.to_string(), format!("{url:?}"), format!("{:?}", Some(&url))] {
            assert!(!shown.contains("hunter2"), "{shown}");
            assert!(shown.contains("db.example"), "{shown}");
        }
    }
}

#[test]
fn errors_do_not_show_passwords_either() {
    let url = parse("postgres://ann:hunter2@127.0.0.1:1/cards").expect("a URL");
    let error = Database::open(&url, Settings::default()).err().expect("no server");
    assert!(error.is_unavailable(), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    for text in ["postgres://ann:hunter2@[::1/cards", "postgres://ann:hunter2@x/cards?sslmode=hunter2"] {
        let error = parse(text).expect_err(text);
        assert!(!format!("{error} {error:?}").contains("hunter"), "{error}");
    }
}

#[test]
fn tls_is_asked_of_postgres() {
    let database = TestDatabase::new(Backend::Postgres);
    let url = parse(&format!("{}?sslmode=require", database.url_text())).expect("a URL");
    let error = Database::open(&url, Settings::default()).err().expect("no TLS at the server").to_string();
    assert!(error.contains("server does not support TLS"), "{error}");
}

#[test]
fn a_file_that_cannot_be_made_is_an_error() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let url = DatabaseUrl::sqlite(folder.path().join("missing/folder/x.db"));
    let error = Database::open(&url, Settings::default()).err().expect("no such folder");
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
}

#[test]
fn only_the_owner_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("x.db");
    let _store = Database::open(&DatabaseUrl::sqlite(&path), Settings::default()).expect("a database");
    for name in ["x.db", "x.db-wal", "x.db-shm"] {
        let mode = folder.path().join(name).metadata().expect(name).permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name} has mode {mode:o}");
    }
}
