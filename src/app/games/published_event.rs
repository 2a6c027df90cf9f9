//! An event as it is answered and streamed.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use super::log_position::{HashTag, LogPosition};

/// An event as a viewer may see it, written out.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct PublishedEvent {
    /// Its place in the game, from 1.
    #[serde(skip)]
    pub seq: u64,
    /// Enough of its hash to tell it from another event of that number.
    #[serde(skip)]
    pub tag: HashTag,
    /// All there is to see of it, as JSON. Those who see the same share it.
    pub text: Arc<RawValue>,
}

impl PublishedEvent {
    pub fn position(&self) -> LogPosition {
        LogPosition { seq: self.seq, tag: Some(self.tag) }
    }
}
