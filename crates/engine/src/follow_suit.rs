//! The duty to follow suit (common rules C2, C5, `nineteen` R8, R10, R12).

use super::card::{Suit, Trump};
use super::card_set::CardSet;
use super::trick::{Play, Trick};

impl Trick {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::Card;
    use crate::seat::Seat;

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
    fn a_joker_must_be_played_to_a_trump_lead() {
        assert_eq!(trick("2S").playable(hand("RJ AH"), Trump::Spades), hand("RJ"));
        assert_eq!(trick("RJ").playable(hand("2S AH"), Trump::Spades), hand("2S"));
        assert_eq!(trick("2H").playable(hand("RJ AH"), Trump::Spades), hand("AH"));
    }

    #[test]
    fn without_a_trump_suit_the_joker_need_not_be_followed() {
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
