//! Server seeds: secret until the game is over, in their own table.

use diesel::prelude::*;
use zeroize::Zeroizing;

use super::schema::game_seeds;
use super::{Connection, GameId, Result, StoreError};

/// 32 secret bytes. No `Debug`, `Display`, `Serialize` or comparison; wiped when dropped.
#[derive(Clone)]
pub struct SealedSeed(Zeroizing<[u8; 32]>);

impl SealedSeed {
    pub fn new(seed: [u8; 32]) -> Self {
        Self(Zeroizing::new(seed))
    }

    /// The bytes, to derive keys and to reveal them at the end of the game.
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The seed of a game.
///
/// # Errors
/// [`StoreError::Corrupt`] when it is not 32 bytes.
pub fn find(conn: &mut Connection, game: GameId) -> Result<Option<SealedSeed>> {
    let stored: Option<Vec<u8>> =
        game_seeds::table.find(game).select(game_seeds::seed).first(conn).optional()?;
    let Some(stored) = stored.map(Zeroizing::new) else { return Ok(None) };
    let mut seed = Zeroizing::new([0; 32]);
    if stored.len() != seed.len() {
        return Err(StoreError::Corrupt { detail: format!("the seed of game {game} is not 32 bytes long") });
    }
    seed.copy_from_slice(&stored);
    Ok(Some(SealedSeed(seed)))
}

pub(super) fn insert(conn: &mut Connection, game: GameId, seed: &SealedSeed) -> Result<()> {
    diesel::insert_into(game_seeds::table)
        .values((game_seeds::game_id.eq(game), game_seeds::seed.eq(&seed.expose()[..])))
        .execute(conn)?;
    Ok(())
}
