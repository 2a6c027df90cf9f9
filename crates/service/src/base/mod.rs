//! What every service uses: clock, entropy, ids, metrics, names, failures. It uses no other module of the crate.

pub mod clock;
pub mod clock_watch;
pub(crate) mod completion;
pub(crate) mod cursor;
pub mod entropy;
pub mod failure;
pub mod field_error;
pub mod ids;
pub(crate) mod jws;
pub mod live;
pub mod locale;
pub mod metrics;
pub mod names;
pub mod network;
pub mod pacing;
pub(crate) mod pauses;
pub mod prerendered;

/// The deadline of a request, and whether it has changed anything.
pub use estimation_store::request;
