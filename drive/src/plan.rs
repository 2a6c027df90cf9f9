//! The settings of the tables.

use std::str::FromStr;

use serde_json::Value;

/// The default number of players at a table.
const USUAL: usize = 4;

/// The settings of one table.
#[derive(Clone, Debug)]
pub struct TablePlan {
    /// The body of the request that opens the table.
    pub body: String,
    pub players: usize,
    /// Whether the table accepts and penalises revokes.
    pub penalises_revokes: bool,
}

impl FromStr for TablePlan {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<TablePlan, serde_json::Error> {
        let settings: Value = text.parse()?;
        let players = settings["players"].as_u64().and_then(|players| players.try_into().ok());
        let penalises_revokes = settings["options"]["revokes"] == "penalise";
        Ok(TablePlan { body: text.to_owned(), players: players.unwrap_or(USUAL), penalises_revokes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_of_a_request_is_a_plan() {
        let plan: TablePlan = r#"{"ruleset":"nineteen","players":3}"#.parse().unwrap();
        assert_eq!((plan.players, plan.penalises_revokes), (3, false));
        let plan: TablePlan = r#"{"ruleset":"nineteen","options":{"revokes":"penalise"}}"#.parse().unwrap();
        assert_eq!((plan.players, plan.penalises_revokes), (4, true));
        assert!("nineteen".parse::<TablePlan>().is_err());
    }
}
