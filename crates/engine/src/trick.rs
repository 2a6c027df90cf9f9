//! Tricks: who leads and who wins (common rules C1, C3, C4, `nineteen` R8, R12).

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::card::{Card, Trump};
use super::seat::{MAX_PLAYERS, Seat};

/// A card in a trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = TrickCard))]
pub struct Play {
    /// The player's seat.
    pub seat: Seat,
    /// The card.
    pub card: Card,
}

/// A trick, complete or under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Trick {
    /// The leader's seat.
    pub leader: Seat,
    /// The cards so far, in order.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Play>, max_items = 5))]
    pub plays: ArrayVec<Play, MAX_PLAYERS>,
}

impl Trick {
    /// An empty trick.
    pub fn led_by(leader: Seat) -> Trick {
        Trick { leader, plays: ArrayVec::new() }
    }

    /// The current winner: the highest trump, else the highest card of the led suit (C3). Without a trump
    /// suit, a joker wins (`nineteen` R12).
    pub fn winner(&self, trump: Trump) -> Option<Seat> {
        let led = self.led_suit(trump);
        let worth = |play: &Play| {
            let class = match play.card.suit_under(trump) {
                None => 3,
                suit if suit == trump.suit() => 2,
                suit if suit == led => 1,
                Some(_) => 0,
            };
            16 * class + play.card.strength()
        };
        self.plays.iter().max_by_key(|play| worth(play)).map(|play| play.seat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trick(cards: &str) -> Trick {
        let mut trick = Trick::led_by(Seat::new(0));
        for (seat, card) in cards.split_whitespace().enumerate() {
            trick.plays.push(Play { seat: Seat::new(seat as u8), card: card.parse().unwrap() });
        }
        trick
    }

    #[test]
    fn the_highest_card_of_the_led_suit_wins_without_a_trump() {
        assert_eq!(trick("9H AS KH 10H").winner(Trump::NoTrump), Some(Seat::new(2)));
        assert_eq!(trick("9H AS KH 10H").winner(Trump::Clubs), Some(Seat::new(2)));
    }

    #[test]
    fn a_trump_beats_any_other_suit_and_a_higher_trump_beats_it() {
        assert_eq!(trick("AH 2S KH 3S").winner(Trump::Spades), Some(Seat::new(3)));
    }

    #[test]
    fn a_joker_is_the_highest_trump_and_red_beats_black() {
        assert_eq!(trick("AS BJ RJ KS").winner(Trump::Spades), Some(Seat::new(2)));
        assert_eq!(trick("AH BJ KH").winner(Trump::Spades), Some(Seat::new(1)));
    }

    #[test]
    fn without_a_trump_suit_the_joker_wins() {
        assert_eq!(trick("AH RJ KH").winner(Trump::NoTrump), Some(Seat::new(1)));
    }
}
