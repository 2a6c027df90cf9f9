//! What is wrong with a request, field by field.
//!
//! A valid request is deserialised directly into its type. Only an invalid one is parsed again as JSON and validated
//! against the operation's schemas in the published spec, which finds all wrong fields at once. Rules that no schema
//! can express come from the use case ([`Body::faults`]).
//!
//! A worker explains a request itself, so the work has a limit: [`Document`] cuts what no operation takes, and an answer has at
//! most `MOST_ERRORS` errors.

mod document;
mod explain;
mod schemas;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use self::document::Document;
pub use self::schemas::faults_by;
use self::schemas::{Part, schemas};
use estimation_service::base::field_error::{Fault, FieldCode, FieldError};

/// The most errors in one answer.
pub const MOST_ERRORS: usize = 20;

/// The body of an operation.
pub trait Body: DeserializeOwned {
    /// Faults of the given fields that no schema can express.
    fn faults(_fields: &Map<String, Value>) -> Vec<FieldError> {
        Vec::new()
    }
}

/// Why a body cannot be read.
pub enum Unreadable {
    /// It is not JSON.
    Malformed(serde_json::Error),
    /// It does not match the operation's schema.
    Invalid(Document),
}

/// The faults that a use case found, as errors of the answer.
pub(super) fn errors_of<F: Fault>(faults: &[F]) -> Vec<FieldError> {
    faults.iter().map(Fault::field_error).collect()
}

pub(super) fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name).and_then(Value::as_str)
}

/// Reads a body that could not be deserialised directly. 2.0 is taken as 2, since JSON Schema calls both
/// integers.
pub(super) fn read_again<T: Body>(text: &[u8]) -> Result<T, Unreadable> {
    let document = Document::read(text).map_err(Unreadable::Malformed)?;
    deserialized(&document).ok_or(Unreadable::Invalid(document))
}

/// Reads the body of an operation from parsed JSON.
///
/// # Errors
/// Every field that is wrong.
pub fn read_value<T: Body>(operation: &str, document: Document) -> Result<T, Vec<FieldError>> {
    deserialized(&document).ok_or_else(|| explain::<T>(operation, document))
}

fn deserialized<T: Body>(document: &Document) -> Option<T> {
    // Serde would also take an array of the fields' values.
    let is_readable = document.repeated.is_empty() && !document.is_cut && document.value.is_object();
    if is_readable { T::deserialize(&document.value).ok() } else { None }
}

/// What is wrong with the body of an operation that could not be deserialised.
pub(super) fn explain<T: Body>(operation: &str, document: Document) -> Vec<FieldError> {
    let Document { value, repeated, lacks_fields, .. } = document;
    let mut errors: Vec<FieldError> = repeated
        .into_iter()
        .map(|field| FieldError::new(field, FieldCode::Repeated, "is given more than once"))
        .collect();
    errors.extend(schemas().faults(operation, Part::Body, &value));
    if lacks_fields {
        // What is missing may have been left out.
        errors.retain(|error| error.code != FieldCode::Missing);
    }
    if let Value::Object(fields) = &value {
        errors.extend(T::faults(fields));
    }
    if errors.is_empty() {
        errors.push(FieldError::new("", FieldCode::WrongFormat, "is not what this operation takes"));
    }
    sorted(errors)
}

/// Reads the schemas, which otherwise happens when the first invalid request arrives. It takes longer than a worker may
/// spend on a request.
pub fn prepare() {
    schemas();
}

/// What is wrong with the parameters of a query.
pub(super) fn query_faults(operation: &str, pairs: &[(String, String)]) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut fields = Map::new();
    // No operation has as many parameters.
    for (name, text) in pairs.iter().take(4 * MOST_ERRORS) {
        let value = schemas().typed(operation, Part::Query, name, text);
        if fields.insert(name.clone(), value).is_some() {
            errors.push(FieldError::new(name, FieldCode::Repeated, "is given more than once"));
        }
    }
    errors.extend(schemas().faults(operation, Part::Query, &Value::Object(fields)));
    sorted(errors)
}

/// What is wrong with the parameters of a path.
pub(super) fn path_faults<'a>(
    operation: &str,
    parameters: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<FieldError> {
    let parameters = parameters
        .map(|(name, text)| (name.to_owned(), schemas().typed(operation, Part::Path, name, text)))
        .collect();
    sorted(schemas().faults(operation, Part::Path, &Value::Object(parameters)))
}

/// Sorts by field and keeps the first error of each field.
fn sorted(mut errors: Vec<FieldError>) -> Vec<FieldError> {
    errors.sort_by(|a, b| a.field.cmp(&b.field));
    errors.dedup_by(|next, kept| next.field == kept.field);
    errors
}

/// The member `errors` of a problem: every field that is wrong, at most [`MOST_ERRORS`].
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    pub fn new(mut errors: Vec<FieldError>) -> FieldErrors {
        errors.truncate(MOST_ERRORS);
        FieldErrors(errors)
    }

    /// The first wrong field; none for the body as a whole.
    pub fn first_field(&self) -> Option<String> {
        self.0.first().map(|first| first.field.clone()).filter(|field| !field.is_empty())
    }

    /// None if there are no errors.
    pub fn some(self) -> Option<FieldErrors> {
        (!self.0.is_empty()).then_some(self)
    }

    /// The sentences of all errors; `otherwise` if there are none.
    pub fn detail_or(&self, otherwise: impl Into<String>) -> String {
        if self.0.is_empty() {
            return otherwise.into();
        }
        let sentences: Vec<&str> = self.0.iter().map(|error| error.detail.as_str()).collect();
        sentences.join(" ")
    }
}
