//! Values with their JSON, which is written once and copied into each answer that contains it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A value that is part of many answers and does not change.
#[derive(Clone, Debug)]
pub struct Prerendered<T> {
    value: T,
    /// None for a value that serde_json cannot write; then each answer tries again and reports the error.
    json: Option<Box<RawValue>>,
}

impl<T: Serialize> Prerendered<T> {
    pub fn new(value: T) -> Prerendered<T> {
        let json = to_raw_value(&value).ok();
        Prerendered { value, json }
    }
}

impl<T> Deref for Prerendered<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> Serialize for Prerendered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.json {
            Some(json) => json.serialize(serializer),
            None => self.value.serialize(serializer),
        }
    }
}

/// The last value of a part that seldom differs from one answer to the next, with its JSON.
#[derive(Debug)]
pub struct LastPrerendered<T>(Mutex<Option<Arc<Prerendered<T>>>>);

impl<T> Default for LastPrerendered<T> {
    fn default() -> LastPrerendered<T> {
        LastPrerendered(Mutex::new(None))
    }
}

impl<T: PartialEq + Serialize> LastPrerendered<T> {
    /// The value with its JSON, which is written anew only if the value differs from the last one.
    pub fn write(&self, value: T) -> Arc<Prerendered<T>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(written) if **written.as_ref() == value => Arc::clone(written),
            _ => Arc::clone(last.insert(Arc::new(Prerendered::new(value)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_written_again_when_it_differs() {
        let part = LastPrerendered::default();
        let first = part.write(vec![1, 2]);
        assert!(Arc::ptr_eq(&first, &part.write(vec![1, 2])));
        assert_eq!(serde_json::to_string(&part.write(vec![3])).unwrap(), "[3]");
        assert_eq!(serde_json::to_string(&part.write(vec![1, 2])).unwrap(), "[1,2]");
    }

    #[test]
    fn the_json_is_that_of_the_value() {
        let written = Prerendered::new(vec!["a\"b", "ج"]);
        assert_eq!(serde_json::to_string(&[&written]).unwrap(), serde_json::to_string(&[&*written]).unwrap());
        assert_eq!(serde_json::to_value(&written).unwrap(), serde_json::json!(["a\"b", "ج"]));
    }
}
