//! The plan of games: the same table every time, or every value of every option in turn.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::dice::Dice;

/// The settings of one table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TablePlan {
    pub(super) ruleset: String,
    pub(super) players: Option<u8>,
    pub(super) options: BTreeMap<String, Value>,
}

/// The settings of all tables.
pub(super) enum Plan {
    /// The same settings for every table.
    Same(TablePlan),
    /// Each value of each option with each number of players in turn, on top of the base settings.
    Every { base: TablePlan, offer: Offer, seed: u64 },
}

/// The published ruleset.
#[derive(Deserialize)]
pub(super) struct Offer {
    players: PlayerRange,
    options: Vec<OfferedOption>,
}

#[derive(Deserialize)]
struct PlayerRange {
    min: u8,
    max: u8,
}

#[derive(Deserialize)]
struct OfferedOption {
    name: String,
    #[serde(deserialize_with = "plain")]
    values: Vec<Value>,
}

/// Values as requests have them: without the member that says their type.
fn plain<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<Value>, D::Error> {
    let values = Vec::<BTreeMap<String, Value>>::deserialize(reader)?;
    Ok(values.into_iter().flat_map(BTreeMap::into_values).collect())
}

impl TablePlan {
    /// The request body that opens the table.
    pub(super) fn body(&self) -> Value {
        let mut body = json!({ "ruleset": self.ruleset, "options": self.options });
        if let Some(players) = self.players {
            body["players"] = players.into();
        }
        body
    }

    /// Whether the table accepts and penalises revokes.
    pub(super) fn penalises_revokes(&self) -> bool {
        self.options.get("revokes").is_some_and(|value| value == "penalise")
    }

    /// The settings as text for people.
    pub(super) fn described(&self) -> String {
        let mut text = self.ruleset.clone();
        if let Some(players) = self.players {
            text += &format!(" players={players}");
        }
        for (name, value) in &self.options {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text += &format!(" {name}={value}");
        }
        text
    }
}

impl Plan {
    /// The number of games needed to try everything at least once.
    pub(super) fn least(&self) -> usize {
        match self {
            Plan::Same(_) => 1,
            Plan::Every { base, offer, .. } => offer.values().len().max(offer.tables(base).len()),
        }
    }

    /// The maximum number of players at a table.
    pub(super) fn most_players(&self) -> Option<u8> {
        match self {
            Plan::Same(table) => table.players,
            Plan::Every { base, offer, .. } => base.players.or(Some(offer.players.max)),
        }
    }

    /// The settings of a game by number, from 0.
    ///
    /// In the first cycle one value differs from the base settings. Later all other options have random
    /// values as well.
    pub(super) fn table(&self, game: usize) -> TablePlan {
        let (base, offer, seed) = match self {
            Plan::Same(table) => return table.clone(),
            Plan::Every { base, offer, seed } => (base, offer, seed),
        };
        let mut table = base.clone();
        let (values, numbers) = (offer.values(), offer.tables(base));
        let (lap, turn) = (game / values.len().max(1), game % values.len().max(1));
        table.players = numbers.get((turn + lap) % numbers.len().max(1)).copied();
        if lap > 0 {
            let mut dice = Dice::of([*seed, !(game as u64), 0, 0]);
            for option in offer.options.iter().filter(|option| !base.options.contains_key(&option.name)) {
                if let Some(value) = dice.pick(&option.values) {
                    table.options.insert(option.name.clone(), value.clone());
                }
            }
        }
        if let Some((name, value)) = values.get(turn) {
            table.options.insert((*name).to_owned(), (*value).clone());
        }
        table
    }
}

impl Offer {
    /// Every value of every option.
    fn values(&self) -> Vec<(&str, &Value)> {
        let options = self.options.iter();
        options.flat_map(|option| option.values.iter().map(|value| (option.name.as_str(), value))).collect()
    }

    /// The numbers of players to try.
    fn tables(&self, base: &TablePlan) -> Vec<u8> {
        match base.players {
            Some(players) => vec![players],
            None => (self.players.min..=self.players.max).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(players: Option<u8>) -> Plan {
        let offer = json!({
            "players": {"min": 2, "max": 5},
            "options": [
                {"name": "order", "values": [{"string": "1-10-1"}, {"string": "10-1-10"}]},
                {"name": "jokers", "values": [{"integer": 0}, {"integer": 1}, {"integer": 2}]},
                {"name": "revokes", "values": [{"string": "refuse"}, {"string": "penalise"}]},
            ]
        });
        let options = BTreeMap::from([("jokers".to_owned(), 1.into())]);
        let base = TablePlan { ruleset: "nineteen".to_owned(), players, options };
        Plan::Every { base, offer: serde_json::from_value(offer).unwrap(), seed: 1 }
    }

    #[test]
    fn each_value_and_each_number_of_players_gets_a_game() {
        let plan = every(None);
        assert_eq!(plan.least(), 7);
        let tables: Vec<TablePlan> = (0..7).map(|game| plan.table(game)).collect();
        for (name, value) in [("order", json!("10-1-10")), ("jokers", json!(2)), ("jokers", json!(0))] {
            assert!(tables.iter().any(|table| table.options.get(name) == Some(&value)));
        }
        assert!((2..=5).all(|players| tables.iter().any(|table| table.players == Some(players))));
        assert!(tables[6].penalises_revokes() && tables[6].options["jokers"] == 1);
    }

    #[test]
    fn after_as_many_rounds_as_there_are_numbers_of_players_every_pair_was_played() {
        let plan = every(None);
        for players in 2..=5 {
            let sixes = (0..28).step_by(7).map(|lap| plan.table(lap + 6));
            assert!(sixes.into_iter().any(|table| table.players == Some(players)));
        }
    }

    #[test]
    fn options_change_their_fields() {
        let plan = every(Some(3));
        assert!((0..30).all(|game| plan.table(game).players == Some(3)));
        let agreed = |game: usize| plan.table(game).options["jokers"] == 1 || (2..5).contains(&(game % 7));
        assert!((0..30).all(agreed));
    }
}
