//! Bindings of heads whose own are under lost keys: `estimation games adopt` makes them.

use diesel::prelude::*;

use super::schema::adopted_heads;
use super::{Binding, Connection, GameId, StoreError, hash};

/// The last version of a game that was adopted, and its binding.
pub fn of_game(conn: &mut Connection, game: GameId) -> Result<Option<(u64, Binding)>, StoreError> {
    let row = adopted_heads::table.find(game).select((adopted_heads::seq, adopted_heads::binding));
    let row: Option<(i64, Vec<u8>)> = row.first(conn).optional()?;
    row.map(|(seq, bytes)| Ok((hash::from_stored(seq)?, Binding::read(&bytes)?))).transpose()
}

/// Stores the binding of a game's head in place of an earlier one.
pub fn save(conn: &mut Connection, game: GameId, seq: u64, binding: &Binding) -> Result<(), StoreError> {
    let set = (adopted_heads::seq.eq(hash::to_stored(seq)?), adopted_heads::binding.eq(binding.as_bytes()));
    if diesel::update(adopted_heads::table.find(game)).set(set).execute(conn)? == 0 {
        let columns = (adopted_heads::game_id.eq(game), set.0, set.1);
        diesel::insert_into(adopted_heads::table).values(columns).execute(conn)?;
    }
    Ok(())
}
