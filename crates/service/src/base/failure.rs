//! Failures that every service has. A service adds its own in an enum that contains this one; `http` maps each to a
//! status.

use std::borrow::Cow;

use jiff::Timestamp;
use thiserror::Error;
use uuid::Uuid;

use super::field_error::{Faults, FieldCode, FieldFault};
use estimation_record::{NotARecordTime, NotCanonical};
pub use estimation_store::StoreError;
use estimation_store::UnitError;

/// Why a use case failed. Nothing has changed.
#[derive(Debug, Error)]
pub enum Failure {
    /// It does not exist, or the caller may not know of it.
    #[error("there is no such {what}")]
    NotFound { what: &'static str },
    /// It exists, but the caller may not know of it. Answered like [`Failure::NotFound`]; the security log
    /// distinguishes the two.
    #[error("there is no such {what}")]
    Withheld { what: &'static str },
    /// Fields of the request are missing, out of range, or contradict others.
    #[error(transparent)]
    Fields(#[from] Faults<FieldFault>),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("defect: {0}")]
    Defect(String),
}

impl Failure {
    /// A failure about one field; `reason` continues a sentence that starts with the field.
    pub fn field(field: impl Into<Cow<'static, str>>, code: FieldCode, reason: impl Into<String>) -> Failure {
        Failure::Fields(FieldFault::new(field, code, reason).into())
    }
}

impl UnitError for Failure {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            Failure::Store(error) => Some(error),
            _ => None,
        }
    }
}

impl From<NotCanonical> for Failure {
    fn from(error: NotCanonical) -> Failure {
        Failure::Defect(error.to_string())
    }
}

impl From<NotARecordTime> for Failure {
    fn from(error: NotARecordTime) -> Failure {
        Failure::Defect(error.to_string())
    }
}

/// Conversions into a service's failure: from what a common failure is made of, and from the failures of the services
/// that it uses. What is common in those stays common.
macro_rules! conversions {
    ($failure:ident $(, $variant:ident($used:ident))*) => {
        $crate::base::failure::conversions!(@common $failure:
            estimation_store::StoreError,
            estimation_record::NotCanonical,
            estimation_record::NotARecordTime,
            $crate::base::field_error::Faults<$crate::base::field_error::FieldFault>,
        );
        impl estimation_store::UnitError for $failure {
            fn store_error(&self) -> Option<&estimation_store::StoreError> {
                match self {
                    $failure::Common(common) => common.store_error(),
                    _ => None,
                }
            }
        }
        $(
            impl From<$used> for $failure {
                fn from(failure: $used) -> $failure {
                    match failure {
                        $used::Common(common) => $failure::Common(common),
                        failure => $failure::$variant(failure),
                    }
                }
            }
        )*
    };
    (@common $failure:ident: $($source:ty,)*) => {
        $(
            impl From<$source> for $failure {
                fn from(error: $source) -> $failure {
                    $failure::Common(error.into())
                }
            }
        )*
    };
}
pub(crate) use conversions;

/// A time as stored: milliseconds since 1970, UTC.
pub(crate) fn milliseconds(time: Timestamp) -> i64 {
    time.as_millisecond()
}

pub(crate) fn stored_id(text: &str) -> Result<Uuid, Failure> {
    text.parse().map_err(|_| Failure::Defect(format!("{text:?} is no id")))
}
