//! Canonical JSON (RFC 8785), within what every reader of JSON can carry.

use serde::Serialize;
use thiserror::Error;

/// A value that has no place in the record.
#[derive(Debug, Error)]
pub enum NotCanonical {
    /// The value cannot be written as JSON, or a key stands twice in an object.
    #[error("not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// A number that is no integer within ±(2⁵³ − 1), beyond which readers of JSON disagree.
    #[error("{number} is no integer within ±(2⁵³ − 1)")]
    Number {
        /// The number as it would have been written.
        number: String,
    },
    /// A key that is not ASCII, for which readers disagree about the order.
    #[error("the key {key} is not ASCII")]
    Key {
        /// The key, quoted, as it would have been written.
        key: String,
    },
}

/// The canonical JSON of a value.
pub fn canonical_json(value: &impl Serialize) -> Result<String, NotCanonical> {
    let text = serde_json_canonicalizer::to_string(value)?;
    check(&text)?;
    Ok(text)
}

/// Looks through the tokens of canonical JSON for what the record does not allow.
fn check(text: &str) -> Result<(), NotCanonical> {
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let length = match first {
            b'"' => string_length(rest),
            b'-' | b'0'..=b'9' => rest.find([',', ']', '}']).unwrap_or(rest.len()),
            _ => 1,
        };
        let (token, after) = rest.split_at(length);
        match first {
            b'"' if after.starts_with(':') && !token.is_ascii() => {
                return Err(NotCanonical::Key { key: token.to_owned() });
            }
            b'-' | b'0'..=b'9' if !is_safe_integer(token) => {
                return Err(NotCanonical::Number { number: token.to_owned() });
            }
            _ => rest = after,
        }
    }
    Ok(())
}

/// How many bytes the string at the front takes, its quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

fn is_safe_integer(number: &str) -> bool {
    const LARGEST: u64 = (1 << 53) - 1;
    number.parse::<i64>().is_ok_and(|number| number.unsigned_abs() <= LARGEST)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_sorted_and_nothing_is_spaced_out() {
        let value = json!({"b": [1, -2, null, true], "a": null, "text": "ü \" \\ , ] 1.5 \\\": \n"});
        let text = canonical_json(&value).unwrap();
        let expected = r#"{"a":null,"b":[1,-2,null,true],"text":"ü \" \\ , ] 1.5 \\\": \n"}"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn numbers_outside_the_safe_integers_are_refused() {
        let largest = 9_007_199_254_740_991_i64;
        for safe in [0, largest, -largest] {
            assert_eq!(canonical_json(&json!([safe])).unwrap(), format!("[{safe}]"));
        }
        for unsafe_number in
            [json!(largest + 1), json!(-largest - 1), json!(u64::MAX), json!(1.5), json!(1e30)]
        {
            let refusal = canonical_json(&json!({"n": [unsafe_number]}));
            assert!(matches!(refusal, Err(NotCanonical::Number { .. })), "{unsafe_number}");
        }
    }

    #[test]
    fn keys_that_are_not_ascii_are_refused() {
        let refusal = canonical_json(&json!({"a": {"é": 1}}));
        assert!(matches!(refusal, Err(NotCanonical::Key { key }) if key == "\"é\""));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        #[derive(Serialize)]
        struct Inner {
            a: u8,
        }
        #[derive(Serialize)]
        struct Twice {
            a: u8,
            #[serde(flatten)]
            inner: Inner,
        }
        let refusal = canonical_json(&Twice { a: 1, inner: Inner { a: 2 } });
        assert!(matches!(refusal, Err(NotCanonical::NotJson(_))));
    }
}
