//! Chooses among the legal commands: at random, varied, and so that every game ends.

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::view::{Command, CommandKind};

/// How often a player calls for a redeal or declares a blind dash when possible.
const RARELY: f64 = 0.25;

/// How often a player who may bid passes instead.
const PASS: f64 = 0.4;

/// How often a player who may make a dash call does.
const DASH_CALL: f64 = 0.12;

/// How often a bid is any legal one instead of one of the lowest.
const BOLD: f64 = 0.25;

/// The number of lowest bids to choose from.
const LOWEST: usize = 5;

/// One of the legal commands; none if there is none.
pub fn choose<'a>(legal: &'a [Command], dice: &mut StdRng) -> Option<&'a Command> {
    let that = |wanted: &dyn Fn(&CommandKind<'_>) -> bool| -> Vec<&'a Command> {
        legal.iter().filter(|command| CommandKind::of(command).as_ref().is_some_and(wanted)).collect()
    };
    let of = |name: &str| that(&|kind| kind.r#type == name);
    let preferred = match CommandKind::of(legal.first()?)?.r#type {
        "redeal" | "avoid" if dice.random_bool(RARELY) => of("redeal"),
        "redeal" | "avoid" => of("avoid"),
        "enter_auction" if dice.random_bool(RARELY) => [of("blind_dash"), of("dash_call")].concat(),
        "enter_auction" => of("enter_auction"),
        "pass" | "dash_call" | "bid" if dice.random_bool(PASS) => of("pass"),
        "pass" | "dash_call" | "bid" if dice.random_bool(DASH_CALL) => of("dash_call"),
        "pass" | "dash_call" | "bid" => {
            let mut bids = of("bid");
            if !dice.random_bool(BOLD) {
                bids.truncate(LOWEST);
            }
            bids
        }
        "estimate" => {
            // Choose the number first: an estimate that may name a trump is listed once per trump.
            let mut numbers: Vec<u8> = legal.iter().filter_map(|one| CommandKind::of(one)?.tricks).collect();
            numbers.dedup();
            let number = numbers.choose(dice).copied();
            that(&|kind| kind.tricks == number)
        }
        _ => Vec::new(),
    };
    preferred.choose(dice).copied().or_else(|| legal.choose(dice))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use serde_json::value::RawValue;

    use super::*;

    fn chosen(texts: &[&str]) -> Vec<usize> {
        let legal: Vec<Command> =
            texts.iter().map(|text| RawValue::from_string((*text).to_owned()).unwrap()).collect();
        let (mut dice, mut times) = (StdRng::seed_from_u64(1), vec![0; legal.len()]);
        for _ in 0..1000 {
            let choice = choose(&legal, &mut dice).unwrap();
            times[legal.iter().position(|command| command.get() == choice.get()).unwrap()] += 1;
        }
        times
    }

    #[test]
    fn each_legal_command_is_chosen_sometimes() {
        for legal in [
            &[r#"{"type":"redeal"}"#, r#"{"type":"avoid"}"#][..],
            &[r#"{"type":"enter_auction"}"#, r#"{"type":"blind_dash"}"#],
            &[
                r#"{"type":"pass"}"#,
                r#"{"type":"dash_call"}"#,
                r#"{"type":"bid","tricks":4,"trump":"hearts"}"#,
            ],
            &[r#"{"type":"estimate","tricks":8}"#, r#"{"type":"estimate","tricks":8,"trump":"clubs"}"#],
            &[r#"{"type":"play","card":"AS"}"#, r#"{"type":"play","card":"2C"}"#],
        ] {
            assert!(chosen(legal).iter().all(|&times| times > 50), "{legal:?}");
        }
    }

    #[test]
    fn a_redeal_is_rarer_than_keeping_the_hand() {
        let times = chosen(&[r#"{"type":"redeal"}"#, r#"{"type":"avoid"}"#]);
        assert!(times[0] * 2 < times[1]);
        assert_eq!(chosen(&[r#"{"type":"dash_call"}"#]), [1000]);
    }
}
