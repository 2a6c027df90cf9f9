//! Estimation: the server that card-game apps build on.
//!
//! One way down for every request: `http` → {`app`, `auth`} → {`engine`, `store`, `bots`}.
//! ARCHITECTURE.md draws the map; `tests/it/layers.rs` holds the arrows.

pub mod app;
pub mod auth;
pub mod cli;
pub mod http;
pub mod store;

pub use estimation_bots as bots;
pub use estimation_engine as engine;
