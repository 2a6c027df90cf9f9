//! Stacked packs: chosen deals, and how to play them so that each player takes the planned tricks.

use std::collections::BTreeMap;

use estimation_engine::card::Pack;
use estimation_engine::card::{Card, Rank, Suit, Trump};
use estimation_engine::card_set::CardSet;
use estimation_engine::chance::Chance;
use estimation_engine::hex::{Hex, Salt};
use estimation_engine::round::DealNumber;
use estimation_engine::ruleset::schedule::RoundPlan;
use estimation_engine::ruleset::{Plan, Ruleset};

use super::{Random, SeededChance};

/// Thirteen tricks for four players: `tricks[k][o]` is the card that the o-th player, counted from the first
/// speaker, plays to trick k. All follow suit in all tricks but the last, so each card is legal whatever the
/// leader, and every hand has all four suits.
#[derive(Clone)]
pub struct Script {
    pub tricks: Vec<[Card; 4]>,
}

impl Script {
    pub fn taking(taken: [u8; 4], trump: Trump) -> Script {
        assert_eq!(taken.iter().sum::<u8>(), 13, "thirteen tricks are taken");
        // The strongest wins the last two tricks: with the ace of trumps, or without trumps by leading.
        let mut order: Vec<usize> = (0..4).collect();
        order.sort_by_key(|&offset| taken[offset]);
        let winners: Vec<usize> =
            order.iter().flat_map(|&offset| vec![offset; taken[offset].into()]).collect();
        let rank = |index: usize| Rank::ascending().nth(index).unwrap();
        let mut tricks = Vec::new();
        for (trick, &winner) in winners[..12].iter().enumerate() {
            let (suit, low) = (Suit::ALL[trick / 3], trick % 3 * 4);
            let card = |offset: usize| Card::new(suit, rank(low + if offset == winner { 3 } else { 0 }));
            let mut cards = [0, 1, 2, 3].map(card);
            let losers = (0..4).filter(|&offset| offset != winner);
            losers.enumerate().for_each(|(n, offset)| cards[offset] = Card::new(suit, rank(low + n)));
            tricks.push(cards);
        }
        let trump = trump.suit().unwrap_or(Suit::Spades) as usize;
        let ace = |offset: usize| Card::new(Suit::ALL[(trump + 4 + winners[12] - offset) % 4], Rank::ACE);
        tricks.push([0, 1, 2, 3].map(ace));
        Script { tricks }
    }

    /// The pack for this deal, from the top down.
    fn pack(&self) -> Vec<Card> {
        self.tricks.iter().flatten().copied().collect()
    }
}

/// Randomness with chosen deals. By default the first speaker takes four and the others three each; in
/// `nineteen` the seeded order applies.
pub struct StackedChance {
    pub rules: Ruleset,
    pub packs: BTreeMap<DealNumber, Vec<Card>>,
    pub scripts: BTreeMap<DealNumber, Script>,
    pub seeded: SeededChance,
    pub asked: u32,
}

impl StackedChance {
    pub fn new(rules: Ruleset) -> StackedChance {
        let (packs, scripts) = (BTreeMap::new(), BTreeMap::new());
        StackedChance { rules, packs, scripts, seeded: SeededChance(1), asked: 0 }
    }

    pub fn script(&self, deal: DealNumber) -> Script {
        self.scripts.get(&deal).cloned().unwrap_or_else(|| {
            let trump = match self.rules.round_plan(deal.round) {
                RoundPlan::Fast(trump) => trump,
                RoundPlan::Auction | RoundPlan::Indicator => Trump::Spades,
            };
            Script::taking([4, 3, 3, 3], trump)
        })
    }
}

impl Chance for StackedChance {
    fn shuffle(&mut self, deal: DealNumber, pack: &mut Pack) {
        self.asked += 1;
        match self.packs.get(&deal) {
            Some(top) => {
                let rest: Vec<Card> = pack.iter().copied().filter(|card| !top.contains(card)).collect();
                *pack = top.iter().copied().chain(rest).collect();
            }
            None if self.rules.plan == Plan::Turns || deal == DealNumber::DRAW => {
                self.seeded.shuffle(deal, pack);
            }
            None => *pack = self.script(deal).pack().into_iter().collect(),
        }
    }

    fn salt(&mut self) -> Salt {
        self.asked += 1;
        Hex([3; 16])
    }

    fn reveal(&mut self, _: u32) -> Hex<32> {
        self.asked += 1;
        Hex([5; 32])
    }

    fn recommit(&mut self, _: u32) -> Hex<32> {
        Hex([0; 32])
    }
}

pub fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|card| card.parse().unwrap_or_else(|_| panic!("{card} is no card"))).collect()
}

/// The pack that deals these hands, from the first speaker on, and then turns up a card.
pub fn pack_of(hands: &[Vec<Card>], indicator: Option<Card>) -> Vec<Card> {
    let size = hands[0].len();
    let dealt = (0..size).flat_map(|n| hands.iter().map(move |hand| hand[n]));
    dealt.chain(indicator).collect()
}

/// A pack of 52 in which exactly these players, counted from the first speaker, lack a suit.
pub fn pack_lacking(who: &[usize]) -> Vec<Card> {
    let mut random = Random(7);
    let mut pack: Vec<Card> = Suit::ALL.into_iter().flat_map(CardSet::of_suit).collect();
    if who.len() == 4 {
        return pack_of(&pack.chunks(13).map(<[Card]>::to_vec).collect::<Vec<_>>(), None);
    }
    loop {
        (1..52).rev().for_each(|i| pack.swap(i, random.below(i + 1)));
        let hand = |offset: usize| pack.iter().skip(offset).step_by(4).copied().collect::<CardSet>();
        if (0..4).all(|offset| hand(offset).lacks_a_suit() == who.contains(&offset)) {
            return pack;
        }
    }
}
