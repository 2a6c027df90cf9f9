//! How long a bot thinks: up to its number of playouts, or until the time is up.

use std::cell::Cell;

use estimation_bots::{Budget, Dice, Level, think};
use estimation_engine::game::{Game, Stage};
use estimation_engine::round::Phase;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::view::{View, view};
use estimation_test_support::{Random, Table};

fn at_the_first_card() -> View {
    let leads = |game: &Game| match &game.stage {
        Stage::Round(round) => matches!(&round.phase, Phase::Play(_)),
        _ => false,
    };
    let mut table = Table::start(Ruleset::preset(RulesetId::DoubleRisk), 5);
    table.play_until(&mut Random(5), leads);
    view(&table.game, table.game.to_act())
}

#[test]
fn playouts_are_never_more_than_the_budget() {
    let view = at_the_first_card();
    for most in [20, 50, 333] {
        let choice = think(&view, Level::Sharp, &mut Dice::numbered(1), Budget::Playouts(most)).unwrap();
        assert!((1..=most).contains(&choice.playouts), "{choice:?} of {most}");
    }
}

#[test]
fn a_budget_of_nothing_still_gives_a_choice() {
    let view = at_the_first_card();
    let choice = think(&view, Level::Sharp, &mut Dice::numbered(1), Budget::Playouts(0)).unwrap();
    assert!(view.legal.contains(&choice.command));
    let choice = think(&view, Level::Sharp, &mut Dice::numbered(1), Budget::Until(&|| true)).unwrap();
    assert!(view.legal.contains(&choice.command));
    // One world, in which each option is tried once.
    assert!(choice.playouts <= view.legal.len() as u32, "{choice:?}");
}

#[test]
fn the_search_stops_when_the_time_is_up() {
    let view = at_the_first_card();
    let asked = Cell::new(0);
    let over = || {
        asked.set(asked.get() + 1);
        asked.get() > 5
    };
    let choice = think(&view, Level::Sharp, &mut Dice::numbered(1), Budget::Until(&over)).unwrap();
    assert_eq!(asked.get(), 6, "asked after each world, and not again once the time was up");
    assert!(choice.playouts <= 6 * view.legal.len() as u32);
}

#[test]
fn only_sharp_searches() {
    let view = at_the_first_card();
    for level in [Level::Easy, Level::Steady] {
        let choice = think(&view, level, &mut Dice::numbered(1), Budget::Playouts(1_000)).unwrap();
        assert_eq!(choice.playouts, 0);
    }
}
