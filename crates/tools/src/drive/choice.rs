//! Chooses among the legal commands: at random, varied, and so that every game ends.

use bytes::Bytes;

use super::wire::CommandKind;
use crate::dice::Dice;

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
pub(super) fn choose<'a>(legal: &'a [Bytes], dice: &mut Dice) -> Option<&'a Bytes> {
    let first = legal.first().and_then(kind)?;
    let kinds = Kinds(legal);
    let preferred = match first.r#type {
        "redeal" | "avoid" if dice.happens(RARELY) => kinds.of("redeal"),
        "redeal" | "avoid" => kinds.of("avoid"),
        "enter_auction" if dice.happens(RARELY) => [kinds.of("blind_dash"), kinds.of("dash_call")].concat(),
        "enter_auction" => kinds.of("enter_auction"),
        "pass" | "dash_call" | "bid" if dice.happens(PASS) => kinds.of("pass"),
        "pass" | "dash_call" | "bid" if dice.happens(DASH_CALL) => kinds.of("dash_call"),
        "pass" | "dash_call" | "bid" => {
            let mut bids = kinds.of("bid");
            if !dice.happens(BOLD) {
                bids.truncate(LOWEST);
            }
            bids
        }
        "estimate" => {
            // Choose the number first: an estimate that may name a trump is listed once per trump.
            let mut numbers: Vec<u8> = legal.iter().filter_map(|command| kind(command)?.tricks).collect();
            numbers.dedup();
            let number = dice.pick(&numbers).copied();
            kinds.that(|kind| kind.tricks == number)
        }
        _ => return dice.pick(legal),
    };
    dice.pick(&preferred).copied().or_else(|| dice.pick(legal))
}

/// The legal commands by kind.
struct Kinds<'a>(&'a [Bytes]);

impl<'a> Kinds<'a> {
    fn of(&self, wanted: &str) -> Vec<&'a Bytes> {
        self.that(|kind| kind.r#type == wanted)
    }

    fn that(&self, wanted: impl Fn(&CommandKind<'_>) -> bool) -> Vec<&'a Bytes> {
        self.0.iter().filter(|command| kind(command).as_ref().is_some_and(&wanted)).collect()
    }
}

fn kind(command: &Bytes) -> Option<CommandKind<'_>> {
    serde_json::from_slice(command).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(texts: &[&str]) -> Vec<Bytes> {
        texts.iter().map(|text| Bytes::copy_from_slice(text.as_bytes())).collect()
    }

    fn chosen(legal: &[Bytes]) -> Vec<usize> {
        let mut dice = Dice::of([1; 4]);
        let mut times = vec![0; legal.len()];
        for _ in 0..1000 {
            let choice = choose(legal, &mut dice).unwrap();
            times[legal.iter().position(|command| command == choice).unwrap()] += 1;
        }
        times
    }

    #[test]
    fn each_legal_command_is_chosen_sometimes() {
        for legal in [
            vec![r#"{"type":"redeal"}"#, r#"{"type":"avoid"}"#],
            vec![r#"{"type":"enter_auction"}"#, r#"{"type":"blind_dash"}"#],
            vec![
                r#"{"type":"pass"}"#,
                r#"{"type":"dash_call"}"#,
                r#"{"type":"bid","tricks":4,"trump":"hearts"}"#,
            ],
            vec![r#"{"type":"estimate","tricks":8}"#, r#"{"type":"estimate","tricks":8,"trump":"clubs"}"#],
            vec![r#"{"type":"play","card":"AS"}"#, r#"{"type":"play","card":"2C"}"#],
        ] {
            assert!(chosen(&bytes(&legal)).iter().all(|&times| times > 50), "{legal:?}");
        }
    }

    #[test]
    fn a_redeal_is_rarer_than_keeping_the_hand() {
        let times = chosen(&bytes(&[r#"{"type":"redeal"}"#, r#"{"type":"avoid"}"#]));
        assert!(times[0] * 2 < times[1]);
    }

    #[test]
    fn the_only_command_is_chosen_and_none_from_an_empty_list() {
        assert_eq!(chosen(&bytes(&[r#"{"type":"dash_call"}"#])), [1000]);
        assert_eq!(choose(&[], &mut Dice::of([1; 4])), None);
    }
}
