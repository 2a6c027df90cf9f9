//! A new database for every test, on either backend, dropped after the test.
//!
//! The migrations run once: a test gets a copy of a migrated database. On SQLite the copy is a file, on PostgreSQL
//! `CREATE DATABASE … TEMPLATE`. The template on the server has the hash of the migrations in its name and stays there,
//! so that every run and every test program shares it.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::{Connection as _, RunQueryDsl, SqliteConnection};
use estimation_store::{Database, DatabaseUrl, PgConnection, Settings, migrations};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// A database, dropped with this value.
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
    /// A database with the present schema and no rows but those of the migrations.
    pub fn new(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => {
                let database = Self::empty(backend);
                // For its owner only, as the server makes it.
                let mut file =
                    OpenOptions::new().create_new(true).write(true).mode(0o600).open(database.file());
                let file = file.as_mut().expect("a new file");
                file.write_all(sqlite_template()).expect("a copy of the template");
                database
            }
            Backend::Postgres => {
                let server = server();
                let template = postgres_template(&server);
                Self::on_server(server, template)
            }
        }
    }

    /// A database without tables. On SQLite there is no file yet.
    pub fn empty(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => {
                let folder = TempDir::new().expect("a temporary folder");
                let url = format!("sqlite://{}", folder.path().join("test.db").display());
                Self { url, backend, _folder: Some(folder), server: None }
            }
            Backend::Postgres => Self::on_server(server(), "template0"),
        }
    }

    fn on_server(server: String, template: &str) -> Self {
        let name = fresh_name();
        administer(&server, &format!("CREATE DATABASE {name} TEMPLATE {template}"));
        let url = with_database(&server, &name);
        Self { url, backend: Backend::Postgres, _folder: None, server: Some((server, name)) }
    }

    /// A copy of the database as it is now. No client may be connected to the source.
    pub fn copied(&self) -> Self {
        match &self.server {
            None => {
                let copy = Self::empty(self.backend);
                let file = copy.url.trim_start_matches("sqlite://");
                self.outsider().run(&format!("VACUUM INTO '{file}'")).expect("a copy");
                copy
            }
            Some((server, original)) => Self::on_server(server.clone(), original),
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

/// The file of a migrated database.
fn sqlite_template() -> &'static [u8] {
    static TEMPLATE: OnceLock<Vec<u8>> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let database = TestDatabase::empty(Backend::Sqlite);
        migrations::apply(&database.url()).expect("migrations");
        // Moves what is left in the write-ahead log into the file.
        database.outsider().run("PRAGMA wal_checkpoint(TRUNCATE)").expect("a checkpoint");
        std::fs::read(database.file()).expect("the database")
    })
}

/// The name of a migrated database on the server. Test programs that start at once make it one after the other.
fn postgres_template(server: &str) -> &'static str {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let name = format!("estimation_template_{}", hash_of_migrations());
        let mut conn = PgConnection::establish(&with_database(server, "postgres")).expect("the test server");
        conn.batch_execute("SELECT pg_advisory_lock(4711)").expect("a lock");
        let known =
            diesel::sql_query(format!("SELECT count(*) AS rows FROM pg_database WHERE datname = '{name}'"));
        if known.get_result::<Counted>(&mut conn).expect("a count").rows == 0 {
            // It gets its name when it is whole.
            let growing = format!("{name}_growing");
            conn.batch_execute(&format!("DROP DATABASE IF EXISTS {growing}")).expect("dropping a leftover");
            conn.batch_execute(&format!("CREATE DATABASE {growing} TEMPLATE template0")).expect("a database");
            let url = with_database(server, &growing).parse().expect("a database URL");
            migrations::apply(&url).expect("migrations");
            conn.batch_execute(&format!("ALTER DATABASE {growing} RENAME TO {name}")).expect("a new name");
        }
        name
    })
}

fn hash_of_migrations() -> String {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/postgres");
    let folders = std::fs::read_dir(&tree).expect("the migrations");
    let mut names: Vec<_> = folders.map(|folder| folder.expect("a folder").file_name()).collect();
    names.sort();
    let mut hash = Sha256::new();
    for name in names {
        hash.update(name.as_encoded_bytes());
        hash.update(std::fs::read(tree.join(name).join("up.sql")).expect("a migration"));
    }
    hex::encode(&hash.finalize()[..8])
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

/// Runs each test on both backends: `on_both! { async fn it_holds(service: Service) { … } }`. A test gets a
/// [`TestDatabase`] or what is made `From` one. A test with `#[ignore = "all: REASON"]` runs in `./test.sh all`.
macro_rules! on_both {
    ($($tests:tt)+) => { crate::databases::on_each! { cfg(test); $($tests)+ } };
}
pub(crate) use on_both;

/// Runs each test on SQLite, and in `./test.sh all` on PostgreSQL too: for tests in which neither SQL nor locks nor several
/// nodes decide.
macro_rules! on_sqlite_first {
    ($($tests:tt)+) => {
        crate::databases::on_each! {
            ignore = "all: neither SQL nor locks nor several nodes decide; it has passed on SQLite"; $($tests)+
        }
    };
}
pub(crate) use on_sqlite_first;

/// Makes a test on each backend. That on PostgreSQL has one more attribute.
macro_rules! on_each {
    ($postgres:meta; $(
        $(#[doc = $doc:literal])*
        $(#[ignore = $why:literal])?
        async fn $name:ident($given:ident: $kind:ty) $body:block
    )+) => {
        $(
            mod $name {
                #[allow(unused_imports)]
                use super::*;

                $(#[doc = $doc])*
                async fn test($given: $kind) $body

                $(#[ignore = $why])?
                #[tokio::test]
                async fn sqlite() {
                    test(crate::databases::TestDatabase::new(crate::databases::Backend::Sqlite).into()).await;
                }

                #[$postgres]
                $(#[ignore = $why])?
                #[allow(unused_attributes, reason = "it may be ignored for two reasons")]
                #[tokio::test]
                async fn postgres() {
                    test(crate::databases::TestDatabase::new(crate::databases::Backend::Postgres).into()).await;
                }
            }
        )+
    };
}
pub(crate) use on_each;
