//! Hidden cards do not affect a bot: with all of them dealt again, its choice is the same.

use estimation_bots::{Budget, Dice, Level, choose, timeout_move};
use estimation_engine::command::{Command, Position};
use estimation_engine::event::Event;
use estimation_engine::game::Game;
use estimation_engine::redact::Viewer;
use estimation_engine::view::view;
use estimation_test_support::unseen::redealt;
use estimation_test_support::{Random, Table, random_variant};

fn choices(game: &Game, chair: Position, seed: u64) -> Vec<Option<Command>> {
    let seen = view(game, Some(chair));
    let levels = [Level::Easy, Level::Steady, Level::Sharp];
    let chosen = levels.map(|level| choose(&seen, level, &mut Dice::numbered(seed), Budget::Playouts(60)));
    chosen.into_iter().chain([timeout_move(&seen)]).collect()
}

#[test]
fn a_choice_does_not_depend_on_what_is_hidden() {
    let mut redeals = 0;
    for seed in 0..120 {
        let mut random = Random(seed);
        let mut table = Table::start(random_variant(&mut random), seed);
        let mut left = 1 + random.below(250);
        table.play_until(&mut random, |_| {
            left -= 1;
            left == 0
        });
        let Some(chair @ Position::Seat(seat)) = table.game.to_act() else { continue };
        let record: Vec<Event> = table.record.iter().map(|(_, event)| event.clone()).collect();
        let altered = redealt(&table.game, &record, Viewer::Seat(seat), &mut random);
        let other = Game::replay(&altered).expect("a first event");
        assert_eq!(choices(&table.game, chair, seed), choices(&other, chair, seed), "seed {seed}");
        redeals += usize::from(table.game.stage != other.stage);
    }
    assert!(redeals > 60, "only {redeals} positions had something hidden to deal again");
}
