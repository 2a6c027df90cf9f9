//! A game with a hint counts for nobody, in the rows and in the audit.

use estimation_engine::player::BotLevel;
use estimation_service::auth::tokens::Role;
use estimation_service::games::NewTable;

use super::falsified_rows::findings;
use super::served::*;
use crate::prelude::*;

on_sqlite_first! {
    async fn a_game_with_a_hint_counts_for_nobody(database: TestDatabase) {
        let app = service(&database).await;
        let host = caller(1, Role::Player);
        // Sessions of long ago would be ended by the background jobs.
        let now = Timestamp::now().as_millisecond();
        database
            .outsider()
            .run(&format!("UPDATE sessions SET created_at = {now}, last_used_at = {now}"))
            .expect("sessions in use");
        let background = app.start_background();
        let options = [("length".to_owned(), json!("micro"))].into();
        let new = NewTable { options, bots: Some(BotLevel::Easy), ..new_table("squares") };
        let game = app.games.create(&host, new, None).await.expect("a table").value.id;
        let hint = found("the turn of the host", async || app.games.hint(&host, game).await.ok()).await;
        assert!(app.games.view(&host, game).await.expect("a view").legal.contains(&hint.command));
        play(&app, game, std::slice::from_ref(&host), usize::MAX).await;
        let counted = async || database.outsider().holds("counted_games", &["kind"], "no_result");
        eventually("the game is counted", counted).await;
        assert!(!database.outsider().holds("results", &["account_id"], host.account.as_str()));
        drop(background);
        app.shutdown().await;
        assert_sound(&database);
        // Somebody makes it count.
        database.outsider().run("UPDATE counted_games SET kind = 'unrated'").expect("another kind");
        let found = findings(&inspected(&database).1);
        assert!(found.iter().any(|detail| detail.contains(r#"its log makes it \"no_result\""#)), "{found:#?}");
    }
}
