//! Worlds: deals of the hidden cards that fit the view, weighted by the calls.

use arrayvec::ArrayVec;

use super::super::caller::Caller;
use super::super::dice::Dice;
use super::super::sight::Sight;
use estimation_engine::card::{Card, Suit};
use estimation_engine::card_set::CardSet;
use estimation_engine::game::PhaseKind;
use estimation_engine::score::CallKind;
use estimation_engine::seat::{BySeat, MAX_PLAYERS, Seat};

/// The number of deals sampled for each one that is kept, the one that fits the calls best.
const DRAWS: usize = 3;
/// The number of attempts to find a deal that fits the void check.
const TRIES: usize = 6;
/// The usual difference between a hand's worth and its call, in tricks.
const CALL_DEVIATION: f32 = 1.0;

/// A hidden hand, or the undealt cards.
#[derive(Clone, Copy)]
struct Holder {
    seat: Option<Seat>,
    /// The number of cards.
    count: u8,
    /// The cards it may contain.
    may: CardSet,
}

/// The cards dealt to each holder so far.
type Held = [CardSet; MAX_PLAYERS];

/// The constraints for sampling.
pub(super) struct Worlds<'a> {
    sight: &'a Sight<'a>,
    holders: ArrayVec<Holder, { MAX_PLAYERS }>,
    /// Whether all holders may hold all unseen cards.
    free: bool,
    /// Whether the void check is over, so that every player who was not asked holds all suits.
    checked: bool,
}

impl<'a> Worlds<'a> {
    /// The possible worlds of a seat.
    pub(super) fn of(sight: &'a Sight<'_>) -> Worlds<'a> {
        let hidden = sight.held.iter().filter(|&(seat, _)| seat != sight.seat);
        let mut holders: ArrayVec<Holder, MAX_PLAYERS> = hidden
            .map(|(seat, &count)| Holder { seat: Some(seat), count, may: sight.possible(seat) })
            .collect();
        let dealt: u8 = holders.iter().map(|holder| holder.count).sum();
        let undealt = sight.unseen.len().saturating_sub(dealt);
        if undealt > 0 {
            holders.push(Holder { seat: None, count: undealt, may: sight.unseen });
        }
        let free = holders.iter().all(|holder| holder.may == sight.unseen) && sight.round.avoided.is_empty();
        let checked = sight.rules.void_check && sight.round.phase != PhaseKind::VoidCheck;
        Worlds { sight, holders, free, checked }
    }

    /// Samples all hands.
    pub(super) fn sample(&self, dice: &mut Dice) -> BySeat<CardSet> {
        let called = self.sight.calls.iter().any(|(seat, call)| seat != self.sight.seat && call.is_some());
        if !called {
            return self.fitting(dice);
        }
        let mut chosen = self.fitting(dice);
        let mut best = self.likelihood(&chosen);
        let mut all = best;
        for _ in 1..DRAWS {
            let other = self.fitting(dice);
            let likelihood = self.likelihood(&other);
            all += likelihood;
            // Keep each draw with a probability proportional to its likelihood.
            if dice.happens(likelihood / all.max(f32::MIN_POSITIVE)) {
                (chosen, best) = (other, likelihood);
            }
        }
        let _ = best;
        chosen
    }

    /// A deal that fits the void check, almost always.
    fn fitting(&self, dice: &mut Dice) -> BySeat<CardSet> {
        let mut hands = self.deal(dice);
        if self.checked {
            for _ in 1..TRIES {
                let whole = |seat, hand: CardSet| hand | self.sight.seen[seat].played;
                let fits = hands.iter().all(|(seat, &hand)| {
                    seat == self.sight.seat
                        || self.sight.round.avoided.contains(seat)
                        || !whole(seat, hand).lacks_a_suit()
                });
                if fits {
                    break;
                }
                hands = self.deal(dice);
            }
        }
        hands
    }

    /// The likelihood of the calls given these hands.
    fn likelihood(&self, hands: &BySeat<CardSet>) -> f32 {
        let sight = self.sight;
        let trump = sight.trump();
        let others = sight.calls.iter().filter(|&(seat, _)| seat != sight.seat);
        let distance: f32 = others
            .filter_map(|(seat, call)| Some((seat, (*call)?)))
            .map(|(seat, call)| {
                let caller = Caller {
                    rules: sight.rules,
                    hand: hands[seat] | sight.seen[seat].played,
                    deck: sight.deck(),
                    trump: Some(trump),
                    said: 0,
                    open: 0,
                    leads: false,
                    odds: sight.odds.at(sight.round.hand_size.into()),
                };
                let off = match call.kind {
                    CallKind::Bid | CallKind::Estimate => caller.tricks(trump) - f32::from(call.tricks),
                    CallKind::DashCall | CallKind::BlindDash => 3.0 * (1.0 - caller.zero_chance()),
                };
                off * off
            })
            .sum();
        (-distance / (2.0 * CALL_DEVIATION * CALL_DEVIATION)).exp()
    }

    /// Deals the unseen cards to holders who may hold them.
    fn deal(&self, dice: &mut Dice) -> BySeat<CardSet> {
        for _ in 1..TRIES {
            if let Some(hands) = self.try_deal(dice, false) {
                return hands;
            }
        }
        // A guessed missing suit was impossible: ignore guesses that rest only on an announcement.
        self.try_deal(dice, true).unwrap_or_else(|| self.hands(&[], &[]))
    }

    /// Deals once, respecting the guesses about missing suits, or ignoring them with `must`.
    fn try_deal(&self, dice: &mut Dice, must: bool) -> Option<BySeat<CardSet>> {
        let mut holders = self.holders.clone();
        if !self.free && !must {
            self.choose_voids(&mut holders, dice);
        }
        let mut cards: ArrayVec<Card, { Card::COUNT as usize }> = self.sight.unseen.iter().collect();
        for i in (1..cards.len()).rev() {
            cards.swap(i, dice.below(i as u32 + 1) as usize);
        }
        let mut held: Held = [CardSet::EMPTY; MAX_PLAYERS];
        if self.free {
            let mut next = cards.into_iter();
            for (held, holder) in held.iter_mut().zip(&holders) {
                *held = next.by_ref().take(holder.count.into()).collect();
            }
        } else {
            // Cards with few possible holders go first.
            cards.sort_by_key(|&card| holders.iter().filter(|holder| holder.may.contains(card)).count());
            for card in cards {
                if !place(&holders, &mut held, card, dice) {
                    if !must {
                        return None;
                    }
                    place_anywhere(&holders, &mut held, card);
                }
            }
        }
        Some(self.hands(&holders, &held))
    }

    /// All hands, with the cards dealt to their holders.
    fn hands(&self, holders: &[Holder], held: &[CardSet]) -> BySeat<CardSet> {
        let mut hands = BySeat::splat(self.sight.rules.players, CardSet::EMPTY);
        hands[self.sight.seat] = self.sight.hand;
        for (holder, &cards) in holders.iter().zip(held) {
            if let Some(seat) = holder.seat {
                hands[seat] = cards;
            }
        }
        hands
    }

    /// Picks the missing suit of each hand that announced one and has not shown which.
    fn choose_voids(&self, holders: &mut [Holder], dice: &mut Dice) {
        for holder in holders {
            let Some(seat) = holder.seat.filter(|&seat| self.sight.round.avoided.contains(seat)) else {
                continue;
            };
            let played = self.sight.seen[seat].played;
            let open: ArrayVec<Suit, 4> =
                Suit::ALL.into_iter().filter(|&suit| !played.meets(CardSet::of_suit(suit))).collect();
            let shown = open.iter().any(|&suit| !holder.may.meets(CardSet::of_suit(suit)));
            if shown || open.is_empty() {
                continue;
            }
            // A suit with few unseen cards is more likely to be missing.
            let missing =
                |suit: Suit| 0.7_f32.powi((self.sight.unseen & CardSet::of_suit(suit)).len().into());
            let mut all = 0.0;
            let mut chosen = open[0];
            for &suit in &open {
                all += missing(suit);
                if dice.happens(missing(suit) / all) {
                    chosen = suit;
                }
            }
            holder.may = holder.may & !CardSet::of_suit(chosen);
        }
    }
}

/// Gives a card to a holder who may have it. If all of them are full, moves cards from hand to hand until one
/// has room. Finds such a chain whenever there is one; otherwise does nothing.
fn place(holders: &[Holder], held: &mut Held, card: Card, dice: &mut Dice) -> bool {
    let room = |held: &Held, index: usize| u32::from(holders[index].count - held[index].len());
    let may = |index: usize, card: Card| holders[index].may.contains(card);
    let rooms: u32 =
        (0..holders.len()).filter(|&index| may(index, card)).map(|index| room(held, index)).sum();
    if rooms > 0 {
        let mut drawn = dice.below(rooms);
        for index in (0..holders.len()).filter(|&index| may(index, card)) {
            let here = room(held, index);
            if drawn < here {
                held[index] = held[index].with(card);
                return true;
            }
            drawn -= here;
        }
    }
    // The hands reached so far, each with the previous hand of the chain and the card moved from it.
    let mut from: [Option<(usize, Card)>; MAX_PLAYERS] = [None; MAX_PLAYERS];
    let mut reached: ArrayVec<usize, MAX_PLAYERS> =
        (0..holders.len()).filter(|&index| may(index, card)).collect();
    let mut next = 0;
    while let Some(&index) = reached.get(next) {
        next += 1;
        for other in 0..holders.len() {
            if reached.contains(&other) {
                continue;
            }
            let Some(moved) = (held[index] & holders[other].may).iter().next() else { continue };
            from[other] = Some((index, moved));
            reached.push(other);
            if room(held, other) > 0 {
                let mut last = other;
                while let Some((before, moved)) = from[last] {
                    held[before] = held[before].without(moved);
                    held[last] = held[last].with(moved);
                    last = before;
                }
                held[last] = held[last].with(card);
                return true;
            }
        }
    }
    false
}

/// Gives a card to any holder with room.
fn place_anywhere(holders: &[Holder], held: &mut Held, card: Card) {
    if let Some(free) = (0..holders.len()).find(|&index| holders[index].count > held[index].len()) {
        held[free] = held[free].with(card);
    }
}
