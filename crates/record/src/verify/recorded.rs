//! Chance as a record holds it: the packs, salts and seeds that the recorded events show.

use estimation_engine::card::Card;
use estimation_engine::card::Pack;
use estimation_engine::card_set::CardSet;
use estimation_engine::chance::Chance;
use estimation_engine::event::{Event, RoundDealt};
use estimation_engine::hex::{Hex, Salt};
use estimation_engine::round::DealNumber;
use estimation_engine::ruleset::Ruleset;

/// A pack that results in the recorded deal: the cards of the hands in dealing order, the indicator, and the
/// rest of the deck, as they were before the cut. If the record does not match the deck, the pack may have
/// too few or too many cards.
fn pack_of(rules: &Ruleset, dealt: &RoundDealt, cut: Option<u8>) -> Vec<Card> {
    let mut hands: Vec<_> = dealt.hands.values().map(|hand| hand.iter()).collect();
    let players = hands.len().max(1);
    let first = dealt.first_speaker.index();
    let mut top: Vec<Card> = Vec::with_capacity(Card::COUNT.into());
    for n in 0..usize::from(dealt.hand_size) * players {
        top.extend(hands.get_mut((first + n) % players).and_then(Iterator::next));
    }
    top.extend(dealt.indicator);
    let on_top: CardSet = top.iter().copied().collect();
    let mut pack: Vec<Card> = top.into_iter().chain(rules.deck() & !on_top).collect();
    let cut = usize::from(cut.unwrap_or(0)).min(pack.len());
    pack.rotate_right(cut);
    pack
}

/// Chance with the results that the next event records. The engine deals from this pack, and the deal is
/// compared with the record afterwards.
pub(super) struct RecordedChance<'a> {
    rules: &'a Ruleset,
    next: &'a Event,
    cut: Option<u8>,
}

impl<'a> RecordedChance<'a> {
    pub(super) fn new(rules: &'a Ruleset, next: &'a Event, cut: Option<u8>) -> RecordedChance<'a> {
        RecordedChance { rules, next, cut }
    }
}

impl Chance for RecordedChance<'_> {
    /// Leaves the pack unchanged when the record has cards that are not in the deck.
    fn shuffle(&mut self, _: DealNumber, pack: &mut Pack) {
        let fell: Vec<Card> = match self.next {
            Event::RoundDealt(dealt) => pack_of(self.rules, dealt, self.cut),
            Event::SeatsDrawn { cards } => {
                let drawn: CardSet = cards.values().copied().collect();
                cards.values().copied().chain(self.rules.deck() & !drawn).collect()
            }
            _ => return,
        };
        let cards = |cards: &[Card]| cards.iter().copied().collect::<CardSet>();
        if fell.len() == pack.len() && cards(&fell) == cards(pack) {
            pack.copy_from_slice(&fell);
        }
    }

    fn salt(&mut self) -> Salt {
        match self.next {
            Event::RoundDealt(dealt) => dealt.salt,
            _ => Hex([0; 16]),
        }
    }

    fn recommit(&mut self, _: u32) -> Hex<32> {
        match self.next {
            Event::OpeningFailed(failed) => failed.commitment,
            _ => Hex([0; 32]),
        }
    }

    fn reveal(&mut self, _: u32) -> Hex<32> {
        match self.next {
            Event::GameFinished(finished) => finished.server_seed,
            Event::GameAbandoned { server_seed, .. } => *server_seed,
            _ => Hex([0; 32]),
        }
    }
}
