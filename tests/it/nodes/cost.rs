//! The cost of a command does not depend on the length of the game: it runs the same few statements.

use std::sync::Mutex;

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::inside::Inside;
use crate::harness::table::Table;
use crate::prelude::*;

/// The statements of every connection to the databases that are watched, by a part of the database's URL. Other tests of this
/// process have databases too.
static STATEMENTS: Mutex<BTreeMap<String, Vec<String>>> = Mutex::new(BTreeMap::new());

/// The statements of this database since the last call.
fn statements(place: &str) -> Vec<String> {
    STATEMENTS.lock().expect("a list").insert(place.to_owned(), Vec::new()).unwrap_or_default()
}

#[derive(Default)]
struct Notes {
    url: String,
}

impl Instrumentation for Notes {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartEstablishConnection { url, .. } => self.url = url.to_owned(),
            InstrumentationEvent::StartQuery { query, .. } => {
                let mut watched = STATEMENTS.lock().expect("a list");
                if let Some((_, noted)) =
                    watched.iter_mut().find(|(place, _)| self.url.contains(place.as_str()))
                {
                    noted.push(query.to_string());
                }
            }
            _ => {}
        }
    }
}

struct Cost {
    version: u64,
    /// The fewest and the most statements of a command.
    statements: (usize, usize),
    time: Duration,
}

fn long_winded(view: &Value, dice: &mut Random) -> Value {
    let legal = view["legal"].as_array().expect("commands");
    let lowest = legal.iter().find(|command| command["type"] == "bid");
    lowest.cloned().unwrap_or_else(|| dice.command(legal))
}

async fn cost(table: &Table, dice: &mut Random, place: &str) -> Cost {
    let version = table.version().await;
    let (mut counts, mut times) = (Vec::new(), Vec::new());
    while counts.len() < 40 {
        let (actor, view) = table.turn().await.expect("a game under way");
        let command = long_winded(&view, dice);
        let is_card = command["type"] == "play";
        statements(place);
        let begun = Instant::now();
        table.seat(actor).command(&command).await.accepted();
        let took = begun.elapsed();
        // Checkpoints, settings of new pool connections, and the periodic read of the log belong to no
        // command.
        let of_command = |text: &str| {
            !text.starts_with("PRAGMA ")
                && !text.starts_with("SET ")
                && !text.contains("unnest($1) AS wanted")
        };
        let count = statements(place).iter().filter(|text| of_command(text)).count();
        if is_card {
            counts.push(count);
            times.push(took);
        }
    }
    counts.sort_unstable();
    times.sort_unstable();
    Cost { version, statements: (counts[0], counts[counts.len() - 1]), time: times[times.len() / 2] }
}

#[derive(QueryableByName)]
struct Behind {
    #[diesel(sql_type = BigInt)]
    behind: i64,
}

/// The number of events after the snapshot that a node must replay.
fn behind(outsider: &mut Outsider) -> i64 {
    let sql = "SELECT max(e.seq) - max(s.seq) AS behind FROM game_events e JOIN game_snapshots s ON s.game_id = e.game_id";
    let rows: Vec<Behind> = match outsider {
        Outsider::Sqlite(conn) => diesel::sql_query(sql).load(conn),
        Outsider::Postgres(conn) => diesel::sql_query(sql).load(conn),
    }
    .expect(sql);
    rows[0].behind
}

on_both! {
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn a_late_command_costs_as_much_as_an_early_one(database: TestDatabase) {
        set_default_instrumentation(|| Some(Box::new(Notes::default()))).expect("instrumentation");
        let place = database.url_text().rsplit('/').next().expect("a name").to_owned();
        let place = if place.ends_with(".db") { database.url_text().trim_start_matches("sqlite://").to_owned() } else { place };
        let inside = Inside::start(database);
        let table = Table::open(&Client::anonymous(&inside.url), &json!({"ruleset": "squares"}), 4).await;
        table.start().await.accepted();
        let mut dice = Random(8);
        let early = cost(&table, &mut dice, &place).await;
        let mut version = 0;
        while version < 1_400 {
            for _ in 0..20 {
                let (actor, view) = table.turn().await.expect("a game under way");
                let done = table.seat(actor).command(&long_winded(&view, &mut dice)).await.accepted();
                version = done["version"].as_u64().expect("a version");
            }
            assert!(behind(&mut inside.database.outsider()) < 64 + 16, "snapshots are too far apart");
        }
        let late = cost(&table, &mut dice, &place).await;
        for cost in [&early, &late] {
            let Cost { version, statements: (least, most), time } = cost;
            println!(
                "{:?}, event {version}: {least} to {most} statements, {time:?} in the middle",
                inside.database.backend()
            );
        }
        assert!(late.version >= 1_400 && early.version < 20);
        // A card is a transaction with one insert. A trick, a score, a deal or a snapshot may come with it.
        assert_eq!((early.statements.0, late.statements.0), (3, 3));
        assert!(early.statements.1 <= 8 && late.statements.1 <= 8);
    }
}
