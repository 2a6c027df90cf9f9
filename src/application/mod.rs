//! application

pub mod clock;
pub mod entropy;
pub mod ids;
mod mac;
