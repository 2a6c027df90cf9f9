//! Redeals the cards that a viewer cannot see, consistent with everything public.

use estimation_engine::card::{Card, Trump};
use estimation_engine::card_set::CardSet;
use estimation_engine::event::{Event, RoundDealt};
use estimation_engine::game::{Game, Stage};
use estimation_engine::hex::Hex;
use estimation_engine::redact::Viewer;
use estimation_engine::round::Phase;
use estimation_engine::ruleset::Ruleset;
use estimation_engine::seat::{BySeat, Seat, SeatSet};
use estimation_engine::trick::{Play, Trick};

use super::Random;

/// The record of a running game with every card that `viewer` cannot see dealt again, and every hidden salt
/// replaced.
pub fn redealt(game: &Game, record: &[Event], viewer: Viewer, random: &mut Random) -> Vec<Event> {
    let mut altered = record.to_vec();
    let deals: Vec<usize> =
        (0..record.len()).filter(|&index| matches!(record[index], Event::RoundDealt(_))).collect();
    for (n, &index) in deals.iter().enumerate() {
        let end = deals.get(n + 1).copied().unwrap_or(record.len());
        let pending = if end == record.len() { asked_now(game) } else { None };
        let Event::RoundDealt(dealt) = &mut altered[index] else { continue };
        let public = Public::of(game.rules(), dealt, &record[index + 1..end], pending);
        redeal(game.rules(), dealt, &public, viewer, random);
        dealt.salt = Hex(std::array::from_fn(|_| random.number() as u8));
    }
    altered
}

fn asked_now(game: &Game) -> Option<Seat> {
    match &game.stage {
        Stage::Round(round) => match round.phase {
            Phase::VoidCheck { seat } => Some(seat),
            _ => None,
        },
        _ => None,
    }
}

/// Public knowledge about the hands of a deal.
struct Public {
    played: BySeat<CardSet>,
    /// Seats asked at the void check: each lacks a suit.
    lacking: SeatSet,
    /// Seats skipped at the void check: each has all four suits.
    complete: SeatSet,
    /// What plays have revealed about a seat's remaining cards.
    shown: Vec<Shown>,
}

/// A seat did not follow suit: its remaining cards have none of that suit, or, after a revoke, one.
struct Shown {
    seat: Seat,
    played: CardSet,
    following: CardSet,
    holds_one: bool,
}

impl Public {
    fn of(rules: &Ruleset, dealt: &RoundDealt, events: &[Event], pending: Option<Seat>) -> Public {
        let mut asked: SeatSet = pending.into_iter().collect();
        let mut checked = pending.is_none();
        let mut played = BySeat::splat(rules.players, CardSet::EMPTY);
        let mut shown = Vec::new();
        let mut trump = dealt.trump.unwrap_or(Trump::NoTrump);
        let mut trick = Trick::led_by(dealt.first_speaker);
        for (index, event) in events.iter().enumerate() {
            match *event {
                Event::AvoidDeclared { seat } => asked = asked.with(seat),
                Event::RedealCalled { seat } => {
                    asked = asked.with(seat);
                    checked = false;
                }
                Event::AuctionWon { trump: named, .. } | Event::TrumpChanged { trump: named, .. } => {
                    trump = named;
                }
                Event::PlayBegan { leader } | Event::TrickTaken { seat: leader } => {
                    trick = Trick::led_by(leader);
                }
                Event::CardPlayed { seat, card } => {
                    played[seat] = played[seat].with(card);
                    if let Some(led) = trick.led_suit(trump)
                        && !CardSet::counting_as(led, trump).contains(card)
                    {
                        shown.push(Shown {
                            seat,
                            played: played[seat],
                            following: CardSet::counting_as(led, trump),
                            holds_one: matches!(events.get(index + 1), Some(Event::Revoked { .. })),
                        });
                    }
                    trick.plays.push(Play { seat, card });
                }
                _ => {}
            }
        }
        let place = |seat: Seat| seat.before(dealt.first_speaker.index() as u8, rules.players).index();
        let last_asked = asked.iter().map(place).max();
        let complete = dealt.hands.iter().map(|(seat, _)| seat).filter(|&seat| {
            let settled = checked || last_asked.is_some_and(|last| place(seat) < last);
            rules.void_check && settled && !asked.contains(seat)
        });
        Public { played, lacking: asked, complete: complete.collect(), shown }
    }

    fn allows(&self, hands: &BySeat<CardSet>) -> bool {
        let void_check = hands.iter().all(|(seat, hand)| {
            let lacks = hand.lacks_a_suit();
            !(lacks && self.complete.contains(seat)) && (lacks || !self.lacking.contains(seat))
        });
        void_check
            && self.shown.iter().all(|shown| {
                let left = hands[shown.seat] & !shown.played;
                left.meets(shown.following) == shown.holds_one
            })
    }
}

fn redeal(rules: &Ruleset, dealt: &mut RoundDealt, public: &Public, viewer: Viewer, random: &mut Random) {
    assert!(public.allows(&dealt.hands), "the deal itself must fit what is public: {dealt:?}");
    let mut hidden: Vec<(Option<Seat>, Card)> = Vec::new();
    for (seat, &hand) in dealt.hands.iter().filter(|&(seat, _)| viewer != Viewer::Seat(seat)) {
        hidden.extend((hand & !public.played[seat]).iter().map(|card| (Some(seat), card)));
    }
    if hidden.is_empty() {
        return;
    }
    let dealt_out =
        dealt.hands.values().fold(dealt.indicator.into_iter().collect(), |all: CardSet, &hand| all | hand);
    hidden.extend((rules.deck() & !dealt_out).iter().map(|card| (None, card)));
    for _ in 0..4 * hidden.len() {
        let (one, other) = (random.below(hidden.len()), random.below(hidden.len()));
        let ((holder, card), (other_holder, other_card)) = (hidden[one], hidden[other]);
        if holder == other_holder {
            continue;
        }
        let mut hands = dealt.hands.clone();
        if let Some(seat) = holder {
            hands[seat] = hands[seat].without(card).with(other_card);
        }
        if let Some(seat) = other_holder {
            hands[seat] = hands[seat].without(other_card).with(card);
        }
        if public.allows(&hands) {
            dealt.hands = hands;
            hidden[one].1 = other_card;
            hidden[other].1 = card;
        }
    }
}
