//! PostgreSQL with standbys: every server that can become primary has all acknowledged data, no game has two
//! histories, and writes resume within 30 seconds after a fault.
//!
//! `faults` is the short form: a primary, a synchronous standby, and one fault per test. `random` is the long
//! form, which `.ci/replicas.sh` runs: a Patroni cluster on three machines, and random faults.

mod faults;
mod machines;
mod pair;
mod random;
mod tables;
