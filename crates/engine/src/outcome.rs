//! What a finished game counts for those who sat in it: who is ranked where, and how many calls were made.
//!
//! This is the one place that says who counts how. Ratings, statistics and leaderboards follow from it.

use arrayvec::ArrayVec;

use super::game::{Ending, Game, Stage};
use super::player::{AccountId, Player};
use super::score::RoundResult;
use super::seat::{BySeat, LobbySlot, MAX_PLAYERS, Seat, SeatSet};

/// What a finished game counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it counts for ratings: every seat was a person's when it started.
    pub rated: bool,
    /// What it counts for each person who sat in it when it started, in order of seats.
    pub people: ArrayVec<PersonOutcome, MAX_PLAYERS>,
}

/// What a finished game counts for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonOutcome {
    /// The person.
    pub account: AccountId,
    /// Where they sat.
    pub seat: Seat,
    /// Their rank among all seats, from 1. Those level share it; those who forfeited share the last.
    pub rank: u8,
    /// The final total of the seat.
    pub total: i32,
    /// How many rounds they played; none if they forfeited.
    pub rounds: u8,
    /// In how many of those the seat made its call; none if they forfeited.
    pub made: u8,
    /// Whether they gave the game up.
    pub forfeited: bool,
}

/// What a game counts; nothing unless it was played to its end.
///
/// A bot that stood in for somebody played for them: the seat counts as it ended. Who forfeited is ranked
/// behind everybody who did not, whatever a bot made of the seat, and the others move up.
pub fn outcome(game: &Game) -> Option<Outcome> {
    let Stage::Over(Ending::Finished { standings, .. }) = &game.stage else { return None };
    let forfeited = forfeited(game);
    let stayed = |seat: &Seat| !forfeited.contains(*seat);
    let rank = |seat: Seat| {
        let ahead = standings.iter().filter(|(other, standing)| {
            stayed(other) && (!stayed(&seat) || standing.rank < standings[seat].rank)
        });
        ahead.count() as u8 + 1
    };
    let players = seated(game);
    let people = players.iter().filter_map(|(seat, player)| {
        let account = player.as_ref()?.account()?.clone();
        let rounds = || {
            let results = game.sheet.rounds.iter().filter(|_| stayed(&seat));
            results.filter_map(move |result: &RoundResult| result.made(seat))
        };
        Some(PersonOutcome {
            account,
            seat,
            rank: rank(seat),
            total: standings[seat].total,
            rounds: rounds().count() as u8,
            made: rounds().filter(|&made| made).count() as u8,
            forfeited: !stayed(&seat),
        })
    });
    let people: ArrayVec<PersonOutcome, MAX_PLAYERS> = people.collect();
    Some(Outcome { rated: people.len() == usize::from(players.players()), people })
}

/// Who sat at each seat when the game started.
fn seated(game: &Game) -> BySeat<Option<Player>> {
    let mut sitters = game.table.sitters();
    BySeat::from_fn(game.rules().players, |_| sitters.next().flatten().map(|sitter| sitter.player.clone()))
}

/// The seats whose players gave the game up.
fn forfeited(game: &Game) -> SeatSet {
    let left = |&(_, place): &(Seat, &LobbySlot)| game.attendance.has_forfeited(*place);
    game.table.seats.iter().flat_map(BySeat::iter).filter(left).map(|(seat, _)| seat).collect()
}
