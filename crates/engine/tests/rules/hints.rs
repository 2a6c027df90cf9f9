//! Hints: for the only person of a game, in their turn. A game with a hint has no outcome.

use estimation_engine::command::By;
use estimation_engine::decide::check;
use estimation_engine::hint::take_hint;
use estimation_engine::outcome::outcome;
use estimation_engine::player::BotLevel;
use estimation_engine::table::TableCommand;
use estimation_test_support::{SeededChance, account};

use crate::prelude::*;

const OWN: Position = Position::Seat(Seat::new(0));

/// A game of account 0 and bots.
fn alone(rules: Ruleset) -> Table {
    alone_dealt_by(5, rules)
}

fn alone_dealt_by(seed: u64, rules: Ruleset) -> Table {
    let players = rules.players;
    let mut table = Table::seated(rules, SeededChance(seed));
    for place in 1..players {
        table.at_table(&account(0), &TableCommand::Leave { place });
        table.at_table(&account(0), &TableCommand::SeatBot { place, level: BotLevel::Easy });
    }
    table.at_table(&account(0), &TableCommand::Start);
    table
}

fn until_own_turn(table: &mut Table, own: Position) {
    play_bots_until(table, |game| game.to_act() == Some(own));
}

/// All seats play, bots as such.
fn play_bots_until(table: &mut Table, stop: impl Fn(&Game) -> bool) {
    let mut random = Random(9);
    while let Some(chair) = table.game.to_act().filter(|_| !stop(&table.game)) {
        let command = *random.pick(&legal_commands(&table.game, chair));
        let by = table.game.is_played_by_bot(chair).then_some(By::Bot);
        table.act(by.map_or(Actor::at(chair), |by| Actor::acting(by, chair)), command);
    }
}

fn taken(seat: u8) -> Result<Option<Event>, Rejection> {
    Ok(Some(Event::HintTaken { seat: Seat::new(seat) }))
}

#[test]
fn a_person_alone_takes_hints_in_their_turns() {
    let mut table = alone(Ruleset::preset(RulesetId::Nineteen));
    assert_eq!(
        take_hint(&Table::start(Ruleset::preset(RulesetId::Nineteen), 5).game, OWN),
        Err(Rejection::SeveralPeople)
    );
    let lobby = Table::seated(Ruleset::preset(RulesetId::Nineteen), SeededChance(5)).game;
    assert_eq!(take_hint(&lobby, OWN), Err(Rejection::NotPlaying { status: GameStatus::Lobby }));
    play_bots_until(&mut table, |game| game.to_act() != Some(OWN));
    let to_act = table.game.to_act();
    assert_eq!(take_hint(&table.game, OWN), Err(Rejection::NotYourTurn { to_act }));
    until_own_turn(&mut table, OWN);
    assert_eq!(take_hint(&table.game, OWN), taken(0));
    let before = table.game.clone();
    evolve(&mut table.game, &Event::HintTaken { seat: Seat::new(0) });
    assert_eq!(take_hint(&table.game, OWN), Ok(None), "the first one is recorded");
    assert_eq!((before.stage, before.attendance), (table.game.stage.clone(), table.game.attendance));
    assert!(view(&table.game, None).scores.hinted);
    play_bots_until(&mut table, |_| false);
    assert_eq!(take_hint(&table.game, OWN), Err(Rejection::NotPlaying { status: GameStatus::Finished }));
}

/// The player with the lowest card is given the last seat, and has no choice.
#[test]
fn hints_are_for_the_choice_of_seats_too() {
    let own = Position::Place(Place::new(0));
    let mut tables = (0..9).map(|seed| {
        let mut table = alone_dealt_by(seed, Ruleset::preset(RulesetId::Plain));
        play_bots_until(&mut table, |game| game.to_act() == Some(own) || game.table.seats.is_some());
        table
    });
    let chooses = |table: &Table| table.game.to_act() == Some(own);
    assert_eq!(take_hint(&tables.find(chooses).expect("a choice").game, own), taken(0));
}

#[test]
fn a_game_with_a_hint_has_no_outcome() {
    for is_hinted in [false, true] {
        let mut table = alone(Ruleset::preset(RulesetId::Nineteen));
        until_own_turn(&mut table, OWN);
        if is_hinted {
            evolve(&mut table.game, &Event::HintTaken { seat: Seat::new(0) });
        }
        play_bots_until(&mut table, |_| false);
        assert_eq!(table.game.status(), GameStatus::Finished);
        assert_eq!(outcome(&table.game).is_none(), is_hinted);
    }
}

/// The check of a command has no actor to refuse: it is for the player of the position.
#[test]
fn a_check_of_an_empty_place_names_the_turn() {
    let table = alone(Ruleset::preset(RulesetId::Nineteen));
    let nowhere = Position::Seat(Seat::new(4));
    let to_act = table.game.to_act();
    let command = legal_commands(&table.game, to_act.expect("a turn"))[0];
    assert_eq!(check(&table.game, nowhere, &command), Err(Rejection::NotYourTurn { to_act }));
}
