//! The logs that a drive leaves behind, read from the database and played again by the naive referee.

use std::path::Path;

use estimation::store::games::{GameFilter, Page};
use estimation::store::{Database, DatabaseUrl, Settings, StoreError, events, games};
use serde_json::{Value, json};

use crate::naive::referee;

/// Every finished game of a data directory: each call, trick and score recomputed from the log alone, by a
/// reading of the rule book that shares no code with the engine.
pub fn refereed(data: &Path, finished: u64) {
    let url = DatabaseUrl::sqlite(data.join("estimation.db"));
    let database = Database::open(&url, Settings::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let logs: Vec<(String, Vec<Value>)> = runtime
        .block_on(database.read(|conn| {
            let filter = GameFilter { status: Some("finished".to_owned()), ..GameFilter::default() };
            let rows = games::list(conn, &filter, &Page { after: None, limit: 10_000 })?;
            rows.into_iter()
                .map(|row| {
                    Ok((
                        row.id.clone(),
                        events::after(conn, &row.id, 0, 100_000)?.iter().map(published).collect(),
                    ))
                })
                .collect::<Result<_, StoreError>>()
        }))
        .unwrap();
    assert_eq!(logs.len() as u64, finished);
    for (game, log) in logs {
        let totals = referee(&log).unwrap_or_else(|foul| panic!("game {game}: {foul}"));
        let standings = log.last().unwrap()["event"]["standings"].as_array().unwrap().clone();
        let stored: Vec<i64> = standings.iter().map(|standing| standing["total"].as_i64().unwrap()).collect();
        assert_eq!(totals, stored, "game {game}");
    }
}

/// A stored event as the API publishes it once the game is over.
fn published(stored: &events::StoredEvent) -> Value {
    let body: Value = serde_json::from_str(&stored.body).unwrap();
    json!({"seq": body["seq"], "at": body["at"], "actor": body["actor"], "hash": "", "event": body["event"]})
}
