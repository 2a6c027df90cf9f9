//! Verification: a game's log contains every acknowledged command, unchanged and without gaps.

use serde_json::Value;

use crate::error::DriveError;
use crate::ledger::Record;
use crate::player::Player;

/// The number of events per request.
const PAGE: usize = 100;

/// Reads a game's log and compares it with the record. Returns the number of its events.
pub async fn verify(reader: &mut Player, record: &Record) -> Result<u64, DriveError> {
    let log = log(reader, &record.game).await?;
    check(record, &log).map_err(|what| DriveError::contradiction(&record.game, what))?;
    Ok(log.len() as u64)
}

async fn log(reader: &mut Player, game: &str) -> Result<Vec<Value>, DriveError> {
    let mut log = Vec::new();
    loop {
        let path = format!("/v1/games/{game}/events?after={}&limit={PAGE}", log.len());
        let mut page: Value = reader.get(path).await?.read()?;
        let Value::Array(mut events) = page["items"].take() else { return Ok(log) };
        let is_last = page["next_cursor"].is_null() || events.is_empty();
        log.append(&mut events);
        if is_last {
            return Ok(log);
        }
    }
}

/// Compares a log with the record.
fn check(record: &Record, log: &[Value]) -> Result<(), String> {
    for (event, seq) in log.iter().zip(1_u64..) {
        if event["seq"] != seq {
            return Err(format!("event {seq} of the log has the number {}", event["seq"]));
        }
    }
    let at = |seq: u64| usize::try_from(seq).ok()?.checked_sub(1).and_then(|index| log.get(index));
    for (version, tag) in &record.acknowledged {
        let event = at(*version);
        let event =
            event.ok_or_else(|| format!("version {version} was acknowledged and is not in the log"))?;
        if !event["hash"].as_str().is_some_and(|hash| hash.starts_with(&**tag)) {
            return Err(format!("version {version} was acknowledged and has another hash in the log"));
        }
    }
    let kind = log.last().and_then(|event| event["event"]["type"].as_str()).unwrap_or_default();
    let is_over = matches!(kind, "game_finished" | "game_abandoned");
    for seen in &record.seen {
        let seen: Value = serde_json::from_str(seen.get()).map_err(|error| format!("an event: {error}"))?;
        let seq = seen["seq"].as_u64().unwrap_or(0);
        let logged = at(seq).ok_or_else(|| format!("event {seq} was seen and is not in the log"))?;
        if !agree(&seen, logged, is_over) {
            return Err(format!("event {seq} was {seen} and is {logged}"));
        }
    }
    Ok(())
}

/// Whether a seen event matches the logged one. Either may hide values as null. The log of an ended game hides
/// nothing.
fn agree(seen: &Value, logged: &Value, is_over: bool) -> bool {
    match (seen, logged) {
        (Value::Object(seen), Value::Object(logged)) => {
            let agrees = |(name, seen)| logged.get(name).is_some_and(|logged| agree(seen, logged, is_over));
            seen.iter().all(agrees)
        }
        (Value::Array(seen), Value::Array(logged)) => {
            seen.len() == logged.len()
                && seen.iter().zip(logged).all(|(seen, logged)| agree(seen, logged, is_over))
        }
        (Value::Null, _) => true,
        // The log may be read by another player at the table.
        (_, Value::Null) if !is_over => true,
        (seen, logged) => seen == logged,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;

    /// A valid log, and a record of all its events.
    fn sample() -> (Record, Vec<Value>) {
        let mut record = Record::of("g");
        let mut log = Vec::new();
        for (seq, kind) in [(1, "game_created"), (2, "card_played"), (3, "game_finished")] {
            let hash = format!("{seq:064x}").chars().rev().collect::<String>();
            let event = json!({"seq": seq, "at": "t", "hash": hash, "event": {"type": kind}});
            record.acknowledged.push((seq, hash[..16].to_owned()));
            record.seen.push(to_raw_value(&event).unwrap());
            log.push(event);
        }
        (record, log)
    }

    #[test]
    fn lost_and_changed_events_are_found() {
        let (record, log) = sample();
        assert_eq!(check(&record, &log), Ok(()));
        let wrong = |change: &dyn Fn(&mut Vec<Value>)| {
            let mut log = log.clone();
            change(&mut log);
            check(&record, &log).unwrap_err()
        };
        assert!(wrong(&|log| drop(log.pop())).contains("version 3 was acknowledged and is not in the log"));
        assert!(wrong(&|log| drop(log.remove(1))).contains("has the number 3"));
        assert!(wrong(&|log| log[1]["hash"] = log[0]["hash"].clone()).contains("another hash"));
        assert!(wrong(&|log| log[1]["at"] = "u".into()).contains("event 2 was"));
    }

    #[test]
    fn only_hidden_values_may_differ() {
        let shown = |cards: &[&str]| json!({"count": cards.len(), "cards": cards});
        let hidden = |count: usize| json!({"count": count, "cards": null});
        let deal = |first: Value, second: Value, salt: Value| json!({"hands": [first, second], "salt": salt});
        let seen = deal(shown(&["AS"]), hidden(1), json!(null));
        let revealed = deal(shown(&["AS"]), shown(&["2C"]), json!("00"));
        assert!(agree(&seen, &revealed, true) && agree(&seen, &revealed, false));
        // Until the game is over, another player sees the other hand.
        let elsewhere = deal(hidden(1), shown(&["2C"]), json!(null));
        assert!(agree(&seen, &elsewhere, false) && !agree(&seen, &elsewhere, true));
        assert!(!agree(&seen, &deal(hidden(2), shown(&["2C"]), json!(null)), false));
        for other in [
            deal(shown(&["2C"]), shown(&["AS"]), json!("00")),
            deal(shown(&["AS"]), shown(&["2C", "3C"]), json!("00")),
            json!({"hands": [shown(&["AS"]), shown(&["2C"])]}),
        ] {
            assert!(!agree(&seen, &other, true) && !agree(&seen, &other, false), "{other}");
        }
    }
}
