//! Tables of a ruleset at which each two options have each pair of their values.

use estimation_engine::ruleset::options::RulesetOption;
use estimation_engine::ruleset::{Ruleset, RulesetId};

use crate::prelude::*;

/// The bodies that open the tables. Each option has each value also with each number of players. A given length is that of
/// all tables but one for each other length.
pub fn pairs(ruleset: RulesetId, length: Option<&str>) -> Vec<Value> {
    let is_fixed = |option: &&RulesetOption| length.is_some() && option.name == "length";
    let (fixed, free): (Vec<_>, Vec<_>) = RulesetOption::of(ruleset).partition(is_fixed);
    let (least, most) = Ruleset::players_range(ruleset);
    let sizes = free.iter().map(|option| option.values.all().len());
    let sizes: Vec<usize> = sizes.chain([usize::from(most - least) + 1]).collect();
    let table = |row: Vec<usize>| {
        let options =
            free.iter().zip(&row).map(|(option, value)| (option.name, json!(option.values.all()[*value])));
        let mut options: BTreeMap<&str, Value> = options.collect();
        options.extend(length.map(|length| ("length", length.into())));
        json!({"ruleset": ruleset, "players": usize::from(least) + row[free.len()], "options": options})
    };
    let mut tables: Vec<Value> = covering(&sizes).into_iter().map(table).collect();
    for value in fixed.iter().flat_map(|option| option.values.all()) {
        let value = json!(value);
        if length.is_some_and(|length| value != length) {
            tables.push(json!({"ruleset": ruleset, "options": {"length": value}}));
        }
    }
    tables
}

/// Rows with a choice for each of several factors, given the number of choices of each. Each two factors have each pair of
/// their choices in some row. Greedy: a row begins with a pair that is missing, and takes the choices that add most pairs.
fn covering(sizes: &[usize]) -> Vec<Vec<usize>> {
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
                let this = (factor, choice);
                let pairs = row
                    .iter()
                    .map(|(other, taken)| (*other, *taken))
                    .map(|that| (this.min(that), this.max(that)));
                pairs.filter(|pair| missing.contains(pair)).count()
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

#[test]
fn each_pair_of_choices_is_in_a_row() {
    for sizes in [vec![2, 2], vec![2, 3, 4], vec![2; 12], vec![4, 4, 3, 2, 2, 2, 2, 2, 1]] {
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
