//! What an intruder can change in the tables of the public log, and `estimation audit --database` finds.

use estimation_engine::event::Visibility;
use estimation_service::auth::tokens::Role;
use estimation_store::GameId;

use super::falsified_rows::{all_found, attack, findings, undetected, unlock};
use super::served::*;
use crate::prelude::*;

/// Games whose entries are in the log, in a second log that continues it, and in the queue.
struct Site {
    /// A public game that is over.
    over: GameId,
    /// A private game that is over.
    sealed: GameId,
    /// A public game whose start waits for its position.
    waiting: GameId,
}

async fn site(database: &TestDatabase) -> Site {
    let app = service(database).await;
    let mut ended = Vec::new();
    for visibility in [Visibility::Public, Visibility::Private] {
        let (game, players) = table_of(&app, visibility, [1, 2, 3, 4]).await;
        play(&app, game, &players, usize::MAX).await;
        ended.push(game);
    }
    sign_starts(&app).await;
    sign_and_log(&app).await;
    app.endings.count().await.expect("results");
    app.public_log.advance().await.expect("the ends");
    app.accounts.erase_me(&caller(4, Role::Player), None, None).await.expect("deleted");
    let (waiting, _) = table_of(&app, Visibility::Public, [1, 2, 3, 5]).await;
    app.shutdown().await;
    let [over, sealed] = ended[..] else { panic!("two games") };
    Site { over, sealed, waiting }
}

on_sqlite_first! {
    async fn lawful_logs_are_no_findings(database: TestDatabase) {
        site(&database).await;
        assert_sound(&database);
        // A new log, which continues the first.
        begin_log(&database, "cards.example/second").await;
        assert_sound(&database);
    }

    async fn changes_of_entries_tiles_and_checkpoints_are_found(database: TestDatabase) {
        site(&database).await;
        unlock(&database, &["log_entries"]);
        let blob = |hex: &str| match database.backend() {
            Backend::Sqlite => format!("x'{hex}'"),
            Backend::Postgres => format!("'\\x{hex}'::bytea"),
        };
        let zeros = blob(&"00".repeat(32));
        let mut outsider = database.outsider();
        for table in ["log_entries", "log_tiles", "log_tree", "log_queue"] {
            outsider.run(&format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}")).expect("a copy");
        }
        let mut missed = Vec::new();
        for (table, change, finding) in [
            ("log_entries", "UPDATE log_entries SET entry = '{}' WHERE position = 1".to_owned(), "another root"),
            ("log_entries", "DELETE FROM log_entries WHERE position = 3".to_owned(), "another root"),
            ("log_entries", "INSERT INTO log_entries SELECT log, 4, '{}' FROM log_entries WHERE position = 0".to_owned(), "of no game"),
            ("log_tiles", format!("UPDATE log_tiles SET hashes = {zeros}"), "not that of the entries"),
            ("log_tiles", "DELETE FROM log_tiles".to_owned(), "not that of the entries"),
            ("log_tiles", "INSERT INTO log_tiles SELECT log, 1, 0, hashes FROM log_tiles".to_owned(), "tiles without entries"),
            ("log_tree", "UPDATE log_tree SET size = 3".to_owned(), "another root"),
            ("log_tree", format!("UPDATE log_tree SET root = {zeros}"), "another root"),
            ("log_tree", "UPDATE log_tree SET signed_size = 3".to_owned(), "checkpoint"),
            ("log_tree", "UPDATE log_tree SET signed_at = signed_at - 5000".to_owned(), "another time"),
            ("log_tree", "UPDATE log_tree SET note = ''".to_owned(), "checkpoint is missing"),
            ("log_tree", "UPDATE log_tree SET note = replace(note, 'estimation', 'cards')".to_owned(), "checkpoint"),
            ("log_tree", "UPDATE log_tree SET origin = 'cards.example/other'".to_owned(), "checkpoint"),
            ("log_tree", "UPDATE log_tree SET entered_at = 0".to_owned(), "later time"),
            ("log_tree", "DELETE FROM log_tree".to_owned(), "lacks an entry"),
            ("log_queue", "UPDATE log_queue SET entry = '{}'".to_owned(), "waits for the public log"),
            ("log_queue", "UPDATE log_queue SET entered_at = 0".to_owned(), "of a time before"),
            ("log_queue", "DELETE FROM log_queue".to_owned(), "lacks an entry"),
            (
                "log_queue",
                "INSERT INTO log_queue (game_id, kind, entry, entered_at, binding) SELECT game_id, kind, entry, entered_at, binding FROM kept_log_queue".to_owned(),
                "is there already",
            ),
        ] {
            let overriding = match (table, database.backend()) {
                ("log_queue", Backend::Postgres) => "OVERRIDING SYSTEM VALUE",
                _ => "",
            };
            let restore = format!("DELETE FROM {table}; INSERT INTO {table} {overriding} SELECT * FROM kept_{table}");
            missed.extend(undetected(&database, vec![attack(change, finding)]));
            outsider.run(&restore).expect("the state before");
        }
        let restored = findings(&inspected(&database).1);
        assert!(restored.iter().all(|finding| finding.contains("trigger")), "{restored:#?}");
        outsider.run("INSERT INTO log_cosignatures SELECT id, 'witness.example/w', size, note FROM log_tree").expect("a cosignature");
        missed.extend(undetected(&database, vec![attack("SELECT 1", "the cosignature of")]));
        all_found(&missed);
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn changes_of_what_the_log_has_of_a_game_are_found(database: TestDatabase) {
        let Site { over, sealed, waiting } = site(&database).await;
        let [zeros, zeros_64] = [32, 64].map(|bytes| match database.backend() {
            Backend::Sqlite => format!("zeroblob({bytes})"),
            Backend::Postgres => format!("decode(repeat('00', {bytes}), 'hex')"),
        });
        let mut outsider = database.outsider();
        for table in ["log_games", "log_pseudonyms"] {
            outsider.run(&format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}")).expect("a copy");
        }
        let set = |change: &str, game: GameId| format!("UPDATE log_games SET {change} WHERE game_id = '{game}'");
        let one = caller(1, Role::Player).account;
        let salt = format!("game_id = '{over}' AND account_id = '{}'", one.as_str());
        let mut missed = Vec::new();
        for (table, change, finding) in [
            ("log_games", set("start_entry = replace(start_entry, '\"commitment\":\"', '\"commitment\":\"00')", over), "the start in the public log"),
            ("log_games", set("start_entry = (SELECT start_entry FROM kept_log_games WHERE start_salt IS NOT NULL)", waiting), "the start in the public log"),
            ("log_games", set(&format!("start_salt = {zeros}"), over), "of a public game is"),
            ("log_games", set(&format!("start_salt = {zeros}"), sealed), "the promise is of another entry"),
            ("log_games", set("start_salt = NULL, end_salt = NULL", sealed), "an entry of a private game is not sealed"),
            ("log_games", set(&format!("leaf = {zeros}"), over), "the promise is of another entry"),
            ("log_games", set("promised_by = promised_by + 1000", over), "the promise that"),
            ("log_games", set("promise_kid = 'other'", over), "the promise that"),
            ("log_games", set(&format!("promise = {zeros_64}"), waiting), "the promise that"),
            ("log_games", set("end_entry = NULL, end_salt = NULL", sealed), "the public log lacks the end"),
            ("log_games", set("end_entry = replace(end_entry, '\"events\":', '\"events\":9')", over), "the end in the public log"),
            ("log_games", set(&format!("end_entry = (SELECT end_entry FROM kept_log_games WHERE game_id = '{over}')"), waiting), "the end in the public log"),
            ("log_games", set(&format!("end_salt = {zeros}"), sealed), "lacks an entry of the game"),
            ("log_games", set("end_position = 0", over), "where the game says"),
            ("log_games", set("end_log = 2", over), "where the game says"),
            ("log_games", set("start_position = 7", over), "where the game says"),
            ("log_games", set("start_log = NULL, start_position = NULL", sealed), "where the game says"),
            ("log_games", set("start_log = 1, start_position = 9", waiting), "waits for the public log"),
            ("log_games", set("end_log = NULL, end_position = NULL", over), "where the game says"),
            ("log_games", format!("DELETE FROM log_games WHERE game_id = '{over}'"), "entries are of no game"),
            ("log_games", format!("DELETE FROM log_games WHERE game_id = '{waiting}'"), "the public log has no start"),
            ("log_games", "INSERT INTO log_games SELECT '019b7a00-0000-7000-8000-00000000dead', start_entry, start_salt, NULL, NULL, leaf, \
                promised_by, promise_kid, promise, NULL, NULL, NULL, NULL FROM log_games WHERE start_salt IS NULL AND end_entry IS NULL".to_owned(), "log_games has rows of a game"),
            ("log_pseudonyms", format!("UPDATE log_pseudonyms SET salt = {zeros} WHERE {salt}"), "a salt does not lead"),
            ("log_pseudonyms", format!("DELETE FROM log_pseudonyms WHERE {salt}"), "salt of the pseudonym"),
            ("log_pseudonyms", format!(
                "INSERT INTO log_pseudonyms SELECT game_id, '{}', salt FROM log_pseudonyms WHERE {salt}", caller(20, Role::Player).account.as_str()
            ), "did not play"),
        ] {
            missed.extend(undetected(&database, vec![attack(change, finding)]));
            outsider.run(&format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_{table}")).expect("the state before");
        }
        assert_sound(&database);
        all_found(&missed);
    }
}
