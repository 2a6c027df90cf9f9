//! Database URLs: accepted forms, refused forms, and secrets that are never shown.

use estimation::store::{Database, DatabaseUrl, Settings, StoreError, UrlError};

use crate::databases::{Backend, TestDatabase};

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
    for text in ["postgres://ann:hunter2@[::1/cards", "postgres://ann:hunter%2@x/cards"] {
        let error = parse(text).expect_err(text);
        assert!(!format!("{error} {error:?}").contains("hunter"), "{error}");
    }
}

#[test]
fn tls_is_supported() {
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

#[cfg(unix)]
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
