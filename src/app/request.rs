//! A request, as the database knows it: until when it waits, and whether it has changed anything.

pub use crate::store::request::{in_time, renew, run};
