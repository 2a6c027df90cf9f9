//! The hash chain: each event's hash covers the stored text of the event and, through the hash before it,
//! everything that went before.

pub use crate::store::{GENESIS, chain};
