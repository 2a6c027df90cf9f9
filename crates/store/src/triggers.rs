//! The triggers that make tables append-only: whether all of them are there, unchanged and enabled. For audits.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel::{QueryableByName, SqliteConnection};

use super::{Connection, Result, migrations};
use estimation_postgres::PgConnection;

/// A trigger of the schema that the database does not have in this form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerFault {
    Missing(String),
    /// It has another definition, another function, or is disabled.
    Changed(String),
}

/// A trigger with its definition: its mode, events, condition and function.
#[derive(QueryableByName)]
struct Trigger {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    definition: String,
}

/// PostgreSQL's triggers: firing mode (`A` is ALWAYS), type bits, function, and the start of the SHA-256 of its body. A
/// test compares this with the migrations.
const POSTGRES: [(&str, &str); 10] = [
    ("ended_games.ended_games_refuse_change", "A 58 refuse_change b58563722131fff8"),
    ("game_events.game_events_refuse_change", "A 50 refuse_change b58563722131fff8"),
    ("game_events.game_events_refuse_loss", "A 8 game_events_refuse_loss 98f7638e210a3056"),
    ("game_events.game_events_refuse_packed", "A 4 game_events_refuse_packed f2617ba065b7ab19"),
    ("log_entries.log_entries_refuse_change", "A 58 refuse_change b58563722131fff8"),
    ("looks.looks_refuse_change", "A 58 refuse_change b58563722131fff8"),
    ("moderation_acts.moderation_acts_refuse_change", "A 58 refuse_change b58563722131fff8"),
    ("packed_games.packed_games_check", "A 7 packed_games_check be276e252470a55e"),
    ("packed_games.packed_games_refuse_change", "A 58 refuse_change b58563722131fff8"),
    ("role_grants.role_grants_refuse_change", "A 58 refuse_change b58563722131fff8"),
];

/// A condition (WHEN) or a list of columns (OF) makes a trigger fire less often.
const POSTGRES_QUERY: &str = "SELECT c.relname || '.' || t.tgname AS name, \
     format('%s %s %s %s', t.tgenabled, t.tgtype, p.proname, \
            left(encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'), 16)) \
     || CASE WHEN t.tgqual IS NULL THEN '' ELSE ' when' END \
     || CASE WHEN t.tgattr::text = '' THEN '' ELSE ' of' END AS definition \
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid \
     WHERE NOT t.tgisinternal AND pg_table_is_visible(c.oid) ORDER BY name";

const SQLITE_QUERY: &str = "SELECT tbl_name || '.' || name AS name, coalesce(sql, '') AS definition \
     FROM sqlite_schema WHERE type = 'trigger' ORDER BY name";

/// The triggers of this version's schema that are missing or changed. Ignores other triggers.
pub fn faults(conn: &mut Connection) -> Result<Vec<TriggerFault>> {
    let (expected, found) = match conn {
        Connection::Sqlite(conn) => (of_sqlite(&mut migrations::in_memory()?)?, of_sqlite(conn)?),
        Connection::Postgres(conn) => {
            let expected = POSTGRES.map(|(name, definition)| (name.to_owned(), definition.to_owned()));
            (expected.into(), of_postgres(conn)?)
        }
    };
    let fault = |(name, definition): (String, String)| match found.get(&name) {
        None => Some(TriggerFault::Missing(name)),
        Some(found) if *found != definition => Some(TriggerFault::Changed(name)),
        Some(_) => None,
    };
    Ok(expected.into_iter().filter_map(fault).collect())
}

fn of_sqlite(conn: &mut SqliteConnection) -> Result<BTreeMap<String, String>> {
    Ok(by_name(diesel::sql_query(SQLITE_QUERY).load(conn)?))
}

fn of_postgres(conn: &mut PgConnection) -> Result<BTreeMap<String, String>> {
    Ok(by_name(diesel::sql_query(POSTGRES_QUERY).load(conn)?))
}

fn by_name(triggers: Vec<Trigger>) -> BTreeMap<String, String> {
    triggers.into_iter().map(|Trigger { name, definition }| (name, definition)).collect()
}
