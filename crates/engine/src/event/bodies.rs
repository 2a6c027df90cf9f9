//! What the events with much to say hold.

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
    /// The rules, whole.
    pub ruleset: Ruleset,
    /// Who opened the table.
    pub host: AccountId,
    /// The host's part in the shuffles, if set.
    pub client_seed: Option<ClientSeed>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Whether people who do not sit there may watch.
    pub spectators: bool,
    /// Seconds a turn may take; none for no clock.
    pub turn_seconds: Option<u32>,
    /// How deals are made from the seeds.
    pub algorithm: String,
    /// SHA-256 of the server seed.
    pub commitment: Hex<32>,
}

/// See [`super::Event::GameStarted`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameStarted {
    /// Who sits at each place.
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
    /// What kind of round it is.
    pub kind: RoundKind,
    /// The cards in each hand.
    pub hand_size: u8,
    /// Who dealt.
    pub dealer: Seat,
    /// Who speaks first.
    pub first_speaker: Seat,
    /// What void rounds before it have made of the multiplier.
    pub carry: u32,
    /// Trump, where it is known already.
    pub trump: Option<Trump>,
    /// The card turned up (`nineteen`).
    pub indicator: Option<Card>,
    /// The hands, by seat. Hidden from everybody but their holders until the game is over.
    pub hands: BySeat<CardSet>,
    /// Hidden from everybody until the game is over.
    pub salt: Salt,
}

/// See [`super::Event::RoundScored`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundScored {
    /// The round, from 1.
    pub round: u8,
    /// What each seat was bound to; none in a folded round.
    pub calls: BySeat<Option<Call>>,
    /// What each seat took.
    pub tricks: BySeat<u8>,
    /// The bidder, if there was one.
    pub bidder: Option<Seat>,
    /// The Withs.
    pub withs: SeatSet,
    /// The Risk, where the ruleset names one.
    pub risk: Option<Seat>,
    /// What multiplied the round.
    pub multiplier: u32,
    /// The carry into the next round.
    pub next_carry: u32,
    /// The points of the round, by seat.
    pub points: BySeat<i32>,
    /// The totals after it, by seat.
    pub totals: BySeat<i32>,
    /// What the points are made of, by seat.
    pub lines: BySeat<Lines>,
}

/// See [`super::Event::GameFinished`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFinished {
    /// The seats, in order of play, with their totals and ranks.
    pub standings: BySeat<Standing>,
    /// The seed, revealed.
    pub server_seed: Hex<32>,
}

/// How a seat ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standing {
    /// Whose.
    pub seat: Seat,
    /// The final total.
    pub total: i32,
    /// The place in the standings, from 1; those level share it (C6).
    pub rank: u8,
}
