//! The service's own records on both databases: signed, served, accessed and verified.

use estimation_engine::event::Visibility;
use estimation_engine::player::AccountId;
use estimation_engine::table::TableCommand;
use estimation_record::verify::{Audit, Piece, Report, Rule, Status, Trust};
use estimation_service::auth::caller::Caller;
use estimation_service::auth::restrictions::Restrictions;
use estimation_service::auth::tokens::Role;
use estimation_service::base::clock::SystemClock;
use estimation_service::base::entropy::SeededEntropy;
use estimation_service::base::failure::Failure;
use estimation_service::games::{NewTable, Play, Unlimited};
use estimation_service::public_log::{OpenedEntry, begin_again};
use estimation_service::services::AppSettings;
use estimation_store::sessions::{self, SessionRow};
use estimation_store::{Connection, Database, GameId, Server, StoreError, accounts};
use uuid::Uuid;

use super::keys;
use crate::prelude::*;
use crate::store::samples::{at, guest};

const CALLERS: u64 = 30;

pub fn caller(number: u64, role: Role) -> Caller {
    let id = Uuid::from_u64_pair(0x019b_7a00_0000_7002, 0x8000_0000_0000_0000 | number);
    Caller {
        account: AccountId::new(id),
        session: id,
        role,
        signed_in_at: Timestamp::UNIX_EPOCH,
        restrictions: Restrictions::default(),
    }
}

/// The session of a caller.
fn session(account: AccountId) -> SessionRow {
    SessionRow {
        id: account.as_str().parse().expect("an id"),
        account_id: account,
        device: None,
        created_at: at(0),
        last_used_at: at(0),
        ended_at: None,
        used_generation: 0,
        second_step_at: None,
    }
}

/// An auditor, for whom the public log is opened.
pub fn auditor() -> Caller {
    caller(13, Role::Auditor)
}

/// Gives waiting entries their places in a signed checkpoint. The first checkpoint is of the empty log.
pub async fn sign_starts(app: &App) {
    for _ in 0..2 {
        app.public_log.advance().await.expect("a signed log");
    }
}

/// Gives starts their places in the public log, signs the ended games, and queues their ends. Returns how many were signed.
pub async fn sign_and_log(app: &App) -> usize {
    sign_starts(app).await;
    let signed = app.endings.sign().await.expect("signed ends");
    app.endings.log().await.expect("logged ends");
    signed
}

/// Begins another log that continues the present one.
pub async fn begin_log(database: &TestDatabase, origin: &str) {
    let store = database.open();
    begin_again(&store, &keys(), Timestamp::now(), origin).await.expect("a new log");
    store.shutdown().await;
}

/// What auditors see of the public log, page by page.
pub async fn opened(app: &App, limit: usize) -> Vec<OpenedEntry> {
    let (mut entries, mut cursor) = (Vec::new(), None);
    loop {
        let page = app.public_log.opened_entries(&auditor(), cursor.as_deref(), limit).await.expect("a page");
        entries.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return entries;
        }
    }
}

pub async fn service(database: &TestDatabase) -> Arc<App> {
    let entropy = Arc::new(SeededEntropy::new(5));
    let app = service_with(database, AppSettings::unlimited(Arc::new(SystemClock), entropy)).await;
    app.records.begin_access_log().await.expect("a signed access log");
    app
}

/// A node with these settings, and the accounts of its callers. Its background jobs do not run.
pub async fn service_with(database: &TestDatabase, settings: AppSettings) -> Arc<App> {
    service_on(database.open(), settings).await
}

/// As [`service_with`], on an open database.
pub async fn service_on(store: Database, settings: AppSettings) -> Arc<App> {
    let make = |conn: &mut Connection| {
        for account in (1..=CALLERS).map(|number| caller(number, Role::Player).account) {
            if accounts::find(conn, &account)?.is_none() {
                accounts::insert(conn, &guest(account.as_str()))?;
                sessions::insert(conn, &session(account))?;
            }
        }
        Ok::<_, StoreError>(())
    };
    store.write(Server, make).await.expect("accounts");
    Arc::new(App::new(store, keys(), settings))
}

pub async fn table(app: &Arc<App>, visibility: Visibility) -> (GameId, Vec<Caller>) {
    table_of(app, visibility, [1, 2, 3, 4]).await
}

pub(super) async fn table_of(
    app: &Arc<App>,
    visibility: Visibility,
    players: [u64; 4],
) -> (GameId, Vec<Caller>) {
    table_with(app, visibility, players, true).await
}

/// A public table with the presets of a ruleset.
pub fn new_table(ruleset: &str) -> NewTable {
    NewTable {
        ruleset: ruleset.to_owned(),
        options: [].into(),
        players: None,
        visibility: Visibility::Public,
        spectators: true,
        talk: true,
        turn_seconds: None,
        opening_seconds: None,
        seed_commitment: None,
        bots: None,
    }
}

/// A full table, started or still in the lobby.
pub async fn table_with(
    app: &Arc<App>,
    visibility: Visibility,
    players: [u64; 4],
    started: bool,
) -> (GameId, Vec<Caller>) {
    let players: Vec<Caller> = players.into_iter().map(|number| caller(number, Role::Player)).collect();
    let options = [("length".to_owned(), json!("micro"))].into();
    let new = NewTable { options, visibility, ..new_table("squares") };
    let view = app.games.create(&players[0], new, None).await.expect("a table").value;
    for player in &players[1..] {
        let join = TableCommand::Join { place: None, commitment: None };
        app.games.at_table(player, view.id, &join, view.join_code.as_deref(), None).await.expect("a seat");
    }
    if started {
        app.games.at_table(&players[0], view.id, &TableCommand::Start, None, None).await.expect("a start");
    }
    (view.id, players)
}

/// Plays random legal commands until this many rounds are scored, or to the end.
pub async fn play(app: &Arc<App>, game: GameId, players: &[Caller], rounds: usize) {
    let mut dice = Random(3);
    loop {
        let view = app.games.view(&players[0], game).await.expect("a view");
        if view.scores.rounds.len() >= rounds || view.status.as_str() == "finished" {
            return;
        }
        for player in players {
            let legal = app.games.view(player, game).await.expect("a view").legal;
            if !legal.is_empty() {
                let command = &legal[dice.below(legal.len())];
                let (expected, key, refusals) = (None, None, &Unlimited);
                let play = Play { caller: player, game, expected, command, key, refusals };
                app.games.play(&play, true).await.expect("a legal command");
                break;
            }
        }
    }
}

/// A game that is played to the end, and its players.
pub async fn finished(app: &Arc<App>, visibility: Visibility) -> (GameId, Vec<Caller>) {
    let (game, players) = table(app, visibility).await;
    play(app, game, &players, usize::MAX).await;
    (game, players)
}

pub async fn ended(app: &Arc<App>, visibility: Visibility) -> GameId {
    finished(app, visibility).await.0
}

pub(super) async fn pieces(app: &Arc<App>, caller: &Caller, game: GameId) -> Result<Vec<Piece>, Failure> {
    let mut history = app.records.history(caller, game).await?;
    let mut pieces = vec![Piece::Header(history.header())];
    while let Some(events) = history.next().await? {
        pieces.extend(events.into_iter().map(Piece::Event));
    }
    pieces.push(Piece::End(history.end()));
    Ok(pieces)
}

fn verdict(pieces: Vec<Piece>, running: bool) -> Report {
    let mut trust = super::trust();
    trust.running = running;
    let mut audit = Audit::new(&trust);
    pieces.into_iter().for_each(|piece| audit.piece(piece));
    audit.finish()
}

fn key() -> String {
    let keys = keys();
    let records = keys.record_keys();
    hex::encode(records.iter().next().expect("a key").verifying_key().as_bytes())
}

pub fn inspected(database: &TestDatabase) -> (bool, Value) {
    inspected_with(database, &[])
}

/// Asserts that `estimation audit --database` finds nothing. Returns its report.
#[track_caller]
pub fn assert_sound(database: &TestDatabase) -> Value {
    let (well, report) = inspected(database);
    assert!(well, "{report:#}");
    report
}

/// What `estimation audit --database` says with further arguments.
pub fn inspected_with(database: &TestDatabase, arguments: &[&str]) -> (bool, Value) {
    let key = key();
    let output =
        run(&[&["audit", "--json", "--key", &key, "--database", database.url_text()], arguments].concat());
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.success(), report)
}

on_both! {
    /// An auditor sees a running game up to its last whole round. The access is recorded, and the auditor may
    /// not play in it.
    async fn an_auditors_access_is_recorded_and_bars_playing(database: TestDatabase) {
        let app = service(&database).await;
        let (game, players) = table(&app, Visibility::Private).await;
        let auditor = caller(10, Role::Auditor);
        let seen = pieces(&app, &auditor, game).await.expect("a history");
        assert_eq!(seen.len(), 2 + 5, "the lobby and the start alone: {seen:?}");
        play(&app, game, &players, 1).await;
        let seen = pieces(&app, &auditor, game).await.expect("a history");
        let Piece::Event(last) = &seen[seen.len() - 2] else { panic!("no event") };
        assert!(last.body.contains("round_scored"), "{}", last.body);
        let (version, report) = (last.seq, verdict(seen.clone(), true));
        assert_eq!(report.findings, []);
        assert!(matches!(&seen[0], Piece::Header(header) if header.status == Status::Running));
        assert_eq!(verdict(seen, false).findings[0].rule, Rule::Unfinished);

        // A player with the role sees no more than any player.
        let player = Caller { role: Role::Auditor, ..players[2].clone() };
        assert!(matches!(pieces(&app, &player, game).await, Err(Failure::GameNotOver)));

        let admin = caller(11, Role::Admin);
        let looks = app.records.all_audit_accesses(&admin, None, 1).await.expect("looks");
        assert_eq!(looks.items.len(), 1);
        assert_eq!((looks.items[0].version, &looks.items[0].account), (version, &auditor.account));
        let cursor = looks.next_cursor.expect("another page");
        assert_eq!(app.records.all_audit_accesses(&admin, Some(&cursor), 5).await.expect("looks").items.len(), 1);
        assert!(matches!(app.records.all_audit_accesses(&auditor, None, 5).await, Err(Failure::RoleRequired { .. })));

        // The players see both accesses but not the auditor; the auditor and strangers see none.
        let accesses = app.records.audit_accesses(&players[0], game, None, 1).await.expect("accesses");
        assert_eq!((accesses.items[0].version, accesses.items[0].before_end), (version, true));
        let cursor = accesses.next_cursor.expect("another page");
        let rest = app.records.audit_accesses(&players[1], game, Some(&cursor), 5).await.expect("accesses");
        assert_eq!((rest.items.len(), rest.next_cursor), (1, None));
        for other in [&auditor, &caller(12, Role::Player), &admin] {
            let refused = app.records.audit_accesses(other, game, None, 5).await;
            assert!(matches!(refused, Err(Failure::Withheld { what: "game" })), "{refused:?}");
        }
        // After the end the players still see them, and can tell them from a later access.
        play(&app, game, &players, usize::MAX).await;
        pieces(&app, &auditor, game).await.expect("a history");
        let accesses = app.records.audit_accesses(&players[2], game, None, 5).await.expect("accesses").items;
        let seen: Vec<bool> = accesses.iter().map(|access| access.before_end).collect();
        assert_eq!(seen, [false, true, true], "{accesses:?}");

        let host = caller(30, Role::Player);
        let open = app.games.create(&host, new_table("plain"), None).await.expect("a table").value.id;
        pieces(&app, &auditor, open).await.expect("a look at the lobby");
        let join = TableCommand::Join { place: None, commitment: None };
        let refused = app.games.at_table(&auditor, open, &join, None, None).await;
        assert!(matches!(refused, Err(Failure::AuditorBarred)));
    }
}

on_sqlite_first! {
    async fn a_game_is_signed_and_handed_out(database: TestDatabase) {
        let app = service(&database).await;
        let (game, players) = table(&app, Visibility::Private).await;
        let stranger = caller(9, Role::Player);
        assert!(matches!(pieces(&app, &players[1], game).await, Err(Failure::GameNotOver)));
        assert!(matches!(pieces(&app, &stranger, game).await, Err(Failure::Withheld { .. })));
        play(&app, game, &players, usize::MAX).await;
        assert_eq!(verdict(pieces(&app, &players[1], game).await.expect("a history"), false).wrong, 1);
        assert_eq!(sign_and_log(&app).await, 1);
        assert_eq!(sign_and_log(&app).await, 0);

        let history = pieces(&app, &players[1], game).await.expect("a history");
        assert!(matches!(pieces(&app, &stranger, game).await, Err(Failure::Withheld { .. } | Failure::GameNotOver)));
        let report = verdict(history, false);
        assert_eq!((report.findings, report.games), (vec![], 1));

        let report = assert_sound(&database);
        assert_eq!(report["games"], json!(1));
        app.shutdown().await;
        let mut outsider = database.outsider();
        outsider.run("UPDATE game_snapshots SET state = replace(state, '\"dealer\":0', '\"dealer\":1')").expect("a change");
        outsider.run("UPDATE games SET host = 'nobody'").expect("a change");
        let (well, report) = inspected(&database);
        assert!(!well && report["findings"].as_array().expect("findings").iter().all(|f| f["rule"] == "state"), "{report:#}");
    }

    async fn the_numbers_of_all_nodes_have_no_gaps(database: TestDatabase) {
        let nodes = [service(&database).await, service(&database).await];
        for number in 0..6 {
            let host = caller(20 + number, Role::Player);
            // All nodes have the same entropy, so only one creates ids.
            let view = nodes[0].games.create(&host, new_table("plain"), None).await.expect("a table").value;
            nodes[0].games.at_table(&host, view.id, &TableCommand::Cancel, None, None).await.expect("the end");
        }
        let (one, other) = tokio::join!(nodes[0].endings.sign(), nodes[1].endings.sign());
        let signed = one.expect("signed ends") + other.expect("signed ends");
        assert_eq!(signed + nodes[1].endings.sign().await.expect("signed ends"), 6);
        let (one, other) = tokio::join!(nodes[0].endings.log(), nodes[1].endings.log());
        let logged = one.expect("logged ends") + other.expect("logged ends");
        assert_eq!(logged + nodes[1].endings.log().await.expect("logged ends"), 6);
        let mut outsider = database.outsider();
        assert_eq!((outsider.count("ended_games"), outsider.count("log_queue WHERE kind = 'end'")), (6, 6));
        assert_eq!(outsider.count("ended_games WHERE number <= 6"), 6);
        assert_sound(&database);
    }

    /// Past states show what was visible then and accept no command. After the end they show everything.
    async fn past_states_are_readable(database: TestDatabase) {
        let app = service(&database).await;
        let (game, players) = table(&app, Visibility::Public).await;
        play(&app, game, &players, 1).await;
        let now = app.games.view(&players[0], game).await.expect("a view");
        let then = app.games.state_at(&players[0], game, now.version - 10).await.expect("the past");
        assert_eq!((then.version, then.legal.len()), (now.version - 10, 0));
        let head = app.games.state_at(&players[0], game, now.version).await.expect("the present");
        assert_eq!(serde_json::to_value(head).unwrap(), serde_json::to_value(&now).unwrap());
        let future = app.games.state_at(&players[0], game, now.version + 1).await;
        assert!(matches!(future, Err(Failure::NotFound { what: "version" })));
        let hands = |view: &estimation_service::games::view::GameView| {
            let body = serde_json::to_value(view).unwrap();
            let hands = body["round"]["hands"].as_array().unwrap().clone();
            hands.iter().filter(|hand| hand["cards"].is_array()).count()
        };
        let version = then.version;
        assert_eq!(hands(&then), 1);
        play(&app, game, &players, usize::MAX).await;
        let then = app.games.state_at(&caller(40, Role::Player), game, version).await.expect("the past");
        assert_eq!(hands(&then), 4);
    }
}

#[test]
fn a_key_from_elsewhere_is_no_key() {
    assert!(Trust::default().add_jwks("{\"keys\":[]}").is_err());
    assert!(Trust::default().add_hex("00").is_err());
    assert!(Trust::default().add_hex(&key()).is_ok());
    let jwks =
        serde_json::to_string(&keys().jwks(estimation_test_support::made::time(0).timestamp())).unwrap();
    assert!(Trust::default().add_jwks(&jwks).is_ok());
}
