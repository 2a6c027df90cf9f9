//! A ruleset as data: what one of the five documents fixes and what a table has agreed on.
//!
//! There is one engine. Where rulesets differ, they differ in these fields, and the fields are read in
//! four places: deck and schedule ([`schedule`]), calls, lead and scoring. A game carries its whole
//! ruleset in its first event, so it replays under the rules it began with whatever comes after.

mod choice;
pub mod options;
mod presets;
pub mod schedule;

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use self::choice::choices;
use super::seat::{MAX_PLAYERS, Seat, SeatSet};

/// One of the five published rulesets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RulesetId {
    /// Document 000: 19 turns, turned trump, penalty points.
    Nineteen,
    /// Document 001: calls of 8 and more score their square.
    Squares,
    /// Document 002: the round number is part of every score.
    Kabooot,
    /// Document 003: tricks or minus the difference.
    Plain,
    /// Document 004: (X + Y)·Z·W.
    DoubleRisk,
}

impl RulesetId {
    /// The five rulesets, in the order of their documents.
    pub const ALL: [RulesetId; 5] = [
        RulesetId::Nineteen,
        RulesetId::Squares,
        RulesetId::Kabooot,
        RulesetId::Plain,
        RulesetId::DoubleRisk,
    ];

    /// The id as it is written in paths and bodies.
    pub const fn as_str(self) -> &'static str {
        match self {
            RulesetId::Nineteen => "nineteen",
            RulesetId::Squares => "squares",
            RulesetId::Kabooot => "kabooot",
            RulesetId::Plain => "plain",
            RulesetId::DoubleRisk => "double-risk",
        }
    }
}

impl fmt::Display for RulesetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names none of the five rulesets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no ruleset {0:?}")]
pub struct UnknownRuleset(pub String);

impl FromStr for RulesetId {
    type Err = UnknownRuleset;

    fn from_str(text: &str) -> Result<RulesetId, UnknownRuleset> {
        RulesetId::ALL
            .into_iter()
            .find(|id| id.as_str() == text)
            .ok_or_else(|| UnknownRuleset(text.to_owned()))
    }
}

choices! {
    /// A way round the table, seen from above.
    pub enum Direction { Clockwise = "clockwise", Counterclockwise = "counterclockwise" }

    /// What the rounds of a game are.
    pub enum Plan {
        /// Turns of changing hand size with a turned trump (`nineteen`).
        Turns = "turns",
        /// Auction rounds of thirteen cards, then fast rounds.
        Rounds = "rounds",
    }

    /// How long a game of rounds is (option `length`).
    pub enum Length { Full = "full", Mini = "mini", Micro = "micro" }

    /// How the hand size runs in `nineteen` (option `order`, R11).
    pub enum Order { UpDown = "1-10-1", DownUp = "10-1-10" }

    /// What happens to a card that breaks C2 (option `revokes`, `nineteen` R10).
    pub enum Revokes { Refuse = "refuse", Penalise = "penalise" }

    /// How seats are given (option `seating` of `plain`).
    pub enum Seating { Draw = "draw", AsJoined = "as_joined" }

    /// Who starts the next round (option `starter_rotation`, `squares` R1).
    pub enum StarterRotation { Rotate = "rotate", Fixed = "fixed", PreviousBidder = "previous_bidder" }

    /// How trump and bidder are found (option `auction`, `squares` R2).
    pub enum AuctionKind {
        /// There is no auction: trump is turned up.
        None = "none",
        /// Each bid beats the last; a pass is final.
        Ascending = "ascending",
        /// One call each; the highest bid wins.
        SingleCall = "single_call",
    }

    /// How a player may be bound to nothing before trump is known.
    pub enum Dash {
        /// Not at all (`nineteen`).
        None = "none",
        /// By a dash call.
        Call = "call",
        /// By a blind dash, asked of everybody before the auction (`kabooot`).
        Blind = "blind",
    }

    /// When dash calls are made (option `dash_call_timing`, `squares` R4).
    pub enum DashCallTiming { InAuction = "in_auction", BeforeAuction = "before_auction" }

    /// What follows when nobody bids.
    pub enum Unbid {
        /// The round is spent and the carry grows (`squares`).
        Fold = "fold",
        /// The same dealer deals the same round again (`kabooot`, `double-risk`).
        Redeal = "redeal",
        /// The next seat deals the same round (`plain` R3).
        PassDeal = "pass_deal",
    }

    /// Who leads the first trick of a round (option `first_lead` of `plain`).
    pub enum FirstLead {
        /// The seat after the dealer.
        DealersRight = "dealers_right",
        /// The bidder; the seat after the dealer where there is none.
        Declarer = "declarer",
        /// The seat after the first estimator (`nineteen` R4).
        AfterFirstEstimator = "after_first_estimator",
    }

    /// Which formula scores a round.
    pub enum Scoring {
        /// `nineteen`: penalty points.
        Penalty = "penalty",
        /// `squares`.
        Squares = "squares",
        /// `kabooot`: the round number is part of every score.
        RoundNumber = "round_number",
        /// `plain`: tricks, or minus the difference.
        Difference = "difference",
        /// `double-risk`: (X + Y)·Z·W.
        Roles = "roles",
    }

    /// Where the Risk's levels begin (option `risk_ladder`, `squares` R7, `double-risk` R3).
    pub enum RiskLadder { FromOne = "from_one", FromTwo = "from_two" }

    /// How the carry grows over void rounds (option `carry_ladder`, `squares` R12).
    pub enum CarryLadder { Add = "add", Double = "double", Flat = "flat" }

    /// Which extras a call of 8 or more gets (option `high_call_extras`, `squares` R9).
    pub enum HighCallExtras { All = "all", OnlyBonus = "only_bonus", None = "none" }

    /// How half a square is made whole (option `half_square`, `squares` R9).
    pub enum HalfSquare { Floor = "floor", Ceil = "ceil" }
}

/// The rules of one game, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruleset {
    /// The document it comes from.
    pub id: RulesetId,
    /// The version of the preset it was made from; grows when a preset changes.
    pub version: u32,
    /// How many sit at the table: 2‥5 in `nineteen`, else 4.
    pub players: u8,

    // What the document fixes.
    /// Which way deal and play go round.
    pub direction: Direction,
    /// What the rounds are.
    pub plan: Plan,
    /// The dealer of round 1, unless the draw for seats says otherwise.
    pub first_dealer: Seat,
    /// Whether a hand that lacks a suit is asked for redeal or avoid.
    pub void_check: bool,
    /// The kind of dash there is beside estimating 0.
    pub dash: Dash,
    /// How many zeros a round may hold, of whatever kind; none for no limit.
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

    // What a table may agree on (docs/rules/options.md); neutral where a document knows no such option.
    /// `length`.
    pub length: Length,
    /// `order` (`nineteen` R11).
    pub order: Order,
    /// `jokers`, 0‥2 (`nineteen` R12).
    pub jokers: u8,
    /// `concealed_tricks`, in any ruleset (C9).
    pub concealed_tricks: bool,
    /// `revokes` (`nineteen` R10).
    pub revokes: Revokes,
    /// `starter_rotation` (`squares` R1).
    pub starter_rotation: StarterRotation,
    /// `auction` (`squares` R2); `plain` always has one call each, `nineteen` none.
    pub auction: AuctionKind,
    /// `minimum_bid`, 1‥7 (`squares` R3).
    pub minimum_bid: u8,
    /// `dash_call_timing` (`squares` R4).
    pub dash_call_timing: DashCallTiming,
    /// `fast_redeal` (`squares` R5).
    pub fast_redeal: bool,
    /// `fast_trump_change` (`squares` R14).
    pub fast_trump_change: bool,
    /// `risk_ladder` (`squares` R7).
    pub risk_ladder: RiskLadder,
    /// `with_penalty` (`squares` R8).
    pub with_penalty: bool,
    /// `carry_ladder` (`squares` R12).
    pub carry_ladder: CarryLadder,
    /// `high_call_extras` (`squares` R9).
    pub high_call_extras: HighCallExtras,
    /// `half_square` (`squares` R9).
    pub half_square: HalfSquare,
    /// `blind_dash_swap` (`kabooot` R6).
    pub blind_dash_swap: bool,
    /// `seating`: only `plain` draws.
    pub seating: Seating,
    /// `cut`: only `plain` cuts.
    pub cut: bool,
    /// `bid_direction` (`plain` R2); elsewhere the direction of play.
    pub bid_direction: Direction,
    /// `first_lead` (`plain` R1).
    pub first_lead: FirstLead,
    /// `allow_pass` (`plain` R3); always so in the other auctions.
    pub allow_pass: bool,
    /// `no_trump_bids` (`plain` R5).
    pub no_trump_bids: bool,
    /// `dash_limit`: how many dash calls or blind dashes a round may hold (`plain` R4).
    pub dash_limit: u8,
    /// `forbid_thirteen` (`plain` R6): the last to estimate may not bring the total to the number of
    /// tricks. Always so in the other rulesets.
    pub forbid_thirteen: bool,
}

impl Ruleset {
    /// The preset of a document, for its usual number of players (4).
    pub fn preset(id: RulesetId) -> Ruleset {
        presets::preset(id)
    }

    /// The title under which a ruleset is known.
    pub const fn title(id: RulesetId) -> &'static str {
        presets::title(id)
    }

    /// What sets a ruleset apart, in a sentence.
    pub const fn description(id: RulesetId) -> &'static str {
        presets::description(id)
    }

    /// How many players a ruleset seats, at least and at most.
    pub const fn players_range(id: RulesetId) -> (u8, u8) {
        match id {
            RulesetId::Nineteen => (2, 5),
            _ => (4, 4),
        }
    }

    /// The seat that speaks after `seat` in bids and estimates (`plain` R2).
    pub fn next_speaker(&self, seat: Seat) -> Seat {
        if self.bid_direction == self.direction {
            seat.after(1, self.players)
        } else {
            seat.before(1, self.players)
        }
    }

    /// Those who estimate, in their order: from the seat after the declarer, or from the first speaker
    /// where there is none, leaving out the declarer and whoever declared a zero beforehand.
    pub fn estimators(
        &self,
        first_speaker: Seat,
        declarer: Option<Seat>,
        dashed: SeatSet,
    ) -> ArrayVec<Seat, MAX_PLAYERS> {
        let start = declarer.map_or(first_speaker, |declarer| self.next_speaker(declarer));
        std::iter::successors(Some(start), |&seat| Some(self.next_speaker(seat)))
            .take(self.players.into())
            .filter(|&seat| Some(seat) != declarer && !dashed.contains(seat))
            .collect()
    }

    /// Whether everybody is asked about a dash before the auction opens (`kabooot`; `squares` R4).
    pub fn asks_before_auction(&self) -> bool {
        match self.dash {
            Dash::Blind => true,
            Dash::Call => self.dash_call_timing == DashCallTiming::BeforeAuction,
            Dash::None => false,
        }
    }

    /// Whether the last to estimate is called the Risk.
    pub fn names_risk(&self) -> bool {
        self.forbid_thirteen && self.plan == Plan::Rounds
    }
}
