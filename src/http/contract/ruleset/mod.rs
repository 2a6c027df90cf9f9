//! Rulesets: as they are published, as a table shows them, and whole, as a game's first event holds them.

mod choice;
mod published;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::choice::*;
pub use self::published::*;
use super::term::Direction;
use super::value::SeatNumber;

/// The rules of one game, whole: what its document fixes and what the table has agreed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ruleset {
    /// The ruleset it comes from.
    pub id: RulesetId,
    /// The version of that ruleset.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub version: u32,
    /// How many sit at the table.
    #[schema(minimum = 2, maximum = 5)]
    pub players: u8,
    /// Which way deal and play go round.
    pub direction: Direction,
    /// What the rounds are.
    pub plan: Plan,
    /// The dealer of round 1, unless the draw for seats says otherwise.
    pub first_dealer: SeatNumber,
    /// Whether a hand that lacks a suit is asked for redeal or avoid.
    pub void_check: bool,
    /// The kind of dash there is beside estimating 0.
    pub dash: Dash,
    /// How many zeros a round may hold, of whatever kind; null for no limit.
    #[schema(required, minimum = 0, maximum = 5)]
    pub zero_limit: Option<u8>,
    /// What follows when nobody bids.
    pub unbid: Unbid,
    /// Whether the highest estimator of a fast round is its bidder.
    pub fast_bidder: bool,
    /// Whether an estimate equal to the bidder's call makes a With in auction rounds.
    pub withs: bool,
    /// Whether it does in fast rounds too.
    pub fast_withs: bool,
    /// Whether a round that nobody makes is void: no points, and the carry grows.
    pub void_unmade: bool,
    /// The formula of its scores.
    pub scoring: Scoring,
    /// Option `length`: how long the game is.
    pub length: Length,
    /// Option `order`: how the hand size runs.
    pub order: Order,
    /// Option `jokers`: how many jokers replace the lowest cards.
    #[schema(minimum = 0, maximum = 2)]
    pub jokers: u8,
    /// Option `concealed_tricks`: whether tricks taken stay hidden until the round is scored.
    pub concealed_tricks: bool,
    /// Option `revokes`: what happens to a card that breaks the duty to follow suit.
    pub revokes: Revokes,
    /// Option `starter_rotation`: who starts the next round.
    pub starter_rotation: StarterRotation,
    /// Option `auction`: how trump and bidder are found.
    pub auction: AuctionKind,
    /// Option `minimum_bid`: the lowest number of tricks that may be bid.
    #[schema(minimum = 1, maximum = 7)]
    pub minimum_bid: u8,
    /// Option `dash_call_timing`: when dash calls are made.
    pub dash_call_timing: DashCallTiming,
    /// Option `fast_redeal`: whether a hand that lacks a suit may ask for a redeal in fast rounds too.
    pub fast_redeal: bool,
    /// Option `fast_trump_change`: whether an estimate may name a new trump in fast rounds.
    pub fast_trump_change: bool,
    /// Option `risk_ladder`: where the Risk's levels begin.
    pub risk_ladder: RiskLadder,
    /// Option `with_penalty`: whether a With that loses pays as the bidder does.
    pub with_penalty: bool,
    /// Option `carry_ladder`: how the carry grows.
    pub carry_ladder: CarryLadder,
    /// Option `high_call_extras`: which extras a call of eight or more gets.
    pub high_call_extras: HighCallExtras,
    /// Option `half_square`: how half a square is made whole.
    pub half_square: HalfSquare,
    /// Option `blind_dash_swap`: whether blind dashes score the other way round.
    pub blind_dash_swap: bool,
    /// Option `seating`: how seats are given.
    pub seating: Seating,
    /// Option `cut`: whether the pack is cut.
    pub cut: bool,
    /// Option `bid_direction`: which way round the table bids and estimates go.
    pub bid_direction: Direction,
    /// Option `first_lead`: who leads the first trick.
    pub first_lead: FirstLead,
    /// Option `allow_pass`: whether a player may pass instead of bidding.
    pub allow_pass: bool,
    /// Option `no_trump_bids`: whether no trump may be bid.
    pub no_trump_bids: bool,
    /// Option `dash_limit`: how many dash calls or blind dashes a round may hold.
    #[schema(minimum = 0, maximum = 3)]
    pub dash_limit: u8,
    /// Option `forbid_thirteen`: whether the last to estimate is barred from completing the total.
    pub forbid_thirteen: bool,
}
