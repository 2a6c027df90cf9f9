//! Estimation: the server that card-game apps build on: its command line and its HTTP interface.
//!
//! The use cases are in `estimation_service`, the tables in `estimation_store`, the rules in
//! `estimation_engine`. ARCHITECTURE.md draws the map.

pub mod cli;
pub mod http;
