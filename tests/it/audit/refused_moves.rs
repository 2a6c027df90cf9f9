//! Matchmaking with players whom a table refuses: the others are seated, and nobody is moved to and fro.

use estimation_service::auth::caller::Caller;
use estimation_service::auth::tokens::Role;
use estimation_store::GameId;

use super::served::*;
use super::skipped_games::{waits, wish};
use crate::prelude::*;

/// How often an account may join a table.
const JOINS: usize = 20;

async fn waits_for_people(app: &Arc<App>, player: &Caller) -> GameId {
    waits(app, player, wish("nineteen", Some(3), None)).await
}

async fn waits_for_bots(app: &Arc<App>, player: &Caller) -> GameId {
    waits(app, player, wish("nineteen", Some(3), Some(3600))).await
}

/// Joins a table of people as often as an account may, and leaves it each time.
async fn joins_too_often(app: &Arc<App>, player: &Caller, table: GameId) {
    for _ in 0..JOINS {
        assert_eq!(waits_for_people(app, player).await, table);
        app.matchmaking.stop_seeking(player).await.expect("a way out");
    }
}

async fn run(app: &Arc<App>, times: usize) {
    for _ in 0..times {
        app.matchmaking.advance_matchmade_tables().await.expect("the job");
    }
}

on_sqlite_first! {
    async fn players_fill_another_table_than_the_one_that_refuses_one_of_them(database: TestDatabase) {
        let app = service(&database).await;
        let [stays, apart, restless, other] = [1, 2, 3, 4].map(|number| caller(number, Role::Player));
        let first = waits_for_people(&app, &stays).await;
        joins_too_often(&app, &restless, first).await;
        joins_too_often(&app, &apart, first).await;
        let second = waits_for_people(&app, &apart).await;
        assert_ne!(second, first);
        let bots = waits_for_bots(&app, &restless).await;
        assert_eq!(waits_for_bots(&app, &other).await, bots);
        run(&app, 2).await;
        let outsider = &mut database.outsider();
        assert_eq!(outsider.count(&format!("games WHERE id = '{second}' AND status = 'playing'")), 1);
        assert_eq!(outsider.count(&format!("matchmaking WHERE game_id = '{first}'")), 1);
    }

    /// A player who was moved to a table that refuses the next one goes back, and stays there.
    async fn nobody_is_moved_to_and_fro(database: TestDatabase) {
        let app = service(&database).await;
        let [stays, restless, other] = [1, 2, 3].map(|number| caller(number, Role::Player));
        let first = waits_for_people(&app, &stays).await;
        joins_too_often(&app, &restless, first).await;
        let bots = waits_for_bots(&app, &other).await;
        assert_eq!(waits_for_bots(&app, &restless).await, bots);
        let outsider = &mut database.outsider();
        let together = format!("matchmaking WHERE game_id = '{bots}' AND left_game_id IS NULL");
        let events = format!("game_events WHERE game_id IN ('{first}', '{bots}')");
        run(&app, 3).await;
        assert_eq!(outsider.count(&together), 2);
        let before = outsider.count(&events);
        run(&app, 3).await;
        assert_eq!((outsider.count(&together), outsider.count(&events)), (2, before));
    }
}
