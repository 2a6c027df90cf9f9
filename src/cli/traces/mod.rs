//! Traces for an OpenTelemetry collector. A program without the feature `traces` refuses to start with a collector.

#[cfg(any(test, not(feature = "traces")))]
mod absent;
#[cfg(feature = "traces")]
mod exporter;

#[cfg(not(feature = "traces"))]
pub(super) use absent::Traces;
#[cfg(feature = "traces")]
pub(super) use exporter::Traces;
