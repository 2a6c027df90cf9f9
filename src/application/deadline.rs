//! How long a request waits for the database.

pub use crate::store::deadline::{for_a_request, in_time, renew};
