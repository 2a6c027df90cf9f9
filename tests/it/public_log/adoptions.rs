//! After the record keys were lost: `estimation games adopt` leaves an entry of the public log for each game.

use estimation_engine::event::Visibility;
use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening};
use estimation_service::auth::caller::Caller;
use estimation_service::auth::keys::{Bound, KeyRing};
use estimation_service::base::entropy::{SeededEntropy, SystemEntropy};
use estimation_service::games::{Adoption, adopt};
use estimation_service::public_log::{DEFAULT_ORIGIN, LogSettings, begin_again};
use estimation_service::services::AppSettings;
use estimation_store::event_reads::Head;
use estimation_store::public_log::{self, EntryKind};
use estimation_store::{GameId, event_reads};
use estimation_test_support::made::time;

use super::watched::Site;
use super::{node, signed, whole};
use crate::audit::keys;
use crate::audit::served::*;
use crate::prelude::*;

const FORMER: &str = "cards.example/former";

/// The keys that are lost.
fn lost_keys() -> KeyRing {
    KeyRing::create(&SeededEntropy::new(78), time(0).timestamp())
}

fn hex_of(ring: &KeyRing) -> String {
    hex::encode(ring.record_keys().iter().next().expect("a key").verifying_key().as_bytes())
}

/// Games that a node with the lost keys wrote, with their starts in its log, which another log continues.
async fn left_games(database: &TestDatabase) -> Vec<(GameId, Vec<Caller>)> {
    service(database).await.shutdown().await;
    let log = LogSettings { origin: FORMER.to_owned(), ..LogSettings::default() };
    let settings = AppSettings {
        log,
        ..AppSettings::unlimited(
            Arc::new(estimation_service::base::clock::SystemClock),
            Arc::new(SystemEntropy),
        )
    };
    let app = Arc::new(App::new(database.open(), lost_keys(), settings));
    let mut games = Vec::new();
    for visibility in [Visibility::Public, Visibility::Private] {
        let (game, players) = table(&app, visibility).await;
        play(&app, game, &players, 1).await;
        games.push((game, players));
    }
    sign_starts(&app).await;
    app.shutdown().await;
    begin_log(database, DEFAULT_ORIGIN).await;
    games
}

async fn adopted(database: &TestDatabase, ring: &KeyRing) -> Adoption {
    let store = database.open();
    let adoption = adopt(&store, ring, &SystemEntropy, Timestamp::now()).await.expect("an adoption");
    store.shutdown().await;
    adoption
}

async fn head(database: &TestDatabase, game: GameId) -> Head {
    let head = database.open().read(move |conn| event_reads::head(conn, game)).await.expect("a look");
    head.expect("a head")
}

/// Whether the database is sound with the keys of both nodes.
fn inspected(database: &TestDatabase) -> (bool, Value) {
    inspected_with(database, &["--key", &hex_of(&lost_keys())])
}

on_both! {
    async fn an_adoption_that_no_node_made_is_refused(database: TestDatabase) {
        let games = left_games(&database).await;
        adopted(&database, &keys()).await;
        let (game, other) = (games[0].0, games[1].0);
        let mut outsider = database.outsider();
        outsider.run("CREATE TABLE kept AS SELECT * FROM log_queue").expect("a copy");
        outsider.run("DELETE FROM log_queue").expect("none waits");
        let columns = "game_id, kind, entry, entered_at, binding";
        let unknown = outsider.bytes(&"07".repeat(41));
        let of_game = format!("FROM kept WHERE kind = 'adopted' AND game_id = '{game}'");
        for row in [
            // Another head, with the binding of the true one.
            format!("SELECT game_id, kind, replace(entry, '\"events\":', '\"events\":1'), entered_at, binding {of_game}"),
            format!("SELECT game_id, kind, entry, entered_at + 1, binding {of_game}"),
            format!("SELECT '{other}', kind, entry, entered_at, binding {of_game}"),
            format!("SELECT game_id, 'end', entry, entered_at, binding {of_game}"),
            format!("SELECT game_id, kind, entry, entered_at, {unknown} {of_game}"),
        ] {
            outsider.run(&format!("INSERT INTO log_queue ({columns}) {row}")).expect("a row");
        }
        let app = node(&database, LogSettings::default()).await;
        sign_starts(&app).await;
        // Those that the nodes made are queued again from the adopted heads, and entered once.
        let (size, refused) = (signed(&app).await.0.size, outsider.count("log_queue WHERE refused_at IS NOT NULL"));
        assert_eq!((size, refused, outsider.count("log_queue WHERE refused_at IS NULL")), (3, 5, 0));
        assert_eq!(outsider.count("adopted_heads WHERE position IS NOT NULL"), 2);

        // A head that no node has bound is not queued, whatever its row says.
        let other_time = r#"replace(entry, '"at":"20', '"at":"19')"#;
        for change in [&format!("entry = {other_time}, logged = {other_time}"), "seq = seq - 1, logged = logged || ' '"] {
            outsider.run(&format!("UPDATE adopted_heads SET log = NULL, position = NULL, {change} WHERE game_id = '{game}'")).expect("another adoption");
            sign_starts(&app).await;
            assert_eq!((signed(&app).await.0.size, outsider.count("log_queue WHERE refused_at IS NULL")), (3, 0), "{change}");
        }
        app.shutdown().await;
    }
}

on_sqlite_first! {
    async fn an_adoption_is_an_entry_of_the_log(database: TestDatabase) {
        let games = left_games(&database).await;
        let heads = [head(&database, games[0].0).await, head(&database, games[1].0).await];
        let before = Timestamp::now();
        let adoption = adopted(&database, &keys()).await;
        assert_eq!((adoption.adopted.len(), adoption.queued, adoption.refused.len()), (2, 2, 0), "{adoption:?}");
        // A second time there is nothing to do.
        let again = adopted(&database, &keys()).await;
        assert_eq!((again.adopted.len(), again.queued), (0, 0), "{again:?}");
        let mut outsider = database.outsider();
        assert_eq!(outsider.count("log_queue WHERE kind = 'adopted'"), 2);
        let (well, report) = inspected(&database);
        assert!(well, "{report:#}");

        let app = node(&database, LogSettings::default()).await;
        sign_starts(&app).await;
        assert_eq!(signed(&app).await.0.size, 3);
        let (_, entries) = whole(&app, 3).await;
        let items = opened(&app, 100).await;
        let items: Vec<_> = items.iter().filter(|item| item.origin == DEFAULT_ORIGIN).collect();
        assert_eq!(items.len(), 2, "{items:?}");
        for ((game, _), Head { seq, hash }) in games.iter().zip(heads) {
            let item = items.iter().find(|item| item.game == *game).expect("an item");
            let is_private = *game == games[1].0;
            assert_eq!(item.salt.is_some(), is_private);
            let LogEntry::Adopted { at, .. } = serde_json::from_str(&item.entry).expect("an entry") else {
                panic!("{}", item.entry)
            };
            assert!(at.timestamp().as_millisecond() >= before.as_millisecond(), "{at}");
            let expected = format!(
                r#"{{"at":"{at}","events":{seq},"game":"{game}","head":"{}","type":"adopted"}}"#,
                Hex(hash)
            );
            assert_eq!(item.entry, expected);
            let opening = Opening { entry: item.entry.clone(), salt: item.salt };
            assert_eq!(opening.logged().expect("an entry"), entries[item.index as usize]);
        }
        assert_eq!(entries.iter().filter(|entry| entry.contains("sealed")).count(), 1, "{entries:?}");
        app.shutdown().await;
        let (well, report) = inspected(&database);
        assert!(well, "{report:#}");
        // Another entry than that of the head.
        outsider.run("UPDATE adopted_heads SET entry = replace(entry, '\"events\":', '\"events\":1') WHERE salt IS NULL").expect("a change");
        let (well, report) = inspected(&database);
        assert!(!well && report.to_string().contains("the entry of an adoption is not that of the adopted head"), "{report:#}");
    }

    /// A writer to the database without the keys has the bindings of the events.
    async fn an_adoption_with_the_binding_of_an_event_is_not_logged(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let (game, players) = table(&app, Visibility::Public).await;
        play(&app, game, &players, 1).await;
        sign_starts(&app).await;
        let size = signed(&app).await.0.size;
        let Head { seq, hash } = head(&database, game).await;
        let entry = LogEntry::Adopted { game: game.0, at: time(0), events: seq, head: Hex(hash) };
        let entry = entry.text().expect("an entry");
        let mut outsider = database.outsider();
        outsider
            .run(&format!("INSERT INTO adopted_heads (game_id, seq, binding, entry, logged) \
                           SELECT game_id, seq, binding, '{entry}', '{entry}' FROM game_events \
                           WHERE game_id = '{game}' AND seq = {seq}"))
            .expect("an adoption");
        assert_eq!(outsider.count("adopted_heads"), 1);
        sign_starts(&app).await;
        assert_eq!((signed(&app).await.0.size, outsider.count("log_queue")), (size, 0));
        app.shutdown().await;
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("keys.json");
        KeyRing::load_or_create(&path, &SeededEntropy::new(77), time(0).timestamp()).expect("the keys of the node");
        let (well, report) = inspected_with(&database, &["--keys-file", path.to_str().expect("a path")]);
        assert!(!well && report.to_string().contains("the adopted head is not bound by a node"), "{report:#}");
    }

    /// The keys are lost again, and the rows of the first adoption are damaged.
    async fn a_damaged_adoption_is_not_bound_again(database: TestDatabase) {
        let games = left_games(&database).await;
        adopted(&database, &keys()).await;
        let mut outsider = database.outsider();
        let unknown = outsider.bytes(&"07".repeat(41));
        outsider.run("CREATE TABLE kept AS SELECT * FROM adopted_heads").expect("a copy");
        let other_head = r#"replace(entry, '"events":', '"events":1')"#;
        for (game, change, reason) in [
            (
                games[0].0,
                format!("binding = {unknown}, entry = {other_head}, logged = {other_head}"),
                "the entry of its adoption is not that of the last event",
            ),
            (
                games[1].0,
                format!("binding = {unknown}, salt = NULL, logged = entry"),
                "an entry of a private game is not sealed, or that of a public game is",
            ),
            (
                games[0].0,
                "binding = (SELECT binding FROM log_queue WHERE entry = logged)".to_owned(),
                "the adopted head is not bound by a node",
            ),
        ] {
            outsider.run("DELETE FROM adopted_heads; INSERT INTO adopted_heads SELECT * FROM kept").expect("sound rows");
            outsider.run(&format!("UPDATE adopted_heads SET {change} WHERE game_id = '{game}'")).expect("a change");
            outsider.run("CREATE TABLE damaged AS SELECT * FROM adopted_heads").expect("a copy");
            let again = adopted(&database, &keys()).await;
            assert_eq!((again.adopted, again.queued), (vec![], 0), "{change}");
            assert_eq!(again.refused, [(game, reason.to_owned())], "{change}");
            assert_eq!(outsider.count("adopted_heads NATURAL JOIN (SELECT game_id, seq, binding FROM damaged) AS left_alone"), 2);
            outsider.run("DROP TABLE damaged").expect("no copy");
        }
    }

    /// A log that is begun again has the adoptions that the former one did not sign.
    async fn an_adoption_moves_to_the_next_log(database: TestDatabase) {
        left_games(&database).await;
        let app = node(&database, LogSettings::default()).await;
        app.public_log.advance().await.expect("the new log");
        let mut outsider = database.outsider();
        outsider.run("CREATE TABLE kept AS SELECT * FROM log_tree").expect("a copy");
        app.shutdown().await;
        adopted(&database, &keys()).await;
        let app = node(&database, LogSettings::default()).await;
        sign_starts(&app).await;
        assert_eq!(signed(&app).await.0.size, 3);
        app.shutdown().await;
        outsider
            .run("UPDATE log_tree SET (signed_size, signed_at, note) = \
                  (SELECT signed_size, signed_at, note FROM kept WHERE kept.id = log_tree.id) WHERE id = 2")
            .expect("an older checkpoint");
        let (store, third) = (database.open(), "cards.example/third");
        let begun = begin_again(&store, &keys(), Timestamp::now(), third).await.expect("a new log");
        assert_eq!((begun.moved, begun.left), (2, 0), "{begun:?}");
        store.shutdown().await;
        let app = node(&database, LogSettings { origin: third.to_owned(), ..LogSettings::default() }).await;
        sign_starts(&app).await;
        assert_eq!(signed(&app).await.0.size, 3);
        assert_eq!(outsider.count("adopted_heads WHERE log = 3 AND position > 0"), 2);
        app.shutdown().await;
        let (well, report) = inspected(&database);
        assert!(well, "{report:#}");
    }

    /// What an operator with the keys can do: adopt a game with another history than the one that is shown later.
    async fn an_audit_compares_an_adoption_with_the_history(database: TestDatabase) {
        let games = left_games(&database).await;
        let site = Site::start(&database).await;
        adopted(&database, &keys()).await;
        let (game, players) = &games[0];
        assert_eq!(signed(&site.app).await.0.size, 1, "the adoptions wait");
        play(&site.app, *game, players, usize::MAX).await;
        assert_eq!(site.app.endings.sign().await.expect("a signed end"), 1);
        site.app.endings.log().await.expect("a logged end");
        let audit = || {
            let output = run(&["audit", "--url", &site.url, "--all", "--json"]);
            let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
            (output.status.code(), report)
        };
        let waiting = database.open().read(public_log::queue).await.expect("the queue");
        let entry = waiting.into_iter().map(|waiting| waiting.entry.expect("an entry"))
            .find(|entry| entry.kind == EntryKind::Adopted && entry.game == Some(*game)).expect("the adoption");
        let LogEntry::Adopted { events, head, .. } = serde_json::from_str(&entry.entry).expect("an entry") else {
            panic!("{}", entry.entry)
        };
        let forged = entry.entry.replace(&head.to_string(), &"7".repeat(64));
        let mut bytes = game.0.as_bytes().to_vec();
        bytes.push(EntryKind::Adopted as u8);
        bytes.extend(entry.entered_at.to_be_bytes());
        bytes.extend(forged.as_bytes());
        let binding = keys().record_keys().bind(Bound::Entry, &bytes, Timestamp::now()).expect("a key");
        let mut outsider = database.outsider();
        let binding = outsider.bytes(&hex::encode([&binding.key()[..], binding.mac()].concat()));
        let unknown = outsider.bytes(&"07".repeat(41));
        for change in [
            format!("UPDATE adopted_heads SET entry = '{forged}', logged = '{forged}', binding = {unknown} WHERE game_id = '{game}'"),
            format!("UPDATE log_queue SET entry = '{forged}', binding = {binding} WHERE number = {}", entry.number),
        ] {
            outsider.run(&change).expect("another head");
        }
        site.app.public_log.advance().await.expect("entries");
        let index = outsider_position(&database, *game);
        let (status, report) = audit();
        let expected = format!("entry {index} of {DEFAULT_ORIGIN} adopts event {events} with another hash");
        let findings = report["findings"].as_array().expect("findings");
        let found = findings.iter().find(|finding| finding["detail"] == expected.as_str());
        assert!(status == Some(1) && found.is_some_and(|found| found["rule"] == "log"), "{expected}: {report:#}");
        let (_, report) = inspected(&database);
        assert!(report.to_string().contains(&expected), "{report:#}");
    }
}

/// The position of the adoption of a game in the log.
fn outsider_position(database: &TestDatabase, game: GameId) -> i64 {
    let mut outsider = database.outsider();
    (0..100)
        .find(|index| {
            outsider.count(&format!("adopted_heads WHERE game_id = '{game}' AND position = {index}")) == 1
        })
        .expect("a position")
}
