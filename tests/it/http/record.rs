//! The record of a finished game, checked as an outsider would: canonical JSON and the chain of hashes,
//! written anew from the interface's description.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Checks that every event's hash covers the event and, through the hash before it, all that went before.
pub fn check_chain(game: &str, events: &[Value]) -> Result<(), String> {
    let mut before = vec![0; 32];
    let mut time = "";
    for (index, event) in events.iter().enumerate() {
        if event["seq"] != index + 1 {
            return Err(format!("event {} is numbered {}", index + 1, event["seq"]));
        }
        let at = event["at"].as_str().ok_or("an event without a time")?;
        if at < time {
            return Err(format!("event {} happened before the one before it", index + 1));
        }
        time = at;
        let text = canonical(&json!({
            "game": game, "seq": event["seq"], "at": at, "actor": event["actor"], "event": event["event"],
        }));
        let hash = Sha256::new().chain_update(&before).chain_update(text).finalize().to_vec();
        if event["hash"] != hex::encode(&hash) {
            return Err(format!("event {} has another hash", index + 1));
        }
        before = hash;
    }
    Ok(())
}

/// Canonical JSON (RFC 8785) of values whose keys are ASCII and whose numbers are whole.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            let fields = fields.iter().map(|(name, value)| format!("{}:{}", json!(name), canonical(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Number(number) => {
            assert!(number.is_i64() || number.is_u64(), "{number} is not whole");
            number.to_string()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
    }
}
