//! What every service uses: clock, entropy, ids, metrics, names, failures. It uses no other module of the crate.

pub mod clock;
pub mod clock_watch;
pub(crate) mod closing;
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
pub mod outages;
mod paced_job;
pub mod pacing;
pub(crate) mod pauses;
pub mod prerendered;
pub mod request;
pub mod request_ids;
