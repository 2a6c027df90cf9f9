//! application

pub mod clock;
pub mod entropy;
pub mod fairness;
pub mod ids;
pub mod keys;
mod mac;
pub mod passwords;
pub mod record;
pub mod tokens;
