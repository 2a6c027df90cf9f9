//! Estimation: the server that card-game apps build on.
//!
//! One way down for every request: `http` → `application` → {`engine`, `store`, `bots`}.
//! ARCHITECTURE.md draws the map; `tests/it/layers` holds the arrows.

pub mod application;
pub mod bots;
pub mod cli;
pub mod engine;
pub mod http;
pub mod store;
