//! http

pub mod contract;
