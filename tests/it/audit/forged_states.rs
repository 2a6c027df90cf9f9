//! What an intruder with write access to the database cannot do: play on a forged state, or have a forged log signed.

use std::sync::Arc;

use estimation_engine::event::Visibility;
use estimation_service::auth::tokens::Role;
use estimation_service::games::failure::GameFailure;
use estimation_service::services::App;
use estimation_store::GameId;

use super::served::{caller, play, service, sign_and_log, table};
use super::skipped_games::{forge, signed, unlock};
use crate::databases::on_both;

/// Another salt in the first deal: a log that the rules allow.
fn another_salt(body: &str) -> String {
    match body.split_once("\"salt\":\"") {
        Some((before, after)) => format!("{before}\"salt\":\"00000000{}", &after[8..]),
        None => body.to_owned(),
    }
}

async fn refused(app: &Arc<App>, game: GameId) -> String {
    match app.games.view(&caller(1, Role::Player), game).await {
        Err(GameFailure::UnsoundLog { game: found, finding }) if found == game => finding,
        Err(failure) => panic!("{failure}"),
        Ok(view) => panic!("a view at version {}", view.version),
    }
}

on_both! {
    async fn a_running_game_with_another_log_is_refused(database: TestDatabase) {
        let first = service(&database).await;
        let (game, players) = table(&first, Visibility::Public).await;
        let (other, _) = table(&first, Visibility::Public).await;
        play(&first, game, &players, 1).await;
        forge(&mut unlock(&database), game, another_salt);
        let node = service(&database).await;
        assert!(refused(&node, game).await.contains("is not that of the stored state"));
        assert_eq!(node.games.view(&players[0], other).await.expect("another game").id, other);
    }

    async fn an_event_that_was_changed_alone_is_refused(database: TestDatabase) {
        let first = service(&database).await;
        let (game, players) = table(&first, Visibility::Public).await;
        play(&first, game, &players, 1).await;
        // An event after the snapshot.
        let legal = first.games.view(&players[0], game).await.expect("a view").version;
        play(&first, game, &players, 1).await;
        let mut outsider = unlock(&database);
        outsider.run("DELETE FROM game_snapshots").expect("no states");
        let change = format!("UPDATE game_events SET body = replace(body, '\"seq\":{legal}}}', '\"seq\":{legal} }}') \
                              WHERE game_id = '{game}' AND seq = {legal}");
        outsider.run(&change).expect("a change");
        let node = service(&database).await;
        assert!(refused(&node, game).await.contains("does not continue the hash chain"));
    }

    async fn an_ended_game_with_another_log_is_not_signed(database: TestDatabase) {
        let first = service(&database).await;
        let (game, players) = table(&first, Visibility::Public).await;
        play(&first, game, &players, usize::MAX).await;
        let (sound, players) = table(&first, Visibility::Public).await;
        play(&first, sound, &players, usize::MAX).await;
        forge(&mut unlock(&database), game, another_salt);
        let node = service(&database).await;
        assert_eq!(sign_and_log(&node).await, 1);
        assert_eq!(signed(&database).await, [sound]);
    }

    async fn a_forged_state_is_not_played_on(database: TestDatabase) {
        let first = service(&database).await;
        let (game, players) = table(&first, Visibility::Public).await;
        play(&first, game, &players, 1).await;
        let before = first.games.view(&players[0], game).await.expect("a view");
        let totals = serde_json::to_string(&before.scores.totals).expect("totals");
        let forged = "UPDATE game_snapshots SET state = replace(state, '\"totals\":', '\"totals\":[777,777,777,777],\"old\":')";
        let mut outsider = database.outsider();
        outsider.run("CREATE TABLE kept AS SELECT * FROM game_snapshots").expect("a copy");
        outsider.run(forged).expect("a forged state");
        let node = service(&database).await;
        assert!(refused(&node, game).await.contains("not one that a node made"));

        // A state that is bound by an unknown key is not used: the server replays the log.
        outsider.run("UPDATE game_snapshots SET binding_kid = 'unknown'").expect("an unknown key");
        let node = service(&database).await;
        let view = node.games.view(&players[0], game).await.expect("a view");
        assert_eq!(serde_json::to_string(&view.scores.totals).expect("totals"), totals);

        // The binding of one game is none for another, nor for another position.
        outsider.run("UPDATE game_snapshots SET (state, binding, binding_kid) = (SELECT state, binding, binding_kid FROM kept), seq = seq - 1")
            .expect("an older position");
        refused(&service(&database).await, game).await;
    }
}
