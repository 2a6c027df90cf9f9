//! Tricks: leading, following suit, winning (common rules C1–C4, `nineteen` R8, R12).

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::card::{Card, Suit, Trump};
use super::card_set::CardSet;
use super::seat::{MAX_PLAYERS, Seat};

/// A card in a trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Play {
    /// The player's seat.
    pub seat: Seat,
    /// The card.
    pub card: Card,
}

/// A trick, complete or under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trick {
    /// The leader's seat.
    pub leader: Seat,
    /// The cards so far, in order.
    pub plays: ArrayVec<Play, MAX_PLAYERS>,
}

impl Trick {
    /// An empty trick.
    pub fn led_by(leader: Seat) -> Trick {
        Trick { leader, plays: ArrayVec::new() }
    }

    /// The suit to follow: that of the first card, if it counts as one.
    pub fn led_suit(&self, trump: Trump) -> Option<Suit> {
        self.plays.first()?.card.suit_under(trump)
    }

    /// The playable cards of a hand: the led suit if the hand has it, else all cards (C2).
    pub fn playable(&self, hand: CardSet, trump: Trump) -> CardSet {
        match self.led_suit(trump).map(|led| hand & CardSet::counting_as(led, trump)) {
            Some(following) if !following.is_empty() => following,
            _ => hand,
        }
    }

    /// Whether the last card broke the duty to follow, given the player's remaining hand.
    pub fn last_play_revokes(&self, hand: CardSet, trump: Trump) -> Option<Play> {
        let (&last, before) = self.plays.split_last()?;
        let led = before.first()?.card.suit_under(trump)?;
        let following = CardSet::counting_as(led, trump);
        (!following.contains(last.card) && hand.meets(following)).then_some(last)
    }

    /// The current winner: the highest trump, else the highest card of the led suit (C3). Without a trump
    /// suit, a joker wins (`nineteen` R12).
    pub fn winner(&self, trump: Trump) -> Option<Seat> {
        let led = self.led_suit(trump);
        let worth = |play: &Play| {
            let suit = play.card.suit_under(trump);
            let class = match suit {
                None => 3,
                Some(suit) if Some(suit) == trump.suit() => 2,
                Some(suit) if Some(suit) == led => 1,
                Some(_) => 0,
            };
            (class, play.card.strength())
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

    fn hand(cards: &str) -> CardSet {
        cards.split_whitespace().map(|card| card.parse::<Card>().unwrap()).collect()
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
    fn a_joker_must_be_played_to_a_trump_lead() {
        assert_eq!(trick("2S").playable(hand("RJ AH"), Trump::Spades), hand("RJ"));
        assert_eq!(trick("RJ").playable(hand("2S AH"), Trump::Spades), hand("2S"));
        assert_eq!(trick("2H").playable(hand("RJ AH"), Trump::Spades), hand("AH"));
    }

    #[test]
    fn without_a_trump_suit_the_joker_wins_and_need_not_be_followed() {
        assert_eq!(trick("AH RJ KH").winner(Trump::NoTrump), Some(Seat::new(1)));
        assert_eq!(trick("2H").playable(hand("RJ AH"), Trump::NoTrump), hand("AH"));
        assert_eq!(trick("2H").playable(hand("RJ AC"), Trump::NoTrump), hand("RJ AC"));
        assert_eq!(trick("RJ").playable(hand("2S AH"), Trump::NoTrump), hand("2S AH"));
    }

    #[test]
    fn a_revoke_is_a_card_off_suit_with_the_suit_in_hand() {
        let revoke = |cards, left| trick(cards).last_play_revokes(hand(left), Trump::Spades);
        assert!(revoke("2H AC", "3H").is_some());
        assert!(revoke("2H AC", "3D").is_none());
        assert!(revoke("2H AH", "3H").is_none());
        assert!(revoke("AC", "3H").is_none());
    }
}
