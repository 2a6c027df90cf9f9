//! What most tests use.

pub use std::collections::{BTreeMap, BTreeSet};
pub use std::fs;
pub use std::path::{Path, PathBuf};
pub use std::sync::Arc;
pub use std::time::{Duration, Instant};

pub use estimation_service::services::App;
pub use estimation_test_support::Random;
pub use futures_util::future::join_all;
pub use jiff::{SignedDuration, Timestamp};
pub use reqwest::Method;
pub use serde_json::{Value, json};
pub use tempfile::TempDir;

pub use crate::databases::{Backend, Outsider, TestDatabase};
pub(crate) use crate::databases::{on_both, on_sqlite_first};
pub use crate::harness::client::{Answer, Client, Request};
pub use crate::harness::node::{Node, run};
pub use crate::harness::table::{Player, Table};
pub use crate::http::service::{PASSWORD, Service, Setup};
pub use crate::nodes::site::Site;
pub use crate::patience::{PATIENCE, eventually, found};
