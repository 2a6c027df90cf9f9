//! The calculator: every score of the engine is a valid answer.

use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::score::score;
use estimation_test_support::{Table, random_variant};

use super::{Validators, components};
use crate::prelude::*;

#[test]
fn every_score_of_a_random_game_is_an_answer() {
    let mut schemas = Validators::default();
    let mut random = Random(3);
    for seed in 0..40 {
        let mut table = Table::start(random_variant(&mut random), seed);
        table.play_until(&mut Random(seed), |_| false);
        for result in &table.game.sheet.rounds {
            let mut answer = json!(score(table.game.rules(), result));
            answer["penalties"] = json!([]);
            schemas.holds("ScoreAnswer", &answer);
        }
    }
}

#[test]
fn the_highest_carry_is_the_one_that_doubled_every_round() {
    let carrying = RulesetId::ALL.map(Ruleset::preset).into_iter().filter(|rules| rules.void_unmade);
    let highest = 1_u32 << (carrying.map(|rules| rules.rounds()).max().unwrap() - 1);
    let maximum = |schema: &str, field: &str| &components()[schema]["properties"][field]["maximum"];
    for schema in ["ScoreRequest", "Deal", "RoundView"] {
        assert_eq!(*maximum(schema, "carry"), highest, "{schema}");
    }
    for schema in ["ScoreAnswer", "ScoredRound"] {
        assert_eq!(*maximum(schema, "next_carry"), highest * 2, "{schema}");
    }
}
