//! Cards, suits and ranks: one byte in memory, text on the wire.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

crate::choices! {
    /// A suit, in the order in which suits outbid each other (clubs lowest).
    pub enum Suit {
        /// ♣
        Clubs = "clubs",
        /// ♦
        Diamonds = "diamonds",
        /// ♥
        Hearts = "hearts",
        /// ♠
        Spades = "spades",
    }
}

impl Suit {
    /// The four suits, lowest first.
    pub const ALL: [Suit; 4] = [Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades];

    const LETTERS: [char; 4] = ['C', 'D', 'H', 'S'];
}

crate::choices! {
    /// The trump of a round: a suit that beats the others, or none.
    ///
    /// Ordered as in bidding: clubs < diamonds < hearts < spades < no trump.
    pub enum Trump {
        /// ♣ is trump.
        Clubs = "clubs",
        /// ♦ is trump.
        Diamonds = "diamonds",
        /// ♥ is trump.
        Hearts = "hearts",
        /// ♠ is trump.
        Spades = "spades",
        /// No suit is trump.
        NoTrump = "no_trump",
    }
}

impl Trump {
    /// The five denominations, lowest bid first.
    pub const ALL: [Trump; 5] = [Trump::Clubs, Trump::Diamonds, Trump::Hearts, Trump::Spades, Trump::NoTrump];

    /// The trump suit; none for no trump.
    pub const fn suit(self) -> Option<Suit> {
        match self {
            Trump::Clubs => Some(Suit::Clubs),
            Trump::Diamonds => Some(Suit::Diamonds),
            Trump::Hearts => Some(Suit::Hearts),
            Trump::Spades => Some(Suit::Spades),
            Trump::NoTrump => None,
        }
    }
}

impl From<Suit> for Trump {
    fn from(suit: Suit) -> Trump {
        Trump::ALL[suit as usize]
    }
}

/// A rank, 0 for the two up to 12 for the ace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

impl Rank {
    /// The ten, the only rank with two digits.
    pub const TEN: Rank = Rank(8);

    /// The ace, the highest rank.
    pub const ACE: Rank = Rank(12);

    /// The number of ranks in a suit.
    pub const COUNT: u8 = 13;

    const TEXT: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

    /// The ranks from two up to ace.
    pub fn ascending() -> impl DoubleEndedIterator<Item = Rank> {
        (0..Rank::COUNT).map(Rank)
    }

    /// 0 for the two up to 12 for the ace.
    pub const fn index(self) -> u8 {
        self.0
    }
}

/// A card. Its number is its index in the canonical order of a deck (common rules, C8): clubs, diamonds,
/// hearts, spades, each from 2 to A, then `RJ`, `BJ`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The red joker, the higher of the two.
    pub const RED_JOKER: Card = Card(52);
    /// The black joker.
    pub const BLACK_JOKER: Card = Card(53);
    /// The number of different cards, including jokers.
    pub const COUNT: u8 = 54;

    /// The card of a suit and rank.
    pub const fn new(suit: Suit, rank: Rank) -> Card {
        Card(suit as u8 * Rank::COUNT + rank.0)
    }

    /// The card at an index of the canonical order (0‥53).
    pub const fn from_index(index: u8) -> Option<Card> {
        if index < Card::COUNT { Some(Card(index)) } else { None }
    }

    /// The card's index in the canonical order, 0‥53.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Whether the card is one of the two jokers.
    pub const fn is_joker(self) -> bool {
        self.0 >= Card::RED_JOKER.0
    }

    /// The printed suit; none for a joker.
    pub const fn suit(self) -> Option<Suit> {
        match self.0 / Rank::COUNT {
            0 => Some(Suit::Clubs),
            1 => Some(Suit::Diamonds),
            2 => Some(Suit::Hearts),
            3 => Some(Suit::Spades),
            _ => None,
        }
    }

    /// The printed rank; none for a joker.
    pub const fn rank(self) -> Option<Rank> {
        if self.is_joker() { None } else { Some(Rank(self.0 % Rank::COUNT)) }
    }

    /// The suit the card counts as under a trump: a joker belongs to the trump suit, or to no suit under no
    /// trump (`nineteen` R12).
    pub const fn suit_under(self, trump: Trump) -> Option<Suit> {
        if self.is_joker() { trump.suit() } else { self.suit() }
    }

    /// The card's text, such as `10H`.
    pub const fn as_str(self) -> &'static str {
        TEXT[self.0 as usize]
    }

    /// The card's strength within its suit: 0‥12 for 2‥A, then the black and the red joker.
    pub const fn strength(self) -> u8 {
        match self {
            Card::RED_JOKER => 14,
            Card::BLACK_JOKER => 13,
            Card(index) => index % Rank::COUNT,
        }
    }
}

/// The text of every card, by its number.
const TEXT: [&str; Card::COUNT as usize] = [
    "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "10C", "JC", "QC", "KC", "AC", //
    "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "10D", "JD", "QD", "KD", "AD", //
    "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH", "KH", "AH", //
    "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "10S", "JS", "QS", "KS", "AS", //
    "RJ", "BJ",
];

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not the name of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a card is a rank (2‥10, J, Q, K, A) and a suit letter (C, D, H, S), or RJ or BJ")]
pub struct NotACard;

impl FromStr for Card {
    type Err = NotACard;

    fn from_str(text: &str) -> Result<Card, NotACard> {
        match text {
            "RJ" => return Ok(Card::RED_JOKER),
            "BJ" => return Ok(Card::BLACK_JOKER),
            _ => {}
        }
        let letter = text.chars().next_back().ok_or(NotACard)?;
        let suit = Suit::LETTERS.iter().position(|&l| l == letter).ok_or(NotACard)?;
        let rank = &text[..text.len() - letter.len_utf8()];
        let rank = Rank::TEXT.iter().position(|&r| r == rank).ok_or(NotACard)?;
        Ok(Card::new(Suit::ALL[suit], Rank(rank as u8)))
    }
}

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Card, D::Error> {
        struct CardText;
        impl serde::de::Visitor<'_> for CardText {
            type Value = Card;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a card such as \"10S\" or \"RJ\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Card, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(CardText)
    }
}

/// A pack of cards, from the top down.
pub type Pack = ArrayVec<Card, { Card::COUNT as usize }>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_reads_back_as_it_was_written() {
        for index in 0..Card::COUNT {
            let card = Card::from_index(index).unwrap();
            assert_eq!(card.to_string().parse(), Ok(card));
        }
        assert_eq!(Card::from_index(Card::COUNT), None);
    }

    #[test]
    fn an_invalid_text_is_not_a_card() {
        for text in ["", "S", "1S", "11H", "10", "AX", "ah", "AS ", "♠", "A♠", "RJ2"] {
            assert_eq!(text.parse::<Card>(), Err(NotACard), "{text}");
        }
    }
}
