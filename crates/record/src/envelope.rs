//! A stored event: actor, time, content, game and sequence number.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::canonical::{NotCanonical, canonical_json};
use super::time::RecordTime;

/// An event with everything its hash covers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Envelope<A, E> {
    // The fields are in canonical order, so that nothing has to be moved.
    /// The actor: a place, a seat or the server.
    pub actor: A,
    /// The time of the event.
    pub at: RecordTime,
    /// The event.
    pub event: E,
    /// The event's game.
    pub game: Uuid,
    /// The sequence number in the game, from 1.
    pub seq: u64,
}

impl<A: Serialize, E: Serialize> Envelope<A, E> {
    /// The text to store and hash, as canonical JSON. It is stored as it was hashed and never serialised
    /// again.
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
    fn the_chain_of_two_events_matches_another_implementation() {
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
