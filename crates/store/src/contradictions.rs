//! Rows that contradict other rows of the same database. For audits.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::{Connection, Result};

/// A contradiction: what is wrong, the game as stored, if any, and what the row is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub detail: &'static str,
    pub game: Option<String>,
    pub subject: String,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<Text>)]
    game: Option<String>,
    #[diesel(sql_type = Text)]
    subject: String,
}

/// Each contradiction with the query that finds it. A query is one statement, so it sees one state of the database.
const QUERIES: [(&str, &str); 11] = [
    (
        "the account's kind does not fit its username and password, or its username not the key of it",
        "SELECT CAST(NULL AS TEXT) AS game, id AS subject FROM accounts \
         WHERE (kind = 'guest') <> (username IS NULL) OR (username IS NULL) <> (username_key IS NULL) \
         OR (username IS NULL) <> (password_hash IS NULL) OR username_key <> lower(username)",
    ),
    (
        "a refresh token of the session is of another account",
        "SELECT CAST(NULL AS TEXT) AS game, r.session_id AS subject FROM refresh_tokens r \
         LEFT JOIN sessions s ON s.id = r.session_id WHERE s.id IS NULL OR s.account_id <> r.account_id",
    ),
    (
        "the account waits at a table where it has no seat, or which has another status",
        "SELECT m.game_id AS game, m.account_id AS subject FROM matchmaking m WHERE NOT EXISTS (\
         SELECT 1 FROM games g JOIN game_players p ON p.game_id = g.id WHERE g.id = m.game_id \
         AND p.account_id = m.account_id \
         AND g.status = CASE WHEN m.terms IS NULL AND (m.left_game_id IS NULL OR m.left_game_id <> m.game_id) \
         THEN 'playing' ELSE 'lobby' END)",
    ),
    (
        "the game was passed over under another number than that of its signed end",
        "SELECT p.game_id AS game, CAST(p.number AS TEXT) AS subject FROM passed_over_games p \
         WHERE NOT EXISTS (SELECT 1 FROM ended_games e WHERE e.number = p.number AND e.game_id = p.game_id)",
    ),
    (
        "the game was passed over, and counted at another time than its row says",
        "SELECT p.game_id AS game, CAST(p.number AS TEXT) AS subject FROM passed_over_games p \
         WHERE (p.counted_behind IS NOT NULL) \
         <> EXISTS (SELECT 1 FROM counted_games c WHERE c.number = p.number) \
         OR p.counted_behind > (SELECT max(e.number) FROM ended_games e)",
    ),
    (
        "the game is among those that were refused a signature, and its end is signed",
        "SELECT r.game_id AS game, r.reason AS subject FROM refused_games r \
         JOIN ended_games e ON e.game_id = r.game_id",
    ),
    (
        "it is the rematch of a game that does not exist",
        "SELECT r.id AS game, r.rematch_of AS subject FROM games r WHERE r.rematch_of IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM games g WHERE g.id = r.rematch_of)",
    ),
    (
        "log_entries has rows of a public log that does not exist",
        "SELECT DISTINCT CAST(NULL AS TEXT) AS game, CAST(log AS TEXT) AS subject FROM log_entries \
         WHERE log NOT IN (SELECT id FROM log_tree)",
    ),
    (
        "log_tiles has rows of a public log that does not exist",
        "SELECT DISTINCT CAST(NULL AS TEXT) AS game, CAST(log AS TEXT) AS subject FROM log_tiles \
         WHERE log NOT IN (SELECT id FROM log_tree)",
    ),
    (
        "log_cosignatures has rows of a public log that does not exist",
        "SELECT DISTINCT CAST(NULL AS TEXT) AS game, CAST(log AS TEXT) AS subject FROM log_cosignatures \
         WHERE log NOT IN (SELECT id FROM log_tree)",
    ),
    (
        "an answered request names no events, or those of no game",
        "SELECT k.game_id AS game, k.path AS subject FROM idempotency_keys k \
         WHERE k.first_seq > k.last_seq OR (k.first_seq IS NULL) <> (k.last_seq IS NULL) \
         OR (k.first_seq IS NOT NULL AND k.game_id IS NULL) \
         OR (k.game_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM games g WHERE g.id = k.game_id))",
    ),
];

/// The contradictions, at most `limit` of each kind.
pub fn contradictions(conn: &mut Connection, limit: i64) -> Result<Vec<Contradiction>> {
    let mut found = Vec::new();
    for (detail, query) in QUERIES {
        let limited = format!("SELECT game, subject FROM ({query}) AS wrong ORDER BY subject, game LIMIT ");
        let query = diesel::sql_query(limited).sql(match conn {
            Connection::Sqlite(_) => "?",
            Connection::Postgres(_) => "$1",
        });
        let rows: Vec<Row> = query.bind::<BigInt, _>(limit).load(conn)?;
        found.extend(rows.into_iter().map(|Row { game, subject }| Contradiction { detail, game, subject }));
    }
    Ok(found)
}
