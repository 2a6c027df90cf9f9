//! What an intruder can change around the logs, and `estimation audit --database` finds: results, ratings, seats, dates,
//! missing and foreign rows, deleted accesses of auditors, dropped triggers, damaged logs.

use estimation_engine::event::Visibility;
use estimation_engine::table::TableCommand;
use estimation_service::auth::tokens::Role;
use estimation_service::public_log::OpenedEntry;
use estimation_store::GameId;

use super::served::opened as opened_entries;
use super::served::*;
use super::skipped_games::opened;
use crate::prelude::*;

/// A database in lawful states of every kind.
struct Site {
    /// Played to the end by the accounts 1 to 4, and packed.
    packed: GameId,
    /// Played to the end by the accounts 2 to 5.
    over: GameId,
    /// In its second round, left by the account 8.
    running: GameId,
    /// In its second round, and nothing refers to it.
    forgotten: GameId,
    /// Cancelled by the account 15, with the account 16 at the table.
    cancelled: GameId,
}

async fn site(database: &TestDatabase) -> Site {
    let app = service(database).await;
    let mut ended = Vec::new();
    for players in [[1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]] {
        let (game, players) = table_of(&app, Visibility::Public, players).await;
        play(&app, game, &players, usize::MAX).await;
        ended.push(game);
    }
    sign_and_log(&app).await;
    app.endings.count().await.expect("results");
    app.endings.pack(SignedDuration::ZERO).await.expect("packing");
    // An account that is deleted before its last game counts, and one that is deleted after it.
    app.accounts.erase_me(&caller(4, Role::Player), None, None).await.expect("deleted");
    let mut after = Vec::new();
    for players in [[1, 2, 6, 7], [1, 2, 5, 7]] {
        let (game, players) = table_of(&app, Visibility::Private, players).await;
        play(&app, game, &players, usize::MAX).await;
        after.push(game);
    }
    app.accounts.erase_me(&caller(6, Role::Player), None, None).await.expect("deleted");
    sign_and_log(&app).await;
    app.endings.count().await.expect("results");
    let (running, players) = table_of(&app, Visibility::Private, [1, 2, 3, 8]).await;
    play(&app, running, &players, 1).await;
    let leave = TableCommand::Leave { place: 3 };
    app.games.at_table(&players[3], running, &leave, None, None).await.expect("a free seat");
    let (forgotten, players) = table_of(&app, Visibility::Private, [1, 2, 3, 8]).await;
    play(&app, forgotten, &players, 1).await;
    let (lobby, players) = table_of(&app, Visibility::Public, [11, 12, 13, 14]).await;
    // Its seat gets a bot.
    app.accounts.erase_me(&players[3], None, None).await.expect("deleted");
    let cancelled = {
        let host = caller(15, Role::Player);
        let game = opened(&app, &host).await;
        let join = TableCommand::Join { place: None, commitment: None };
        app.games.at_table(&caller(16, Role::Player), game, &join, None, None).await.expect("a seat");
        app.games.at_table(&host, game, &TableCommand::Cancel, None, None).await.expect("the end");
        game
    };
    sign_and_log(&app).await;
    app.endings.count().await.expect("results");
    for game in [running, lobby, running, ended[0]] {
        pieces(&app, &caller(10, Role::Auditor), game).await.expect("a history");
    }
    pieces(&app, &caller(10, Role::Auditor), after[0]).await.expect("a history");
    let [packed, over, _] = ended[..] else { panic!("three games") };
    app.shutdown().await;
    Site { packed, over, running, forgotten, cancelled }
}

pub(super) fn findings(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().expect("findings");
    findings.iter().map(|finding| format!("{} {}", finding["game"], finding["detail"])).collect()
}

/// A change by an intruder, and a part of the finding.
pub(super) struct Attack {
    sql: String,
    finding: String,
}

/// Applies the attacks one after another. Returns those without a new finding of the expected kind.
pub(super) fn undetected(database: &TestDatabase, attacks: Vec<Attack>) -> Vec<String> {
    let mut outsider = database.outsider();
    let (mut before, mut undetected) = (Vec::new(), Vec::new());
    for Attack { sql, finding } in attacks {
        outsider.run(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let (_, report) = inspected(database);
        let after = findings(&report);
        let count = |of: &[String]| of.iter().filter(|found| found.contains(&finding)).count();
        if count(&after) <= count(&before) {
            undetected.push(format!("{sql}\n  expected: {finding}\n  found: {after:#?}"));
        }
        before = after;
    }
    undetected
}

fn unlocked(database: &TestDatabase) {
    unlock(database, &["looks", "game_events", "packed_games", "ended_games"]);
}

/// Lets the intruder change append-only tables.
pub(super) fn unlock(database: &TestDatabase, tables: &[&str]) {
    let mut outsider = database.outsider();
    for table in tables {
        let sql = match database.backend() {
            Backend::Sqlite => {
                ["update", "delete"].map(|change| format!("DROP TRIGGER {table}_refuse_{change};")).concat()
            }
            Backend::Postgres => format!("ALTER TABLE {table} DISABLE TRIGGER USER"),
        };
        outsider.run(&sql).expect("unlocked");
    }
}

pub(super) fn attack(sql: impl Into<String>, finding: &str) -> Attack {
    Attack { sql: sql.into(), finding: finding.to_owned() }
}

/// Fails if attacks were not found.
pub(super) fn all_found(missed: &[String]) {
    assert!(missed.is_empty(), "{} attacks are not found:\n{}", missed.len(), missed.join("\n"));
}

on_both! {
    /// Each table of falsifications has a copy of the database.
    #[ignore = "all: tries every case; the default tries some"]
    async fn falsified_rows_are_found(database: TestDatabase) {
        let site = site(&database).await;
        assert_sound(&database);
        for table in TABLES {
            let database = database.copied();
            unlocked(&database);
            all_found(&undetected(&database, attacks(table, &site)));
        }
        a_damaged_packed_log_is_one_finding(&database.copied(), &site);
        deleted_accesses_are_found(&database.copied(), &site).await;
        auditors_pages_go_on_after_a_damaged_row(&database.copied(), &site).await;
    }

    async fn dropped_triggers_are_found(database: TestDatabase) {
        let app = service(&database).await;
        app.shutdown().await;
        let attacks = match database.backend() {
            Backend::Sqlite => vec![
                attack("DROP TRIGGER game_events_refuse_delete", "game_events_refuse_delete"),
                attack("DROP TRIGGER looks_refuse_update; CREATE TRIGGER looks_refuse_update BEFORE UPDATE ON looks BEGIN SELECT 1; END",
                    "looks_refuse_update"),
            ],
            Backend::Postgres => vec![
                attack("DROP TRIGGER game_events_refuse_change ON game_events", "game_events_refuse_change"),
                attack("ALTER TABLE looks DISABLE TRIGGER looks_refuse_change", "looks_refuse_change"),
                attack("ALTER TABLE ended_games ENABLE TRIGGER ended_games_refuse_change", "ended_games_refuse_change"),
                attack("CREATE OR REPLACE FUNCTION packed_games_check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
                    "packed_games_check"),
            ],
        };
        let missed = undetected(&database, attacks);
        all_found(&missed);
    }
}

/// Changes of the copies of the database: on each line what the finding contains, and the change, which may go on in the
/// next lines. Words in braces are games and accounts.
const TABLES: [&str; 3] = [RESULTS_AND_RATINGS, SEATS_AND_DATES, BREAK_OFFS];

const RESULTS_AND_RATINGS: &str = "
the result of | UPDATE results SET total = total + 100 WHERE game_id = '{over}' AND account_id = '{two}'
has no result | DELETE FROM results WHERE game_id = '{over}' AND account_id = '{three}'
did not play | INSERT INTO results SELECT game_id, '{stranger}', ruleset, number, seat, 1, 500, rounds, rounds_made, FALSE, ended_at
    FROM results WHERE game_id = '{over}' AND account_id = '{two}'
counts for no player | INSERT INTO results SELECT '{cancelled}', account_id, ruleset, number, seat, 1, 500, rounds, rounds_made,
    FALSE, ended_at FROM results WHERE game_id = '{over}' AND account_id = '{two}'
the rating of | UPDATE ratings SET mean = mean + 5000000, ordinal = ordinal + 5000000 WHERE account_id = '{two}'
the rating of | UPDATE ratings SET games = games + 20 WHERE account_id = '{three}'
has no rating | DELETE FROM ratings WHERE account_id = '{one}'
no rated game | INSERT INTO ratings SELECT '{stranger}', ruleset, mean, deviation, ordinal, games FROM ratings
    WHERE account_id = '{two}'
counted as | UPDATE counted_games SET kind = 'unrated' WHERE game_id = '{over}'
not counted | DELETE FROM counted_games WHERE game_id = '{packed}'
";

const SEATS_AND_DATES: &str = "
seats | UPDATE game_players SET account_id = '{stranger}' WHERE game_id = '{over}' AND place = 1
seats | DELETE FROM game_players WHERE game_id = '{cancelled}'
seats | UPDATE game_players SET kind = 'bot', account_id = NULL WHERE game_id = '{running}' AND place = 2
created | UPDATE games SET created_at = created_at - 86400000 WHERE id = '{over}'
ended | UPDATE games SET ended_at = ended_at + 3600000 WHERE id = '{over}'
updated | UPDATE games SET updated_at = updated_at + 3600000 WHERE id = '{running}'
signed at another time | UPDATE games SET signed_at = signed_at + 1000 WHERE id = '{over}'
signed at another time | UPDATE games SET signed_at = NULL WHERE id = '{cancelled}'
the end in the public log | UPDATE games SET logged_at = logged_at + 1000 WHERE id = '{over}'
the end in the public log | UPDATE games SET logged_at = NULL WHERE id = '{packed}'
the signed end is not | UPDATE ended_games SET events = events + 1 WHERE game_id = '{over}'
the number 99, and 7 is missing | UPDATE ended_games SET number = 99 WHERE number = 1
signed at another time | DELETE FROM ended_games WHERE game_id = '{packed}'
packed | UPDATE games SET packed_at = ended_at - 1 WHERE id = '{packed}'
the game's row | UPDATE games SET players = 3 WHERE id = '{running}'
has no events | INSERT INTO games (id, status, ruleset, visibility, host, players, taken, created_at, updated_at)
    SELECT '019b7a00-0000-7000-8000-00000000dead', 'lobby', ruleset, visibility, host, players, taken, created_at, updated_at
    FROM games WHERE id = (SELECT min(id) FROM games)
events and no row | DELETE FROM games WHERE id = '{forgotten}'; DELETE FROM game_players WHERE game_id = '{forgotten}';
    DELETE FROM game_seeds WHERE game_id = '{forgotten}'; DELETE FROM game_snapshots WHERE game_id = '{forgotten}'
game_seeds | INSERT INTO game_seeds SELECT '019b7a00-0000-7000-8000-00000000beef', seed FROM game_seeds
    WHERE game_id = (SELECT min(game_id) FROM game_seeds)
the log ends | DELETE FROM game_snapshots WHERE game_id = '{running}';
    DELETE FROM game_events WHERE game_id = '{running}' AND seq > 30
";

const BREAK_OFFS: &str = "
has a break-off that the log does not record | INSERT INTO break_offs (game_id, seq, account_id, kind, at)
    SELECT '{over}', 9, '{stranger}', 'game_left', at FROM break_offs WHERE game_id = '{cancelled}'
break_offs has rows | INSERT INTO break_offs (game_id, seq, account_id, kind, at)
    SELECT '019b7a00-0000-7000-8000-00000000dead', 1, '{stranger}', 'game_left', at FROM break_offs WHERE game_id = '{cancelled}'
lacks the break-off that the log records | UPDATE break_offs SET at = at - 7200000 WHERE game_id = '{running}'
lacks the break-off that the log records: table_cancelled | UPDATE break_offs SET at = at + 7200000 WHERE game_id = '{running}';
    UPDATE break_offs SET kind = 'opening_missed' WHERE game_id = '{cancelled}'
lacks the break-off that the log records: game_left | DELETE FROM break_offs WHERE game_id = '{running}'
table_cancelled of event | UPDATE break_offs SET kind = 'table_cancelled', account_id = '{stranger}'
    WHERE game_id = '{cancelled}'
";

/// The attacks of a table.
fn attacks(table: &str, site: &Site) -> Vec<Attack> {
    let Site { packed, over, running, forgotten, cancelled } = site;
    let games = [("packed", packed), ("over", over), ("running", running), ("forgotten", forgotten)];
    let games = games.into_iter().chain([("cancelled", cancelled)]).map(|(name, id)| (name, id.to_string()));
    let accounts = [("one", 1), ("two", 2), ("three", 3), ("stranger", 20)];
    let accounts = accounts.map(|(name, id)| (name, caller(id, Role::Player).account.to_string()));
    let fill = |text: String, (name, id): (&str, String)| text.replace(&format!("{{{name}}}"), &id);
    let filled = games.chain(accounts).fold(table.trim().replace("\n    ", " "), fill);
    let attack = |line: &str| {
        let (finding, sql) = line.split_once(" | ").expect("a finding and a change");
        Attack { sql: sql.to_owned(), finding: finding.to_owned() }
    };
    filled.lines().map(attack).collect()
}

async fn deleted_accesses_are_found(database: &TestDatabase, site: &Site) {
    let app = service(database).await;
    unlocked(database);
    let mut outsider = database.outsider();
    outsider.run("CREATE TABLE kept AS SELECT * FROM looks").expect("a copy");
    let restore = match database.backend() {
        Backend::Sqlite => "DELETE FROM looks; INSERT INTO looks SELECT * FROM kept;",
        Backend::Postgres => {
            "DELETE FROM looks; INSERT INTO looks OVERRIDING SYSTEM VALUE SELECT * FROM kept;"
        }
    };
    let accesses = |change: &str| attack(format!("{restore}{change}"), "access log");
    let mut missed = Vec::new();
    for change in [
        "DELETE FROM looks WHERE position = (SELECT min(position) FROM looks)",
        "DELETE FROM looks WHERE position = (SELECT max(position) FROM looks)",
        "DELETE FROM looks",
        "UPDATE looks SET version = version - 1 WHERE position = (SELECT max(position) FROM looks)",
        "UPDATE looks SET account_id = 'nobody'",
        "INSERT INTO looks (account_id, game_id, version, looked_at) \
         SELECT account_id, game_id, version, looked_at FROM kept",
    ] {
        missed.extend(undetected(database, vec![accesses(change)]));
    }
    // A later access does not cover the deletion.
    outsider
        .run(&format!("{restore}DELETE FROM looks WHERE position = (SELECT min(position) FROM looks)"))
        .expect("a deletion");
    pieces(&app, &caller(10, Role::Auditor), site.running).await.expect("a history");
    missed.extend(undetected(database, vec![attack("SELECT 1", "access log")]));
    app.shutdown().await;
    all_found(&missed);
}

/// One finding, and the audit checks everything else.
fn a_damaged_packed_log_is_one_finding(database: &TestDatabase, site: &Site) {
    let Site { packed, over, .. } = *site;
    let games = inspected(database).1["games"].as_u64().expect("a number");
    let zeros = match database.backend() {
        Backend::Sqlite => "x'0000'",
        Backend::Postgres => "'\\x0000'::bytea",
    };
    unlocked(database);
    let mut outsider = database.outsider();
    outsider
        .run(&format!("UPDATE packed_games SET body = {zeros} WHERE game_id = '{packed}'"))
        .expect("damage");
    outsider
        .run(&format!("UPDATE results SET total = total + 100 WHERE game_id = '{over}'"))
        .expect("a change");
    let (well, report) = inspected(database);
    let of =
        |game: GameId| findings(&report).iter().filter(|found| found.contains(&game.to_string())).count();
    assert_eq!((well, of(packed), report["games"].as_u64()), (false, 1, Some(games - 1)), "{report:#}");
    assert!(of(over) > 0, "{report:#}");
}

/// What auditors see of the public log leaves a damaged row out, and shows everything else.
async fn auditors_pages_go_on_after_a_damaged_row(database: &TestDatabase, site: &Site) {
    let Site { packed, .. } = *site;
    let app = service(database).await;
    sign_starts(&app).await;
    let before = opened_entries(&app, 100).await;
    assert_eq!((before.len(), opened_entries(&app, 1).await), (14, before.clone()));
    app.shutdown().await;
    let short = match database.backend() {
        Backend::Sqlite => "x'00'",
        Backend::Postgres => "'\\x00'::bytea",
    };
    database
        .outsider()
        .run(&format!("UPDATE log_games SET end_salt = {short} WHERE game_id = '{packed}'"))
        .expect("damage");
    let app = service(database).await;
    let is_damaged = |entry: &OpenedEntry| entry.game == packed && entry.entry.contains("\"type\":\"end\"");
    let rest: Vec<OpenedEntry> = before.into_iter().filter(|entry| !is_damaged(entry)).collect();
    assert_eq!((rest.len(), opened_entries(&app, 1).await), (13, rest));
    let (well, report) = inspected(database);
    assert!(!well && report["games"].as_u64() > Some(5), "{report:#}");
    app.shutdown().await;
}
