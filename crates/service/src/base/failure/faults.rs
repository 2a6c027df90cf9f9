//! Failures because of the fields of a request.

use std::borrow::Cow;
use std::fmt::Display;

use thiserror::Error;

use super::Failure;
use crate::base::field_error::{FieldCode, FieldError, FieldErrors};

/// What is wrong with one field of a request. Its text starts with the field, as in "`/seat` must be 0 to 3".
pub trait Fault: Display {
    fn field_error(&self) -> FieldError;

    /// The failure with these errors, of which this fault caused the first.
    fn failure(self, errors: FieldErrors) -> Failure;
}

/// A field that is missing, out of range, or contradicts another.
#[derive(Debug, Error)]
#[error("`{field}` {reason}")]
pub struct FieldFault {
    /// As in [`FieldError`].
    pub field: Cow<'static, str>,
    pub code: FieldCode,
    /// Continues a sentence that starts with the field.
    pub reason: String,
}

impl FieldFault {
    pub fn new(
        field: impl Into<Cow<'static, str>>,
        code: FieldCode,
        reason: impl Into<String>,
    ) -> FieldFault {
        FieldFault { field: field.into(), code, reason: reason.into() }
    }
}

impl Fault for FieldFault {
    fn field_error(&self) -> FieldError {
        FieldError::new(self.field.as_ref(), self.code, &self.reason)
    }

    fn failure(self, errors: FieldErrors) -> Failure {
        let field = self.field.into_owned();
        match self.code {
            FieldCode::OtherList => Failure::MalformedQuery { parameter: Some(field), errors: Some(errors) },
            _ => Failure::InvalidField { errors, field, reason: self.reason },
        }
    }
}

/// All that is wrong with the fields of a request: at least one fault.
#[derive(Debug)]
pub struct Faults<F>(Vec<F>);

impl<F> From<F> for Faults<F> {
    fn from(fault: F) -> Faults<F> {
        Faults(vec![fault])
    }
}

impl<F: Fault> Faults<F> {
    /// Fails with all given faults, if any.
    pub fn refuse(faults: Vec<F>) -> Result<(), Faults<F>> {
        if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
    }

    /// Combines faults. There must be at least one.
    pub fn several(faults: Vec<F>) -> Faults<F> {
        Faults(faults)
    }
}

/// The first fault decides the code.
impl<F: Fault> From<Faults<F>> for Failure {
    fn from(faults: Faults<F>) -> Failure {
        let errors = FieldErrors::new(faults.0.iter().map(Fault::field_error).collect());
        match faults.0.into_iter().next() {
            Some(first) => first.failure(errors),
            None => Failure::Defect("wrong fields, and none".to_owned()),
        }
    }
}

impl From<FieldFault> for Failure {
    fn from(fault: FieldFault) -> Failure {
        Faults::from(fault).into()
    }
}

impl Failure {
    /// A failure about one field; `reason` continues a sentence that starts with the field.
    pub fn field(field: impl Into<Cow<'static, str>>, code: FieldCode, reason: impl Into<String>) -> Failure {
        FieldFault::new(field, code, reason).into()
    }
}
