//! Client seeds: each player's contribution to the shuffles.
//!
//! A player commits to a seed before any other player's is known, and opens it when the start is requested. The game
//! starts when all of them are open. If one stays closed, every commitment is void, the server's too. A seed that is
//! public before the start is accepted as well, but the others can choose theirs by it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::chance::{ClientSeed, Hex};
use super::event::{Event, OpeningFailed};
use super::game::{Game, Sitter, Stage};
use super::rejection::Rejection;
use super::seat::LobbySlot;

/// What a player contributes to the shuffles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerSeed {
    /// Nothing.
    #[default]
    Nothing,
    /// A seed that is public since the player sent it.
    Public(ClientSeed),
    /// A seed that only the player knows.
    Committed(Hex<32>),
    /// A seed to which the player had committed.
    Opened {
        /// The commitment.
        commitment: Hex<32>,
        /// The seed.
        seed: ClientSeed,
    },
    /// The commitment is void because another player's seed stayed closed.
    Void,
    /// The commitment is void because this player's seed stayed closed.
    Missing,
}

crate::choices! {
    /// The state of a commitment to a client seed.
    pub enum CommitmentStatus {
        /// Only the player knows the seed.
        Committed = "committed",
        /// The seed is public, and it is the one committed to.
        Opened = "opened",
        /// Another player's seed stayed closed: the player must commit again, or go without a seed.
        Void = "void",
        /// The player's seed stayed closed: the player must commit again, or go without a seed.
        Missing = "missing",
    }
}

/// The commitment to a client seed, as everybody sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SeedCommitment {
    /// The place.
    pub place: LobbySlot,
    /// Its state.
    pub status: CommitmentStatus,
    /// SHA-256 of the seed's text; null when it is void or missing.
    pub commitment: Option<Hex<32>>,
}

impl PlayerSeed {
    /// A seed that is public from the beginning, if there is one.
    pub fn public(seed: Option<ClientSeed>) -> PlayerSeed {
        seed.map_or(PlayerSeed::Nothing, PlayerSeed::Public)
    }

    /// The seed, once it is known.
    pub fn known(&self) -> Option<&ClientSeed> {
        match self {
            PlayerSeed::Public(seed) | PlayerSeed::Opened { seed, .. } => Some(seed),
            _ => None,
        }
    }

    /// The commitment and its state; none without a commitment.
    pub fn commitment(&self) -> Option<(CommitmentStatus, Option<Hex<32>>)> {
        match self {
            PlayerSeed::Nothing | PlayerSeed::Public(_) => None,
            PlayerSeed::Committed(commitment) => Some((CommitmentStatus::Committed, Some(*commitment))),
            PlayerSeed::Opened { commitment, .. } => Some((CommitmentStatus::Opened, Some(*commitment))),
            PlayerSeed::Void => Some((CommitmentStatus::Void, None)),
            PlayerSeed::Missing => Some((CommitmentStatus::Missing, None)),
        }
    }

    /// The seed of a player at the start: the known one of this state, if it is the seed of the start.
    pub(super) fn at_start(&self, seed: Option<&ClientSeed>) -> PlayerSeed {
        if self.known() == seed { self.clone() } else { PlayerSeed::public(seed.cloned()) }
    }

    /// The state after an opening that failed.
    fn voided(&self, missing: bool) -> PlayerSeed {
        match self {
            PlayerSeed::Committed(_) if missing => PlayerSeed::Missing,
            PlayerSeed::Committed(_) | PlayerSeed::Opened { .. } => PlayerSeed::Void,
            other => other.clone(),
        }
    }
}

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
    pub fn closed_seeds(&self) -> Vec<LobbySlot> {
        self.places_with(|seed| matches!(seed, PlayerSeed::Committed(_)))
    }

    /// The places whose commitment is void: their players must commit again, or go without a seed.
    pub fn void_seeds(&self) -> Vec<LobbySlot> {
        self.places_with(|seed| matches!(seed, PlayerSeed::Void | PlayerSeed::Missing))
    }

    /// Whether the players open their seeds now.
    pub fn is_opening(&self) -> bool {
        self.stage == Stage::Opening
    }

    fn seeds(&self) -> impl Iterator<Item = (LobbySlot, &PlayerSeed)> {
        let taken = self.table.places.iter();
        taken.filter_map(|(seat, sitter)| Some((seat.as_place(), &sitter.as_ref()?.seed)))
    }

    fn places_with(&self, wanted: impl Fn(&PlayerSeed) -> bool) -> Vec<LobbySlot> {
        self.seeds().filter(|(_, seed)| wanted(seed)).map(|(place, _)| place).collect()
    }
}

/// The event with which a player opens the seed of a commitment.
///
/// # Errors
/// [`Rejection::NoSeedToOpen`] and [`Rejection::SeedDoesNotMatch`].
pub(super) fn open(game: &Game, place: LobbySlot, client_seed: &ClientSeed) -> Result<Event, Rejection> {
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
    table.places = table.places.map(|seat, sitter| {
        let Sitter { player, seed } = sitter.clone()?;
        Some(Sitter { player, seed: seed.voided(failed.missing.contains(&seat.as_place())) })
    });
    game.stage = Stage::Lobby;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commitment_is_the_hash_of_the_text() {
        // printf %s 0123456789abcdef0123456789abcdef | sha256sum
        let seed = ClientSeed::new("0123456789abcdef".repeat(2)).unwrap();
        let expected = "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9";
        assert_eq!(seed.commitment().to_string(), expected);
    }
}
