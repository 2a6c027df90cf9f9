//! Whole games of every ruleset and option, refereed by the naive reading of the rule book.

use estimation::engine::ruleset::Ruleset;

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

fn refereed(rules: Ruleset, seed: u64) {
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
