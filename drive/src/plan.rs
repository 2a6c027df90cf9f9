//! The plan of games: the same table every time, or every pair of values of two options.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

/// The settings of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePlan {
    pub ruleset: String,
    pub players: Option<u8>,
    pub options: BTreeMap<String, Value>,
}

/// The settings of all tables, which the games have in turn; at least one.
pub struct Plan(Vec<TablePlan>);

/// The published ruleset.
#[derive(Deserialize)]
pub struct Offer {
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
    pub fn body(&self) -> Value {
        let mut body = json!({ "ruleset": self.ruleset, "options": self.options });
        if let Some(players) = self.players {
            body["players"] = players.into();
        }
        body
    }

    /// Whether the table accepts and penalises revokes.
    pub fn penalises_revokes(&self) -> bool {
        self.options.get("revokes").is_some_and(|value| value == "penalise")
    }

    /// The settings as text for people.
    pub fn described(&self) -> String {
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
    /// The same settings for every table.
    pub fn same(table: TablePlan) -> Plan {
        Plan(vec![table])
    }

    /// Tables at which each two options have each pair of their values, and so each option with each number of players. The
    /// base settings stay, but for one table for each other value of their options.
    pub fn pairs(base: &TablePlan, offer: &Offer) -> Plan {
        let (fixed, free): (Vec<_>, Vec<_>) =
            offer.options.iter().partition(|option| base.options.contains_key(&option.name));
        let numbers: Vec<u8> = match base.players {
            Some(players) => vec![players],
            None => (offer.players.min..=offer.players.max).collect(),
        };
        let sizes = free.iter().map(|option| option.values.len()).chain([numbers.len()]);
        let with = |option: &OfferedOption, value: &Value| (option.name.clone(), value.clone());
        let mut tables: Vec<TablePlan> = Vec::new();
        for row in covering(&sizes.collect::<Vec<_>>()) {
            let mut table = base.clone();
            table
                .options
                .extend(free.iter().zip(&row).map(|(option, value)| with(option, &option.values[*value])));
            table.players = row.last().map(|number| numbers[*number]);
            tables.push(table);
        }
        for option in fixed {
            for value in option.values.iter().filter(|value| **value != base.options[&option.name]) {
                let mut table = base.clone();
                table.options.extend([with(option, value)]);
                tables.push(table);
            }
        }
        Plan(tables)
    }

    /// The number of games needed to try everything at least once.
    pub fn least(&self) -> usize {
        self.0.len()
    }

    /// The maximum number of players at a table.
    pub fn most_players(&self) -> Option<u8> {
        self.0.iter().filter_map(|table| table.players).max()
    }

    /// The settings of a game by number, from 0.
    pub fn table(&self, game: usize) -> &TablePlan {
        &self.0[game % self.0.len()]
    }
}

/// Rows with a choice for each of several factors, given the number of choices of each. Each two factors have each pair of their
/// choices in some row. Greedy: a row begins with a pair that is missing, and takes the choices that add most pairs.
fn covering(sizes: &[usize]) -> Vec<Vec<usize>> {
    if let [choices] = sizes {
        return (0..*choices).map(|choice| vec![choice]).collect();
    }
    let pair =
        |one: (usize, usize), other: (usize, usize)| if one < other { (one, other) } else { (other, one) };
    let mut missing = BTreeSet::new();
    for (second, choices) in sizes.iter().enumerate() {
        for (first, others) in sizes.iter().enumerate().take(second) {
            missing.extend((0..*others).flat_map(|a| (0..*choices).map(move |b| ((first, a), (second, b)))));
        }
    }
    let mut rows = Vec::new();
    while let Some(&(one, other)) = missing.first() {
        let mut row = BTreeMap::from([one, other]);
        for (factor, choices) in sizes.iter().enumerate() {
            let added = |choice: usize| {
                row.iter()
                    .filter(|(other, taken)| missing.contains(&pair((factor, choice), (**other, **taken))))
                    .count()
            };
            if !row.contains_key(&factor) {
                let best = (0..*choices).max_by_key(|choice| (added(*choice), usize::MAX - choice));
                row.extend(best.map(|choice| (factor, choice)));
            }
        }
        missing.retain(|((a, x), (b, y))| row.get(a) != Some(x) || row.get(b) != Some(y));
        rows.push(row.into_values().collect());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(players: Option<u8>) -> Plan {
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
        Plan::pairs(&base, &serde_json::from_value(offer).unwrap())
    }

    #[test]
    fn each_pair_of_choices_is_in_a_row() {
        for sizes in [vec![3], vec![2, 2], vec![2, 3, 4], vec![2; 12], vec![4, 4, 3, 2, 2, 2, 2, 2, 1]] {
            let rows = covering(&sizes);
            for (second, choices) in sizes.iter().enumerate() {
                for (first, a, b) in (0..second).flat_map(|first| {
                    (0..sizes[first]).flat_map(move |a| (0..*choices).map(move |b| (first, a, b)))
                }) {
                    assert!(
                        rows.iter().any(|row| row[first] == a && row[second] == b),
                        "{sizes:?} {first} {second}"
                    );
                }
            }
            let mut largest = sizes.clone();
            largest.sort_unstable_by(|a, b| b.cmp(a));
            let least = largest.iter().take(2).product::<usize>();
            assert!(rows.len() >= least && rows.len() <= 3 * least, "{sizes:?}: {} rows", rows.len());
        }
    }

    #[test]
    fn each_pair_of_values_and_each_number_of_players_gets_a_game() {
        let plan = pairs(None);
        let tables = &plan.0;
        for order in ["1-10-1", "10-1-10"] {
            for revokes in ["refuse", "penalise"] {
                assert!(tables.iter().any(|table| table.options.get("order") == Some(&json!(order))
                    && table.options.get("revokes") == Some(&json!(revokes))));
            }
            assert!((2..=5).all(|players| {
                tables.iter().any(|table| {
                    table.players == Some(players) && table.options.get("order") == Some(&json!(order))
                })
            }));
        }
        // The base settings have a value of this one.
        assert!([0, 1, 2].iter().all(|jokers| tables.iter().any(|table| table.options["jokers"] == *jokers)));
        assert_eq!((plan.most_players(), pairs(Some(3)).most_players()), (Some(5), Some(3)));
    }
}
