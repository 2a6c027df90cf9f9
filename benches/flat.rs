//! Compares the cost of a command late in a long game of a large database with early in a small one.
//!
//! `cargo bench --bench flat -- [GAMES]` fills a database with 1,000 games and another with GAMES (20,000 by
//! default): one in a hundred has all its events, the others are packed. The games are copies of a few
//! distinct ones of all rulesets, under new ids. Then it drives a node on each database, and prints the
//! latency of commands early in games of the small one and late in games of the large one, and the bytes per
//! packed game.
//!
//! On SQLite, or with `postgres` after it on the server of `ESTIMATION_TEST_POSTGRES`. A million games need
//! about 20 GB of disk.
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and stops where it cannot go on"
)]

#[path = "node.rs"]
mod node;

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Text};
use diesel::{Connection as _, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_store::event_reads::StoredEvent;
use estimation_store::packed::{self, PackedLog};
use estimation_store::{
    Append, Database, DatabaseUrl, GENESIS, GameId, PgConnection, Server, Settings, chain,
};
use estimation_test_support::made;
use node::{Node, driver};
use serde_json::Value;

/// The number of games in the small database.
const FEW: u64 = 1_000;

/// How long the connections of a database may take to close.
const CLOSING: Duration = Duration::from_secs(10);

/// The number of distinct games.
const DISTINCT: u64 = 50;

/// The tables to which rows are added with their triggers disabled.
const GUARDED: [&str; 3] = ["game_events", "packed_games", "ended_games"];

/// The maximum cost of a command late in a long game of a large database, relative to early in a small one.
const BOUND: f64 = 1.2;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let many = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(20_000);
    let folder =
        tempfile::tempdir_in(std::env::var_os("BENCH_DIR").unwrap_or_else(|| std::env::temp_dir().into()))
            .expect("a folder");
    let postgres = arguments.iter().any(|argument| argument == "postgres");
    let databases = [FEW, many].map(|games| {
        let name = format!("flat_{games}");
        let url = if postgres {
            created(&name)
        } else {
            format!("sqlite://{}", folder.path().join(&name).display())
        };
        fill(&url, games);
        (name, url)
    });
    // One right after the other, because the speed of a machine changes.
    let [small, large] = databases.each_ref().map(|(_, url)| measure(url, folder.path()));
    for (name, _) in databases.iter().filter(|_| postgres) {
        server().batch_execute(&format!("DROP DATABASE {name}")).expect("an end");
    }
    println!("one command after the other, 16 tables, 1,000 commands/s (p50, ms):");
    println!("  with {FEW} games: by events {}", small.shown());
    println!("  with {many} games: by events {}", large.shown());
    let ratio = large.late() / small.early();
    let verdict = if ratio <= BOUND { "flat" } else { "NOT FLAT" };
    println!("  late with {many} games to early with {FEW}: {ratio:.2}, {verdict}");
    println!(
        "64 tables as fast as they go: {:.0} commands/s with {FEW} games, {:.0} with {many}: {:.2}",
        small.rate,
        large.rate,
        small.rate / large.rate
    );
}

/// The measurements on a database.
struct Measured {
    /// The first event of each depth step, with the p50 in milliseconds.
    depths: Vec<(u64, f64)>,
    rate: f64,
}

impl Measured {
    fn early(&self) -> f64 {
        self.depths.first().expect("commands").1
    }

    /// From event 1,400 on, almost all commands end a game, which is more work than others.
    fn late(&self) -> f64 {
        self.depths.iter().find(|(from, _)| *from == 1_200).expect("long games").1
    }

    fn shown(&self) -> String {
        self.depths.iter().map(|(from, p50)| format!("{from}: {p50:.2}  ")).collect()
    }
}

fn measure(url: &str, folder: &Path) -> Measured {
    let node = Node::start(folder, &["--pack-after", "off", "--database-url", url]);
    let mut depths = Vec::new();
    let open = drive(&node, &["--concurrency", "16", "--rate", "1000", "--warm-up", "2", "--seconds", "28"]);
    for depth in open["by_depth"].as_array().expect("depths") {
        let number = |name: &str| depth[name].as_f64().expect("a number");
        depths.push((number("from_event") as u64, number("p50")));
    }
    let closed = drive(&node, &["--concurrency", "64", "--warm-up", "3", "--seconds", "10"]);
    let rate = closed["commands_per_second"].as_f64().expect("a rate");
    Measured { depths, rate }
}

fn drive(node: &Node, flags: &[&str]) -> Value {
    let driven = driver()
        .args([
            "--foresee",
            "--table",
            r#"{"ruleset":"squares"}"#,
            "--url",
            &format!("http://{}", node.address),
        ])
        .args(flags)
        .output()
        .expect("the program");
    assert!(driven.status.success(), "{}", String::from_utf8_lossy(&driven.stderr));
    serde_json::from_slice(&driven.stdout).expect("a report")
}

// --- filling -------------------------------------------------------------------------------------------------

/// A connection that bypasses the triggers.
enum Loader {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

fn server() -> PgConnection {
    let server = std::env::var("ESTIMATION_TEST_POSTGRES").expect("ESTIMATION_TEST_POSTGRES names a server");
    PgConnection::establish(&format!("{server}/postgres")).expect("the server")
}

/// Creates an empty database and returns its URL.
fn created(name: &str) -> String {
    let mut server = server();
    server.batch_execute(&format!("DROP DATABASE IF EXISTS {name}")).expect("no such database");
    server.batch_execute(&format!("CREATE DATABASE {name}")).expect("a database");
    format!("{}/{name}", std::env::var("ESTIMATION_TEST_POSTGRES").expect("a server"))
}

#[derive(QueryableByName)]
struct Named {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    sql: String,
}

#[derive(QueryableByName)]
struct Size {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

#[derive(QueryableByName)]
struct Sizes {
    #[diesel(sql_type = BigInt)]
    games: i64,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
    #[diesel(sql_type = BigInt)]
    largest: i64,
}

impl Loader {
    fn open(url: &str) -> Loader {
        match url.strip_prefix("sqlite://") {
            Some(path) => {
                let mut conn = SqliteConnection::establish(path).expect("SQLite");
                // The threads of a database that was shut down close their connections a little later.
                let began = Instant::now();
                while let Err(error) = conn.batch_execute("PRAGMA journal_mode = OFF") {
                    assert!(began.elapsed() < CLOSING, "another connection stays open: {error}");
                    std::thread::sleep(Duration::from_millis(10));
                }
                // The data need not survive a crash.
                conn.batch_execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000").expect("pragmas");
                Loader::Sqlite(conn)
            }
            None => Loader::Postgres(PgConnection::establish(url).expect("PostgreSQL")),
        }
    }

    /// Runs SQL in which `{SERIES}` is a table `s` of all `n` from 1, `{ID}` the id of game `n`, `{PERSON}`
    /// that of account `n`, `{PERSON0}` to `{PERSON3}` the players, `{PEOPLE}` the number of accounts, and
    /// `{BYTES32}` that many zero bytes.
    fn run(&mut self, games: u64, sql: &str) {
        let began = Instant::now();
        let (series, id, account, bytes) = match self {
            Loader::Sqlite(_) => (
                format!(
                    "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {games}) SELECT n FROM s) AS s"
                ),
                "printf('019b7a00-0000-7001-8000-%012x', n)",
                "printf('019b7a00-0000-7002-8000-%012x', ACCOUNT)",
                "zeroblob(LENGTH)",
            ),
            Loader::Postgres(_) => (
                format!("generate_series(1::bigint, {games}) AS s (n)"),
                "('019b7a00-0000-7001-8000-' || lpad(to_hex(n), 12, '0'))",
                "('019b7a00-0000-7002-8000-' || lpad(to_hex(ACCOUNT), 12, '0'))",
                "decode(repeat('00', LENGTH), 'hex')",
            ),
        };
        let people = (games / 100).max(100);
        let mut text =
            sql.replace("{SERIES}", &series).replace("{ID}", id).replace("{PEOPLE}", &people.to_string());
        for length in [32, 64] {
            text = text.replace(&format!("{{BYTES{length}}}"), &bytes.replace("LENGTH", &length.to_string()));
        }
        for place in 0..4 {
            let who = format!("(n * 4 + {place}) % {people}");
            text = text.replace(&format!("{{PERSON{place}}}"), &account.replace("ACCOUNT", &who));
        }
        text = text.replace("{PERSON}", &account.replace("ACCOUNT", "n"));
        self.batch(&text);
        let what = sql.split_whitespace().nth(2).unwrap_or_default();
        eprintln!("  {what}: {:.1} s", began.elapsed().as_secs_f64());
    }

    fn batch(&mut self, sql: &str) {
        let done = match self {
            Loader::Sqlite(conn) => conn.batch_execute(sql),
            Loader::Postgres(conn) => conn.batch_execute(sql),
        };
        done.unwrap_or_else(|error| panic!("{error}: {sql}"));
    }

    /// Disables the triggers. Returns the SQL that enables them.
    fn unguard(&mut self) -> String {
        match self {
            Loader::Sqlite(conn) => {
                let triggers: Vec<Named> =
                    sql_query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
                        .load(conn)
                        .expect("triggers");
                for trigger in &triggers {
                    conn.batch_execute(&format!("DROP TRIGGER {}", trigger.name)).expect("no trigger");
                }
                triggers.into_iter().map(|trigger| trigger.sql + ";\n").collect()
            }
            Loader::Postgres(conn) => {
                let change = |what: &str| {
                    GUARDED.map(|table| format!("ALTER TABLE {table} {what} TRIGGER USER;")).concat()
                };
                conn.batch_execute(&change("DISABLE")).expect("no triggers");
                change("ENABLE")
            }
        }
    }

    /// Does what would otherwise run beside the measurement after so many new rows.
    fn settle(&mut self, url: &str) {
        match self {
            Loader::Sqlite(_) => {
                let path = url.strip_prefix("sqlite://").expect("a file");
                File::open(path).and_then(|file| file.sync_all()).expect("a file on the disk");
            }
            Loader::Postgres(conn) => {
                for statement in ["VACUUM (ANALYZE)", "CHECKPOINT"] {
                    conn.batch_execute(statement).expect("a settled database");
                }
            }
        }
    }

    /// The size of the database in bytes.
    fn size(&mut self) -> f64 {
        let size = match self {
            Loader::Sqlite(conn) => sql_query(
                "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
            )
            .get_result::<Size>(conn),
            Loader::Postgres(conn) => {
                sql_query("SELECT pg_database_size(current_database()) AS bytes").get_result::<Size>(conn)
            }
        };
        size.expect("a size").bytes as f64
    }

    fn sizes(&mut self) -> Sizes {
        let sql = "SELECT count(*) AS games, CAST(sum(length(body)) AS BIGINT) AS bytes, \
                   CAST(max(length(body)) AS BIGINT) AS largest FROM packed_games";
        let sizes = match self {
            Loader::Sqlite(conn) => sql_query(sql).get_result(conn),
            Loader::Postgres(conn) => sql_query(sql).get_result(conn),
        };
        sizes.expect("sizes")
    }
}

/// Fills a database with this many ended games.
fn fill(url: &str, games: u64) {
    eprintln!("{games} games:");
    let parsed: DatabaseUrl = url.parse().expect("a URL");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let open = || Database::open(&parsed, Settings::default()).expect("a database");
    // SQLite is filled without a journal, so no other connection may be open.
    runtime.block_on(open().shutdown());
    let guards = Loader::open(url).unguard();
    let database = open();
    let templates: Vec<_> = (0..DISTINCT).map(|k| template(&database, &runtime, k)).collect();
    runtime.block_on(database.shutdown());
    drop(database);
    let mut loader = Loader::open(url);
    loader.batch("CREATE TABLE templates (k BIGINT PRIMARY KEY, game_id TEXT NOT NULL, events BIGINT NOT NULL, ruleset TEXT NOT NULL)");
    for (k, (game, events, ruleset)) in templates.into_iter().enumerate() {
        loader.batch(&format!("INSERT INTO templates VALUES ({k}, '{game}', {events}, '{ruleset}')"));
    }
    let empty = loader.size();
    let own = |sql: &str| sql.replace("{TEMPLATE}", &format!("JOIN templates t ON t.k = s.n % {DISTINCT}"));
    for sql in [
        "INSERT INTO accounts (id, display_name, password_changes, kind, role, created_at, updated_at) \
         SELECT {PERSON}, 'Player', 0, 'guest', 'player', 0, 0 FROM {SERIES} WHERE n <= {PEOPLE} + 4",
        "INSERT INTO games (id, status, ruleset, visibility, host, players, taken, created_at, updated_at, ended_at, signed_at, logged_at, packed_at) \
         SELECT {ID}, 'finished', t.ruleset, 'public', {PERSON0}, 4, 4, 1767225600000 + n, 1767225600000 + n, 1767225600000 + n, \
         1767225600000 + n, 1767225600000 + n, CASE WHEN n % 100 = 0 THEN NULL ELSE 1767225600000 + n END FROM {SERIES} {TEMPLATE}",
        "INSERT INTO game_seeds (game_id, seed) SELECT {ID}, {BYTES32} FROM {SERIES}",
        "INSERT INTO game_players (game_id, place, account_id, kind, seated_at) SELECT {ID}, 0, {PERSON0}, 'human', 0 FROM {SERIES}",
        "INSERT INTO game_players (game_id, place, account_id, kind, seated_at) SELECT {ID}, 1, {PERSON1}, 'human', 0 FROM {SERIES}",
        "INSERT INTO game_players (game_id, place, account_id, kind, seated_at) SELECT {ID}, 2, {PERSON2}, 'human', 0 FROM {SERIES}",
        "INSERT INTO game_players (game_id, place, account_id, kind, seated_at) SELECT {ID}, 3, {PERSON3}, 'human', 0 FROM {SERIES}",
        "INSERT INTO ended_games (number, game_id, events, head, kid, signature, signed_at) \
         SELECT n, {ID}, t.events, {BYTES32}, 'bench', {BYTES64}, 0 FROM {SERIES} {TEMPLATE}",
        "INSERT INTO counted_games (number, game_id, kind, absent, counted_at) SELECT n, {ID}, 'unrated', 0, 0 FROM {SERIES}",
        "INSERT INTO packed_games (game_id, events, head, format, body) \
         SELECT {ID}, p.events, p.head, p.format, p.body FROM {SERIES} {TEMPLATE} JOIN packed_games p ON p.game_id = t.game_id WHERE n % 100 <> 0",
        "DELETE FROM packed_games WHERE game_id IN (SELECT game_id FROM templates)",
    ] {
        loader.run(games, &own(sql));
    }
    let packed = loader.size() - empty;
    for sql in [
        "INSERT INTO game_events (game_id, seq, hash, body) \
         SELECT {ID}, e.seq, e.hash, e.body FROM {SERIES} {TEMPLATE} JOIN game_events e ON e.game_id = t.game_id WHERE n % 100 = 0",
        "DELETE FROM game_events WHERE game_id IN (SELECT game_id FROM templates)",
    ] {
        loader.run(games, &own(sql));
    }
    loader.batch("DROP TABLE templates");
    loader.batch(&guards);
    loader.settle(url);
    let sizes = loader.sizes();
    let (count, bytes) = (sizes.games as f64, sizes.bytes as f64);
    println!(
        "{games} games: {} packed logs of {:.1} KB each, the largest {:.1} KB; with all rows and indexes {:.1} KB a game; \
         {:.2} GB with the events of {} games",
        sizes.games,
        bytes / count / 1e3,
        sizes.largest as f64 / 1e3,
        packed / count / 1e3,
        loader.size() / 1e9,
        games / 100
    );
}

/// A whole game, with its events and its packed log.
fn template(database: &Database, runtime: &tokio::runtime::Runtime, k: u64) -> (GameId, usize, &'static str) {
    let id = RulesetId::ALL[k as usize % RulesetId::ALL.len()];
    let made = made::play(Ruleset::preset(id), k);
    let game = GameId(made.header.game);
    let mut hash = GENESIS;
    let events: Vec<StoredEvent> = (1..)
        .zip(made.events)
        .map(|(seq, event)| {
            hash = chain(hash, event.body.as_bytes());
            StoredEvent { seq, hash, body: event.body, binding: None }
        })
        .collect();
    let append =
        Append { game, previous_hash: GENESIS, events: events.clone(), effects: Vec::new(), by: None };
    runtime.block_on(database.append(append)).expect("its events");
    let log = PackedLog::of(game, &events).expect("a log");
    runtime.block_on(database.write(Server, move |conn| packed::insert(conn, &log))).expect("a packed log");
    (game, events.len(), id.as_str())
}
