//! What an intruder with write access to the database cannot do: have a game played on, signed or rated that no node
//! wrote.

use std::collections::{HashMap, HashSet};

use estimation_engine::event::Visibility;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::keys::KeyRing;
use estimation_service::auth::tokens::Role;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::SeededEntropy;
use estimation_service::base::failure::Failure;
use estimation_service::games::{Play, Unlimited, adopt};
use estimation_service::services::AppSettings;
use estimation_store::GameId;
use estimation_test_support::made::time;

use super::served::*;
use super::skipped_games::{forge, rechained, signed, unlock};
use crate::prelude::*;

/// Another salt in the first deal: a log that the rules allow.
fn another_salt(body: &str) -> String {
    match body.split_once("\"salt\":\"") {
        Some((before, after)) => format!("{before}\"salt\":\"00000000{}", &after[8..]),
        None => body.to_owned(),
    }
}

async fn refused(app: &Arc<App>, game: GameId) -> String {
    match app.games.view(&caller(1, Role::Player), game).await {
        Err(Failure::UnsoundLog { game: found, finding }) if found == game => finding,
        Err(failure) => panic!("{failure}"),
        Ok(view) => panic!("a view at version {}", view.version),
    }
}

on_both! {
    async fn games_under_lost_keys_are_adopted(database: TestDatabase) {
        let first = service(&database).await;
        let (running, players) = table(&first, Visibility::Public).await;
        let (ended, others) = table(&first, Visibility::Public).await;
        let [(forged, _), (unbound, _), (reseeded, _)] =
            [table(&first, Visibility::Public).await, table(&first, Visibility::Public).await, table(&first, Visibility::Private).await];
        play(&first, running, &players, 1).await;
        play(&first, ended, &others, usize::MAX).await;
        let mut outsider = unlock(&database);
        forge(&mut outsider, forged, |body| body.replace("\"place\":1", "\"place\":2"));
        outsider.run(&format!("UPDATE game_events SET binding = NULL WHERE game_id = '{unbound}'")).expect("no binding");
        outsider.run(&format!("UPDATE game_seeds SET seed = {} WHERE game_id = '{reseeded}'", outsider.bytes(&"07".repeat(32)))).expect("a seed");

        let ring = KeyRing::create(&SeededEntropy::new(78), time(0).timestamp());
        let node = || async {
            let settings = AppSettings::unlimited(Arc::new(SystemClock), Arc::new(SeededEntropy::new(6)));
            Arc::new(App::new(database.open(), ring.clone(), settings))
        };
        assert!(refused(&node().await, running).await.contains("a key that this node does not have"));
        assert_eq!(sign_and_log(&*node().await).await, 0);

        let adoption = adopt(&database.open(), &ring, &SeededEntropy::new(7), SystemClock.now()).await.expect("an adoption");
        let adopted: HashSet<GameId> = adoption.adopted.into_iter().collect();
        assert_eq!(adopted, HashSet::from([running, ended]));
        let why: HashMap<GameId, String> = adoption.refused.into_iter().collect();
        assert_eq!(why.len(), 3, "{why:?}");
        assert!(why[&unbound].contains("is not bound") && why[&reseeded].contains("the stored seed"), "{why:?}");

        let node = node().await;
        play(&node, running, &players, 2).await;
        refused(&node, forged).await;
        assert_eq!(sign_and_log(&node).await, 1);
        assert_eq!(signed(&database).await, [ended]);
        assert_eq!(node.endings.count().await.expect("counting"), 1);
        let again = adopt(&database.open(), &ring, &SeededEntropy::new(7), SystemClock.now()).await.expect("an adoption");
        assert_eq!(again.adopted, []);
    }
}

on_sqlite_first! {
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
        let game = ended(&first, Visibility::Public).await;
        let sound = ended(&first, Visibility::Public).await;
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
        outsider.run(&format!("UPDATE game_snapshots SET binding = {}", outsider.bytes(&"00".repeat(41)))).expect("an unknown key");
        let node = service(&database).await;
        let view = node.games.view(&players[0], game).await.expect("a view");
        assert_eq!(serde_json::to_string(&view.scores.totals).expect("totals"), totals);

        // The binding of one game is none for another, nor for another position.
        outsider.run("UPDATE game_snapshots SET (state, binding) = (SELECT state, binding FROM kept), seq = seq - 1")
            .expect("an older position");
        refused(&service(&database).await, game).await;
    }

    /// The game of others under another id, with its chain: never played, and sound.
    async fn an_invented_game_is_neither_signed_nor_rated(database: TestDatabase) {
        let first = service(&database).await;
        let game = ended(&first, Visibility::Public).await;
        let invented: GameId = "01900000-0000-7000-8000-000000000001".parse().expect("an id");
        let mut outsider = unlock(&database);
        let renamed = |body: &str| body.replace(&game.to_string(), &invented.to_string());
        for (table, columns) in [
            ("games", "status, ruleset, visibility, host, players, taken, created_at, updated_at, ended_at"),
            ("game_players", "place, account_id, kind, seated_at"),
            ("game_seeds", "seed"),
        ] {
            let id = if table == "games" { "id" } else { "game_id" };
            outsider.run(&format!("INSERT INTO {table} ({id}, {columns}) SELECT '{invented}', {columns} FROM {table} \
                                   WHERE {id} = '{game}'")).expect("rows");
        }
        for (seq, body, hash) in rechained(&mut outsider, game, renamed) {
            // With the bindings of the other game.
            outsider.run(&format!("INSERT INTO game_events (game_id, seq, hash, body, binding) \
                                   SELECT '{invented}', {seq}, {hash}, {body}, binding FROM game_events \
                                   WHERE game_id = '{game}' AND seq = {seq}")).expect("an event");
        }
        let node = service(&database).await;
        assert_eq!(sign_and_log(&node).await, 1);
        assert_eq!(signed(&database).await, [game]);
        // A row that calls it signed does not make it count.
        let zeros = outsider.bytes(&"00".repeat(64));
        outsider.run(&format!("INSERT INTO ended_games (number, game_id, events, head, kid, signature, signed_at) \
                               SELECT 2, game_id, seq, hash, 'none', {zeros}, 0 FROM game_events \
                               WHERE game_id = '{invented}' ORDER BY seq DESC LIMIT 1")).expect("an end");
        node.endings.count().await.expect("counting");
        assert_eq!(outsider.count("counted_games"), 1);
        assert_eq!(outsider.count(&format!("results WHERE game_id = '{invented}'")), 0);
    }

    /// Another seed, its commitment and other cards, all consistent, while the node is stopped.
    async fn another_seed_is_not_played_on(database: TestDatabase) {
        let first = service(&database).await;
        let (game, players) = table(&first, Visibility::Public).await;
        let (other, others) = table(&first, Visibility::Public).await;
        let commitment = async |caller: &Caller, game: GameId| {
            let view = first.games.view(caller, game).await.expect("a view");
            let view = serde_json::to_value(&view).expect("JSON");
            view["fairness"]["commitment"].as_str().expect("a commitment").to_owned()
        };
        let (ours, theirs) = (commitment(&players[0], game).await, commitment(&others[0], other).await);
        let mut outsider = unlock(&database);
        let seed = format!("UPDATE game_seeds SET seed = (SELECT seed FROM game_seeds WHERE game_id = '{other}') \
                            WHERE game_id = '{game}'");
        outsider.run("CREATE TABLE kept AS SELECT * FROM game_seeds").expect("a copy");
        outsider.run(&seed).expect("another seed");
        assert!(refused(&service(&database).await, game).await.contains("the stored seed"));
        forge(&mut outsider, game, |body| body.replace(&ours, &theirs));
        outsider.run("DELETE FROM game_snapshots").expect("no states");
        assert!(refused(&service(&database).await, game).await.contains("is not bound"));
    }

    /// No missing state and no other format switches the check off; neither does a binding from elsewhere.
    async fn a_head_needs_the_binding_of_its_own_version(database: TestDatabase) {
        let first = service(&database).await;
        let (game, players) = table(&first, Visibility::Public).await;
        let (other, _) = table(&first, Visibility::Public).await;
        play(&first, game, &players, 1).await;
        let mut outsider = unlock(&database);
        outsider.run("CREATE TABLE bound AS SELECT game_id, seq, hash, binding FROM game_events").expect("a copy");
        let head = format!("game_id = '{game}' AND seq = (SELECT max(seq) FROM bound WHERE game_id = '{game}')");
        outsider.run("UPDATE game_snapshots SET format = 77").expect("another format");
        // Sound so far: the whole log is replayed.
        let view = service(&database).await.games.view(&players[0], game).await.expect("a view");
        let forged = outsider.bytes(&"00".repeat(41));
        let zeros = outsider.bytes(&"00".repeat(32));
        let of_the_key = match database.backend() {
            Backend::Sqlite => format!("(SELECT CAST(substr(binding, 1, 9) || {zeros} AS BLOB) FROM bound WHERE {head})"),
            Backend::Postgres => format!("(SELECT substr(binding, 1, 9) || {zeros} FROM bound WHERE {head})"),
        };
        let earlier = format!("(SELECT binding FROM bound WHERE game_id = '{game}' AND binding IS NOT NULL ORDER BY seq LIMIT 1)");
        let elsewhere = format!("(SELECT binding FROM bound WHERE game_id = '{other}' AND binding IS NOT NULL ORDER BY seq DESC LIMIT 1)");
        for (binding, told) in [
            ("NULL", "is not bound"),
            (&forged, "a key that this node does not have"),
            (&of_the_key, "is not bound"),
            (&earlier, "is not bound"),
            (&elsewhere, "is not bound"),
        ] {
            outsider.run(&format!("UPDATE game_events SET binding = {binding} WHERE {head}")).expect(binding);
            let node = service(&database).await;
            let finding = refused(&node, game).await;
            assert!(finding.contains(told), "{binding}: {finding}");
            let legal = &view.legal;
            if let [command, ..] = &legal[..] {
                let play = Play { caller: &players[0], game, expected: None, command, key: None, refusals: &Unlimited };
                let refused = node.games.play(&play, true).await;
                assert!(matches!(refused, Err(Failure::UnsoundLog { .. })), "{binding}");
            }
            assert_eq!(node.games.view(&players[0], other).await.expect("another game").id, other);
        }
        outsider.run(&format!("UPDATE game_events SET binding = (SELECT binding FROM bound WHERE {head}) WHERE {head}")).expect("repaired");
        service(&database).await.games.view(&players[0], game).await.expect("a view");
    }
}
