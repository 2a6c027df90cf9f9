//! A JSON parser that records repeated fields and reads 2.0 as an integer.

use std::fmt::{self, Write as _};

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::MOST_ERRORS;
use estimation_service::rulesets::integral;

/// A parsed JSON text.
pub struct Document {
    /// The last value of a repeated field wins.
    pub value: Value,
    /// The paths of the first [`MOST_ERRORS`] fields that are given more than once.
    pub repeated: Vec<String>,
    /// Whether parts of the text were left out, because no operation takes as many or as long ones.
    pub is_cut: bool,
    /// Whether fields are among these parts.
    pub lacks_fields: bool,
}

/// The most fields of an object, and the most items of a list, that are kept. No operation takes as many.
const MOST_KEPT: usize = 128;

/// The most characters of a text that are kept. No operation takes as many.
const LONGEST_KEPT: usize = 300;

/// The same for a text in ASCII, as tokens and URLs are, and one more, which is too long for each of them: to quote it, as the errors of serde do, takes little time.
const LONGEST_ASCII: usize = 4_097;

impl Document {
    /// # Errors
    /// If the text is not JSON.
    pub fn read(text: &[u8]) -> Result<Document, serde_json::Error> {
        let mut reader =
            Reader { path: String::new(), repeated: Vec::new(), is_cut: false, lacks_fields: false };
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let value = reader.deserialize(&mut deserializer)?;
        deserializer.end()?;
        let Reader { repeated, is_cut, lacks_fields, .. } = reader;
        Ok(Document { value, repeated, is_cut, lacks_fields })
    }
}

/// The path of a field within another.
pub fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

struct Reader {
    /// The path of the value that is being read.
    path: String,
    repeated: Vec<String>,
    is_cut: bool,
    lacks_fields: bool,
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
        let longest = if value.is_ascii() { LONGEST_ASCII } else { LONGEST_KEPT };
        let end = value.char_indices().nth(longest).map(|(end, _)| end);
        self.is_cut |= end.is_some();
        Ok(end.and_then(|end| value.get(..end)).unwrap_or(value).into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let above = self.path.len();
        let mut list = Vec::new();
        loop {
            if list.len() >= MOST_KEPT {
                while items.next_element::<IgnoredAny>()?.is_some() {
                    self.is_cut = true;
                }
                return Ok(Value::Array(list));
            }
            write!(self.path, "[{}]", list.len()).map_err(A::Error::custom)?;
            let item = items.next_element_seed(&mut *self)?;
            self.path.truncate(above);
            match item {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let above = self.path.len();
        let mut object = Map::new();
        while object.len() < MOST_KEPT
            && self.repeated.len() < MOST_ERRORS
            && let Some(name) = fields.next_key::<String>()?
        {
            if above > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            let value = fields.next_value_seed(&mut *self)?;
            if object.insert(name, value).is_some() && self.repeated.len() < MOST_ERRORS {
                self.repeated.push(self.path.clone());
            }
            self.path.truncate(above);
        }
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            self.is_cut = true;
            self.lacks_fields = true;
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
        assert!(!read.is_cut);
        assert!(Document::read(b"{} {}").is_err());
        assert!(Document::read("[".repeat(20_000).as_bytes()).is_err());
    }

    #[test]
    fn the_rest_of_a_long_list_or_object_is_left_out() {
        let fields: String = (0..200).map(|number| format!("\"a{number}\":1,")).collect();
        for (text, length) in [
            (format!("[{}1]", "1,".repeat(200)), MOST_KEPT),
            (format!("[{}1]", "1,".repeat(MOST_KEPT)), MOST_KEPT),
            (format!("{{{fields}\"z\":1}}"), MOST_KEPT),
            (format!("{{{}\"z\":1}}", "\"a\":1,".repeat(200)), 1),
        ] {
            let read = Document::read(text.as_bytes()).unwrap();
            let kept = read.value.as_array().map_or_else(|| read.value.as_object().unwrap().len(), Vec::len);
            assert!(read.is_cut && kept == length, "{text}");
        }
        let text = format!("\"{}\"", "🂡".repeat(LONGEST_KEPT + 1));
        let read = Document::read(text.as_bytes()).unwrap();
        assert!(read.is_cut && !read.lacks_fields && read.value == "🂡".repeat(LONGEST_KEPT));
        let token = format!("\"{}\"", "a".repeat(LONGEST_ASCII));
        assert!(!Document::read(token.as_bytes()).unwrap().is_cut);
        let longer = format!("\"{}\"", "a".repeat(LONGEST_ASCII + 1));
        assert!(Document::read(longer.as_bytes()).unwrap().is_cut);
        let whole = format!("[{}1]", "1,".repeat(MOST_KEPT - 1));
        assert!(!Document::read(whole.as_bytes()).unwrap().is_cut);
        assert!(Document::read(format!("[{}x]", "1,".repeat(200)).as_bytes()).is_err());
    }
}
