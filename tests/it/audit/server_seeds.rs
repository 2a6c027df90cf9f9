//! Server seeds: of tables that the release before opened, and after openings of client seeds that failed.

use estimation::app::failure::Failure;
use estimation::app::vocabulary::{ClientSeed, TableCommand};
use estimation::engine::event::Visibility;
use estimation::engine::rejection::Rejection;

use super::served::{inspected, play, service, sign_and_log, table_with};
use super::skipped_games::{forge, unlock};
use crate::databases::on_both;

/// The event as the release before wrote it.
fn of_the_release_before(body: &str) -> String {
    body.replace("estimation/deal/v2", "estimation/deal/v1").replace("\"opening_seconds\":15,", "")
}

on_both! {
    async fn a_table_that_was_open_at_the_upgrade_is_dealt_as_before(database: TestDatabase) {
        let before = service(&database).await;
        let (game, players) = table_with(&before, Visibility::Public, [1, 2, 3, 4], false).await;
        forge(&mut unlock(&database), game, of_the_release_before);

        let node = service(&database).await;
        let seed = ClientSeed::new("ab".repeat(16)).expect("a seed");
        let commit = TableCommand::CommitSeed { commitment: Some(seed.commitment()) };
        let refused = node.games.at_table(&players[1], game, &commit, None, None).await;
        assert!(matches!(refused, Err(Failure::Rejected(Rejection::NoSeedCommitments))));
        let public = TableCommand::Join { place: None, client_seed: Some(seed), commitment: None };
        node.games.at_table(&players[1], game, &public, None, None).await.expect("a public seed");
        node.games.at_table(&players[0], game, &TableCommand::Start, None, None).await.expect("a start");
        let view = node.games.view(&players[0], game).await.expect("a view");
        assert_eq!(view.fairness.fairness.algorithm, "estimation/deal/v1");
        play(&node, game, &players, usize::MAX).await;
        assert_eq!(sign_and_log(&node).await, 1);
        // Nothing but the means of this test is found: the missing trigger, and the table with a copy.
        let (_, report) = inspected(&database);
        let findings = report["findings"].as_array().expect("findings");
        assert!(findings.iter().all(|finding| finding["game"].is_null()), "{report}");
        assert_eq!(report["client_seeds"], serde_json::json!({"committed": 0, "public": 1, "without": 3}));
    }

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
