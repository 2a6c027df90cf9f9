//! A JSON parser that records repeated fields and reads 2.0 as an integer.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::app::rulesets::integral;

/// A parsed JSON text.
pub struct Document {
    /// The last value of a repeated field wins.
    pub value: Value,
    /// The paths of the fields that are given more than once.
    pub repeated: Vec<String>,
}

impl Document {
    /// # Errors
    /// If the text is not JSON.
    pub fn read(text: &[u8]) -> Result<Document, serde_json::Error> {
        let mut reader = Reader { path: String::new(), repeated: Vec::new() };
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let value = reader.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(Document { value, repeated: reader.repeated })
    }
}

/// The path of a field within another.
pub fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

struct Reader {
    path: String,
    repeated: Vec<String>,
}

impl Reader {
    /// Reads a value at a path below the present one.
    fn below<T>(&mut self, path: String, read: impl FnOnce(&mut Reader) -> T) -> T {
        let above = std::mem::replace(&mut self.path, path);
        let value = read(self);
        self.path = above;
        value
    }
}

impl<'de> DeserializeSeed<'de> for &mut Reader {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(match integral(value) {
            Some(integer) => integer.into(),
            None => Number::from_f64(value).map_or(Value::Null, Value::Number),
        })
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = {
            let path = format!("{}[{}]", self.path, list.len());
            self.below(path, |reader| items.next_element_seed(reader))?
        } {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let path = joined(&self.path, &name);
            let value = self.below(path, |reader| fields.next_value_seed(reader))?;
            if object.insert(name.clone(), value).is_some() {
                self.repeated.push(joined(&self.path, &name));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_floats_are_integers_and_repeated_fields_are_noted() {
        let read = Document::read(br#"{"a":2.0,"b":[1e2,2.5,-0.0],"c":{"d":1,"d":2},"a":1e300}"#).unwrap();
        assert_eq!(read.value, serde_json::json!({"a": 1e300, "b": [100, 2.5, 0], "c": {"d": 2}}));
        assert_eq!(read.repeated, ["c.d", "a"]);
        assert!(Document::read(b"{} {}").is_err());
        assert!(Document::read("[".repeat(20_000).as_bytes()).is_err());
    }
}
