//! Reads a JSON text as a type, up to the first fault.

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::{Deserializer, Track};

use super::fault::{ErrorWithFault, Fault, Reading};
use super::field_error;
use super::lenient::Lenient;
use estimation_service::base::field_error::FieldError;

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
    let (reading, mut track) = (Reading::of_json(), Track::new());
    let mut json = serde_json::Deserializer::from_slice(text);
    match T::deserialize(Deserializer::new(Lenient::new(&mut json, &reading), &mut track)) {
        Ok(value) => json.end().map(|()| value).map_err(malformed),
        Err(ErrorWithFault { error, fault: None }) if error.classify() != Category::Data => {
            Err(malformed(error))
        }
        Err(ErrorWithFault { fault, .. }) => {
            Err(Unreadable::Invalid(field_error(&track.path(), fault.unwrap_or(Fault::WrongType), &reading)))
        }
    }
}

fn malformed(error: serde_json::Error) -> Unreadable {
    Unreadable::Malformed { line: error.line(), column: error.column() }
}
