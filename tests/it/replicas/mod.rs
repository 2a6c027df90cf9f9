//! PostgreSQL with standbys: what was acknowledged is on every server that can become primary, no game has two
//! histories, and after a fault writes are back within 30 seconds.
//!
//! `faults` is the short form: a primary, a synchronous standby, and one fault for each test.
//! `random` is the long form, which `.ci/replicas.sh` runs: a Patroni cluster on three machines, and faults at random.

mod faults;
mod machines;
mod pair;
mod random;
mod tables;
