//! Statements signed with a record key: a first line with the statement's type, then canonical JSON.

use serde::Serialize;
use uuid::Uuid;

use super::canonical::{NotCanonical, canonical_json};
use estimation_engine::event::Standing;
use estimation_engine::hex::Hex;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::BySeat;

/// The signed end of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameEnd<'a> {
    /// The game.
    pub game: Uuid,
    /// The ruleset's id. The first event contains the whole ruleset.
    pub ruleset: RulesetId,
    /// The hash of the last event.
    pub head: Hex<32>,
    /// The number of events.
    pub events: u64,
    /// The final standings; none for an abandoned game.
    pub standings: Option<&'a BySeat<Standing>>,
}

impl GameEnd<'_> {
    /// The bytes to sign: `estimation/game-end/v1`, a newline, canonical JSON.
    pub fn statement(&self) -> Result<Vec<u8>, NotCanonical> {
        statement("estimation/game-end/v1", self)
    }
}

pub(crate) fn statement(kind: &str, value: &impl Serialize) -> Result<Vec<u8>, NotCanonical> {
    Ok(format!("{kind}\n{}", canonical_json(value)?).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_starts_with_its_type() {
        let end = GameEnd {
            game: Uuid::nil(),
            ruleset: RulesetId::DoubleRisk,
            head: Hex([0xab; 32]),
            events: 2,
            standings: None,
        };
        let expected = format!(
            "estimation/game-end/v1\n{{\"events\":2,\"game\":\"{}\",\"head\":\"{}\",\"ruleset\":\"double-risk\",\"standings\":null}}",
            Uuid::nil(),
            "ab".repeat(32)
        );
        assert_eq!(String::from_utf8(end.statement().unwrap()).unwrap(), expected);
    }
}
