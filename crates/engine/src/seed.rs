//! Client seeds: each player's contribution to the shuffles.
//!
//! A player commits to a seed before any other player's is known, and opens it when the start is requested. The game
//! starts when all of them are open. If one stays closed, every commitment is void, the server's too. A player who does
//! not commit contributes nothing.

use std::sync::Arc;

use super::client_seed::{ClientSeed, PlayerSeed, SeedCommitment};
use super::event::{Event, OpeningFailed};
use super::game::{Game, Sitter, Stage};
use super::hex::Hex;
use super::rejection::Rejection;
use super::seat::Place;

impl Game {
    /// The commitments of all places that have one.
    pub fn seed_commitments(&self) -> Vec<SeedCommitment> {
        let committed = self.seeds().filter_map(|(place, seed)| {
            let (status, commitment) = seed.commitment()?;
            Some(SeedCommitment { place, status, commitment })
        });
        committed.collect()
    }

    /// The places whose seed must be opened before the game starts.
    pub fn closed_seeds(&self) -> Vec<Place> {
        self.places_with(|seed| matches!(seed, PlayerSeed::Committed(_)))
    }

    /// The places whose commitment is void: their players must commit again, or go without a seed.
    pub fn void_seeds(&self) -> Vec<Place> {
        self.places_with(|seed| matches!(seed, PlayerSeed::Void | PlayerSeed::Missing))
    }

    /// Whether the players open their seeds now.
    pub fn is_opening(&self) -> bool {
        matches!(self.stage, Stage::Opening { .. })
    }

    fn seeds(&self) -> impl Iterator<Item = (Place, &PlayerSeed)> {
        let taken = self.table.places.iter();
        taken.filter_map(|(seat, sitter)| Some((seat.as_place(), &sitter.as_ref()?.seed)))
    }

    fn places_with(&self, wanted: impl Fn(&PlayerSeed) -> bool) -> Vec<Place> {
        self.seeds().filter(|(_, seed)| wanted(seed)).map(|(place, _)| place).collect()
    }
}

/// How many openings of a table may fail; the last of them ends the table.
pub(super) const MAX_FAILED: u32 = 3;

/// Whether a player may commit to this. Whoever copies a commitment could open it with the copied seed.
///
/// # Errors
/// [`Rejection::SeedCommitmentKnown`] if another place has the commitment, or if the table had it before an opening that
/// failed.
pub(super) fn check_new(game: &Game, place: Place, commitment: Option<Hex<32>>) -> Result<(), Rejection> {
    let others = game.seeds().filter(|(other, _)| *other != place);
    let mut others = others.filter_map(|(_, seed)| seed.commitment()?.1);
    match commitment {
        Some(own) if others.any(|other| other == own) || game.table.former_commitments.contains(&own) => {
            Err(Rejection::SeedCommitmentKnown)
        }
        _ => Ok(()),
    }
}

/// The event with which a player opens the seed of a commitment.
///
/// # Errors
/// [`Rejection::NoSeedToOpen`] and [`Rejection::SeedDoesNotMatch`].
pub(super) fn open(game: &Game, place: Place, client_seed: &ClientSeed) -> Result<Event, Rejection> {
    match game.table.at(place).map(|sitter| &sitter.seed) {
        Some(PlayerSeed::Committed(commitment)) if game.is_opening() => {
            if client_seed.commitment() == *commitment {
                Ok(Event::SeedOpened { place, client_seed: client_seed.clone() })
            } else {
                Err(Rejection::SeedDoesNotMatch { commitment: *commitment })
            }
        }
        _ => Err(Rejection::NoSeedToOpen),
    }
}

/// The state after an opening that failed: all commitments are void, and the server has a new one.
pub(super) fn fail(game: &mut Game, failed: &OpeningFailed) {
    let table = Arc::make_mut(&mut game.table);
    table.commitment = failed.commitment;
    table.openings += 1;
    let since = std::mem::take(&mut table.commitments);
    table.former_commitments.extend(since);
    table.places = table.places.map(|seat, sitter| {
        let Sitter { player, seed } = sitter.clone()?;
        Some(Sitter { player, seed: seed.voided(failed.missing.contains(&seat.as_place())) })
    });
    game.stage = Stage::Lobby;
}
