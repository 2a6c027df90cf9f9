//! Forms of values that are narrower than their types: ids and numbers have one spelling.

use serde::de::Error;
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
