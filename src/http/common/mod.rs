//! What several operations share.

pub(super) mod command;
pub(super) mod event_streams;
pub(super) mod histories;
