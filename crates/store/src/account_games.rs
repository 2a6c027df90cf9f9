//! An account's games: those it sits in, and those it is invited to.

use std::collections::BTreeMap;

use diesel::dsl::exists;
use diesel::prelude::*;

use super::games::OPEN;
use super::relations::hides_nobody_from;
use super::schema::{game_players, games, invitations};
use super::{AccountId, Connection, GameId, Result, event_reads};

/// A game that is not over and in which the account sits, or to which it is invited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentGame {
    pub id: GameId,
    /// True when the game has begun, false in the lobby.
    pub playing: bool,
    /// True when every seat is taken.
    pub full: bool,
    /// True when the account sits in the game, false when it is only invited.
    pub seated: bool,
    /// The sequence number of the last event.
    pub version: u64,
}

impl CurrentGame {
    /// Whether the game may wait for the account: for its move, or in a full lobby for its client seed.
    pub fn may_wait(&self) -> bool {
        self.playing || self.full
    }
}

/// The account's games that are not over, the open rematches of games it sat in, and the tables to which it is invited. All from one snapshot of
/// the database.
pub fn current(conn: &mut Connection, account: &AccountId) -> Result<Vec<CurrentGame>> {
    conn.in_snapshot(|conn| {
        let open: Vec<(GameId, String, bool)> = game_players::table
            .inner_join(games::table.on(games::id.eq(game_players::game_id)))
            .filter(game_players::account_id.eq(account))
            .filter(games::status.eq_any(OPEN))
            .select((games::id, games::status, games::taken.ge(games::players)))
            .load(conn)?;
        let asked: Vec<GameId> = invitations::table
            .inner_join(games::table.on(games::id.eq(invitations::game_id)))
            .filter(invitations::recipient_id.eq(account))
            .filter(games::status.eq("lobby"))
            .filter(hides_nobody_from!(account))
            .select(games::id)
            .load(conn)?;
        let invited: Vec<GameId> = games::table
            .inner_join(game_players::table.on(game_players::game_id.nullable().eq(games::rematch_of)))
            .filter(game_players::account_id.eq(account))
            .filter(games::status.eq("lobby"))
            .filter(hides_nobody_from!(account))
            .select(games::id)
            .load(conn)?;
        let mut found: BTreeMap<GameId, CurrentGame> = BTreeMap::new();
        for id in invited.into_iter().chain(asked) {
            found.insert(id, CurrentGame { id, playing: false, full: false, seated: false, version: 0 });
        }
        for (id, status, full) in open {
            found
                .insert(id, CurrentGame { id, playing: status == "playing", full, seated: true, version: 0 });
        }
        let ids: Vec<GameId> = found.keys().copied().collect();
        for (id, head) in event_reads::heads(conn, &ids)? {
            if let Some(found) = found.get_mut(&id) {
                found.version = head.seq;
            }
        }
        Ok(found.into_values().collect())
    })
}

/// Whether a game is the rematch of a game in which the account sat, or a friend invited the account to it, without a
/// block between the account and a player.
pub fn invites(conn: &mut Connection, game: GameId, account: &AccountId) -> Result<bool> {
    let sat = games::table
        .inner_join(game_players::table.on(game_players::game_id.nullable().eq(games::rematch_of)))
        .filter(games::id.eq(game))
        .filter(game_players::account_id.eq(account))
        .filter(hides_nobody_from!(account));
    let asked = invitations::table
        .inner_join(games::table.on(games::id.eq(invitations::game_id)))
        .filter(games::id.eq(game))
        .filter(invitations::recipient_id.eq(account))
        .filter(hides_nobody_from!(account));
    Ok(diesel::select(exists(sat).or(exists(asked))).get_result(conn)?)
}

#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct Rematch {
    pub id: GameId,
    pub of: GameId,
}

/// The rematches in the lobby with ids from `first` on. Ids contain their creation time.
pub fn rematches_since(conn: &mut Connection, first: GameId) -> Result<Vec<Rematch>> {
    let query = games::table
        .filter(games::id.ge(first))
        .filter(games::rematch_of.is_not_null())
        .filter(games::status.eq("lobby"))
        .select((games::id, games::rematch_of.assume_not_null()));
    Ok(query.load(conn)?)
}
