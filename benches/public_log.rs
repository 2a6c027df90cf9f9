//! The public log at 1,000 to 1,000,000 entries: the time to append an entry, the time to make a proof, the length of
//! the proof, and the memory of the process.
//!
//! `cargo bench --bench public_log`, or another number of entries after `--`. The database is SQLite in a temporary
//! folder, or with `postgres` after `--` a new database of the server of `ESTIMATION_TEST_POSTGRES`.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on should say why"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::{Connection as _, QueryResult};
use estimation::app::clock::{Clock, SystemClock};
use estimation::app::entropy::SystemEntropy;
use estimation::app::services::{App, AppSettings};
use estimation::auth::keys::KeyRing;
use estimation::store::public_log::games::{self, Promise, StartedGame};
use estimation::store::{Connection, Database, DatabaseUrl, GameId, PgConnection, Settings};
use uuid::Uuid;

/// Entries whose time is measured at each size.
const MEASURED: u64 = 500;

/// Proofs at each size.
const PROOFS: usize = 200;

/// Entries queued in a transaction.
const QUEUED: u64 = 1_000;

#[tokio::main]
async fn main() {
    let most = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(1_000_000);
    let folder = tempfile::TempDir::new().expect("a folder");
    let on_postgres = std::env::args().any(|argument| argument == "postgres");
    let server = std::env::var("ESTIMATION_TEST_POSTGRES").ok().filter(|_| on_postgres);
    let name = format!("public_log_{}", std::process::id());
    let url = match &server {
        None => {
            assert!(!on_postgres, "ESTIMATION_TEST_POSTGRES names a server");
            DatabaseUrl::sqlite(folder.path().join("log.db"))
        }
        Some(server) => {
            on_server(server, &format!("CREATE DATABASE {name}"));
            format!("{server}/{name}").parse().expect("a URL")
        }
    };
    let database = Database::open(&url, Settings::default()).expect("a database");
    let ring = KeyRing::create(&SystemEntropy, SystemClock.now());
    let app = Arc::new(App::new(database.clone(), ring, AppSettings::default()));
    let game = GameId(Uuid::nil());
    database.write(move |conn| logged(conn, game)).await.expect("a game");
    advance(&app).await;
    println!(
        "| entries | appending one, µs | a proof, µs | bytes of a proof | memory, MiB |\n|---|---|---|---|---|"
    );
    let (mut size, mut target) = (2, 1_000);
    while target <= most {
        fill(&app, &database, target - MEASURED - size).await;
        let appending = fill(&app, &database, MEASURED).await;
        size = target;
        let (proving, length) = prove(&app, game).await;
        println!(
            "| {target} | {:.0} | {:.0} | {length} | {} |",
            appending.as_secs_f64() * 1e6 / MEASURED as f64,
            proving.as_secs_f64() * 1e6,
            resident() >> 20,
        );
        target *= 10;
    }
    app.shutdown().await;
    if let Some(server) = &server {
        on_server(server, &format!("DROP DATABASE {name} WITH (FORCE)"));
    }
}

fn on_server(server: &str, sql: &str) {
    let mut conn = PgConnection::establish(&format!("{server}/postgres")).expect("the server");
    conn.batch_execute(sql).expect("a statement");
}

async fn advance(app: &App) {
    // The first checkpoint is of the empty log.
    for _ in 0..2 {
        app.public_log.advance().await.expect("a checkpoint");
    }
}

/// Appends entries like those of private games. Returns the time, without that of queueing.
async fn fill(app: &App, database: &Database, mut number: u64) -> Duration {
    let mut took = Duration::ZERO;
    while number > 0 {
        let some = number.min(QUEUED);
        let queued = database.write(move |conn| Ok(queue(conn, some))).await;
        queued.expect("a transaction").expect("entries");
        let began = Instant::now();
        app.public_log.advance().await.expect("a checkpoint");
        took += began.elapsed();
        number -= some;
    }
    took
}

/// Queues so many entries like those of private games, in one statement.
fn queue(conn: &mut Connection, number: u64) -> QueryResult<()> {
    let entry = |hash: &str| {
        format!(
            "INSERT INTO log_queue (kind, entry) SELECT 'other', '{{\"hash\":\"' || {hash} || '\",\"type\":\"sealed\"}}'"
        )
    };
    match conn {
        Connection::Sqlite(conn) => conn.batch_execute(&format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {number}) {} FROM numbers",
            entry("lower(hex(randomblob(32)))")
        )),
        Connection::Postgres(conn) => conn.batch_execute(&format!(
            "{} FROM generate_series(1, {number})",
            entry("md5(random()::text) || md5(random()::text)")
        )),
    }
}

/// The mean time of a proof, and its length.
async fn prove(app: &App, game: GameId) -> (Duration, usize) {
    let mut length = 0;
    let began = Instant::now();
    for _ in 0..PROOFS {
        length = app.public_log.proof(game).await.expect("a look").expect("a proof").len();
    }
    (began.elapsed() / PROOFS as u32, length)
}

/// A private game that has started and ended.
fn logged(conn: &mut Connection, game: GameId) -> Result<(), estimation::store::StoreError> {
    let entry = format!(
        "{{\"at\":\"2026-01-01T00:00:00.000Z\",\"events\":1000,\"game\":\"{game}\",\"head\":\"{}\",\"type\":\"end\"}}",
        "ab".repeat(32)
    );
    let promise = Promise { leaf: [0; 32], by: 0, kid: "k".to_owned(), signature: [0; 64] };
    let started = StartedGame {
        at: 0,
        logged: entry.clone(),
        entry: entry.clone(),
        salt: None,
        promise,
        pseudonyms: Vec::new(),
    };
    games::start(conn, game, &started)?;
    games::end(conn, game, 0, &entry, &entry, Some(&[7; 32]))?;
    Ok(())
}

/// Resident memory in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or_default() << 10
}
