//! Every choice is a legal command, in every ruleset, under all options, in every phase.

use std::collections::BTreeSet;

use estimation_bots::{Budget, Dice, Level, choose, timeout_move};
use estimation_engine::command::{Command, Position};
use estimation_engine::game::Game;
use estimation_engine::seat::{Place, Seat};
use estimation_engine::view::view;
use estimation_test_support::{Random, Table, every_variant, random_variant};

const LEVELS: [Level; 3] = [Level::Easy, Level::Steady, Level::Sharp];
const FEW: Budget<'static> = Budget::Playouts(6);

fn choices(game: &Game, chair: Position, seed: u64) -> Vec<Command> {
    let view = view(game, Some(chair));
    let levels = LEVELS.map(|level| choose(&view, level, &mut Dice::numbered(seed), FEW));
    let choices: Vec<Command> = levels
        .into_iter()
        .chain([timeout_move(&view)])
        .map(|choice| choice.unwrap_or_else(|| panic!("nothing chosen: {view:?}")))
        .collect();
    for choice in &choices {
        assert!(view.legal.contains(choice), "{choice:?} is not legal: {view:?}");
    }
    choices
}

#[ignore = "all: tries every case; the default tries some"]
#[test]
fn bots_do_what_is_legal_in_whole_games_of_every_variant() {
    let mut phases = BTreeSet::new();
    for (seed, rules) in every_variant().into_iter().enumerate() {
        let mut table = Table::start(rules, seed as u64);
        let mut random = Random(seed as u64);
        // Two thirds of the moves are the bots' own; random moves lead to other positions.
        let mut commands = 0;
        while let Some(chair) = table.game.to_act() {
            phases.insert(view(&table.game, None).round.map(|round| round.phase));
            let choices = choices(&table.game, chair, random.number());
            let legal = view(&table.game, Some(chair)).legal;
            let next = if random.below(3) == 0 {
                estimation_test_support::lively(&mut random, &legal)
            } else {
                *random.pick(&choices)
            };
            table.post(chair, next);
            commands += 1;
            if commands > 90 {
                break;
            }
        }
    }
    assert_eq!(phases.len(), 7, "{phases:?}");
}

#[test]
fn bots_do_what_is_legal_whatever_the_options_are() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut table = Table::start(random_variant(&mut random), seed);
        let mut left = 5 + random.below(600);
        table.play_until(&mut random, |_| {
            left -= 1;
            left == 0
        });
        if let Some(chair) = table.game.to_act() {
            choices(&table.game, chair, seed);
        }
    }
}

#[test]
fn nothing_is_chosen_where_nothing_is_legal() {
    let table = Table::start(random_variant(&mut Random(3)), 3);
    let acting = table.game.to_act();
    let seats = (0..5).map(|seat| Position::Seat(Seat::new(seat)));
    let chairs = seats.chain((0..5).map(|place| Position::Place(Place::new(place)))).map(Some).chain([None]);
    for you in chairs.filter(|you| *you != acting) {
        let seen = view(&table.game, you);
        for level in LEVELS {
            assert_eq!(choose(&seen, level, &mut Dice::numbered(1), FEW), None);
        }
        assert_eq!(timeout_move(&seen), None);
    }
}

#[test]
fn the_same_view_seed_and_playouts_give_the_same_choice() {
    let mut table = Table::start(random_variant(&mut Random(8)), 8);
    let mut random = Random(8);
    let mut asked = 0;
    table.play_until(&mut random, |game| {
        let chair = game.to_act().unwrap();
        assert_eq!(choices(game, chair, asked), choices(game, chair, asked));
        asked += 1;
        asked > 150
    });
}

#[test]
fn the_fallback_does_nothing_drastic() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let mut table = Table::start(random_variant(&mut random), seed);
        let mut left = 300;
        table.play_until(&mut random, |game| {
            let chair = game.to_act().unwrap();
            let seen = view(game, Some(chair));
            let choice = timeout_move(&seen).unwrap();
            let drastic = [Command::Redeal {}, Command::BlindDash {}, Command::DashCall {}];
            assert!(!drastic.contains(&choice), "{choice:?}");
            if let Command::Bid { tricks, .. } = choice {
                assert!(!seen.legal.contains(&Command::Pass {}), "a bid where passing is possible");
                assert_eq!(tricks, game.rules().minimum_bid.max(tricks), "{choice:?}");
            }
            left -= 1;
            left == 0
        });
    }
}
