//! What most tests use.

pub use std::fs;

pub use estimation_engine::hex::Hex;
pub use estimation_engine::ruleset::{Ruleset, RulesetId};
pub use estimation_record::LogEntry;
pub use estimation_test_support::log::{Signatory, TestLog};
pub use estimation_test_support::made::{self, Made};
pub use jiff::SignedDuration;
pub use serde_json::{Value, json};
pub use tempfile::TempDir;

pub use crate::program::{Ran, now, run};
pub use crate::server::{ORIGIN, Service, log};
