//! Parses the stored text of an event, and checks that it is canonical JSON of the published form.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::finding::Rule;
use crate::forms::safe_number;
use crate::{RecordTime, canonical_json};
use estimation_engine::command::Actor;
use estimation_engine::event::Event;

/// The content of a stored text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    pub(super) game: Uuid,
    #[serde(deserialize_with = "safe_number")]
    pub(super) seq: u64,
    pub(super) at: RecordTime,
    pub(super) actor: Actor,
    pub(super) event: Event,
}

/// What is wrong with a stored text.
pub(super) type Violation = (Rule, String);

/// Parses a stored text. Returns its content unless its form is wrong; a text that is only not canonical has one.
pub(super) fn read(text: &str) -> (Option<Body>, Option<Violation>) {
    let body: Body = match serde_json::from_str(text) {
        Ok(body) => body,
        Err(error) => return (None, Some(unreadable(text, &error))),
    };
    // If serialising the content gives the same text, the text is canonical and has no unknown members.
    if canonical_json(&body).is_ok_and(|again| again == text) {
        return (Some(body), None);
    }
    match form_violation(text, &body) {
        Some((Rule::Form, detail)) => (None, Some((Rule::Form, detail))),
        wrong => (Some(body), wrong),
    }
}

fn unreadable(text: &str, error: &serde_json::Error) -> Violation {
    match serde_json::from_str::<Value>(text) {
        Err(error) => (Rule::Form, format!("the stored text is not JSON: {error}")),
        Ok(value) => not_canonical(text, &value)
            .unwrap_or_else(|| (Rule::Form, format!("the stored text cannot be read: {error}"))),
    }
}

/// Why a parsed text differs from its serialisation: it is not canonical, has an unknown member, or lacks one. Only
/// the rules of an earlier version may lack members, which a later version added.
fn form_violation(text: &str, body: &Body) -> Option<Violation> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return Some((Rule::Form, "the stored text is not JSON".to_owned()));
    };
    if let Some(wrong) = not_canonical(text, &value) {
        return Some(wrong);
    }
    match serde_json::to_value(body) {
        Ok(known) => {
            let missing = || missing(&value, &known, "").map(|at| format!("{at} is missing"));
            let unknown = unknown(&value, &known, "").map(|at| format!("unknown member {at}"));
            unknown.or_else(missing).map(|detail| (Rule::Form, detail))
        }
        Err(error) => Some((Rule::Form, error.to_string())),
    }
}

fn not_canonical(text: &str, value: &Value) -> Option<Violation> {
    match canonical_json(value) {
        Ok(canonical) if canonical == text => None,
        Ok(_) => Some((Rule::Canonical, "the stored text is not canonical JSON".to_owned())),
        Err(error) => Some((Rule::Canonical, error.to_string())),
    }
}

/// The path of the first member of a value that was not parsed.
fn unknown(value: &Value, known: &Value, at: &str) -> Option<String> {
    match (value, known) {
        (Value::Object(members), Value::Object(known)) => members.iter().find_map(|(name, member)| {
            let at = format!("{at}/{name}");
            match known.get(name) {
                Some(known) => unknown(member, known, &at),
                None => Some(at),
            }
        }),
        (Value::Array(items), Value::Array(known)) if items.len() == known.len() => {
            let pairs = items.iter().zip(known).enumerate();
            pairs
                .into_iter()
                .find_map(|(index, (item, known))| unknown(item, known, &format!("{at}/{index}")))
        }
        _ if value == known => None,
        _ => Some(at.to_owned()),
    }
}

/// The path of the first member that a value lacks.
fn missing(value: &Value, known: &Value, at: &str) -> Option<String> {
    match (value, known) {
        (Value::Object(members), Value::Object(known)) => known.iter().find_map(|(name, known)| {
            let path = format!("{at}/{name}");
            match members.get(name) {
                Some(member) => missing(member, known, &path),
                None => (at != "/event/ruleset").then_some(path),
            }
        }),
        (Value::Array(items), Value::Array(known)) => {
            let mut pairs = items.iter().zip(known).enumerate();
            pairs.find_map(|(index, (item, known))| missing(item, known, &format!("{at}/{index}")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"actor":{"seat":2},"at":"2026-01-01T00:00:00.000Z","event":{"card":"AS","seat":2,"type":"card_played"},"game":"019b7a00-0000-7000-8000-000000000001","seq":1}"#;

    fn rule(text: &str) -> Option<Rule> {
        read(text).1.map(|(rule, _)| rule)
    }

    #[test]
    fn a_stored_text_has_one_form() {
        assert_eq!(rule(TEXT), None);
        assert_eq!(rule(&TEXT.replace(":\"", ": \"")), Some(Rule::Canonical));
        assert_eq!(rule(&TEXT.replace("\"seq\":1", "\"seq\": 1")), Some(Rule::Canonical));
        assert_eq!(rule(&TEXT.replace("\"seq\":1", "\"seq\":1.0")), Some(Rule::Canonical));
        assert_eq!(rule(&TEXT.replace("\"AS\"", "\"\\u0041S\"")), Some(Rule::Canonical));
        assert_eq!(rule(&TEXT.replace("card_played", "card_eaten")), Some(Rule::Form));
        assert_eq!(
            rule(&TEXT.replace("\"seat\":2,\"type\"", "\"seat\":2,\"suit\":1,\"type\"")),
            Some(Rule::Form)
        );
        assert_eq!(rule(&TEXT.replace("\"seq\":1", "\"seq\":1,\"sequel\":2")), Some(Rule::Form));
        let estimate = r#"{"seat":2,"tricks":3,"trump":null,"type":"estimate_made"}"#;
        let estimated = TEXT.replace(r#"{"card":"AS","seat":2,"type":"card_played"}"#, estimate);
        assert_eq!(rule(&estimated), None);
        assert_eq!(rule(&estimated.replace("\"trump\":null,", "")), Some(Rule::Form));
        assert_eq!(rule(""), Some(Rule::Form));
        assert_eq!(rule("[]"), Some(Rule::Form));
    }
}
