//! A set of cards as the bits of one `u64`: hands, played cards, playable cards.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{BitAnd, BitOr, Not};

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::card::{Card, Rank, Suit, Trump};

/// A set of cards; bit *i* stands for the card with index *i*. On the wire a list in canonical order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CardSet(u64);

impl CardSet {
    /// The empty set.
    pub const EMPTY: CardSet = CardSet(0);
    /// All 54 cards.
    pub const FULL: CardSet = CardSet((1 << Card::COUNT) - 1);
    /// The two jokers.
    pub const JOKERS: CardSet = CardSet(0b11 << 52);

    /// The thirteen cards with a printed suit.
    pub const fn of_suit(suit: Suit) -> CardSet {
        CardSet(((1 << Rank::COUNT) - 1) << (suit as u8 * Rank::COUNT))
    }

    /// All cards that count as a suit under a trump: jokers join the trump suit (`nineteen` R12).
    pub const fn counting_as(suit: Suit, trump: Trump) -> CardSet {
        match trump.suit() {
            Some(trump_suit) if trump_suit as u8 == suit as u8 => {
                CardSet(CardSet::of_suit(suit).0 | CardSet::JOKERS.0)
            }
            _ => CardSet::of_suit(suit),
        }
    }

    /// The set as bits: bit *i* stands for the card with index *i*.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The number of cards in the set.
    pub const fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Whether the set holds no card.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set holds a card.
    pub const fn contains(self, card: Card) -> bool {
        self.0 & (1 << card.index()) != 0
    }

    /// Whether the sets share a card.
    pub const fn meets(self, other: CardSet) -> bool {
        self.0 & other.0 != 0
    }

    /// The set with a card added.
    #[must_use]
    pub const fn with(self, card: Card) -> CardSet {
        CardSet(self.0 | (1 << card.index()))
    }

    /// The set without a card.
    #[must_use]
    pub const fn without(self, card: Card) -> CardSet {
        CardSet(self.0 & !(1 << card.index()))
    }

    /// Whether one of the four suits is missing, as a player announces with "avoid".
    pub fn lacks_a_suit(self) -> bool {
        Suit::ALL.iter().any(|&suit| !self.meets(CardSet::of_suit(suit)))
    }

    /// The cards in canonical order.
    pub const fn iter(self) -> Cards {
        Cards(self.0)
    }
}

impl BitAnd for CardSet {
    type Output = CardSet;
    fn bitand(self, other: CardSet) -> CardSet {
        CardSet(self.0 & other.0)
    }
}

impl BitOr for CardSet {
    type Output = CardSet;
    fn bitor(self, other: CardSet) -> CardSet {
        CardSet(self.0 | other.0)
    }
}

impl Not for CardSet {
    type Output = CardSet;
    fn not(self) -> CardSet {
        CardSet(!self.0 & CardSet::FULL.0)
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> CardSet {
        cards.into_iter().fold(CardSet::EMPTY, CardSet::with)
    }
}

impl IntoIterator for CardSet {
    type Item = Card;
    type IntoIter = Cards;
    fn into_iter(self) -> Cards {
        self.iter()
    }
}

/// The cards of a set, in canonical order.
#[derive(Clone, Debug)]
pub struct Cards(u64);

impl Iterator for Cards {
    type Item = Card;

    fn next(&mut self) -> Option<Card> {
        let card = Card::from_index(self.0.trailing_zeros() as u8)?;
        self.0 &= self.0 - 1;
        Some(card)
    }

    fn nth(&mut self, n: usize) -> Option<Card> {
        for _ in 0..n.min(Card::COUNT.into()) {
            self.0 &= self.0.saturating_sub(1);
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Cards {}
impl FusedIterator for Cards {}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for CardSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for CardSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CardSet, D::Error> {
        struct CardList;
        impl<'de> Visitor<'de> for CardList {
            type Value = CardSet;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of different cards")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<CardSet, A::Error> {
                let mut set = CardSet::EMPTY;
                while let Some(card) = list.next_element()? {
                    if set.contains(card) {
                        return Err(serde::de::Error::custom(format_args!("{card} is listed twice")));
                    }
                    set = set.with(card);
                }
                Ok(set)
            }
        }
        deserializer.deserialize_seq(CardList)
    }
}
