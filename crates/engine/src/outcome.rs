//! The outcome of a finished game for each account: ranks and calls made.
//!
//! Ratings, statistics and leaderboards are computed from it.

use arrayvec::ArrayVec;

use super::game::{Ending, Game, Stage};
use super::player::{AccountId, Player};
use super::score::RoundResult;
use super::seat::{BySeat, MAX_PLAYERS, Place, Seat, SeatSet};

/// The outcome of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it counts for ratings: all seats belonged to human players at the start.
    pub rated: bool,
    /// The outcomes of the human players at the start, in order of seats.
    pub people: ArrayVec<PersonOutcome, MAX_PLAYERS>,
}

/// The outcome for one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonOutcome {
    /// The person.
    pub account: AccountId,
    /// The account's seat.
    pub seat: Seat,
    /// The rank among all seats, from 1. Equal totals share a rank; all who forfeited share the last.
    pub rank: u8,
    /// The final total of the seat.
    pub total: i32,
    /// The number of rounds played; 0 after a forfeit.
    pub rounds: u8,
    /// The number of rounds with a made call; 0 after a forfeit.
    pub made: u8,
    /// Whether the account forfeited.
    pub forfeited: bool,
}

/// The outcome of a game; none unless it was played to its end, and without a hint.
///
/// The score of a stand-in counts for its player. Players who forfeited are ranked after all others, whatever
/// a bot scored in their seat.
pub fn outcome(game: &Game) -> Option<Outcome> {
    let Stage::Over(Ending::Finished { standings, .. }) = &game.stage else { return None };
    if game.hinted {
        return None;
    }
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

/// The player of each seat at the start.
fn seated(game: &Game) -> BySeat<Option<Player>> {
    let mut sitters = game.table.sitters();
    BySeat::from_fn(game.rules().players, |_| sitters.next().flatten().map(|sitter| sitter.player.clone()))
}

/// The seats whose players forfeited.
fn forfeited(game: &Game) -> SeatSet {
    let left = |&(_, place): &(Seat, &Place)| game.attendance.has_forfeited(*place);
    game.table.seats.iter().flat_map(BySeat::iter).filter(left).map(|(seat, _)| seat).collect()
}
