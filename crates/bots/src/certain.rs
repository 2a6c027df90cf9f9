//! What is certain for any hidden cards: the tricks that a hand takes, and the cards that miss a call.

use super::lanes::{
    LOOSE_JOKER, Lanes, NO_LANE, SUITS, bits, lane_mask, lane_of, lane_of_bit, playable, power,
};
use super::spot::Spot;

/// A card's part in the trick, as far as the cards in sight settle it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Wins,
    Loses,
    Open,
}

impl Spot {
    /// The playable cards that do not miss the call for certain. If each of them does, those that do not miss it
    /// with this trick; if there is none either, all playable cards.
    ///
    /// A leader who needs every trick gets only the cards that cannot be beaten, if there are any.
    pub(super) fn sound(&self) -> Lanes {
        let choices = playable(self.hand, self.led);
        let left = self.hand.count_ones() as i8;
        let all = self.need == left;
        let trumps = trumps(self.hand, self.trump).count_ones() as i8;
        if !(0..=left).contains(&self.need) || (!all && self.need > trumps) {
            return choices;
        }
        let (mut sound, mut present, mut sure) = (0, 0, 0);
        for bit in bits(choices) {
            let card = 1 << bit;
            let fate = self.fate(bit);
            let min = i8::from(fate == Fate::Wins);
            let max = left - i8::from(fate == Fate::Loses);
            if (min..=max).contains(&self.need) {
                present |= card;
                let later = sure_trumps(self.hand & !card, self.out, self.trump) as i8;
                sound |= if min + later <= self.need { card } else { 0 };
                sure |= if fate == Fate::Wins { card } else { 0 };
            }
        }
        let lead = if all && self.table == 0 { sure } else { 0 };
        [lead, sound, present].into_iter().find(|&cards| cards != 0).unwrap_or(choices)
    }

    fn fate(&self, bit: u8) -> Fate {
        let lane = lane_of_bit(bit);
        let led = if self.table == 0 { lane } else { self.led };
        let mine = power(bit, led, self.trump);
        if mine == 0 || mine < self.best {
            Fate::Loses
        } else if self.later & beating(bit, self.trump) == 0 {
            Fate::Wins
        } else {
            Fate::Open
        }
    }
}

/// The cards that beat a trump or a card of the led suit.
fn beating(bit: u8, trump: u8) -> Lanes {
    let lane = lane_of_bit(bit);
    if lane == NO_LANE {
        return 0;
    }
    let higher = lane_mask(lane) & (!0 << bit << 1);
    if lane == trump { higher } else { higher | trumps(!0, trump) }
}

/// The cards that beat every suit but their own.
const fn trumps(cards: Lanes, trump: u8) -> Lanes {
    cards & if trump == NO_LANE { 1 << LOOSE_JOKER } else { lane_mask(trump) }
}

/// The tricks that a hand takes with trumps in any play. A trump that loses meets a higher one, and each of
/// those beats only one.
fn sure_trumps(hand: Lanes, out: Lanes, trump: u8) -> u32 {
    let (mut mine, out) = (trumps(hand, trump), trumps(out, trump));
    let (mut sure, mut met) = (0, 0);
    while mine != 0 {
        let bit = 63 - mine.leading_zeros();
        mine &= !(1 << bit);
        if (out >> bit).count_ones() > met {
            met += 1;
        } else {
            sure += 1;
        }
    }
    sure
}

/// The tricks that a hand takes for any hidden cards, if it plays for them. `leads` says that it leads the
/// first trick; `out` are the cards that others may hold.
pub(super) fn sure_tricks(hand: Lanes, out: Lanes, trump: u8, leads: bool) -> u8 {
    let sure = sure_trumps(hand, out, trump);
    let rivals = trumps(out, trump);
    let drawn = rivals == 0 || (trump != NO_LANE && run(hand, out, trump.into()) >= rivals.count_ones());
    if !leads || !drawn {
        return sure as u8;
    }
    // The hand leads its trumps until the others have none, and then the other suits from the top.
    let sides = (0..SUITS).filter(|&lane| lane != usize::from(trump));
    (sure + sides.map(|lane| run(hand, out, lane)).sum::<u32>()) as u8
}

/// The tricks from leading a suit from the top until another card is higher.
fn run(hand: Lanes, out: Lanes, lane: usize) -> u32 {
    let (mine, out) = (lane_of(hand, lane), lane_of(out, lane));
    let top = (mine & !((1 << (64 - out.leading_zeros())) - 1)).count_ones();
    if top >= out.count_ones() { mine.count_ones() } else { top }
}
