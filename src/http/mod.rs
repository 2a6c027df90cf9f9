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
mod once;
mod pieces;
mod play;
pub mod problem;
mod profile;
mod refusals;
mod rulesets;
mod server;
mod service;
mod sessions;
mod spec;
mod streams;

pub use address::{Network, NotANetwork};
pub use server::{ServerSettings, serve};
pub use spec::{openapi, openapi_text};
