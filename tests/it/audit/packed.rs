//! A packed game answers every request as it did before.

use estimation_engine::event::Visibility;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_record::verify::Piece;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::tokens::Role;
use estimation_store::event_reads::StoredEvent;
use estimation_store::packed::PackedLog;
use estimation_store::{GameId, snapshots};
use estimation_test_support::made;

use super::served::*;
use crate::prelude::*;

async fn everything(app: &Arc<App>, player: &Caller, game: GameId) -> Vec<Value> {
    let mut said = Vec::new();
    for asking in [player, &caller(77, Role::Player)] {
        let view = app.games.view(asking, game).await.expect("a view");
        for version in [1, 7, view.version / 2, view.version] {
            said.push(json!(app.games.state_at(asking, game, version).await.expect("the past")));
        }
        let mut after = 0;
        loop {
            let page = app.games.events(asking, game, after.into(), 7).await.expect("events");
            said.push(json!(page));
            match page.next_cursor {
                Some(next) => after = next.parse().expect("a cursor"),
                None => break,
            }
        }
        said.push(json!(app.games.scores(asking, game).await.expect("scores")));
        said.push(json!(view));
    }
    for piece in pieces(app, player, game).await.expect("a history") {
        if let Piece::Event(event) = &piece {
            said.push(json!([event.seq, event.hash, event.body]));
        }
    }
    said
}

on_sqlite_first! {
    async fn a_packed_game_answers_as_before(database: TestDatabase) {
        let app = service(&database).await;
        let (over, players) = finished(&app, Visibility::Public).await;
        let (running, _) = table(&app, Visibility::Public).await;
        let running_before = app.games.events(&players[0], running, 0.into(), 100).await.expect("events");
        assert_eq!(app.endings.pack(SignedDuration::ZERO).await.expect("a look"), 0, "it is not signed");
        sign_and_log(&app).await;
        let before = everything(&app, &players[1], over).await;
        assert_eq!(app.endings.pack(SignedDuration::from_hours(1)).await.expect("a look"), 0, "it has only just ended");
        // This test uses the system clock: a little later the game is old enough to pack.
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        assert_eq!(app.endings.pack(SignedDuration::ZERO).await.expect("packing"), 1);
        assert_eq!(app.endings.pack(SignedDuration::ZERO).await.expect("a look"), 0);

        // The node that packed it, and a node without it in memory.
        for node in [Arc::clone(&app), service(&database).await] {
            assert_eq!(everything(&node, &players[1], over).await, before);
            let running_after = node.games.events(&players[0], running, 0.into(), 100).await.expect("events");
            assert_eq!(json!(running_after), json!(running_before));
        }
        let store = database.open();
        let left = store.read(move |conn| snapshots::latest(conn, over)).await.expect("a look");
        assert_eq!(left, None);
        assert!(!database.outsider().holds("game_events", &["game_id"], &over.to_string()));
        assert!(database.outsider().holds("game_events", &["game_id"], &running.to_string()));
        assert_sound(&database);
    }
}

/// The longest games of 18-round rulesets leave room for their other rows in 25 KB.
#[test]
fn a_packed_game_is_small() {
    for id in [RulesetId::Squares, RulesetId::Kabooot, RulesetId::DoubleRisk] {
        let rules = Ruleset::preset(id);
        let log: Vec<StoredEvent> = made::play(rules, 4)
            .events
            .iter()
            .map(|event| StoredEvent {
                seq: event.seq,
                hash: hex::decode(&event.hash).expect("a hash").try_into().expect("32 bytes"),
                body: event.body.clone(),
                binding: None,
            })
            .collect();
        let raw: usize = log.iter().map(|event| event.body.len()).sum();
        let packed = PackedLog::of(GameId::default(), &log).expect("a chain").size();
        println!("{id}: {} events, {raw} bytes, packed {packed}", log.len());
        assert!(packed < 20_000, "{id}: {packed} bytes");
    }
}
