//! Verification: a game's log contains every acknowledged command, unchanged and without gaps.

use hyper::Method;
use hyper::body::Bytes;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::ledger::Record;
use super::player::Player;
use super::scene::{Hash, hash};
use super::trouble::DriveError;
use super::wire::{self, EventPage};
use estimation_record::canonical_json;

/// The number of events per request.
const PAGE: usize = 100;

/// Reads a game's log and compares it with the record. Returns the number of its events.
pub(super) async fn verify(reader: &mut Player, record: &Record) -> Result<u64, DriveError> {
    let log = log(reader, &record.game).await?;
    check(record, &log).map_err(|what| DriveError::contradiction(&record.game, what))?;
    Ok(log.len() as u64)
}

async fn log(reader: &mut Player, game: &str) -> Result<Vec<Value>, DriveError> {
    let mut log = Vec::new();
    loop {
        let path = format!("/v1/games/{game}/events?after={}&limit={PAGE}", log.len());
        let answer = reader.get(&path).await?;
        let page: EventPage<'_> = wire::read(reader.call(&Method::GET, &path, None), &answer)?;
        let events = page.items.iter().map(|event| serde_json::from_str(event.get()));
        log.extend(events.collect::<Result<Vec<Value>, _>>().unwrap_or_default());
        if page.next_cursor.is_none() || page.items.is_empty() {
            return Ok(log);
        }
    }
}

fn check(record: &Record, log: &[Value]) -> Result<(), String> {
    let mut hashes = Vec::with_capacity(log.len());
    for (event, seq) in log.iter().zip(1_u64..) {
        if event["seq"] != seq {
            return Err(format!("event {seq} of the log has the number {}", event["seq"]));
        }
        let hash = event["hash"].as_str().and_then(hash);
        hashes.push(hash.ok_or_else(|| format!("event {seq} has no hash"))?);
    }
    for (version, hash) in &record.acknowledged {
        match at(&hashes, *version) {
            None => return Err(format!("version {version} was acknowledged and is not in the log")),
            Some(logged) if logged != hash => {
                return Err(format!("version {version} was acknowledged and has another hash in the log"));
            }
            Some(_) => {}
        }
    }
    let kind = log.last().and_then(|event| event["event"]["type"].as_str()).unwrap_or_default();
    let over = matches!(kind, "game_finished" | "game_abandoned");
    for seen in &record.seen {
        is_in(log, seen, over)?;
    }
    // Before the end the log is redacted, so its hashes cannot be recomputed.
    if over { chained(&record.game, log, &hashes) } else { Ok(()) }
}

fn at<T>(items: &[T], seq: u64) -> Option<&T> {
    usize::try_from(seq).ok()?.checked_sub(1).and_then(|index| items.get(index))
}

fn is_in(log: &[Value], seen: &Bytes, over: bool) -> Result<(), String> {
    let seen: Value = serde_json::from_slice(seen).map_err(|error| format!("an event: {error}"))?;
    let seq = seen["seq"].as_u64().unwrap_or(0);
    let logged = at(log, seq).ok_or_else(|| format!("event {seq} was seen and is not in the log"))?;
    if agree(&seen, logged, over) { Ok(()) } else { Err(format!("event {seq} was {seen} and is {logged}")) }
}

/// Whether a seen event matches the logged one. Either may hide values: a hand as its number of cards, other
/// values as null. The log of an ended game hides nothing.
fn agree(seen: &Value, logged: &Value, over: bool) -> bool {
    match (seen, logged) {
        (Value::Object(seen), Value::Object(logged)) => {
            let agrees = |(name, seen)| logged.get(name).is_some_and(|logged| agree(seen, logged, over));
            seen.iter().all(agrees)
        }
        (Value::Array(seen), Value::Array(logged)) => {
            seen.len() == logged.len()
                && seen.iter().zip(logged).all(|(seen, logged)| agree(seen, logged, over))
        }
        (Value::Number(cards), Value::Array(hand)) => cards.as_u64() == Some(hand.len() as u64),
        // The log may be read by another player at the table.
        (Value::Array(hand), Value::Number(cards)) if !over => cards.as_u64() == Some(hand.len() as u64),
        (Value::Null, _) => true,
        (_, Value::Null) if !over => true,
        (seen, logged) => seen == logged,
    }
}

/// Recomputes the hashes of a whole log.
fn chained(game: &str, log: &[Value], hashes: &[Hash]) -> Result<(), String> {
    let mut previous = [0; 32];
    for (event, hash) in log.iter().zip(hashes) {
        let mut body = Map::from_iter([("game".to_owned(), game.into())]);
        for name in ["seq", "at", "actor", "event"] {
            body.insert(name.to_owned(), event[name].clone());
        }
        let text = canonical_json(&body).map_err(|error| error.to_string())?;
        let computed: Hash = Sha256::new().chain_update(previous).chain_update(&text).finalize().into();
        if computed != *hash {
            return Err(format!("the hash of event {} is not that of its content", event["seq"]));
        }
        previous = computed;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A valid log, and a record of all its events.
    fn sample() -> (Record, Vec<Value>) {
        let mut record = Record::of("g");
        let mut previous = [0; 32];
        let mut log = Vec::new();
        for (seq, kind) in [(1, "game_created"), (2, "card_played"), (3, "game_finished")] {
            let mut event =
                json!({"game": "g", "seq": seq, "at": "t", "actor": "server", "event": {"type": kind}});
            let text = serde_json_canonicalizer::to_vec(&event).unwrap();
            previous = Sha256::new().chain_update(previous).chain_update(&text).finalize().into();
            event.as_object_mut().unwrap().remove("game");
            event["hash"] = hex::encode(previous).into();
            record.acknowledged.push((seq, previous));
            record.seen.push(Bytes::from(event.to_string()));
            log.push(event);
        }
        (record, log)
    }

    #[test]
    fn a_whole_log_is_right() {
        let (record, log) = sample();
        assert_eq!(check(&record, &log), Ok(()));
    }

    #[test]
    fn lost_and_changed_events_are_found() {
        let (record, log) = sample();
        let wrong = |change: &dyn Fn(&mut Vec<Value>)| {
            let mut log = log.clone();
            change(&mut log);
            check(&record, &log).unwrap_err()
        };
        assert!(wrong(&|log| drop(log.pop())).contains("version 3 was acknowledged and is not in the log"));
        assert!(wrong(&|log| drop(log.remove(1))).contains("has the number 3"));
        assert!(wrong(&|log| log[1]["hash"] = log[0]["hash"].clone()).contains("another hash"));
        assert!(wrong(&|log| log[1]["at"] = "u".into()).contains("event 2 was"));
        assert!(wrong(&|log| log[1]["event"]["card"] = "AS".into()).contains("hash of event 2"));
    }

    #[test]
    fn only_hidden_values_may_differ() {
        let seen = json!({"hands": [["AS"], 1], "salt": null, "trump": "clubs"});
        let revealed = json!({"hands": [["AS"], ["2C"]], "salt": "00", "trump": "clubs"});
        assert!(agree(&seen, &revealed, true) && agree(&seen, &revealed, false));
        // Until the game is over, another player sees the other hand.
        let elsewhere = json!({"hands": [1, ["2C"]], "salt": null, "trump": "clubs"});
        assert!(agree(&seen, &elsewhere, false) && !agree(&seen, &elsewhere, true));
        assert!(!agree(&seen, &json!({"hands": [2, ["2C"]], "salt": null, "trump": "clubs"}), false));
        for other in [
            json!({"hands": [["2C"], ["AS"]], "salt": "00", "trump": "clubs"}),
            json!({"hands": [["AS"], ["2C", "3C"]], "salt": "00", "trump": "clubs"}),
            json!({"hands": [["AS"], ["2C"]], "salt": "00", "trump": "hearts"}),
            json!({"hands": [["AS"], ["2C"]], "trump": "clubs"}),
        ] {
            assert!(!agree(&seen, &other, true) && !agree(&seen, &other, false), "{other}");
        }
    }
}
