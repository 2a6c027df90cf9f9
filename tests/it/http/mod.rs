//! The service over real HTTP: a server on a port of its own, clients with tokens, on both databases.
//!
//! Every answer that any of these tests receives is held against the published spec ([`spec`]): an
//! undocumented status, a body the schema does not allow or a problem without its members is a failure.

mod accounts;
mod bodies;
mod calculator;
mod client;
mod dice;
mod fair_deals;
mod idempotency;
mod lobby;
mod moves;
mod playthrough;
mod printed_example;
mod problems;
mod record;
mod refresh;
mod requests;
mod restart;
mod rulesets;
mod score_command;
mod secrets;
mod service;
mod spec;
mod table;
mod tokens;
mod versions;
mod whole_games;
