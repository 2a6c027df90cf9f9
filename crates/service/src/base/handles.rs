//! Shared handles; each service clones those it needs.

use std::sync::Arc;

use super::clock::Clock;
use super::entropy::Entropy;
use super::metrics::Metrics;
use super::pacing::Pacer;
use estimation_store::Database;

#[derive(Clone)]
pub(crate) struct Handles {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) pacer: Arc<Pacer>,
}
