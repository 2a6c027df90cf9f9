//! Reads a JSON text as a type, up to the first fault.

use std::cell::Cell;

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::{Deserializer, Track};

use super::lenient::{Lenient, Scalar};
use super::unreadable;
use estimation_service::base::field_error::{FieldCode, FieldError};

/// Why a text cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    /// It is not JSON.
    Malformed { line: usize, column: usize },
    /// It is not what the type takes.
    Invalid(FieldError),
}

/// Reads a JSON text. An object has each field once, an enum is a text, and 2.0 is an integer, as JSON Schema has it.
///
/// # Errors
/// The first fault.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, Unreadable> {
    let (last, mut track) = (Cell::new(Scalar::Other), Track::new());
    let mut json = serde_json::Deserializer::from_slice(text);
    let read = T::deserialize(Deserializer::new(Lenient::new(&mut json, &last), &mut track));
    read.and_then(|value| json.end().map(|()| value)).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        if error.classify() != Category::Data {
            return Unreadable::Malformed { line, column };
        }
        let otherwise = match last.get() {
            Scalar::Number => FieldCode::OutOfRange,
            Scalar::Other => FieldCode::WrongFormat,
        };
        let message = error.to_string();
        let position = format!(" at line {line} column {column}");
        let message = message.strip_suffix(&position).unwrap_or(&message);
        Unreadable::Invalid(unreadable(&track.path(), message, otherwise))
    })
}
