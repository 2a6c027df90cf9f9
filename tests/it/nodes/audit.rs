use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Integer, Text};
use estimation_engine::command::Position;
use estimation_engine::event::Event;
use estimation_engine::game::Game;
use estimation_engine::player::AccountId;
use estimation_engine::view::view;
use estimation_record::{GENESIS, chain};

use crate::harness::table::Table;
use crate::prelude::*;

#[derive(Clone, Debug, QueryableByName)]
pub struct Stored {
    #[diesel(sql_type = Text)]
    game_id: String,
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = Binary)]
    hash: Vec<u8>,
    #[diesel(sql_type = Text)]
    body: String,
}

#[derive(Clone, Debug, QueryableByName)]
struct Snapshot {
    #[diesel(sql_type = Text)]
    game_id: String,
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = Integer)]
    format: i32,
    #[diesel(sql_type = Binary)]
    hash: Vec<u8>,
    #[diesel(sql_type = Text)]
    state: String,
}

#[derive(Clone, Debug, QueryableByName)]
struct Listed {
    #[diesel(sql_type = Text)]
    id: String,
    #[diesel(sql_type = Text)]
    status: String,
}

pub struct Log {
    pub events: Vec<Logged>,
    pub game: Game,
}

pub struct Logged {
    pub hash: String,
    pub actor: Value,
    pub event: Value,
}

macro_rules! rows {
    ($outsider:expr, $sql:expr) => {
        match $outsider {
            Outsider::Sqlite(conn) => diesel::sql_query($sql).load(conn),
            Outsider::Postgres(conn) => diesel::sql_query($sql).load(conn),
        }
        .expect($sql)
    };
}

/// Reads everything and checks for gaps, forks, broken links, and states that differ from a replay. Returns
/// the logs by game.
pub fn audit(outsider: &mut Outsider) -> BTreeMap<String, Log> {
    let events: Vec<Stored> =
        rows!(outsider, "SELECT game_id, seq, hash, body FROM game_events ORDER BY game_id, seq");
    let snapshots: Vec<Snapshot> =
        rows!(outsider, "SELECT game_id, seq, format, hash, state FROM game_snapshots");
    let listed: Vec<Listed> = rows!(outsider, "SELECT id, status FROM games");
    let mut snapshots: BTreeMap<String, Snapshot> =
        snapshots.into_iter().map(|kept| (kept.game_id.clone(), kept)).collect();
    let mut logs = BTreeMap::new();
    for stored in events.chunk_by(|a, b| a.game_id == b.game_id) {
        let id = &stored[0].game_id;
        logs.insert(id.clone(), whole(id, stored, snapshots.remove(id)));
    }
    assert!(snapshots.is_empty(), "snapshots of games without a log");
    assert_eq!(listed.len(), logs.len(), "as many games are listed as have a log");
    for Listed { id, status } in listed {
        assert_eq!(logs[&id].game.status().as_str(), status, "game {id} is listed as {status}");
    }
    logs
}

/// The log of a game is whole and contains every acknowledged event.
pub fn is_whole(outsider: &mut Outsider, table: &Table, version: u64) {
    assert_eq!(audit(outsider)[&table.id].events.len() as u64, version);
}

fn whole(id: &str, stored: &[Stored], snapshot: Option<Snapshot>) -> Log {
    let mut previous = GENESIS;
    let mut events = Vec::new();
    let mut typed = Vec::new();
    for (row, seq) in stored.iter().zip(1..) {
        assert_eq!(row.seq, seq, "game {id} has a gap or a fork");
        previous = chain(previous, row.body.as_bytes());
        assert_eq!(row.hash, previous, "game {id}: the chain is broken at {seq}");
        let body: Value = serde_json::from_str(&row.body).expect("JSON");
        assert_eq!((&body["game"], &body["seq"]), (&json!(id), &json!(seq)));
        typed.push(serde_json::from_value::<Event>(body["event"].clone()).expect("an event"));
        events.push(Logged {
            hash: hex::encode(&row.hash),
            actor: body["actor"].clone(),
            event: body["event"].clone(),
        });
    }
    if let Some(Snapshot { seq, format, hash, state, .. }) = snapshot {
        let at = seq as usize;
        assert_eq!((format, &hash), (1, &stored[at - 1].hash), "the snapshot of game {id} at {seq}");
        let state: Value = serde_json::from_str(&state).expect("JSON");
        let replayed = Game::replay(&typed[..at]).expect("a game");
        assert_eq!(state["game"], json!(replayed), "the snapshot of game {id} at {seq} is no replay");
    }
    Log { events, game: Game::replay(&typed).expect("a game") }
}

impl Log {
    pub fn is_over(&self) -> bool {
        self.game.is_over()
    }

    /// Compares a view from a node with the replayed log.
    pub fn agrees_with(&self, shown: &Value, account: &str) {
        let chair: Option<Position> = self.game.position_of(&AccountId::new(account));
        let replayed = view(&self.game, chair);
        assert_eq!(shown["version"], json!(self.events.len()));
        assert_eq!(shown["head"]["hash"], json!(self.events.last().expect("an event").hash));
        assert_eq!(shown["status"], json!(replayed.status));
        assert_eq!(shown["round"], json!(replayed.round));
        assert_eq!(shown["scores"], json!(replayed.scores));
        assert_eq!(shown["legal"], json!(replayed.legal));
        assert_eq!(shown["fairness"], json!(replayed.fairness));
    }
}
