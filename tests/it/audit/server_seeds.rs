//! Server seeds after openings of client seeds that failed.

use estimation_engine::event::Visibility;
use estimation_service::vocabulary::{ClientSeed, TableCommand};

use super::served::*;
use crate::prelude::*;

on_both! {
    async fn the_audit_knows_the_server_seed_after_an_opening_that_failed(database: TestDatabase) {
        let node = service(&database).await;
        let (game, players) = table_with(&node, Visibility::Public, [1, 2, 3, 4], false).await;
        let seed = ClientSeed::new("ab".repeat(16)).expect("a seed");
        let at_table = async |player: usize, command: TableCommand| {
            node.games.at_table(&players[player], game, &command, None, None).await.expect("a command").value
        };
        let first = at_table(1, TableCommand::CommitSeed { commitment: Some(seed.commitment()) }).await;
        at_table(0, TableCommand::Start).await;
        let failed = at_table(1, TableCommand::Leave { place: 1 }).await;
        assert_ne!(first.fairness.fairness.commitment, failed.fairness.fairness.commitment);
        at_table(0, TableCommand::Cancel).await;
        assert_eq!(sign_and_log(&node).await, 1);
        let (sound, report) = inspected(&database);
        assert!(sound, "{report}");
        database.outsider().run("UPDATE game_seeds SET seed = zeroblob(32)").or_else(|_| {
            database.outsider().run("UPDATE game_seeds SET seed = decode(repeat('00', 32), 'hex')")
        }).expect("another seed");
        let (sound, report) = inspected(&database);
        assert!(!sound && report["findings"][0]["rule"] == "commitment", "{report}");
    }
}
