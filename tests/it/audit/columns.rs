//! One value is changed in every column of the schema. `estimation audit --database` finds the change, or
//! docs/unaudited-columns.md lists the column. The columns come from the database's own catalogue, so a new one fails this
//! test until it is compared or listed.

use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use estimation_engine::event::Visibility;
use estimation_engine::table::TableCommand;
use estimation_record::RecordTime;
use estimation_record::verify::Finding;
use estimation_service::auth::keys::KeyRing;
use estimation_service::auth::permission::{ActingAdmin, ActingModerator, Permission};
use estimation_service::auth::tokens::Role;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::{SeededEntropy, SystemEntropy};
use estimation_service::database_audit;
use estimation_service::games::adopt;
use estimation_service::games::idempotency::IdempotencyKey;
use estimation_service::matchmaking::Wish;
use estimation_service::moderation::{Act, ActRequest, EndRequest};
use estimation_service::services::AppSettings;
use estimation_store::{Connection, GameId};
use estimation_test_support::made::time;
use estimation_tlog::Note;

use super::served::*;
use super::skipped_games::{opened, unlock};
use super::{keys, trust};
use crate::documents::root;
use crate::http::matchmaking::wish;
use crate::prelude::*;

/// An id that nothing has.
const STRANGER: &str = "019b7a00-0000-7000-8000-00000000dead";

/// Changes that the type of a column does not lead to, because the schema allows only some values, or because another
/// change is found by chance: the column, the expression, and a condition for the row if it matters.
const CHANGES: [(&str, &str, &str); 34] = [
    ("accounts.kind", "CASE WHEN kind = 'full' THEN 'guest' ELSE 'full' END", "1 = 1"),
    ("known_migrations.breaking", "NOT breaking", "1 = 1"),
    ("checked_backups.kind", "'postgres'", "kind = 'sqlite'"),
    ("presence.online", "NOT online", "1 = 1"),
    ("presence.streaming", "NOT streaming", "1 = 1"),
    ("presence.called", "NOT called", "1 = 1"),
    ("email_links.purpose", "'verify'", "purpose = 'reset'"),
    ("mails.kind", "'changed'", "kind = 'reset'"),
    ("relations.other_id", "'019b7a00-0000-7000-8000-00000000beef'", "kind = 'block'"),
    ("relations.kind", "'friend'", "kind = 'block'"),
    ("people_settings.shows_presence", "NOT shows_presence", "1 = 1"),
    ("people_settings.found_by_name", "NOT found_by_name", "1 = 1"),
    ("people_settings.takes_requests", "NOT takes_requests", "1 = 1"),
    ("reports.about", "'player_name'", "1 = 1"),
    ("reports.decision", "'dismissed'", "1 = 1"),
    ("moderation_acts.act", "'lifted'", "act = 'banned'"),
    ("moderation_acts.account_id", "'019b7a00-0000-7000-8000-00000000dead'", "act = 'banned'"),
    ("moderation_acts.game_id", "'019b7a00-0000-7000-8000-00000000dead'", "act = 'game_ended'"),
    ("notifications.outcome", "'dropped'", "outcome = 'delivered'"),
    ("push_subscriptions.endpoint", "endpoint || 'x'", "1 = 1"),
    ("games.status", "'abandoned'", "status = 'finished'"),
    ("games.wake_at", "wake_at + 86400000", "status = 'playing'"),
    ("break_offs.kind", "'game_left'", "1 = 1"),
    ("results.forfeited", "NOT forfeited", "1 = 1"),
    ("results.rounds_made", "CASE WHEN rounds_made > 0 THEN rounds_made - 1 ELSE 1 END", "1 = 1"),
    ("counted_games.kind", "'unrated'", "kind = 'rated'"),
    ("passed_over_games.number", "number - 1", "1 = 1"),
    ("counted_games.absent", "absent + 1", "kind = 'rated'"),
    ("log_queue.kind", "CASE WHEN kind = 'start' THEN 'end' ELSE 'start' END", "1 = 1"),
    ("log_queue.refused_at", "entered_at", "1 = 1"),
    ("log_cosignatures.size", "size - 1", "1 = 1"),
    (
        "log_cosignatures.line",
        "substr(line, 1, length(line) - 20) || 'AAAA' || substr(line, length(line) - 15)",
        "1 = 1",
    ),
    ("matchmaking.since", "since + 86400000", "1 = 1"),
    ("log_games.promised_by", "promised_by + 86400000", "1 = 1"),
];

/// A column of the schema.
#[derive(QueryableByName, Clone, Debug)]
struct Column {
    #[diesel(sql_type = Text)]
    owner: String,
    #[diesel(sql_type = Text)]
    name: String,
    /// In lower case.
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Bool)]
    is_key: bool,
    /// Whether the database refuses every change of it.
    #[diesel(sql_type = Bool)]
    is_fixed: bool,
}

impl Column {
    fn full_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }
}

const SQLITE_COLUMNS: &str = "SELECT m.name AS owner, c.name AS name, lower(c.type) AS kind, c.pk > 0 AS is_key, 0 AS is_fixed \
     FROM sqlite_schema m JOIN pragma_table_info(m.name) c \
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid";

const POSTGRES_COLUMNS: &str = "SELECT c.relname::text AS owner, a.attname::text AS name, format_type(a.atttypid, NULL) AS kind, \
     EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS is_key, \
     a.attidentity = 'a' AS is_fixed \
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped \
     ORDER BY c.relname, a.attnum";

fn columns(outsider: &mut Outsider) -> Vec<Column> {
    match outsider {
        Outsider::Sqlite(conn) => diesel::sql_query(SQLITE_COLUMNS).load(conn).expect("the schema"),
        Outsider::Postgres(conn) => diesel::sql_query(POSTGRES_COLUMNS).load(conn).expect("the schema"),
    }
}

/// The columns that each section of the page lists.
fn listed() -> BTreeMap<String, BTreeSet<String>> {
    let page = std::fs::read_to_string(root().join("docs/unaudited-columns.md")).expect("the page");
    let (mut sections, mut section) = (BTreeMap::<String, BTreeSet<String>>::new(), String::new());
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.to_owned();
        }
        let Some(cells) = line.strip_prefix("| `") else { continue };
        let mut names = cells
            .split('|')
            .take(2)
            .map(|cell| cell.split('`').filter(|name| name.chars().any(char::is_alphabetic)));
        let table = names.next().and_then(|mut names| names.next()).expect("a table").to_owned();
        let columns = names.next().expect("columns").map(|column| format!("{table}.{column}"));
        for column in columns {
            assert!(sections.entry(section.clone()).or_default().insert(column.clone()), "{column} twice");
        }
    }
    sections
}

/// A database with rows in every table.
async fn site(database: &TestDatabase) {
    let app = service(database).await;
    let mut outsider = database.outsider();
    for (id, name) in [(101, "boss"), (102, "deputy")] {
        let id = caller(id, Role::Player).account;
        let id = id.as_str();
        outsider
            .run(&format!(
                "INSERT INTO accounts VALUES ('{id}', '{name}', '{name}', '{name}', 'hash', 0, 'full', 'player', 10, 10); \
                 INSERT INTO sessions VALUES ('{id}', '{id}', 'a phone', 10, 10, 0, 20, 30, 0); \
                 INSERT INTO second_steps VALUES ('{id}', {secret}, 10, 20); \
                 INSERT INTO second_step_codes VALUES ({hash}, '{id}'); \
                 INSERT INTO refresh_tokens VALUES ({hash}, '{id}', '{id}', 0, 10, 20, 15, {hash}); \
                 INSERT INTO nodes VALUES ('{id}', 10, '0.1.0', 1, 10, 'ready', 0); \
                 INSERT INTO checked_backups VALUES ('{id}', 'sqlite', 10, 20, 1, 1); \
                 INSERT INTO game_formats VALUES ('{id}', 2); INSERT INTO presence VALUES ('{id}', '{id}', TRUE, TRUE, TRUE); \
                 INSERT INTO notifications VALUES ('{id}', 'webhook', '{id}', 'invited', '{id}', 7, 10, 20, 1, NULL, NULL, 'delivered', 10, 20), \
                 ('{id}', '{id}', '{id}', 'invited', '{id}', 7, 10, 20, 1, 30, 40, NULL, 10, NULL); \
                 INSERT INTO notification_choices VALUES ('{id}', '{{}}', 10); \
                 INSERT INTO push_subscriptions VALUES ('{id}', '{id}', 'https://push.example.org/{name}', {point}, {secret}, 10, 10); \
                 INSERT INTO attempts VALUES ({hash}, 10); \
                 INSERT INTO recovery_codes VALUES ({hash}, '{id}', 10); \
                 INSERT INTO identities VALUES ('{id}', '{id}', 'https://issuer.example.org', '{name}', 'app', {secret}, 10); \
                 INSERT INTO used_nonces VALUES ({hash}, 10); \
                 INSERT INTO revocations VALUES ('{id}', 'https://issuer.example.org', 'app', {secret}, 10, 10); \
                 INSERT INTO email_addresses VALUES ('{id}', '{name}@example.org', '{name}@example.org', 10); \
                 INSERT INTO mails VALUES ('{id}', 'reset', NULL, NULL, '{name}@example.org', 'en', 10, 10); \
                 INSERT INTO account_changes VALUES ('{id}', '{id}', '{id}', 'identity_linked', 10); \
                 INSERT INTO people_settings VALUES ('{id}', TRUE, TRUE, TRUE, '{name}'); \
                 INSERT INTO silent_tables VALUES ('{id}'); \
                 INSERT INTO invitations VALUES ('{id}', '{id}', '{id}', '{id}', 10); \
                 INSERT INTO reactions VALUES ('{id}', '{id}', 10, 'hello'); \
                 INSERT INTO reports VALUES ('{id}', '{id}', '{id}', '{id}', 'conduct', 'words', '{{}}', 10, 'upheld', 'a reason', 20, '{id}', 15); \
                 INSERT INTO banned_identities VALUES ({hash}, 10)",
                hash = outsider.bytes(&hex::encode(id)),
                point = outsider.bytes(&"04".repeat(65)),
                secret = outsider.bytes(&"09".repeat(16))
            ))
            .expect("accounts");
    }
    outsider
        .run(&format!("INSERT INTO sealed_keys VALUES (1, 1, {})", outsider.bytes("00")))
        .expect("a ring");
    let (one, other) = (caller(101, Role::Player).account, caller(102, Role::Player).account);
    let (one, other) = (one.as_str(), other.as_str());
    outsider
        .run(&format!(
            "INSERT INTO relations VALUES ('{one}', 'block', '{other}', 10), ('{one}', 'mute', '{other}', 10)"
        ))
        .expect("relations");
    // A moderator with a session.
    let keeper = caller(103, Role::Moderator).account;
    let keeper = keeper.as_str();
    outsider
        .run(&format!(
            "INSERT INTO accounts VALUES ('{keeper}', 'keeper', 'keeper', 'keeper', 'hash', 0, 'full', 'player', 10, 10); \
             INSERT INTO sessions VALUES ('{keeper}', '{keeper}', 'a phone', 10, 10, 0, NULL, NULL, 0); \
             INSERT INTO reports VALUES ('{keeper}', NULL, '{other}', '', 'conduct', 'words', '{{}}', 10, NULL, NULL, NULL, NULL, NULL)"
        ))
        .expect("a moderator");
    app.roles.grant_to("keeper", Role::Moderator).await.expect("a grant");
    // A grant voids the links into an account.
    let link = outsider.bytes(&"07".repeat(32));
    outsider
        .run(&format!(
            "INSERT INTO email_links VALUES ({link}, '{keeper}', 'reset', NULL, '{keeper}', 5, 10)"
        ))
        .expect("a link");
    let later = jiff::Timestamp::now() + SignedDuration::from_hours(24);
    let moderator = caller(103, Role::Moderator);
    let report = Some(moderator.session);
    let moderator = ActingModerator::of(moderator, app.now()).expect("a moderator");
    for act in [Act::Muted, Act::Suspended, Act::Banned] {
        let account = caller(102, Role::Player).account;
        let act = ActRequest {
            until: Some(RecordTime::of(later, None)),
            appeal: (act != Act::Muted).then(|| "by mail".to_owned()),
            untold: Some("a test".to_owned()),
            report,
            ..ActRequest::new(act, "a reason")
        };
        app.moderation.act(&moderator, &account, &act).await.expect("an act");
    }
    app.roles.grant_to("boss", Role::Admin).await.expect("a grant");
    let mut boss = caller(101, Role::Admin);
    boss.signed_in_at = jiff::Timestamp::now();
    outsider
        .run(&format!("UPDATE sessions SET ended_at = NULL WHERE id = '{}'", boss.session))
        .expect("a session in use");
    let boss = ActingAdmin::of(boss, app.now()).expect("an admin");
    app.roles.grant(&boss, caller(102, Role::Player).account, Role::Auditor).await.expect("a grant");

    ended(&app, Visibility::Public).await;
    sign_and_log(&app).await;
    app.endings.count().await.expect("results");
    app.endings.pack(SignedDuration::ZERO).await.expect("packing");
    ended(&app, Visibility::Private).await;
    sign_and_log(&app).await;
    app.endings.count().await.expect("results");
    sign_starts(&app).await;
    let (running, players) = table(&app, Visibility::Private).await;
    play(&app, running, &players, 1).await;
    pieces(&app, &caller(10, Role::Auditor), running).await.expect("a history");
    let rematch = opened(&app, &caller(15, Role::Player)).await;
    let (cancelled, _) = table_with(&app, Visibility::Public, [16, 18, 19, 20], false).await;
    app.games
        .at_table(&caller(16, Role::Player), cancelled, &TableCommand::Cancel, None, None)
        .await
        .expect("the end");
    let (stuck, _) = table_with(&app, Visibility::Public, [25, 26, 27, 28], false).await;
    let end = EndRequest { reason: "a reason".to_owned(), untold: None };
    app.moderation.end_game(&moderator, stuck, &end).await.expect("the end");
    sign_and_log(&app).await;
    app.endings.count().await.expect("results");
    let wish = Wish { fill_with_bots_after: Some(3_600), ..wish("plain") };
    let once = IdempotencyKey {
        method: "POST".to_owned(),
        path: "/v1/matchmaking".to_owned(),
        key: "a key".to_owned(),
        body_hash: [7; 32],
    };
    app.matchmaking.seek_table(&caller(17, Role::Player), wish, Some(&once)).await.expect("a seat");
    app.shutdown().await;
    drop(app);
    adopted_table(database).await;
    rare_rows(database, &mut outsider, rematch);
}

/// A private table that a node with lost keys wrote, and that was adopted, with its entry in the public log.
async fn adopted_table(database: &TestDatabase) {
    let lost = KeyRing::create(&SeededEntropy::new(78), time(0).timestamp());
    let node = |ring| {
        let settings = AppSettings::unlimited(Arc::new(SystemClock), Arc::new(SystemEntropy));
        Arc::new(App::new(database.open(), ring, settings))
    };
    let app = node(lost);
    table_with(&app, Visibility::Private, [21, 22, 23, 24], false).await;
    app.shutdown().await;
    let store = database.open();
    let adoption = adopt(&store, &keys(), &SystemEntropy, SystemClock.now()).await.expect("an adoption");
    store.shutdown().await;
    assert_eq!(adoption.queued, 1, "{adoption:?}");
    let app = node(keys());
    app.public_log.advance().await.expect("an entry");
    // Another entry waits.
    table_with(&app, Visibility::Private, [25, 26, 27, 28], true).await;
    app.shutdown().await;
}

/// Rows that only rare events leave.
fn rare_rows(database: &TestDatabase, outsider: &mut Outsider, rematch: GameId) {
    let conn = &mut Connection::inspect(&database.url()).expect("a look");
    let logs = estimation_store::public_log::audit_reads::logs(conn).expect("logs");
    let note: Note = logs[0].note.parse().expect("a note");
    let line = note.signatures().last().expect("a cosignature");
    let (witness, line) = (line.name(), line.to_string());
    outsider
        .run(&format!(
            "UPDATE games SET rematch_of = (SELECT min(game_id) FROM packed_games) WHERE id = '{rematch}'; \
             UPDATE matchmaking SET left_game_id = '{rematch}'; \
             UPDATE idempotency_keys SET resource = 'another'; \
             INSERT INTO refused_games VALUES ('{rematch}', 'unreadable', 'it cannot be read', 10); \
             INSERT INTO passed_over_games SELECT number, game_id, counted_at, number FROM counted_games WHERE number = 2; \
             INSERT INTO log_cosignatures SELECT 1, '{witness}', signed_size, '{line}' FROM log_tree"
        ))
        .expect("rare rows");
}

/// The findings, with or without the keys of the node.
fn findings(conn: &mut Connection, with_keys: bool) -> BTreeSet<String> {
    let mut trust = trust();
    trust.running = true;
    let keys = with_keys.then(|| keys().record_keys());
    let audited = database_audit::audit(conn, &trust, keys.as_deref(), time(0), || ());
    let audited = audited.expect("a report, whatever row is damaged");
    let without_keys = audited.notes.iter().any(|note| note.contains("HMACs were not checked: give"));
    assert_eq!(without_keys, !with_keys, "{:?}", audited.notes);
    audited.report.findings.iter().map(Finding::to_string).collect()
}

/// What changes one value of a column.
fn change(column: &Column, keys: &[&Column], backend: Backend) -> String {
    let Column { owner, name, kind, is_key, .. } = column;
    let full_name = column.full_name();
    let known = CHANGES.iter().find(|(changed, ..)| *changed == full_name);
    let is_time = name.ends_with("_at");
    let expression = match (known, kind.as_str(), backend) {
        (Some((_, expression, _)), ..) => (*expression).to_owned(),
        (None, "bigint" | "integer" | "int", _) if is_time && !is_key => format!("{name} + 86400000"),
        (None, "bigint" | "integer" | "int", _) => format!("{name} + 1000"),
        (None, "blob", _) => format!(
            "CAST(substr({name}, 1, length({name}) - 1) || CASE WHEN substr({name}, -1) = x'00' THEN x'01' ELSE x'00' END AS BLOB)"
        ),
        (None, "bytea", _) => {
            format!("set_byte({name}, length({name}) - 1, get_byte({name}, length({name}) - 1) # 1)")
        }
        (None, "text" | "character varying" | "varchar" | "varchar(50)", _) => {
            format!("CASE WHEN length({name}) = 36 THEN '{STRANGER}' ELSE {name} || 'x' END")
        }
        (None, kind, _) if kind.starts_with("timestamp") => "'2000-01-01 00:00:00'".to_owned(),
        (None, kind, _) => panic!("{full_name} has the type {kind}"),
    };
    let row = known.map_or_else(|| format!("{name} IS NOT NULL"), |(.., row)| (*row).to_owned());
    let keys: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
    let keys = keys.join(", ");
    format!(
        "UPDATE {owner} SET {name} = {expression} WHERE ({keys}) = (SELECT {keys} FROM {owner} WHERE {row} ORDER BY {keys} LIMIT 1)"
    )
}

/// A database that can be changed and put back.
struct Changeable<'d> {
    database: &'d TestDatabase,
    outsider: Outsider,
    columns: Vec<Column>,
}

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

impl Changeable<'_> {
    /// Lets the intruder change append-only tables, and keeps a copy of every table.
    fn new(database: &TestDatabase) -> Changeable<'_> {
        let mut outsider = database.outsider();
        let columns = columns(&mut outsider);
        let tables: BTreeSet<&str> = columns.iter().map(|column| column.owner.as_str()).collect();
        if let Outsider::Sqlite(conn) = &mut outsider {
            let query = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
            let triggers: Vec<Name> = diesel::sql_query(query).load(conn).expect("triggers");
            outsider.run("PRAGMA foreign_keys = OFF").expect("no cascades");
            for Name { name } in triggers {
                outsider.run(&format!("DROP TRIGGER {name}")).expect("unlocked");
            }
        }
        for table in &tables {
            if database.backend() == Backend::Postgres {
                outsider.run(&format!("ALTER TABLE {table} DISABLE TRIGGER ALL")).expect("unlocked");
            }
            outsider.run(&format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}")).expect("a copy");
        }
        Changeable { database, outsider, columns }
    }

    /// Changes one value. The database may refuse.
    fn change(&mut self, column: &Column) -> QueryResult<()> {
        let keys: Vec<&Column> =
            self.columns.iter().filter(|key| key.owner == column.owner && key.is_key).collect();
        let sql = change(column, &keys, self.database.backend());
        let changed = self.outsider.run(&sql);
        if changed.is_ok() {
            let differs = format!(
                "(SELECT * FROM {table} EXCEPT SELECT * FROM kept_{table}) AS changed",
                table = column.owner
            );
            assert!(self.outsider.count(&differs) > 0, "no row has a value to change: {sql}");
        }
        changed
    }

    fn restore(&mut self, table: &str) {
        let overriding = match self.database.backend() {
            Backend::Sqlite => "",
            Backend::Postgres => "OVERRIDING SYSTEM VALUE",
        };
        self.outsider
            .run(&format!("DELETE FROM {table}; INSERT INTO {table} {overriding} SELECT * FROM kept_{table}"))
            .expect("the state before");
    }
}

on_both! {
    #[ignore = "all: tries every case; the default tries some"]
    async fn every_changed_column_is_found_or_listed(database: TestDatabase) {
        site(&database).await;
        // One connection, as PostgreSQL plans each query once for it.
        let conn = &mut Connection::inspect(&database.url()).expect("a look");
        let sound = findings(conn, true);
        assert!(sound.is_empty(), "{sound:#?}");
        let mut listed = listed();
        let mut section = |name: &str| listed.remove(name).unwrap_or_else(|| panic!("no section {name}"));
        let with_keys = section("Only with the keys of the node");
        let (unseen, fixed) = (section("Not found"), section("Refused by the schema"));
        assert!(listed.is_empty(), "{listed:?}");

        let mut changeable = Changeable::new(&database);
        let columns = changeable.columns.clone();
        let names: BTreeSet<String> = columns.iter().map(Column::full_name).collect();
        let gone: Vec<&String> = with_keys.iter().chain(&unseen).chain(&fixed).filter(|name| !names.contains(*name)).collect();
        assert!(gone.is_empty(), "listed, and not in the schema: {gone:?}");
        assert!(columns.len() > 150, "{} columns", columns.len());
        // The triggers are missing.
        let before = [false, true].map(|with_keys| findings(conn, with_keys));

        let mut wrong = Vec::new();
        for column in &columns {
            let name = column.full_name();
            if unseen.contains(&name) || column.is_fixed {
                continue;
            }
            match changeable.change(column) {
                Err(_) if fixed.contains(&name) => {}
                Err(error) => wrong.push(format!("{name} cannot be changed: {error}")),
                Ok(()) if fixed.contains(&name) => wrong.push(format!("{name} can be changed")),
                Ok(()) => {
                    let needs_keys = with_keys.contains(&name);
                    if findings(conn, needs_keys) == before[usize::from(needs_keys)] {
                        wrong.push(format!("a change of {name} is not found: compare it, or list it in docs/unaudited-columns.md"));
                    }
                }
            }
            changeable.restore(&column.owner);
        }
        // All the others at once.
        for (columns_of, has_keys) in [(&with_keys, false), (&unseen, true)] {
            let all: Vec<&Column> = columns.iter().filter(|column| columns_of.contains(&column.full_name()) && !column.is_fixed).collect();
            all.iter().for_each(|column| changeable.change(column).expect("a change"));
            let found = findings(conn, has_keys);
            let found: Vec<&String> = found.difference(&before[usize::from(has_keys)]).collect();
            if !found.is_empty() {
                wrong.push(format!("listed as not found, and found: {found:#?}"));
            }
            all.iter().for_each(|column| changeable.restore(&column.owner));
        }
        // A signature of the checkpoint.
        changeable.outsider.run("UPDATE log_tree SET note = substr(note, 1, length(note) - 20) || 'AAAA' || substr(note, length(note) - 15)").expect("a change");
        if findings(conn, true) == before[1] {
            wrong.push("a changed signature of the checkpoint is not found with the keys".to_owned());
        }
        changeable.restore("log_tree");
        assert_eq!(findings(conn, true), before[1]);
        assert!(wrong.is_empty(), "{} columns:\n{}", wrong.len(), wrong.join("\n"));
    }

    async fn hmacs_are_checked_with_the_keys_of_the_node(database: TestDatabase) {
        let app = service(&database).await;
        let (running, players) = table(&app, Visibility::Private).await;
        play(&app, running, &players, 1).await;
        app.shutdown().await;
        let folder = TempDir::new().expect("a folder");
        let [own, others] = [77, 78].map(|seed| {
            let path = folder.path().join(seed.to_string());
            KeyRing::load_or_create(&path, &SeededEntropy::new(seed), time(0).timestamp()).expect("keys");
            path.to_str().expect("a path").to_owned()
        });
        let audited = |arguments: &[&str]| {
            let (well, report) = inspected_with(&database, arguments);
            let notes = report["notes"].as_array().expect("notes").clone();
            let details: Vec<String> = report["findings"].as_array().expect("findings").iter()
                .map(|finding| finding["detail"].as_str().expect("a detail").to_owned()).collect();
            assert_eq!(well, details.is_empty(), "{report:#}");
            (details, notes.iter().any(|note| note.as_str().is_some_and(|note| note.contains("HMACs were not checked"))))
        };
        assert_eq!(audited(&[]), (vec![], true));
        assert_eq!(audited(&["--keys-file", &own]), (vec![], false));
        let (details, has_note) = audited(&["--keys-file", &others]);
        assert_eq!((details, has_note), (vec!["the last event is bound under a key that was not given".to_owned()], true));

        unlock(&database).run("UPDATE game_events SET binding = NULL").expect("no bindings");
        let unseen = |(details, has_note): (Vec<String>, bool)| {
            (details.into_iter().filter(|detail| !detail.contains("trigger")).collect::<Vec<_>>(), has_note)
        };
        assert_eq!(unseen(audited(&[])), (vec![], true));
        assert_eq!(unseen(audited(&["--keys-file", &own])), (vec!["the last event is not bound by a node".to_owned()], false));
    }
}
