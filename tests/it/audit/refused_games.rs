//! The games whose ends are not signed, as the operator sees them: one row each, until the end is signed.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use estimation_engine::event::Visibility;

use super::served::*;
use super::skipped_games::{forge, passed_over, signed, unlock};
use crate::prelude::*;

#[derive(QueryableByName, Debug, Clone, PartialEq, Eq)]
struct Refused {
    #[diesel(sql_type = Text)]
    game_id: String,
    #[diesel(sql_type = Text)]
    reason: String,
    #[diesel(sql_type = Text)]
    detail: String,
    #[diesel(sql_type = BigInt)]
    first_seen_at: i64,
}

fn rows(database: &TestDatabase) -> Vec<Refused> {
    let query = "SELECT * FROM refused_games ORDER BY game_id";
    match &mut database.outsider() {
        Outsider::Sqlite(conn) => diesel::sql_query(query).load(conn).expect("rows"),
        Outsider::Postgres(conn) => diesel::sql_query(query).load(conn).expect("rows"),
    }
}

/// What `estimation games refused` prints.
fn printed(database: &TestDatabase) -> String {
    let output = run(&["games", "refused", "--database-url", database.url_text()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

on_both! {
    async fn a_refused_game_has_a_row_with_the_reason_until_it_is_signed(database: TestDatabase) {
        let app = service(&database).await;
        let mut games = Vec::new();
        for _ in 0..5 {
            games.push(ended(&app, Visibility::Public).await);
        }
        let [missing, other, forged, unreadable, sound] = games[..] else { panic!("{games:?}") };
        sign_starts(&app).await;
        app.shutdown().await;
        assert_eq!(printed(&database), "0 games are refused a signature\n");
        let mut outsider = unlock(&database);
        outsider.run("CREATE TABLE kept AS SELECT * FROM log_games").expect("a copy");
        outsider.run(&format!("DELETE FROM log_games WHERE game_id = '{missing}'")).expect("no start");
        outsider.run(&format!("UPDATE log_games SET start_entry = replace(start_entry, '\"started\":\"', '\"started\":\"00') WHERE game_id = '{other}'")).expect("another start");
        forge(&mut outsider, forged, |body| body.replace("\"rank\":1", "\"rank\":2"));
        outsider.run(&format!("UPDATE game_events SET body = '{{' WHERE game_id = '{unreadable}'")).expect("damage");

        let node = service(&database).await;
        assert_eq!(node.endings.sign().await.expect("one signed end"), 1);
        assert_eq!(signed(&database).await, [sound]);
        let first = rows(&database);
        let reasons: Vec<(&str, &str)> = first.iter().map(|row| (row.game_id.as_str(), row.reason.as_str())).collect();
        let [missing_id, other_id, forged_id, unreadable_id] = [missing, other, forged, unreadable].map(|game| game.to_string());
        assert_eq!(reasons, [
            (missing_id.as_str(), "start-missing"), (&other_id, "start-differs"), (&forged_id, "log-unsound"), (&unreadable_id, "unreadable"),
        ]);
        assert!(first[0].detail.contains("the public log has no start of the game"), "{first:?}");
        let text = printed(&database);
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.ends_with("4 games are refused a signature\n"), "{text}");
        for row in &first {
            let since = jiff::Timestamp::from_millisecond(row.first_seen_at).expect("a time");
            assert!(text.contains(&format!("{} {} since {since:.0}: {}\n", row.game_id, row.reason, row.detail)), "{text}");
        }

        // The node that has said it does not write it again; another one keeps the time.
        outsider.run("UPDATE refused_games SET detail = 'said'").expect("a mark");
        outsider.run(&format!("DELETE FROM log_games WHERE game_id = '{other}'")).expect("another reason");
        eventually("another attempt", async || {
            node.endings.sign().await.expect("nothing to sign");
            rows(&database).iter().any(|row| row.game_id == other_id && row.reason == "start-missing")
        }).await;
        assert_eq!(rows(&database).iter().filter(|row| row.detail == "said").count(), 3);
        let second = service(&database).await;
        assert_eq!(second.endings.sign().await.expect("nothing to sign"), 0);
        let again = rows(&database);
        assert!(again.iter().all(|row| row.detail != "said"), "{again:?}");
        let times = |rows: &[Refused]| rows.iter().map(|row| row.first_seen_at).collect::<Vec<_>>();
        assert_eq!(times(&again), times(&first));

        outsider.run("DELETE FROM log_games; INSERT INTO log_games SELECT * FROM kept").expect("the starts");
        outsider.run("UPDATE game_events SET (body, hash) = (SELECT body, hash FROM whole WHERE whole.position = game_events.position) \
                      WHERE position IN (SELECT position FROM whole)").expect("the logs");
        eventually("they are signed", async || {
            sign_and_log(&node).await;
            signed(&database).await.len() == 5
        }).await;
        assert_eq!((rows(&database), passed_over(&node, "sign").await), (vec![], 0.0));
        assert_eq!(printed(&database), "0 games are refused a signature\n");
        node.shutdown().await;
        second.shutdown().await;

        // A row of a signed game, and one of no game.
        outsider.run(&format!("INSERT INTO refused_games VALUES ('{sound}', 'unreadable', 'x', 1)")).expect("a row");
        let (_, report) = inspected(&database);
        assert!(report.to_string().contains("refused a signature, and its end is signed"), "{report:#}");

        outsider.run("INSERT INTO refused_games VALUES ('nobody', 'unreadable', 'y', -9000000000000000000)").expect("a row");
        let text = printed(&database);
        assert!(text.starts_with("nobody unreadable since -9000000000000000000 ms: y\n"), "{text}");
        assert!(text.ends_with(": x\n2 games are refused a signature\n"), "{text}");
    }

    async fn a_refusal_that_cannot_be_recorded_holds_up_no_other_game(database: TestDatabase) {
        let app = service(&database).await;
        let [damaged, sound] = [ended(&app, Visibility::Public).await, ended(&app, Visibility::Public).await];
        sign_starts(&app).await;
        app.shutdown().await;
        let mut outsider = unlock(&database);
        outsider.run(&format!("UPDATE game_events SET body = '{{' WHERE game_id = '{damaged}'")).expect("damage");
        let (bar, lift) = match database.backend() {
            Backend::Sqlite => (
                "CREATE TRIGGER barred BEFORE INSERT ON refused_games BEGIN SELECT RAISE(ABORT, 'refused_games is append-only'); END",
                "DROP TRIGGER barred",
            ),
            Backend::Postgres => (
                "CREATE TRIGGER barred BEFORE INSERT ON refused_games FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
                "DROP TRIGGER barred ON refused_games",
            ),
        };
        outsider.run(bar).expect("no rows");

        let node = service(&database).await;
        assert_eq!(node.endings.sign().await.expect("one signed end"), 1);
        assert_eq!((signed(&database).await, rows(&database)), (vec![sound], vec![]));
        outsider.run(lift).expect("rows again");
        eventually("the refusal is recorded", async || {
            node.endings.sign().await.expect("nothing to sign");
            rows(&database).iter().any(|row| row.game_id == damaged.to_string())
        }).await;
    }
}

on_sqlite_first! {
    async fn a_refusal_with_a_nul_holds_up_no_other_game(database: TestDatabase) {
        let app = service(&database).await;
        let [damaged, sound] = [ended(&app, Visibility::Public).await, ended(&app, Visibility::Public).await];
        sign_starts(&app).await;
        app.shutdown().await;
        let set = "body = replace(body, 'game_finished', 'x\\u0000')";
        unlock(&database).run(&format!("UPDATE game_events SET {set} WHERE game_id = '{damaged}'")).expect("damage");

        let node = service(&database).await;
        assert_eq!(node.endings.sign().await.expect("one signed end"), 1);
        assert_eq!(signed(&database).await, [sound]);
        let rows = rows(&database);
        let [Refused { game_id, reason, detail, .. }] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((game_id.as_str(), reason.as_str()), (damaged.to_string().as_str(), "unreadable"));
        assert!(detail.contains("x\\0"), "{detail}");
    }
}
