//! The bodies of large events.

use serde::{Deserialize, Serialize};

use super::Visibility;
use crate::card::{Card, Trump};
use crate::card_set::CardSet;
use crate::chance::{ClientSeed, Hex, Salt};
use crate::player::{AccountId, Player};
use crate::ruleset::{RoundKind, Ruleset};
use crate::score::{Call, Lines};
use crate::seat::{BySeat, Seat, SeatSet};

/// See [`super::Event::GameCreated`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCreated {
    /// All rules of the game.
    pub ruleset: Ruleset,
    /// The account that opened the table.
    pub host: AccountId,
    /// The host's contribution to the shuffles, if set.
    pub client_seed: Option<ClientSeed>,
    /// Who may find the table.
    pub visibility: Visibility,
    /// Whether accounts without a seat may watch.
    pub spectators: bool,
    /// Seconds per turn; none for no clock.
    pub turn_seconds: Option<u32>,
    /// The algorithm that derives deals from the seeds.
    pub algorithm: String,
    /// SHA-256 of the server seed.
    pub commitment: Hex<32>,
}

/// See [`super::Event::GameStarted`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameStarted {
    /// The player at each place.
    pub players: BySeat<Player>,
    /// The client seeds, by place.
    pub client_seeds: BySeat<Option<ClientSeed>>,
}

/// See [`super::Event::RoundDealt`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundDealt {
    /// The round, from 1.
    pub round: u8,
    /// The deal of the round, from 1.
    pub attempt: u32,
    /// The kind of the round.
    pub kind: RoundKind,
    /// The number of cards in each hand.
    pub hand_size: u8,
    /// The dealer.
    pub dealer: Seat,
    /// The seat that speaks first.
    pub first_speaker: Seat,
    /// The multiplier carried over from void rounds.
    pub carry: u32,
    /// Trump, if it is already known.
    pub trump: Option<Trump>,
    /// The card turned up (`nineteen`).
    pub indicator: Option<Card>,
    /// The hands, by seat. Hidden from all other players until the game is over.
    pub hands: BySeat<CardSet>,
    /// Hidden until the game is over.
    pub salt: Salt,
}

/// See [`super::Event::RoundScored`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundScored {
    /// The round, from 1.
    pub round: u8,
    /// The call of each seat; none in a folded round.
    pub calls: BySeat<Option<Call>>,
    /// The tricks each seat took.
    pub tricks: BySeat<u8>,
    /// The bidder; none in a round without one.
    pub bidder: Option<Seat>,
    /// The players who estimated the bidder's call.
    pub withs: SeatSet,
    /// The player who estimated last, if the ruleset names a Risk.
    pub risk: Option<Seat>,
    /// The multiplier of the round.
    pub multiplier: u32,
    /// The carry into the next round.
    pub next_carry: u32,
    /// The points of the round, by seat.
    pub points: BySeat<i32>,
    /// The totals after it, by seat.
    pub totals: BySeat<i32>,
    /// The lines of each seat's points.
    pub lines: BySeat<Lines>,
}

/// See [`super::Event::GameFinished`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFinished {
    /// The seats, in order of play, with their totals and ranks.
    pub standings: BySeat<Standing>,
    /// The revealed server seed.
    pub server_seed: Hex<32>,
}

/// The final result of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standing {
    /// The player's seat.
    pub seat: Seat,
    /// The final total.
    pub total: i32,
    /// The rank, from 1; equal totals share it (C6).
    pub rank: u8,
}
