//! PostgreSQL with standbys: what was acknowledged is on every server that can become primary, no game has two
//! histories, and after a fault writes are back within 30 seconds.
//!
//! `faults` is the short form: a primary, a synchronous standby, and one fault for each test.

mod faults;
mod pair;
mod tables;
