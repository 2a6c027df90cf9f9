//! The options a table may agree on: one line each, applied over a preset.
//!
//! A line names the option, the rulesets that know it, its values, and the one field of [`Ruleset`] it
//! sets. What is published, what is accepted and what is shown all come from these lines.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::choice::Choice;
use super::{Ruleset, RulesetId};

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// One of the option's named values.
    Name(String),
}

/// The values an option may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValues {
    /// `false` or `true`.
    Flag,
    /// A whole number from `min` to `max`.
    Number {
        /// The least value.
        min: u8,
        /// The greatest value.
        max: u8,
    },
    /// One of these names.
    Names(&'static [&'static str]),
}

/// An option that some ruleset knows.
pub struct RulesetOption {
    /// Its name in bodies.
    pub name: &'static str,
    /// What it decides, in a sentence.
    pub about: &'static str,
    /// What it may be.
    pub values: OptionValues,
    rulesets: &'static [RulesetId],
    get: fn(&Ruleset) -> OptionValue,
    set: fn(&mut Ruleset, &OptionValue) -> bool,
}

/// Why options were refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// The ruleset has no such option.
    #[error("{ruleset} has no option {option:?}")]
    Unknown {
        /// The ruleset asked.
        ruleset: RulesetId,
        /// The name it does not know.
        option: String,
    },
    /// The value is not one the option may take.
    #[error("option {option:?} must be {allowed}")]
    Value {
        /// The option.
        option: &'static str,
        /// What it may be.
        allowed: OptionValues,
        /// Whether the value has the type that the option has.
        has_type: bool,
    },
    /// The ruleset does not seat that many.
    #[error("{ruleset} seats {min} to {max} players")]
    Players {
        /// The ruleset asked.
        ruleset: RulesetId,
        /// The fewest.
        min: u8,
        /// The most.
        max: u8,
    },
}

use RulesetId::{DoubleRisk, Kabooot, Nineteen, Plain, Squares};

const FOUR: &[RulesetId] = &[Squares, Kabooot, Plain, DoubleRisk];
const BID: &[RulesetId] = &[Squares, Kabooot, DoubleRisk];
const STARTED: &[RulesetId] = &[Squares, DoubleRisk];

/// A line for a field that is a small enum.
macro_rules! named {
    ($field:ident: $type:ident [$($values:expr)?], $rulesets:expr, $about:literal) => {
        RulesetOption {
            name: stringify!($field),
            about: $about,
            values: OptionValues::Names(named!(@values $type $($values)?)),
            rulesets: $rulesets,
            get: |rules| OptionValue::Name(rules.$field.name().to_owned()),
            set: |rules, value| match value {
                OptionValue::Name(name) if named!(@values $type $($values)?).contains(&name.as_str()) => {
                    super::$type::from_name(name).map(|value| rules.$field = value).is_some()
                }
                _ => false,
            },
        }
    };
    (@values $type:ident) => { <super::$type as Choice>::NAMES };
    (@values $type:ident $values:expr) => { $values };
}

/// A line for a field that is true or false.
macro_rules! flag {
    ($field:ident, $rulesets:expr, $about:literal) => {
        RulesetOption {
            name: stringify!($field),
            about: $about,
            values: OptionValues::Flag,
            rulesets: $rulesets,
            get: |rules| OptionValue::Flag(rules.$field),
            set: |rules, value| match value {
                OptionValue::Flag(value) => {
                    rules.$field = *value;
                    true
                }
                _ => false,
            },
        }
    };
}

/// A line for a field that is a small number.
macro_rules! number {
    ($field:ident: $min:literal..=$max:literal, $rulesets:expr, $about:literal) => {
        RulesetOption {
            name: stringify!($field),
            about: $about,
            values: OptionValues::Number { min: $min, max: $max },
            rulesets: $rulesets,
            get: |rules| OptionValue::Number(rules.$field.into()),
            set: |rules, value| match value {
                OptionValue::Number(value @ $min..=$max) => {
                    rules.$field = *value as u8;
                    true
                }
                _ => false,
            },
        }
    };
}

/// Every option, in the order in which they are published.
const OPTIONS: &[RulesetOption] = &[
    named!(length: Length [], FOUR,
        "How long the game is: full is 18 rounds, mini 5 auction and 5 fast rounds, micro 5 auction rounds."),
    named!(order: Order [], &[Nineteen],
        "Whether the hands grow to ten cards and shrink again, or the other way round."),
    number!(jokers: 0..=2, &[Nineteen],
        "How many jokers replace the lowest cards of the deck, as the highest trumps."),
    flag!(
        concealed_tricks,
        &RulesetId::ALL,
        "Whether the number of tricks each player has taken stays hidden until the round is scored."
    ),
    named!(revokes: Revokes [], &[Nineteen],
        "Whether a card that breaks the duty to follow suit is refused, or accepted and penalised."),
    named!(starter_rotation: StarterRotation [], STARTED,
        "Who starts the next round: the next seat, always seat 0, or the seat that last was bidder."),
    named!(auction: AuctionKind [&["ascending", "single_call"]], BID,
        "Whether bids must beat each other until all but one have passed, or everybody calls once."),
    number!(minimum_bid: 1..=7, FOUR, "The lowest number of tricks that may be bid."),
    named!(dash_call_timing: DashCallTiming [], STARTED,
        "Whether a dash call is made instead of one's first call, or asked of everybody before the auction."),
    flag!(fast_redeal, BID, "Whether a hand that lacks a suit may ask for a redeal in fast rounds too."),
    flag!(
        fast_trump_change,
        &[Squares],
        "Whether an estimate of eight or more may name a new trump in fast rounds."
    ),
    named!(risk_ladder: RiskLadder [], BID,
        "Whether the levels of the Risk begin when the total misses 13 by one, or by two."),
    flag!(with_penalty, BID, "Whether a With that loses pays ten more, as the bidder does."),
    named!(carry_ladder: CarryLadder [], BID,
        "How rounds without a winner multiply the next: 2, 3, 4 …, 2, 4, 8 …, or always 2."),
    named!(high_call_extras: HighCallExtras [], &[Squares],
        "Which extras a call of eight or more gets beside its square."),
    named!(half_square: HalfSquare [], &[Squares],
        "Whether the half square of a lost odd call is rounded down or up."),
    flag!(
        blind_dash_swap,
        &[Kabooot],
        "Whether a blind dash that wins scores 10 over and 20 under instead of 20 over and 10 under."
    ),
    named!(seating: Seating [], &[Plain],
        "Whether cards are drawn for the choice of seats, or everybody keeps the seat they joined."),
    flag!(cut, &[Plain], "Whether the player on the dealer's right cuts the pack before each deal."),
    named!(bid_direction: Direction [], &[Plain], "Which way round the table bids and estimates go."),
    named!(first_lead: FirstLead [&["dealers_right", "declarer"]], &[Plain],
        "Who leads the first trick of a hand."),
    flag!(allow_pass, &[Plain], "Whether a player may pass instead of bidding."),
    flag!(no_trump_bids, &[Plain], "Whether no trump may be bid."),
    number!(dash_limit: 2..=3, &[Plain], "How many players may make a dash call in one hand."),
    flag!(
        forbid_thirteen,
        &[Plain],
        "Whether the last to estimate is barred from bringing the total to 13, and is named Risk."
    ),
];

impl RulesetOption {
    /// The options that a ruleset knows, in order of publication.
    pub fn of(id: RulesetId) -> impl Iterator<Item = &'static RulesetOption> {
        OPTIONS.iter().filter(move |option| option.rulesets.contains(&id))
    }

    /// The option's value in a ruleset.
    pub fn value(&self, rules: &Ruleset) -> OptionValue {
        (self.get)(rules)
    }
}

impl OptionValues {
    /// Every value there is, in order.
    pub fn all(self) -> Vec<OptionValue> {
        match self {
            OptionValues::Flag => vec![OptionValue::Flag(false), OptionValue::Flag(true)],
            OptionValues::Number { min, max } => {
                (min..=max).map(|value| OptionValue::Number(value.into())).collect()
            }
            OptionValues::Names(names) => {
                names.iter().map(|&name| OptionValue::Name(name.to_owned())).collect()
            }
        }
    }
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValues::Flag => f.write_str("true or false"),
            OptionValues::Number { min, max } => write!(f, "an integer from {min} to {max}"),
            OptionValues::Names(names) => write!(f, "one of `{}`", names.join("`, `")),
        }
    }
}

impl Ruleset {
    /// The rules a table agreed on: a preset for `players` (none: the usual number) with options applied.
    ///
    /// Errors name the first option or the range of players that was missed.
    pub fn agreed(
        id: RulesetId,
        players: Option<u8>,
        options: &BTreeMap<String, OptionValue>,
    ) -> Result<Ruleset, OptionError> {
        let given = options.iter().map(|(name, value)| (name.as_str(), Some(value.clone())));
        let (rules, errors) = Ruleset::agreement(id, players, given);
        errors.into_iter().next().map_or(Ok(rules), Err)
    }

    /// The rules for a table, with all errors in its options. A value is none where its JSON type fits no
    /// option. Options with errors keep the preset's value.
    pub fn agreement<'a>(
        id: RulesetId,
        players: Option<u8>,
        options: impl IntoIterator<Item = (&'a str, Option<OptionValue>)>,
    ) -> (Ruleset, Vec<OptionError>) {
        let mut rules = Ruleset::preset(id);
        let mut errors = Vec::new();
        let (min, max) = Ruleset::players_range(id);
        match players {
            Some(players) if (min..=max).contains(&players) => rules.players = players,
            Some(_) => errors.push(OptionError::Players { ruleset: id, min, max }),
            None => {}
        }
        for (name, value) in options {
            let Some(option) = RulesetOption::of(id).find(|option| option.name == name) else {
                errors.push(OptionError::Unknown { ruleset: id, option: name.to_owned() });
                continue;
            };
            if !value.as_ref().is_some_and(|value| (option.set)(&mut rules, value)) {
                let has_type = matches!(
                    (option.values, value),
                    (OptionValues::Flag, Some(OptionValue::Flag(_)))
                        | (OptionValues::Number { .. }, Some(OptionValue::Number(_)))
                        | (OptionValues::Names(_), Some(OptionValue::Name(_)))
                );
                errors.push(OptionError::Value { option: option.name, allowed: option.values, has_type });
            }
        }
        (rules, errors)
    }

    /// The options the ruleset knows, each with the value that holds here.
    pub fn options(&self) -> BTreeMap<&'static str, OptionValue> {
        RulesetOption::of(self.id).map(|option| (option.name, option.value(self))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed(id: RulesetId, name: &str, value: OptionValue) -> Result<Ruleset, OptionError> {
        Ruleset::agreed(id, None, &BTreeMap::from([(name.to_owned(), value)]))
    }

    #[test]
    fn every_value_of_every_option_can_be_agreed_and_is_shown() {
        for id in RulesetId::ALL {
            for option in RulesetOption::of(id) {
                for value in option.values.all() {
                    let rules = agreed(id, option.name, value.clone()).unwrap();
                    assert_eq!(rules.options()[option.name], value);
                }
            }
        }
    }

    #[test]
    fn an_option_of_another_ruleset_is_refused_by_name() {
        let refused = agreed(RulesetId::Plain, "jokers", OptionValue::Number(1));
        assert_eq!(
            refused,
            Err(OptionError::Unknown { ruleset: RulesetId::Plain, option: "jokers".to_owned() })
        );
    }

    #[test]
    fn a_value_outside_the_range_is_refused() {
        for (name, value) in [
            ("minimum_bid", OptionValue::Number(8)),
            ("minimum_bid", OptionValue::Number(0)),
            ("minimum_bid", OptionValue::Name("4".to_owned())),
            ("auction", OptionValue::Name("none".to_owned())),
            ("with_penalty", OptionValue::Number(1)),
        ] {
            assert!(matches!(
                agreed(RulesetId::Squares, name, value),
                Err(OptionError::Value { option, .. }) if option == name
            ));
        }
    }

    #[test]
    fn only_nineteen_seats_other_than_four() {
        let players = |id, n| Ruleset::agreed(id, Some(n), &BTreeMap::new()).is_ok();
        assert!((2..=5).all(|n| players(RulesetId::Nineteen, n)));
        assert!(!players(RulesetId::Nineteen, 1) && !players(RulesetId::Nineteen, 6));
        assert!(!players(RulesetId::Plain, 3) && players(RulesetId::Plain, 4));
    }
}
