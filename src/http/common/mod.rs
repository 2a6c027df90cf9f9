//! What several operations share.

pub(super) mod access_pages;
pub(super) mod command;
pub(super) mod email_address;
pub(super) mod event_streams;
pub(super) mod evidence;
pub(super) mod histories;
pub(super) mod mailed_token;
pub(super) mod registration;
pub(super) mod second_step_code;
pub(super) mod tables;
