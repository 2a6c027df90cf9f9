//! HTTP: parse, authenticate, answer. No rules here, and no SQL.

mod accounts;
mod address;
mod admin;
mod audit;
mod bearer;
mod body;
pub mod contract;
mod cors;
mod docs;
mod entity;
mod exchange;
mod fallback;
mod games;
mod matchmaking;
mod once;
mod pieces;
mod play;
mod players;
pub mod problem;
mod profile;
mod refusals;
mod rulesets;
mod seats;
mod server;
mod service;
mod sessions;
mod streams;

pub use address::{Network, NotANetwork};
pub use server::{ServerSettings, openapi, serve};
