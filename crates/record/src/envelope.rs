//! One event as it is stored: who did what, when, and where in which game.

use serde::Serialize;
use uuid::Uuid;

use super::canonical::{NotCanonical, canonical_json};
use super::time::RecordTime;

/// An event with all that its hash covers.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Envelope<A, E> {
    // In the order in which canonical JSON has them, so that nothing has to be moved.
    /// Who did it: a place, a seat or the server.
    pub actor: A,
    /// When it happened.
    pub at: RecordTime,
    /// What happened.
    pub event: E,
    /// The game it belongs to.
    pub game: Uuid,
    /// Its place in the game, from 1.
    pub seq: u64,
}

impl<A: Serialize, E: Serialize> Envelope<A, E> {
    /// The text to store and to hash: canonical JSON. What is stored is hashed as it stands and never
    /// written anew.
    pub fn canonical(&self) -> Result<String, NotCanonical> {
        canonical_json(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{GENESIS, chain};

    fn envelope(seq: u64, actor: serde_json::Value, event: serde_json::Value) -> String {
        let game = "019b7a00-0000-7000-8000-000000000001".parse().unwrap();
        let at = "2026-01-01T00:00:00.000Z".parse().unwrap();
        Envelope { game, seq, at, actor, event }.canonical().unwrap()
    }

    /// Computed in Python: `json.dumps(…, sort_keys=True, separators=(",", ":"))` and `hashlib.sha256`.
    #[test]
    fn two_events_chain_as_another_implementation_has_it() {
        let first = envelope(1, json!({"seat": 2}), json!({"type": "card_played", "seat": 2, "card": "AS"}));
        let text = r#"{"actor":{"seat":2},"at":"2026-01-01T00:00:00.000Z","event":{"card":"AS","seat":2,"type":"card_played"},"game":"019b7a00-0000-7000-8000-000000000001","seq":1}"#;
        assert_eq!(first, text);
        let second = envelope(2, json!("server"), json!({"type": "trick_taken", "seat": 2}));
        let head = chain(GENESIS, first.as_bytes());
        assert_eq!(hex::encode(head), "d0494dc5f442073680d8f3f8eec845a7c356dd12135376b7fcbbd6a5ca5b0305");
        assert_eq!(
            hex::encode(chain(head, second.as_bytes())),
            "32b8089d755d33fc32b9c948dd494eb1a531bd04598857e878f27ecccc6e66ac"
        );
    }
}
