//! Forms of values that are narrower than their types: ids and numbers have one spelling.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

/// The largest integer that all JSON parsers read alike.
const LARGEST: u64 = (1 << 53) - 1;

/// Parses an id: a UUID in lower case with hyphens.
pub(crate) fn id(text: &str) -> Option<Uuid> {
    text.parse().ok().filter(|id: &Uuid| id.to_string() == text)
}

/// Reads an id in its one spelling.
pub(crate) fn only_id<'de, D: Deserializer<'de>>(reader: D) -> Result<Uuid, D::Error> {
    let text = String::deserialize(reader)?;
    id(&text).ok_or_else(|| D::Error::custom("expected a UUID in lower case with hyphens"))
}

/// Reads a number that all JSON parsers read alike.
pub(crate) fn safe_number<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(reader)?;
    if number <= LARGEST { Ok(number) } else { Err(D::Error::custom("expected an integer up to 2^53 - 1")) }
}

/// Reads a list of texts that has a largest length. A longer one is not read to its end.
pub(crate) fn at_most<'de, const N: usize, D: Deserializer<'de>>(reader: D) -> Result<Vec<String>, D::Error> {
    struct Texts<const N: usize>;

    impl<'de, const N: usize> Visitor<'de> for Texts<N> {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {N} texts")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
            let mut texts = Vec::new();
            while let Some(text) = items.next_element()? {
                if texts.len() == N {
                    return Err(A::Error::invalid_length(N + 1, &self));
                }
                texts.push(text);
            }
            Ok(texts)
        }
    }

    reader.deserialize_seq(Texts::<N>)
}
