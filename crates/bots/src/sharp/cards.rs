//! The search for a card: tries every distinct card in sampled worlds, and plays the round to its end.

use super::super::Choice;
use super::super::budget::Budget;
use super::super::dice::Dice;
use super::super::lanes::{bits, card_at, to_lanes};
use super::super::sight::Sight;
use super::super::spot::Spot;
use super::super::steady;
use super::payoff::Payoffs;
use super::race::race;
use super::table::{ANY, Table};
use super::worlds::Worlds;
use estimation_engine::card_set::CardSet;
use estimation_engine::command::Command;
use estimation_engine::seat::{BySeat, MAX_PLAYERS};

/// The card of `sharp`.
pub(super) fn choose(sight: &Sight<'_>, dice: &mut Dice, budget: Budget<'_>) -> Option<Choice> {
    let trump = sight.trump();
    let spot = steady::spot(sight)?;
    let options: Vec<u8> = bits(spot.distinct(spot.sound())).collect();
    let (bit, playouts) = match options.as_slice() {
        [only] => (*only, 0),
        _ => {
            let payoffs = Payoffs::of(sight)?;
            let worlds = Worlds::of(sight);
            let start = start(sight, &spot)?;
            let world = |dice: &mut Dice| dealt(&start, sight, &worlds.sample(dice));
            let play = |world: &Table, option: usize| {
                let mut table = *world;
                table.play(options[option]);
                table.finish(&sight.odds);
                payoffs.of_tricks(&table.taken)
            };
            let won = race(options.len(), budget, dice, world, play)?;
            (options[won.option], won.playouts)
        }
    };
    card_at(bit, trump, sight.hand).map(|card| Choice { command: Command::Play { card }, playouts })
}

/// The table as the seat sees it, with the other hands empty.
pub(super) fn start(sight: &Sight<'_>, spot: &Spot) -> Option<Table> {
    let trick = sight.trick();
    let mut table = Table {
        players: sight.rules.players,
        trump: spot.trump,
        hands: [0; MAX_PLAYERS],
        left: spot.out | spot.hand,
        may: [ANY; MAX_PLAYERS],
        need: [0; MAX_PLAYERS],
        taken: [0; MAX_PLAYERS],
        turn: sight.seat.index() as u8,
        trick_size: trick.plays.len() as u8,
        trick: spot.table,
        led: spot.led,
        best: spot.best,
        winner: trick.winner(sight.trump()).unwrap_or(sight.seat).index() as u8,
    };
    for (seat, call) in sight.calls.iter() {
        let index = seat.index();
        table.taken[index] = sight.taken[seat];
        table.need[index] = (*call)?.tricks as i8 - sight.taken[seat] as i8;
        let lacks = to_lanes(sight.seen[seat].lacks, sight.trump());
        table.may[index] = ANY & !lacks;
    }
    Some(table)
}

/// The table with these hands.
pub(super) fn dealt(start: &Table, sight: &Sight<'_>, hands: &BySeat<CardSet>) -> Table {
    let mut table = *start;
    for (seat, &hand) in hands.iter() {
        table.hands[seat.index()] = to_lanes(hand, sight.trump());
    }
    table
}
