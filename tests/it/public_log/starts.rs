//! The condition of a signature: a signed checkpoint has the start that was promised.

use estimation_engine::event::Visibility;
use estimation_record::{LogEntry, Opening};
use estimation_service::auth::caller::Caller;
use estimation_service::auth::tokens::Role;
use estimation_service::base::failure::Failure;
use estimation_service::games::ProvenEntry;
use estimation_service::public_log::LogSettings;
use estimation_store::GameId;
use estimation_store::ended_games;
use estimation_tlog::{Hash, ProofFile};
use uuid::Uuid;

use super::{node, node_with_log, signed, whole};
use crate::audit::served::*;
use crate::audit::skipped_games::{passed_over, signed as signed_games};
use crate::prelude::*;

on_both! {
    /// A player proves the start while the game is played; a private one only with its members' salt.
    async fn the_start_has_a_proof_while_the_game_is_played(database: TestDatabase) {
        let app = node_with_log(&database).await;
        for visibility in [Visibility::Public, Visibility::Private] {
            let (game, players) = table(&app, visibility).await;
            let proof = async |caller: &Caller| app.games.proof(caller, game, ProvenEntry::Start).await;
            let early = proof(&players[0]).await;
            assert!(matches!(early, Err(Failure::NotLogged)), "{early:?}");
            app.public_log.advance().await.expect("the start");
            let text = proof(&players[0]).await.expect("a proof");
            let file: ProofFile = text.parse().expect("a proof");
            let opening: Opening = serde_json::from_slice(file.extra.as_ref().expect("an opening")).expect("an opening");
            assert_eq!(opening.salt.is_some(), visibility == Visibility::Private);
            assert!(matches!(serde_json::from_str(&opening.entry), Ok(LogEntry::Start { game: of, .. }) if of == game.0));
            let leaf = Hash::leaf(opening.logged().expect("an entry").as_bytes());
            let key = app.public_log.verifiers().await.expect("keys").expect("a log").log;
            assert_eq!(file.verify(leaf, &key).expect("a good proof"), signed(&app).await.0);
            let promise = app.games.view(&players[0], game).await.expect("a view").log.clone().expect("a promise");
            assert_eq!(promise.leaf.0, leaf.0);
            let end = app.games.proof(&players[0], game, ProvenEntry::End).await;
            assert!(matches!(end, Err(Failure::GameNotOver)), "{end:?}");
            let (stranger, nobody) = (proof(&caller(6, Role::Player)).await, app.games.public_proof(game, ProvenEntry::Start).await);
            match visibility {
                Visibility::Public => {
                    assert_eq!((stranger.expect("a proof"), nobody.expect("a look")), (text.clone(), Some(text)));
                }
                Visibility::Private => {
                    assert!(matches!(stranger, Err(Failure::Withheld { .. })), "{stranger:?}");
                    assert_eq!(nobody.expect("a look"), None);
                }
            }
        }
    }
}

on_sqlite_first! {
    async fn an_end_waits_until_its_start_is_in_a_signed_checkpoint(database: TestDatabase) {
        let app = node_with_log(&database).await;
        let game = ended(&app, Visibility::Public).await;
        assert_eq!(app.endings.sign().await.expect("nothing to sign"), 0);
        assert_eq!(app.endings.count().await.expect("nothing to count"), 0);
        assert_eq!(passed_over(&app, "sign").await, 0.0);
        app.public_log.advance().await.expect("the start");
        assert_eq!(app.endings.sign().await.expect("a signed end"), 1);
        assert_eq!(app.endings.count().await.expect("a counted game"), 1);
        assert_eq!(signed_games(&database).await, [game]);
        let LogEntry::Start { started, .. } = serde_json::from_str(&whole(&app, 1).await.1[0]).expect("an entry") else {
            panic!("not a start")
        };
        let hash = database.outsider().count(&format!(
            "game_events WHERE game_id = '{game}' AND body LIKE '%\"game_started\"%' AND hash = {}",
            database.outsider().bytes(&started.to_string())
        ));
        assert_eq!(hash, 1);
    }

    /// While the log is not signed, all ended games wait: a look takes a page of them, and goes on with the next one.
    async fn games_that_wait_are_looked_at_in_pages(database: TestDatabase) {
        let app = node_with_log(&database).await;
        let mut games = Vec::new();
        for _ in 0..3 {
            games.push(ended(&app, Visibility::Public).await);
        }
        let store = database.open();
        let page = async |after| store.read(move |conn| ended_games::unsigned(conn, after, 2)).await.expect("a page");
        let first = page(None).await;
        assert_eq!((&first.ready[..], first.last.map(|(_, game)| game)), (&[][..], Some(games[1])));
        let second = page(first.last).await;
        assert_eq!((&second.ready[..], second.last), (&[][..], None));
        app.public_log.advance().await.expect("the starts");
        let first = page(None).await;
        assert_eq!(first.ready, games[..2]);
        assert_eq!(page(first.last).await.ready, games[2..]);
        assert_eq!(app.endings.sign().await.expect("signed ends"), 3);
    }

    /// A game whose page was looked at while it waited gets its number before a later one.
    async fn games_that_waited_are_signed_in_the_order_of_their_ends(database: TestDatabase) {
        let app = node_with_log(&database).await;
        let [first, second] = [ended(&app, Visibility::Public).await, ended(&app, Visibility::Public).await];
        // The rest of the first page waits longer.
        let mut outsider = database.outsider();
        outsider.run(&format!("CREATE TABLE other AS SELECT * FROM games WHERE id = '{first}'; \
                               CREATE TABLE start AS SELECT * FROM log_games WHERE game_id = '{first}'; \
                               UPDATE start SET start_log = 1")).expect("copies");
        for number in 1..=255 {
            let id = GameId(Uuid::from_u128(number));
            outsider.run(&format!("UPDATE other SET id = '{id}'; INSERT INTO games SELECT * FROM other; \
                                   UPDATE start SET game_id = '{id}', start_position = 1000 + {number}; \
                                   INSERT INTO log_games SELECT * FROM start")).expect("a game that waits");
        }
        assert_eq!(app.endings.sign().await.expect("nothing to sign"), 0);
        app.public_log.advance().await.expect("the starts");
        assert_eq!(app.endings.sign().await.expect("signed ends"), 2);
        assert_eq!(signed_games(&database).await, [first, second]);
    }

    /// What an operator without the keys can change of the start of a game that is over.
    async fn a_game_without_the_promised_start_is_not_signed(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let public = ended(&app, Visibility::Public).await;
        let private = ended(&app, Visibility::Private).await;
        let (other, _) = table(&app, Visibility::Public).await;
        sign_starts(&app).await;
        assert_eq!(signed(&app).await.0.size, 3);
        app.shutdown().await;
        let mut outsider = database.outsider();
        outsider.run("CREATE TABLE kept_games AS SELECT * FROM log_games").expect("a copy");
        outsider.run("CREATE TABLE kept_tree AS SELECT * FROM log_tree").expect("a copy");
        let salt = outsider.bytes(&"07".repeat(32));
        let zeros = outsider.bytes(&"00".repeat(64));
        let set = |columns: &str| format!("UPDATE log_games SET {columns} WHERE game_id IN ('{public}', '{private}')");
        for (change, told) in [
            (format!("DELETE FROM log_games WHERE game_id <> '{other}'"), "the public log has no start of the game"),
            (set("start_entry = replace(start_entry, '\"commitment\":\"', '\"commitment\":\"00')"), "is not that of the game"),
            (set("start_entry = replace(start_entry, '\"started\":\"', '\"started\":\"00')"), "is not that of the game"),
            (set("start_entry = replace(start_entry, '\"at\":\"2', '\"at\":\"3')"), "is not that of the game"),
            (set(&format!("start_salt = {salt}")), "sealed|another entry"),
            (set(&format!("leaf = {salt}")), "the promise is of another entry"),
            (set(&format!("promise = {zeros}")), "not the one that was signed"),
            (set("promise_kid = 'nobody'"), "not the one that was signed"),
            (set("promised_by = promised_by + 1"), "not the one that was signed"),
            (set(&format!("start_log = NULL, start_position = NULL, promise = {zeros}")), "not the one that was signed"),
            (set("start_log = 77"), "is not there"),
            (set("start_position = start_position + 7"), "waits"),
            (
                format!("UPDATE log_games SET start_position = 9 WHERE game_id = '{other}'; \
                         UPDATE log_games SET start_position = 2 WHERE game_id = '{public}'; \
                         UPDATE log_games SET start_position = 0 WHERE game_id = '{private}'"),
                "another entry in place of the promised start",
            ),
            ("UPDATE log_tree SET note = replace(note, '\n3\n', '\n4\n'), signed_size = 4".to_owned(), "is not signed by its key"),
        ] {
            outsider.run(&change).expect(&change);
            let app = node(&database, LogSettings::default()).await;
            assert_eq!(app.endings.sign().await.expect("nothing to sign"), 0, "{change}");
            let expected = if told == "waits" { 0.0 } else { 2.0 };
            assert_eq!(passed_over(&app, "sign").await, expected, "{change}");
            app.shutdown().await;
            let (well, report) = inspected(&database);
            assert!(!well, "{change}");
            if !["waits", "is not there", "is not signed by its key", "another entry in place of the promised start"].contains(&told) {
                assert!(told.split('|').any(|told| report.to_string().contains(told)), "{change}: {report:#}");
            }
            outsider.run("DELETE FROM log_games; INSERT INTO log_games SELECT * FROM kept_games").expect("the games before");
            outsider.run("DELETE FROM log_tree; INSERT INTO log_tree SELECT * FROM kept_tree").expect("the tree before");
        }
        let app = node(&database, LogSettings::default()).await;
        assert_eq!(sign_and_log(&app).await, 2);
    }

    /// A row that is deleted from the queue is made again from what was promised; so is a position.
    async fn a_forgotten_entry_gets_into_the_log(database: TestDatabase) {
        let app = node_with_log(&database).await;
        let mut outsider = database.outsider();
        let public = ended(&app, Visibility::Public).await;
        let private = ended(&app, Visibility::Private).await;
        outsider.run("DELETE FROM log_queue").expect("no starts");
        sign_starts(&app).await;
        assert_eq!(signed(&app).await.0.size, 2);
        assert_eq!(sign_and_log(&app).await, 2);
        assert_eq!(signed_games(&database).await, [public, private]);
        outsider.run("DELETE FROM log_queue").expect("no ends");
        app.endings.log().await.expect("the ends again");
        app.public_log.advance().await.expect("the ends");
        assert_eq!(signed(&app).await.0.size, 4);
        // What has a place keeps it.
        outsider.run("UPDATE log_games SET start_log = NULL, start_position = NULL, end_log = NULL, end_position = NULL").expect("no positions");
        app.endings.log().await.expect("the ends again");
        app.public_log.advance().await.expect("nothing more");
        assert_eq!((signed(&app).await.0.size, outsider.count("log_queue")), (4, 0));
        app.records.begin_access_log().await.expect("a signed access log");
        assert_sound(&database);
    }

    /// An end that was never signed does not get in by this way.
    async fn a_false_end_is_not_queued(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let over = ended(&app, Visibility::Public).await;
        let (running, _) = table(&app, Visibility::Public).await;
        assert_eq!(sign_and_log(&app).await, 1);
        let size = signed(&app).await.0.size;
        let mut outsider = database.outsider();
        outsider.run(&format!("DELETE FROM log_queue; UPDATE log_games SET end_entry = replace(end_entry, '\"events\":', '\"events\":9') WHERE game_id = '{over}'; \
                               UPDATE log_games SET end_entry = (SELECT replace(end_entry, '{over}', '{running}') FROM log_games WHERE game_id = '{over}') \
                               WHERE game_id = '{running}'")).expect("false ends");
        app.endings.log().await.expect("nothing to log");
        app.public_log.advance().await.expect("nothing more");
        assert_eq!((signed(&app).await.0.size, outsider.count("log_queue")), (size, 0));
        assert_eq!(passed_over(&app, "log").await, 2.0);
    }
}
