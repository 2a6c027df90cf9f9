use estimation_store::games::{GameFilter, Page};
use estimation_store::{Database, DatabaseUrl, GameId, Settings, StoreError, event_reads, games};
use estimation_test_support::made::Made;
use estimation_test_support::second::pass_the_second_verifier;

use crate::prelude::*;

/// Every finished game of a data directory: recomputes each call, trick and score from the log, with no code
/// of the engine.
pub fn refereed(data: &Path, finished: u64) {
    let url = DatabaseUrl::sqlite(data.join("estimation.db"));
    let database = Database::open(&url, Settings::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let logs: Vec<(GameId, Vec<event_reads::StoredEvent>)> = runtime
        .block_on(database.read(|conn| {
            let filter = GameFilter { status: Some("finished".to_owned()), ..GameFilter::default() };
            let rows = games::list(conn, &filter, &Page { after: None, limit: 10_000 })?;
            rows.into_iter()
                .map(|row| Ok((row.id, event_reads::after(conn, row.id, 0, 100_000)?)))
                .collect::<Result<_, StoreError>>()
        }))
        .unwrap();
    assert_eq!(logs.len() as u64, finished);
    pass_the_second_verifier(logs.into_iter().map(|(game, log)| {
        let hashes: Vec<String> = log.iter().map(|stored| hex::encode(stored.hash)).collect();
        let bodies = log.into_iter().map(|stored| stored.body).collect();
        let made = Made::of(game.0, bodies);
        assert!(made.events.iter().map(|line| &line.hash).eq(&hashes), "game {game}");
        made.lines()
    }));
}
