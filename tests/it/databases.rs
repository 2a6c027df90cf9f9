//! A new database for every test, on either backend, dropped after the test.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::{Connection as _, RunQueryDsl, SqliteConnection};
use estimation_store::{Database, DatabaseUrl, PgConnection, Settings};
use tempfile::TempDir;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// An empty database, dropped with this value.
pub struct TestDatabase {
    url: String,
    backend: Backend,
    _folder: Option<TempDir>,
    server: Option<(String, String)>,
}

pub enum Outsider {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl TestDatabase {
    pub fn new(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => {
                let folder = TempDir::new().expect("a temporary folder");
                let url = format!("sqlite://{}", folder.path().join("test.db").display());
                Self { url, backend, _folder: Some(folder), server: None }
            }
            Backend::Postgres => {
                let server = server();
                let name = fresh_name();
                administer(&server, &format!("CREATE DATABASE {name} TEMPLATE template0"));
                let url = with_database(&server, &name);
                Self { url, backend, _folder: None, server: Some((server, name)) }
            }
        }
    }

    /// A copy of the database as it is now. No client may be connected to the source.
    pub fn copied(&self) -> Self {
        match &self.server {
            None => {
                let copy = Self::new(self.backend);
                let file = copy.url.trim_start_matches("sqlite://");
                self.outsider().run(&format!("VACUUM INTO '{file}'")).expect("a copy");
                copy
            }
            Some((server, original)) => {
                let name = fresh_name();
                administer(server, &format!("CREATE DATABASE {name} TEMPLATE {original}"));
                let url = with_database(server, &name);
                Self { url, backend: self.backend, _folder: None, server: Some((server.clone(), name)) }
            }
        }
    }

    pub fn in_folder(folder: &Path) -> Self {
        let url = format!("sqlite://{}", folder.join("test.db").display());
        Self { url, backend: Backend::Sqlite, _folder: None, server: None }
    }

    pub fn file(&self) -> PathBuf {
        match self.url() {
            DatabaseUrl::Sqlite(path) => path,
            DatabaseUrl::Postgres(_) => panic!("it is on a server"),
        }
    }

    pub fn backend(&self) -> Backend {
        self.backend
    }

    pub fn url(&self) -> DatabaseUrl {
        self.url.parse().expect("a database URL")
    }

    /// Drops the database while it is in use. Only for PostgreSQL.
    pub fn vanish(&self) {
        let (server, name) = self.server.as_ref().expect("a database on a server");
        administer(server, &format!("DROP DATABASE {name} WITH (FORCE)"));
    }

    pub fn url_text(&self) -> &str {
        &self.url
    }

    pub fn open(&self) -> Database {
        self.open_with(Settings::default())
    }

    pub fn open_with(&self, settings: Settings) -> Database {
        Database::open(&self.url(), settings).expect("the database opens")
    }

    pub fn outsider(&self) -> Outsider {
        match self.url() {
            DatabaseUrl::Sqlite(path) => {
                let mut conn = SqliteConnection::establish(&path.display().to_string()).expect("SQLite");
                conn.batch_execute("PRAGMA busy_timeout = 5000").expect("a busy timeout");
                Outsider::Sqlite(conn)
            }
            DatabaseUrl::Postgres(_) => {
                Outsider::Postgres(PgConnection::establish(&self.url).expect("PostgreSQL"))
            }
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Some((server, name)) = &self.server {
            administer(server, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        }
    }
}

impl Outsider {
    pub fn run(&mut self, sql: &str) -> diesel::QueryResult<()> {
        match self {
            Self::Sqlite(conn) => conn.batch_execute(sql),
            Self::Postgres(conn) => conn.batch_execute(sql),
        }
    }
}

impl Outsider {
    pub fn holds(&mut self, table: &str, columns: &[&str], text: &str) -> bool {
        let columns: Vec<String> = columns.iter().map(|name| format!("coalesce({name}, '')")).collect();
        self.count(&format!("{table} WHERE {} LIKE '%{text}%'", columns.join(" || '|' || "))) > 0
    }

    /// Bytes as SQL, from hexadecimal digits.
    pub fn bytes(&self, hex: &str) -> String {
        match self {
            Self::Sqlite(_) => format!("x'{hex}'"),
            Self::Postgres(_) => format!("'\\x{hex}'::bytea"),
        }
    }

    /// The number of rows, for the text after FROM.
    pub fn count(&mut self, rows: &str) -> i64 {
        let query = format!("SELECT count(*) AS rows FROM {rows}");
        let counted: Counted = match self {
            Self::Sqlite(conn) => diesel::sql_query(query).get_result(conn).expect("a count"),
            Self::Postgres(conn) => diesel::sql_query(query).get_result(conn).expect("a count"),
        };
        counted.rows
    }
}

#[derive(diesel::QueryableByName)]
struct Counted {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    rows: i64,
}

fn server() -> String {
    std::env::var("ESTIMATION_TEST_POSTGRES").expect(
        "ESTIMATION_TEST_POSTGRES is not set: run ./test.sh, which starts a PostgreSQL for the tests, or set it \
         to the URL printed by `.ci/postgres.sh start`",
    )
}

fn fresh_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("estimation_test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn with_database(server: &str, name: &str) -> String {
    let (place, options) = server.split_once('?').map_or((server, None), |(p, o)| (p, Some(o)));
    let (scheme, rest) = place.split_once("://").expect("a URL");
    let authority = rest.split('/').next().unwrap_or(rest);
    let options = options.map(|options| format!("?{options}")).unwrap_or_default();
    format!("{scheme}://{authority}/{name}{options}")
}

fn administer(server: &str, sql: &str) {
    let mut conn = PgConnection::establish(&with_database(server, "postgres")).expect("the test server");
    // Left over from a killed run with the same process id.
    if sql.starts_with("CREATE") {
        let name = sql.split(' ').nth(2).expect("a name");
        let drop = format!("DROP DATABASE IF EXISTS {name}");
        conn.batch_execute(&drop).expect("dropping a leftover");
    }
    conn.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Runs each test on both backends: `on_both! { async fn it_holds(database: TestDatabase) { … } }`.
macro_rules! on_both {
    ($($(#[doc = $doc:literal])* async fn $name:ident($database:ident: TestDatabase) $body:block)+) => {
        $(
            mod $name {
                #[allow(unused_imports)]
                use super::*;

                $(#[doc = $doc])*
                async fn given($database: crate::databases::TestDatabase) $body

                #[tokio::test]
                async fn sqlite() {
                    given(crate::databases::TestDatabase::new(crate::databases::Backend::Sqlite)).await;
                }

                #[tokio::test]
                async fn postgres() {
                    given(crate::databases::TestDatabase::new(crate::databases::Backend::Postgres)).await;
                }
            }
        )+
    };
}
pub(crate) use on_both;
