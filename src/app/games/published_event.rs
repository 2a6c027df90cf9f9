//! An event as returned and streamed to clients.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use super::log_position::{HashTag, LogPosition};

#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct PublishedEvent {
    /// The event's number in the game, from 1.
    #[serde(skip)]
    pub seq: u64,
    /// Distinguishes it from another event with the same number.
    #[serde(skip)]
    pub tag: HashTag,
    /// The JSON text, shared between clients with the same view.
    pub text: Arc<RawValue>,
}

impl PublishedEvent {
    pub fn position(&self) -> LogPosition {
        LogPosition { seq: self.seq, tag: Some(self.tag) }
    }
}
