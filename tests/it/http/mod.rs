//! The service over real HTTP: a server on a port of its own, clients with tokens, on both databases.
//!
//! Every answer that any of these tests receives is held against the published spec ([`spec`]): an
//! undocumented status, a body the schema does not allow or a problem without its members is a failure.

mod bodies;
mod client;
mod dice;
mod fair_deals;
mod guests;
mod idempotency;
mod playthrough;
mod printed_example;
mod profile;
mod record;
mod requests;
mod roles;
mod secrets;
mod service;
mod sessions;
mod spec;
mod table;
mod versions;
mod whole_games;
