//! The program without an exporter of traces.

use std::sync::Arc;

use tracing_subscriber::layer::Identity;

use crate::cli::Failed;

/// Has no value, because `start` always refuses.
pub(in crate::cli) enum Traces {}

impl Traces {
    /// Refuses: an operator who names a collector expects traces there.
    pub(in crate::cli) fn start(endpoint: &str, _share: f64) -> Result<Traces, Failed> {
        Err(format!(
            "cannot send traces to {endpoint:?}: this program was built without the feature `traces`; releases have it"
        )
        .into())
    }

    #[cfg_attr(feature = "traces", expect(dead_code, reason = "the exporter takes its place"))]
    pub(in crate::cli) fn layer(&self) -> Identity {
        match *self {}
    }

    #[cfg_attr(feature = "traces", expect(dead_code, reason = "the exporter takes its place"))]
    pub(in crate::cli) fn refresh(&self) -> Arc<dyn Fn() + Send + Sync> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_refused_with_the_reason() {
        let refused = Traces::start("http://127.0.0.1:4318", 0.5).err().map(|error| error.to_string());
        let refused = refused.unwrap_or_default();
        assert!(refused.starts_with("cannot send traces to \"http://127.0.0.1:4318\""), "{refused}");
        assert!(refused.contains("without the feature `traces`"), "{refused}");
    }
}
