//! The rules that a table agrees on: a preset with options applied.

use std::collections::BTreeMap;

use super::options::{OptionError, OptionValue, OptionValues, RulesetOption};
use super::table::OPTIONS;
use super::{Ruleset, RulesetId};

impl RulesetOption {
    /// All options, in published order.
    pub fn all() -> &'static [RulesetOption] {
        OPTIONS
    }

    /// The options of a ruleset, in published order.
    pub fn of(id: RulesetId) -> impl Iterator<Item = &'static RulesetOption> {
        OPTIONS.iter().filter(move |option| option.rulesets.contains(&id))
    }
}

impl Ruleset {
    /// The rules of a table: a preset for `players` (none: the usual number) with options applied.
    ///
    /// # Errors
    /// The first invalid option, or the allowed number of players.
    pub fn agreed(
        id: RulesetId,
        players: Option<u8>,
        options: &BTreeMap<String, OptionValue>,
    ) -> Result<Ruleset, OptionError> {
        let given = options.iter().map(|(name, value)| (name.as_str(), Some(value.clone())));
        let (rules, errors) = Ruleset::agreement(id, players, given);
        errors.into_iter().next().map_or(Ok(rules), Err)
    }

    /// The rules of a table, with all errors in its options. A value is none when its JSON type fits no
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

    /// The options of the ruleset with their current values.
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
