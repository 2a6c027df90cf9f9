//! Reads a query as a type, up to the first fault.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Deserializer, Track};

use super::fault::{Fault, Reading};
use super::field_error;
use super::lenient::Lenient;
use estimation_service::base::field_error::FieldError;

/// Reads the parameters of a query. Each is given once.
///
/// # Errors
/// The first fault.
pub(in crate::http) fn read<T: DeserializeOwned>(query: &str) -> Result<T, FieldError> {
    let (reading, mut track) = (Reading::default(), Track::new());
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    T::deserialize(Deserializer::new(Lenient::new(pairs, &reading), &mut track)).map_err(|noted| {
        // A number or a truth value that cannot be parsed is an error of the deserializer.
        field_error(&track.path(), noted.fault.unwrap_or(Fault::WrongType), &reading)
    })
}
