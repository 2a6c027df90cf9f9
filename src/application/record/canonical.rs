//! Canonical JSON (RFC 8785), within what every reader of JSON can carry.

use std::cell::RefCell;
use std::io;

use serde::Serialize;
use serde_json::ser::Serializer;
use thiserror::Error;

use super::sorting::Sorting;

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

/// The canonical JSON of a value, written in one pass.
///
/// serde_json writes numbers and strings as RFC 8785 wants them, within what is allowed here; what is left
/// to do is to put the members of objects in order.
pub fn canonical_json(value: &impl Serialize) -> Result<String, NotCanonical> {
    KEPT.with(|kept| match kept.try_borrow_mut() {
        Ok(mut kept) => write(value, &mut kept),
        // Somebody whose value is being written writes another one for it.
        Err(_) => write(value, &mut Sorting::default()),
    })
}

thread_local! {
    /// What a thread writes with, kept for the room it has.
    static KEPT: RefCell<Sorting> = RefCell::default();
}

fn write(value: &impl Serialize, text: &mut Sorting) -> Result<String, NotCanonical> {
    text.begin();
    let written = value.serialize(&mut Serializer::with_formatter(io::sink(), &mut *text));
    match (written, text.refusal.take()) {
        (Ok(()), _) => str::from_utf8(&text.out)
            .map(str::to_owned)
            .map_err(|error| NotCanonical::NotJson(serde::ser::Error::custom(error))),
        (Err(_), Some(refusal)) => Err(refusal),
        (Err(error), None) => Err(NotCanonical::NotJson(error)),
    }
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
    fn text_that_is_json_already_is_put_in_order() {
        let raw: Box<serde_json::value::RawValue> =
            serde_json::from_str(r#"{"b":{"z":"\u00e9","a":[{"d":1,"c":2}]}, "a":1}"#).unwrap();
        let text = canonical_json(&("x", &raw)).unwrap();
        assert_eq!(text, r#"["x",{"a":1,"b":{"a":[{"c":2,"d":1}],"z":"é"}}]"#);
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
