//! Laws that hold for every game: refereed by the naive reading, replayed, conserved, concealed.

use estimation::engine::event::Event;
use estimation::engine::game::Game;

use super::{Random, Table, every_variant, random_variant};
use crate::naive::referee;

#[test]
fn every_ruleset_and_option_value_is_played_by_the_book() {
    for (index, rules) in every_variant().into_iter().enumerate() {
        refereed(rules, index as u64);
    }
}

#[test]
fn any_mixture_of_options_is_played_by_the_book() {
    let mut random = Random(41);
    for seed in 0..150 {
        refereed(random_variant(&mut random), 1000 + seed);
    }
}

fn refereed(rules: estimation::engine::ruleset::Ruleset, seed: u64) {
    let options = (rules.id, rules.players, rules.options());
    let mut table = Table::start(rules, seed);
    table.play_until(&mut Random(seed), |_| false);
    assert!(table.game.is_over());
    match referee(&table.record_json()) {
        Ok(totals) => {
            let ours: Vec<i64> = table.game.sheet.totals.values().map(|&total| total.into()).collect();
            assert_eq!(totals, ours, "{options:?} seed {seed}");
        }
        Err(foul) => panic!("{options:?} seed {seed}: {foul}"),
    }
}

#[test]
fn events_and_state_survive_json_and_replay_gives_the_state() {
    let mut random = Random(5);
    for seed in 0..25 {
        let mut table = Table::start(random_variant(&mut random), seed);
        let until = random.below(400);
        let mut steps = 0;
        table.play_until(&mut Random(seed), |_| {
            steps += 1;
            steps > until
        });
        let events: Vec<Event> = table.record.iter().map(|(_, event)| event.clone()).collect();
        let text = serde_json::to_string(&events).unwrap();
        let read: Vec<Event> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, events);
        assert_eq!(Game::replay(&read).as_ref(), Some(&table.game));
        let state = serde_json::to_string(&table.game).unwrap();
        assert_eq!(serde_json::from_str::<Game>(&state).unwrap(), table.game);
    }
}
