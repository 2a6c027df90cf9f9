//! The small handles that services share: each clones those that it needs.

use std::sync::Arc;

use super::clock::Clock;
use super::entropy::Entropy;
use super::metrics::Metrics;
use crate::store::Database;

/// What services are built on.
#[derive(Clone)]
pub(crate) struct Handles {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
}
