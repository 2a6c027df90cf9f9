//! What serde finds wrong, as data: the errors of deserializers have a text alone.

use std::cell::Cell;
use std::fmt::{self, Display};

use serde::de::{Error, Expected, Unexpected};

/// What is wrong with a field or its value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// An object lacks this field.
    Missing(&'static str),
    /// An object has this field more than once.
    Repeated(&'static str),
    Unknown,
    WrongType,
    OutOfRange,
    /// The value is none of these.
    NotAChoice(&'static [&'static str]),
    /// The type of the field refuses the value.
    Refused,
}

/// An error of a deserializer, with its fault. Without one, the deserializer itself could not go on: what it reads is malformed, or
/// has another type.
#[derive(Debug)]
pub(super) struct ErrorWithFault<E> {
    pub(super) error: E,
    pub(super) fault: Option<Fault>,
}

impl<E: Error> ErrorWithFault<E> {
    fn new(fault: Fault) -> ErrorWithFault<E> {
        ErrorWithFault { error: E::custom(""), fault: Some(fault) }
    }
}

impl<E: Error> Error for ErrorWithFault<E> {
    fn custom<T: Display>(_: T) -> ErrorWithFault<E> {
        ErrorWithFault::new(Fault::Refused)
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> ErrorWithFault<E> {
        ErrorWithFault::new(Fault::WrongType)
    }

    fn invalid_value(value: Unexpected<'_>, _: &dyn Expected) -> ErrorWithFault<E> {
        ErrorWithFault::new(match value {
            Unexpected::Signed(_) | Unexpected::Unsigned(_) => Fault::OutOfRange,
            _ => Fault::Refused,
        })
    }

    fn unknown_variant(_: &str, choices: &'static [&'static str]) -> ErrorWithFault<E> {
        ErrorWithFault::new(Fault::NotAChoice(choices))
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> ErrorWithFault<E> {
        ErrorWithFault::new(Fault::Unknown)
    }

    fn missing_field(name: &'static str) -> ErrorWithFault<E> {
        ErrorWithFault::new(Fault::Missing(name))
    }

    fn duplicate_field(name: &'static str) -> ErrorWithFault<E> {
        ErrorWithFault::new(Fault::Repeated(name))
    }
}

impl<E: Error> Display for ErrorWithFault<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.fault, self.error)
    }
}

impl<E: Error> std::error::Error for ErrorWithFault<E> {}

/// How far the reading of a request is.
#[derive(Default)]
pub(super) struct Reading {
    /// Whether it is JSON. Otherwise it is a query, whose values are all texts.
    pub(super) is_json: bool,
    /// The fault that the deserializer is told of as an error.
    fault: Cell<Option<Fault>>,
    /// The JSON type that is wanted, as in "an integer".
    pub(super) wanted: Cell<&'static str>,
    /// Whether the last value is a number.
    pub(super) is_number: Cell<bool>,
}

impl Reading {
    pub(super) fn of_json() -> Reading {
        Reading { is_json: true, ..Reading::default() }
    }

    /// Keeps the fault while its error passes through the deserializer.
    pub(super) fn keep<E>(&self, noted: ErrorWithFault<E>) -> E {
        self.fault.set(noted.fault);
        noted.error
    }

    /// Adds the kept fault to the error that has passed.
    pub(super) fn note<E>(&self, error: E) -> ErrorWithFault<E> {
        ErrorWithFault { error, fault: self.fault.take() }
    }
}
