//! `easy`: plays legally and simply. It counts aces and kings, bids on a long suit, plays high while it needs
//! tricks and low when it has them.

use super::dice::Dice;
use super::lanes::bit_of;
use super::sight::{Sight, asked};
use super::steady;
use estimation_engine::card::{Card, Rank, Suit, Trump};
use estimation_engine::card_set::CardSet;
use estimation_engine::command::Command;
use estimation_engine::view::View;

/// The choice of `easy` in a round; none if the view shows no round.
pub(super) fn choose(view: &View, dice: &mut Dice) -> Option<Command> {
    let sight = Sight::of(view)?;
    let legal = &view.legal;
    match asked(view)? {
        Command::Play { .. } => play(&sight, legal),
        Command::Estimate { .. } => {
            // A beginner's count is sometimes off by one.
            let off = [-1, 0, 0, 1][dice.below(4) as usize];
            let tricks = count(sight.hand, sight.trump()) + off;
            let caller = steady::caller(&sight);
            let distance = |call: &&Command| match **call {
                Command::Estimate { tricks: said, trump: None } => {
                    (caller.missing(call), (i32::from(said) - tricks).abs())
                }
                _ => (u8::MAX, i32::MAX),
            };
            legal.iter().min_by_key(distance).copied()
        }
        Command::Redeal {} | Command::Avoid {} => Some(Command::Avoid {}),
        Command::EnterAuction {} | Command::BlindDash {} => Some(Command::EnterAuction {}),
        Command::Bid { .. } | Command::Pass {} | Command::DashCall {} => auction(&sight, legal),
        Command::ChooseSeat { .. } | Command::Cut { .. } | Command::Resume {} => None,
    }
}

/// Aces, kings, and half of the other trumps.
fn count(hand: CardSet, trump: Trump) -> i32 {
    let trumps = trump.suit().map_or(CardSet::EMPTY, |suit| CardSet::counting_as(suit, trump));
    let high = |card: &Card| card.is_joker() || card.strength() + 2 > Rank::ACE.index();
    let highs = hand.iter().filter(high).count();
    let low_trumps = (hand & trumps).iter().filter(|card| !high(card)).count();
    (highs + low_trumps / 2) as i32
}

/// The lowest bid in a suit of five or more cards, if the count supports it.
fn auction(sight: &Sight<'_>, legal: &[Command]) -> Option<Command> {
    let long = Suit::ALL.into_iter().max_by_key(|&suit| (sight.hand & CardSet::of_suit(suit)).len())?;
    let length = (sight.hand & CardSet::of_suit(long)).len();
    let trump = Trump::from(long);
    let caller = steady::caller(sight);
    let enough = |call: &&Command| caller.missing(call) == 0;
    let mut bids =
        legal.iter().filter(|call| matches!(call, Command::Bid { trump: named, .. } if *named == trump));
    let lowest = bids.find(enough);
    let bears = |call: &&Command| match **call {
        Command::Bid { tricks, .. } => length >= 5 && i32::from(tricks) <= count(sight.hand, trump),
        _ => false,
    };
    let pass = legal.iter().find(|call| matches!(call, Command::Pass {}));
    lowest.filter(bears).or(pass).or(lowest).or_else(|| legal.iter().find(enough)).or(legal.first()).copied()
}

/// Plays high while it needs tricks, low when it has enough.
fn play(sight: &Sight<'_>, legal: &[Command]) -> Option<Command> {
    let trump = sight.trump();
    let rank = |call: &&Command| match **call {
        Command::Play { card } => (card.suit_under(trump) == trump.suit(), card.strength()),
        _ => (false, 0),
    };
    let spot = steady::spot(sight)?;
    let sound = spot.sound();
    let cards = legal.iter().filter(|call| match **call {
        Command::Play { card } => sound & (1 << bit_of(card, trump)) != 0,
        _ => false,
    });
    if spot.need > 0 { cards.max_by_key(rank).copied() } else { cards.min_by_key(rank).copied() }
}
