//! Reads a query as a type, up to the first fault.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Deserializer, Track};

use super::unreadable;
use estimation_service::base::field_error::{FieldCode, FieldError};

/// Reads the parameters of a query. Each is given once.
///
/// # Errors
/// The first fault.
pub(in crate::http) fn read<T: DeserializeOwned>(query: &str) -> Result<T, FieldError> {
    let mut track = Track::new();
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    // The refusals of types name their code. Another text is that of a number or a truth value that cannot be parsed.
    T::deserialize(Deserializer::new(pairs, &mut track))
        .map_err(|error| unreadable(&track.path(), &error.to_string(), FieldCode::WrongType))
}
