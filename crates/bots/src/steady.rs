//! `steady`: counts cards, estimates its hand, and plays to make its estimate.

use super::caller::Caller;
use super::lanes::bit_of;
use super::lanes::{NO_LANE, card_at, lane_of_bit, power, to_lanes, trump_lane};
use super::sight::{Sight, asked};
use super::spot::{Spot, demand};
use estimation_engine::card_set::CardSet;
use estimation_engine::command::Command;
use estimation_engine::seat::Seat;
use estimation_engine::view::View;

/// The choice of `steady` in a round; none if the view shows no round.
pub(super) fn choose(view: &View) -> Option<Command> {
    let sight = Sight::of(view)?;
    let allowed = |call: &Command| view.legal.contains(call);
    match asked(view)? {
        Command::Play { .. } => play(&sight),
        Command::Estimate { .. } => caller(&sight).estimate(&allowed),
        Command::Redeal {} | Command::Avoid {} => Some(caller(&sight).void_check()),
        Command::EnterAuction {} | Command::BlindDash {} => Some(caller(&sight).before_auction(&allowed)),
        Command::Bid { .. } | Command::Pass {} | Command::DashCall {} => caller(&sight).auction(&allowed),
        Command::ChooseSeat { .. } | Command::Cut { .. } | Command::Resume {} => None,
    }
}

/// The seat as a caller.
pub(super) fn caller<'a>(sight: &'a Sight<'_>) -> Caller<'a> {
    let settled = sight.calls.values().flatten();
    let said = settled.clone().map(|call| call.tricks).sum();
    let open = sight.rules.players - settled.count() as u8;
    let first_speaker = sight.round.first_speaker;
    let leader = first_speaker.and_then(|first| sight.rules.first_leader(first, || sight.declarer()));
    Caller {
        rules: sight.rules,
        hand: sight.hand,
        deck: sight.deck(),
        trump: sight.round.trump,
        said,
        open: open.saturating_sub(1),
        leads: leader == Some(sight.seat),
        odds: sight.odds.at(sight.round.hand_size.into()),
    }
}

/// The card of `steady`.
fn play(sight: &Sight<'_>) -> Option<Command> {
    let trump = sight.trump();
    let card = spot(sight)?.card(sight.odds.at(sight.hand.len().into()));
    card_at(card, trump, sight.hand).map(|card| Command::Play { card })
}

/// The seat's turn as a spot.
pub(super) fn spot(sight: &Sight<'_>) -> Option<Spot> {
    let trump = sight.trump();
    let trick = sight.trick();
    let players = sight.rules.players;
    let after = players - 1 - trick.plays.len() as u8;
    let later = (1..=after)
        .map(|step| sight.possible(sight.seat.after(step, players)))
        .fold(CardSet::EMPTY, |all, cards| all | cards);
    let led = trick.plays.first().map_or(NO_LANE, |play| lane_of_bit(bit_of(play.card, trump)));
    let lane = trump_lane(trump);
    let table: CardSet = trick.plays.iter().map(|play| play.card).collect();
    let need = |seat: Seat| sight.calls[seat].map(|call| call.tricks as i8 - sight.taken[seat] as i8);
    let needs = |seat: &Seat| need(*seat).is_some_and(|need| need > 0);
    let left = sight.hand.len() as i8;
    let wanted: i8 =
        sight.held.iter().filter_map(|(seat, _)| need(seat)).map(|need| demand(need, left)).sum();
    Some(Spot {
        hand: to_lanes(sight.hand, trump),
        out: to_lanes(sight.unseen, trump),
        later: to_lanes(later, trump),
        table: to_lanes(table, trump),
        led,
        trump: lane,
        best: trick.plays.iter().map(|play| power(bit_of(play.card, trump), led, lane)).max().unwrap_or(0),
        after,
        eager: (1..=after).map(|step| sight.seat.after(step, players)).filter(needs).count() as u8,
        pressure: wanted - left,
        need: need(sight.seat)?,
    })
}
