//! A ruleset as data: the fixed rules of its document and the table's options.
//!
//! There is one engine. All differences between rulesets are in these fields, which four places read: deck
//! and schedule ([`schedule`]), calls, lead and scoring. The first event of a game contains its whole
//! ruleset, so later versions replay it under the rules it began with.

mod agreement;
mod field;
pub mod options;
pub mod schedule;
mod table;

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;

pub use self::field::FieldKind;
pub use self::schedule::RoundKind;
pub use self::table::{Field, Ruleset};
use super::seat::{MAX_PLAYERS, Seat, SeatSet};

crate::choices! {
    /// One of the five published rulesets.
    pub enum RulesetId {
        /// Document 000: 19 turns, turned trump, penalty points.
        Nineteen = "nineteen",
        /// Document 001: calls of 8 and more score their square.
        Squares = "squares",
        /// Document 002: the round number is part of every score.
        Kabooot = "kabooot",
        /// Document 003: tricks or minus the difference.
        Plain = "plain",
        /// Document 004: (X + Y)·Z·W.
        DoubleRisk = "double-risk",
    }
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
}

impl fmt::Display for RulesetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not the id of a ruleset.
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

crate::choices! {
    /// A way round the table, seen from above.
    pub enum Direction {
        /// As the hands of a clock go.
        Clockwise = "clockwise",
        /// The other way.
        Counterclockwise = "counterclockwise",
    }

    /// What the rounds of a game are.
    pub enum Plan {
        /// Turns of changing hand size with a turned trump.
        Turns = "turns",
        /// Auction rounds of thirteen cards, then fast rounds.
        Rounds = "rounds",
    }

    /// How long a game of rounds is.
    pub enum Length {
        /// 13 auction rounds and 5 fast rounds.
        Full = "full",
        /// 5 auction rounds and 5 fast rounds.
        Mini = "mini",
        /// 5 auction rounds.
        Micro = "micro",
    }

    /// How the hand size runs.
    pub enum Order {
        /// From one card to ten and back.
        UpDown = "1-10-1",
        /// From ten cards to one and back.
        DownUp = "10-1-10",
    }

    /// What happens to a card that breaks the duty to follow suit.
    pub enum Revokes {
        /// It is refused.
        Refuse = "refuse",
        /// It is accepted and penalised.
        Penalise = "penalise",
    }

    /// How seats are given.
    pub enum Seating {
        /// Cards are drawn for the choice of seats.
        Draw = "draw",
        /// Everybody keeps the seat they joined.
        AsJoined = "as_joined",
    }

    /// Who starts the next round.
    pub enum StarterRotation {
        /// The next seat.
        Rotate = "rotate",
        /// Always the same seat.
        Fixed = "fixed",
        /// The seat that last was bidder.
        PreviousBidder = "previous_bidder",
    }

    /// How trump and bidder are found.
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
        /// Not at all.
        None = "none",
        /// By a dash call.
        Call = "call",
        /// By a blind dash, asked of everybody before the auction.
        Blind = "blind",
    }

    /// When dash calls are made.
    pub enum DashCallTiming {
        /// Instead of one's first call.
        InAuction = "in_auction",
        /// Asked of everybody before the auction.
        BeforeAuction = "before_auction",
    }

    /// What follows when nobody bids.
    pub enum Unbid {
        /// The round is spent and the carry grows.
        Fold = "fold",
        /// The same dealer deals the same round again.
        Redeal = "redeal",
        /// The next seat deals the same round.
        PassDeal = "pass_deal",
    }

    /// Who leads the first trick of a round.
    pub enum FirstLead {
        /// The seat after the dealer.
        DealersRight = "dealers_right",
        /// The bidder; the seat after the dealer where there is none.
        Declarer = "declarer",
        /// The seat after the first estimator.
        AfterFirstEstimator = "after_first_estimator",
    }

    /// Which formula scores a round.
    pub enum Scoring {
        /// Penalty points (`nineteen`).
        Penalty = "penalty",
        /// High calls score their square (`squares`).
        Squares = "squares",
        /// The round number is part of every score (`kabooot`).
        RoundNumber = "round_number",
        /// Tricks, or minus the difference (`plain`).
        Difference = "difference",
        /// The roles add up (`double-risk`).
        Roles = "roles",
    }

    /// Where the Risk's levels begin.
    pub enum RiskLadder {
        /// When the total misses 13 by one.
        FromOne = "from_one",
        /// When the total misses 13 by two.
        FromTwo = "from_two",
    }

    /// How the carry grows over void rounds.
    pub enum CarryLadder {
        /// 2, 3, 4 …
        Add = "add",
        /// 2, 4, 8 …
        Double = "double",
        /// Always 2.
        Flat = "flat",
    }

    /// Which extras a call of eight or more gets beside its square.
    pub enum HighCallExtras {
        /// All of them.
        All = "all",
        /// Only the bonus of the only winner or loser.
        OnlyBonus = "only_bonus",
        /// None.
        None = "none",
    }

    /// How half a square is made whole.
    pub enum HalfSquare {
        /// Rounded down.
        Floor = "floor",
        /// Rounded up.
        Ceil = "ceil",
    }
}

impl Ruleset {
    /// The minimum and maximum number of players of a ruleset.
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

    /// The estimators in order: from the seat after the declarer, or from the first speaker without one. The
    /// declarer and players who declared a zero beforehand are left out.
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

    /// The leader of a round's first trick; none when the bidder leads and there is no bidder.
    ///
    /// Calls `bidder` only under the rule [`FirstLead::Declarer`].
    pub fn first_leader(&self, first_speaker: Seat, bidder: impl FnOnce() -> Option<Seat>) -> Option<Seat> {
        match self.first_lead {
            FirstLead::DealersRight => Some(first_speaker),
            FirstLead::AfterFirstEstimator => Some(first_speaker.after(1, self.players)),
            FirstLead::Declarer => bidder(),
        }
    }

    /// Whether each player may declare a dash before the auction opens (`kabooot`; `squares` R4).
    pub fn asks_before_auction(&self) -> bool {
        match self.dash {
            Dash::Blind => true,
            Dash::Call => self.dash_call_timing == DashCallTiming::BeforeAuction,
            Dash::None => false,
        }
    }

    /// Whether the last estimator is called the Risk.
    pub fn names_risk(&self) -> bool {
        self.forbid_thirteen && self.plan == Plan::Rounds
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn recorded(id: RulesetId, change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> Option<Ruleset> {
        let mut value = serde_json::to_value(Ruleset::preset(id)).unwrap();
        change(value.as_object_mut().unwrap());
        serde_json::from_value(value).ok()
    }

    #[test]
    fn a_field_that_an_old_record_lacks_has_the_value_of_its_preset() {
        for id in RulesetId::ALL {
            let preset = Ruleset::preset(id);
            let fields = serde_json::to_value(&preset).unwrap();
            for field in fields.as_object().unwrap().keys() {
                let expected =
                    (!["id", "version", "players"].contains(&field.as_str())).then(|| preset.clone());
                assert_eq!(recorded(id, |fields| drop(fields.remove(field))), expected, "{field} of {id}");
            }
        }
    }

    #[test]
    fn a_field_that_is_null_is_not_missing() {
        let unlimited = recorded(RulesetId::Kabooot, |fields| fields["zero_limit"] = Value::Null).unwrap();
        assert_eq!(unlimited.zero_limit, None);
        assert_eq!(recorded(RulesetId::Kabooot, |fields| fields["jokers"] = Value::Null), None);
    }

    #[test]
    fn a_record_with_an_unknown_field_is_refused() {
        assert_eq!(recorded(RulesetId::Plain, |fields| drop(fields.insert("added".into(), json!(1)))), None);
    }
}
