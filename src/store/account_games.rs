//! Games that concern an account: those at which it sits, and rematches to which it is invited.

use std::collections::BTreeMap;

use diesel::dsl::exists;
use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::events;
use super::games::OPEN;
use super::schema::{game_players, games};

/// A game that is not over, at which an account sits or to which it is invited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundGame {
    /// The game's id.
    pub id: String,
    /// Whether it has begun; otherwise it is in the lobby.
    pub playing: bool,
    /// Whether the account sits there; otherwise it is invited.
    pub seated: bool,
    /// Where its log ends.
    pub version: u64,
}

/// The games that are not over at which an account sits, and those to which it is invited: rematches in the
/// lobby of games it sat in. All as of one moment.
///
/// # Errors
/// What reading met.
pub fn found_at(conn: &mut Connection, account: &str) -> Result<Vec<FoundGame>, StoreError> {
    conn.at_one_moment(|conn| {
        let open: Vec<(String, String)> = game_players::table
            .inner_join(games::table.on(games::id.eq(game_players::game_id)))
            .filter(game_players::account_id.eq(account))
            .filter(games::status.eq_any(OPEN))
            .select((games::id, games::status))
            .load(conn)?;
        let invited: Vec<String> = games::table
            .inner_join(game_players::table.on(game_players::game_id.nullable().eq(games::rematch_of)))
            .filter(game_players::account_id.eq(account))
            .filter(games::status.eq("lobby"))
            .select(games::id)
            .load(conn)?;
        let mut found: BTreeMap<String, FoundGame> = BTreeMap::new();
        for (id, seated, playing) in invited
            .into_iter()
            .map(|id| (id, false, false))
            .chain(open.into_iter().map(|(id, status)| (id, true, status == "playing")))
        {
            found.insert(id.clone(), FoundGame { id, playing, seated, version: 0 });
        }
        let ids: Vec<String> = found.keys().cloned().collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        for (id, head) in events::heads(conn, &ids)? {
            if let Some(found) = found.get_mut(&id) {
                found.version = head.seq;
            }
        }
        Ok(found.into_values().collect())
    })
}

/// Whether a game is the rematch of one in which an account sat.
///
/// # Errors
/// What reading met.
pub fn invites(conn: &mut Connection, game: &str, account: &str) -> Result<bool, StoreError> {
    let sat = games::table
        .inner_join(game_players::table.on(game_players::game_id.nullable().eq(games::rematch_of)))
        .filter(games::id.eq(game))
        .filter(game_players::account_id.eq(account));
    Ok(diesel::select(exists(sat)).get_result(conn)?)
}

/// A rematch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rematch {
    /// The game's id.
    pub id: String,
    /// The game it is the rematch of.
    pub of: String,
}

/// The rematches in the lobby from an id on, which is that of a time.
///
/// # Errors
/// What reading met.
pub fn rematches_since(conn: &mut Connection, first: &str) -> Result<Vec<Rematch>, StoreError> {
    let rows: Vec<(String, String)> = games::table
        .filter(games::id.ge(first))
        .filter(games::rematch_of.is_not_null())
        .filter(games::status.eq("lobby"))
        .select((games::id, games::rematch_of.assume_not_null()))
        .load(conn)?;
    Ok(rows.into_iter().map(|(id, of)| Rematch { id, of }).collect())
}
