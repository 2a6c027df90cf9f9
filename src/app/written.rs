//! A value with its JSON, which is written once and copied into each answer that contains it.

use std::ops::Deref;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A value that is part of many answers and does not change.
#[derive(Clone, Debug)]
pub struct Written<T> {
    value: T,
    /// None for a value that serde_json cannot write; then each answer tries again and reports the error.
    json: Option<Box<RawValue>>,
}

impl<T: Serialize> Written<T> {
    pub fn new(value: T) -> Written<T> {
        let json = to_raw_value(&value).ok();
        Written { value, json }
    }
}

impl<T> Deref for Written<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.json {
            Some(json) => json.serialize(serializer),
            None => self.value.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_is_that_of_the_value() {
        let written = Written::new(vec!["a\"b", "ج"]);
        assert_eq!(serde_json::to_string(&[&written]).unwrap(), serde_json::to_string(&[&*written]).unwrap());
        assert_eq!(serde_json::to_value(&written).unwrap(), serde_json::json!(["a\"b", "ج"]));
    }
}
