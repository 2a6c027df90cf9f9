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
    /// A key that is not plain ASCII, for which readers disagree about the order.
    #[error("the key {key} is not plain ASCII")]
    Key {
        /// The key, quoted, as it would have been written.
        key: String,
    },
}

/// The canonical JSON of a value.
///
/// serde_json writes numbers and strings as RFC 8785 wants them, within what is allowed here; what is left
/// to do is to put the members of objects in order.
pub fn canonical_json(value: &impl Serialize) -> Result<String, NotCanonical> {
    let text = serde_json::to_string(value)?;
    let mut sorted = String::with_capacity(text.len());
    write_sorted(&text, &mut sorted)?;
    Ok(sorted)
}

/// Writes the value at the front of compact JSON with the members of its objects in order, and returns what
/// stands behind it.
fn write_sorted<'a>(text: &'a str, sorted: &mut String) -> Result<&'a str, NotCanonical> {
    match text.bytes().next() {
        Some(b'{') => write_object(text, sorted),
        Some(b'[') => {
            sorted.push('[');
            let mut rest = &text[1..];
            while !rest.starts_with(']') {
                rest = write_sorted(rest, sorted)?;
                if let Some(after) = rest.strip_prefix(',') {
                    sorted.push(',');
                    rest = after;
                }
            }
            sorted.push(']');
            Ok(&rest[1..])
        }
        Some(first) => {
            let length = match first {
                b'"' => string_length(text),
                _ => text.find([',', ']', '}']).unwrap_or(text.len()),
            };
            let (token, rest) = text.split_at(length);
            if matches!(first, b'-' | b'0'..=b'9') && !is_safe_integer(token) {
                return Err(NotCanonical::Number { number: token.to_owned() });
            }
            sorted.push_str(token);
            Ok(rest)
        }
        None => Ok(text),
    }
}

fn write_object<'a>(text: &'a str, sorted: &mut String) -> Result<&'a str, NotCanonical> {
    sorted.push('{');
    let begin = sorted.len();
    let mut rest = &text[1..];
    // Each member's key, and where it ends in what was written.
    let mut members: Vec<(&str, usize)> = Vec::new();
    let mut in_order = true;
    while !rest.starts_with('}') {
        let (key, after) = rest.split_at(string_length(rest));
        if !key.is_ascii() || key.contains('\\') {
            return Err(NotCanonical::Key { key: key.to_owned() });
        }
        in_order &=
            members.last().is_none_or(|&(before, _)| before.trim_matches('"') < key.trim_matches('"'));
        sorted.push_str(key);
        sorted.push(':');
        rest = write_sorted(&after[1..], sorted)?;
        sorted.push(',');
        members.push((key, sorted.len()));
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    if !in_order {
        put_in_order(begin, members, sorted)?;
    }
    if sorted.ends_with(',') {
        sorted.pop();
    }
    sorted.push('}');
    Ok(&rest[1..])
}

/// Puts the members of an object in order that were written from `begin` on, each with a comma behind it.
fn put_in_order(begin: usize, members: Vec<(&str, usize)>, sorted: &mut String) -> Result<(), NotCanonical> {
    let written = sorted.split_off(begin);
    let mut from = 0;
    let mut pieces: Vec<(&str, &str)> = Vec::with_capacity(members.len());
    for (key, to) in members {
        pieces.push((key.trim_matches('"'), &written[from..to - begin]));
        from = to - begin;
    }
    pieces.sort_unstable();
    if pieces.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        let twice: serde_json::Error = serde::ser::Error::custom("a key stands twice");
        return Err(NotCanonical::NotJson(twice));
    }
    pieces.iter().for_each(|(_, piece)| sorted.push_str(piece));
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
    fn another_implementation_writes_the_same() {
        for text in [
            r#"{}"#,
            r#"[[],{},{"b":{"d":1,"c":[{"z":null,"a":false}]},"a":"x\ny\u0001\u007f\"\\/é😀"}]"#,
            r#"{"aa":1,"a":2,"A":3,"":4,"a_":5,"a.":6}"#,
            r#"[-9007199254740991,0,true,"{\"b\":1,\"a\":2}"]"#,
        ] {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            let other = serde_json_canonicalizer::to_string(&value).unwrap();
            assert_eq!(canonical_json(&value).unwrap(), other);
            #[derive(Serialize)]
            struct Unsorted<'a> {
                z: &'a serde_json::Value,
                a: (u8, &'a serde_json::Value),
                m: Option<&'a str>,
            }
            let unsorted = Unsorted { z: &value, a: (1, &value), m: None };
            let other = serde_json_canonicalizer::to_string(&unsorted).unwrap();
            assert_eq!(canonical_json(&unsorted).unwrap(), other);
        }
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
