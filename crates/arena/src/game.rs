//! One game of the arena, played in memory through the engine.

use std::time::{Duration, Instant};

use crate::dice::{self, seed};
use crate::entrant::Entrant;
use estimation_bots::{Budget, Dice};
use estimation_engine::chance::{Chance, Shuffles};
use estimation_engine::command::{Actor, Position};
use estimation_engine::decide::decide;
use estimation_engine::event::{GameCreated, Visibility};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{Ending, Game, Stage};
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::Ruleset;
use estimation_engine::score::Course;
use estimation_engine::seat::Seat;
use estimation_engine::table::{TableCommand, decide_table};
use estimation_engine::view::view;

/// A limit above what any game needs, including redeals.
const MAX_COMMANDS: u32 = 200_000;

/// A bot's budget for one command.
#[derive(Clone, Copy, Debug)]
pub struct Thinking {
    /// The number of playouts; ignored when `time` is given.
    pub playouts: u32,
    /// The time, instead of a number of playouts.
    pub time: Option<Duration>,
}

/// The outcome of a game, by place.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The final totals.
    pub totals: Vec<i32>,
    /// The final ranks, from 1; equal totals share a rank.
    pub ranks: Vec<u8>,
    /// The number of rounds played.
    pub rounds: u32,
    /// The number of rounds with a made call.
    pub made: Vec<u32>,
}

/// Plays a game to its end: `players` by place, cards from `deals`, the bots' random choices from `choices`.
pub fn play(
    rules: &Ruleset,
    players: &[Entrant],
    deals: u64,
    choices: u64,
    thinking: Thinking,
) -> Option<Outcome> {
    let mut shuffler = Shuffles(|deal, pack| {
        dice::Dice::of([deals, 0, 2 + u64::from(deal.round), deal.attempt.into()]).shuffle(pack);
    });
    let mut game = started(rules, &mut shuffler)?;
    let mut dice: Vec<Dice> =
        (0..players.len() as u64).map(|place| Dice::from_seed(seed([choices, place, 1, 0]))).collect();
    for _ in 0..MAX_COMMANDS {
        let Some(position) = game.to_act() else { return outcome(&game) };
        let place = place_of(&game, position)?;
        let began = Instant::now();
        let over = || thinking.time.is_some_and(|time| began.elapsed() >= time);
        let budget = match thinking.time {
            Some(_) => Budget::Until(&over),
            None => Budget::Playouts(thinking.playouts),
        };
        let command = players.get(place)?.choose(&view(&game, Some(position)), &mut dice[place], budget)?;
        let events = decide(&game, Actor::at(position), &command, &mut shuffler).ok()?;
        events.iter().for_each(|event| evolve(&mut game, event));
    }
    None
}

/// A full table with a started game.
fn started(rules: &Ruleset, chance: &mut dyn Chance) -> Option<Game> {
    let account = |place: u8| AccountId::new(format!("place-{place}"));
    let mut game = Game::open(&GameCreated {
        ruleset: rules.clone(),
        host: account(0),
        visibility: Visibility::Private,
        spectators: false,
        turn_seconds: None,
        opening_seconds: 15,
        algorithm: "arena".to_owned(),
        commitment: Hex([0; 32]),
    });
    let join = || TableCommand::Join { place: None, commitment: None };
    let joins = (1..rules.players).map(|place| (place, join()));
    for (place, command) in joins.chain([(0, TableCommand::Start)]) {
        let decided = decide_table(&game, &account(place), &command, chance).ok()?;
        decided.events.iter().for_each(|event| evolve(&mut game, event));
    }
    Some(game)
}

/// The index of a position's place.
fn place_of(game: &Game, position: Position) -> Option<usize> {
    Some(match position {
        Position::Place(place) => place.index(),
        Position::Seat(seat) => game.table.seats.as_ref()?.get(seat)?.index(),
    })
}

/// The outcome of a finished game.
fn outcome(game: &Game) -> Option<Outcome> {
    let Stage::Over(Ending::Finished { standings, .. }) = &game.stage else { return None };
    let seats = game.table.seats.as_ref()?;
    let by_place = |value: &dyn Fn(Seat) -> u32| {
        let mut values = vec![0; usize::from(seats.players())];
        seats.iter().for_each(|(seat, place)| values[place.index()] = value(seat));
        values
    };
    let played: Vec<_> = game
        .sheet
        .rounds
        .iter()
        .filter_map(|round| match &round.course {
            Course::Played { calls, tricks, .. } => Some((calls, tricks)),
            Course::Folded { .. } => None,
        })
        .collect();
    let made =
        |seat| played.iter().filter(|(calls, tricks)| calls[seat].tricks == tricks[seat]).count() as u32;
    let mut totals = vec![0; usize::from(seats.players())];
    seats.iter().for_each(|(seat, place)| totals[place.index()] = standings[seat].total);
    Some(Outcome {
        totals,
        ranks: by_place(&|seat| standings[seat].rank.into()).into_iter().map(|rank| rank as u8).collect(),
        rounds: played.len() as u32,
        made: by_place(&made),
    })
}
