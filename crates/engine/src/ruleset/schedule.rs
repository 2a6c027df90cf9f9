//! Deck and schedule: the rounds of a game, the hand sizes, and the cards in play.

use super::{Dash, Length, Order, Plan, Ruleset, Scoring, StarterRotation};
use crate::card::Pack;
use crate::card::{Card, Rank, Suit, Trump};
use crate::card_set::CardSet;
use crate::seat::Seat;

/// The kind of a round, with its trump if it is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundPlan {
    /// Trump is the suit of a turned card (`nineteen`).
    Indicator,
    /// Trump is named in an auction.
    Auction,
    /// Trump is fixed beforehand and all players estimate.
    Fast(Trump),
}

impl RoundPlan {
    /// The kind of round, as clients see it.
    pub const fn kind(self) -> RoundKind {
        match self {
            RoundPlan::Indicator => RoundKind::Indicator,
            RoundPlan::Auction => RoundKind::Auction,
            RoundPlan::Fast(_) => RoundKind::Fast,
        }
    }
}

crate::choices! {
    /// The kind of a round, as clients see it.
    pub enum RoundKind {
        /// A card is turned up for trump.
        Indicator = "indicator",
        /// Players bid for trump.
        Auction = "auction",
        /// Trump is fixed and all players estimate.
        Fast = "fast",
    }
}

/// The trumps of the fast rounds, in order.
const FAST_TRUMPS: [Trump; 5] = [Trump::NoTrump, Trump::Spades, Trump::Hearts, Trump::Diamonds, Trump::Clubs];

/// The number of auction rounds and of fast rounds (option `length`).
const fn rounds_of(length: Length) -> (u8, u8) {
    match length {
        Length::Full => (13, 5),
        Length::Mini => (5, 5),
        Length::Micro => (5, 0),
    }
}

impl Ruleset {
    /// The number of rounds of a game.
    pub fn rounds(&self) -> u8 {
        match self.plan {
            Plan::Turns => 19,
            Plan::Rounds => {
                let (auction, fast) = rounds_of(self.length);
                auction + fast
            }
        }
    }

    /// The kind of a round (1‥[`Ruleset::rounds`]).
    pub fn round_plan(&self, round: u8) -> RoundPlan {
        match self.plan {
            Plan::Turns => RoundPlan::Indicator,
            Plan::Rounds => {
                let (auction, _) = rounds_of(self.length);
                match round.checked_sub(auction + 1) {
                    Some(fast) => RoundPlan::Fast(FAST_TRUMPS[fast as usize % FAST_TRUMPS.len()]),
                    None => RoundPlan::Auction,
                }
            }
        }
    }

    /// The number of cards per hand: 13, in `nineteen` 10 − |10 − t| or its reverse (R11).
    pub fn hand_size(&self, round: u8) -> u8 {
        match (self.plan, self.order) {
            (Plan::Rounds, _) => Rank::COUNT,
            (Plan::Turns, Order::UpDown) => 10 - round.abs_diff(10),
            (Plan::Turns, Order::DownUp) => 1 + round.abs_diff(10),
        }
    }

    /// Whether the score of a round depends on the first speaker. It does in the fast rounds of rulesets that
    /// score the Risk (the last estimator) or the bidder (the first with the highest estimate). In auction
    /// rounds only the bidder's seat matters.
    pub fn needs_first_speaker(&self, round: u8) -> bool {
        let by_order = matches!(self.scoring, Scoring::Squares | Scoring::RoundNumber | Scoring::Roles);
        by_order && matches!(self.round_plan(round), RoundPlan::Fast(_))
    }

    /// The penalty of a revoke in a round (`nineteen` R10).
    pub fn revoke_charge(&self, round: u8) -> i32 {
        2 * i32::from(self.hand_size(round))
    }

    /// The cards in play, in canonical order (C8).
    pub fn pack(&self) -> Pack {
        self.deck().iter().collect()
    }

    /// The cards in play. In `nineteen` the first 10n + 1 cards of the keep order; jokers replace the lowest
    /// of them (R1, R12).
    pub fn deck(&self) -> CardSet {
        let jokers = [Card::RED_JOKER, Card::BLACK_JOKER].into_iter().take(self.jokers as usize);
        match self.plan {
            Plan::Rounds => {
                Suit::ALL.into_iter().fold(CardSet::EMPTY, |deck, suit| deck | CardSet::of_suit(suit))
            }
            Plan::Turns => {
                let kept = 10 * self.players as usize + 1 - self.jokers as usize;
                keep_order().take(kept).chain(jokers).collect()
            }
        }
    }

    /// The dealer of the first round, when players do not draw for seats.
    pub fn opening_dealer(&self) -> Seat {
        self.first_dealer
    }

    /// The dealer of the round after one dealt by `dealer` (`squares` R1).
    pub fn next_dealer(&self, dealer: Seat, last_bidder: Option<Seat>) -> Seat {
        match self.starter_rotation {
            StarterRotation::Rotate => dealer.after(1, self.players),
            StarterRotation::Fixed => dealer,
            StarterRotation::PreviousBidder => last_bidder.unwrap_or(Seat::new(0)).before(1, self.players),
        }
    }

    /// The kind of dash that can be declared in a round: none without an auction.
    pub fn dash_in(&self, plan: RoundPlan) -> Dash {
        if plan == RoundPlan::Auction { self.dash } else { Dash::None }
    }
}

/// The 52 cards in the keep order of `nineteen`: rank A, K, Q … 2, and within a rank hearts, diamonds,
/// clubs, spades.
fn keep_order() -> impl Iterator<Item = Card> {
    const SUITS: [Suit; 4] = [Suit::Hearts, Suit::Diamonds, Suit::Clubs, Suit::Spades];
    Rank::ascending().rev().flat_map(|rank| SUITS.into_iter().map(move |suit| Card::new(suit, rank)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::RulesetId;

    fn nineteen(players: u8, jokers: u8) -> CardSet {
        Ruleset { players, jokers, ..Ruleset::preset(RulesetId::Nineteen) }.deck()
    }

    fn cards(text: &str) -> CardSet {
        text.split_whitespace().map(|card| card.parse::<Card>().unwrap()).collect()
    }

    #[test]
    fn the_keep_order_gives_the_documents_decks() {
        let lowest = ["9H", "7H 7D 7C", "4H", "2H 2D 2C"];
        for (players, lowest) in (2..=5).zip(lowest) {
            let deck = nineteen(players, 0);
            assert_eq!(deck.len(), 10 * players + 1);
            let rank = cards(lowest).iter().next().unwrap().rank();
            let of_lowest_rank: CardSet = deck.iter().filter(|card| card.rank() == rank).collect();
            assert_eq!(of_lowest_rank, cards(lowest), "{players} players");
            assert!(deck.iter().all(|card| card.rank() >= rank));
        }
    }

    #[test]
    fn jokers_replace_the_low_end() {
        let replaced = [("9H", "10S"), ("7C", "7D"), ("4H", "5S"), ("2C", "2D")];
        for (players, (first, second)) in (2..=5).zip(replaced) {
            let gone = |jokers| nineteen(players, 0) & !nineteen(players, jokers);
            assert_eq!(gone(1), cards(first));
            assert_eq!(gone(2), cards(first) | cards(second));
            assert_eq!(nineteen(players, 1) & CardSet::JOKERS, cards("RJ"));
            assert_eq!(nineteen(players, 2) & CardSet::JOKERS, cards("RJ BJ"));
        }
    }

    #[test]
    fn the_hand_sizes_run_up_and_down() {
        let rules = Ruleset::preset(RulesetId::Nineteen);
        let sizes: Vec<u8> = (1..=19).map(|turn| rules.hand_size(turn)).collect();
        assert_eq!(sizes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
        let rules = Ruleset { order: Order::DownUp, ..rules };
        let sizes: Vec<u8> = (1..=19).map(|turn| rules.hand_size(turn)).collect();
        assert_eq!(sizes, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn the_fast_rounds_follow_the_auctions() {
        let full = Ruleset::preset(RulesetId::Squares);
        assert_eq!(full.round_plan(13), RoundPlan::Auction);
        assert_eq!(full.round_plan(14), RoundPlan::Fast(Trump::NoTrump));
        assert_eq!(full.round_plan(18), RoundPlan::Fast(Trump::Clubs));
        let mini = Ruleset { length: Length::Mini, ..full.clone() };
        assert_eq!((mini.rounds(), mini.round_plan(6)), (10, RoundPlan::Fast(Trump::NoTrump)));
        let micro = Ruleset { length: Length::Micro, ..full };
        assert_eq!((micro.rounds(), micro.round_plan(5)), (5, RoundPlan::Auction));
    }
}
