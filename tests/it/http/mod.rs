//! The service over real HTTP: a server on its own port, clients with tokens, on both databases.
//!
//! Each answer is checked against the published spec ([`spec`]): an undocumented status, a body outside its
//! schema, or a problem without its members fails the test.

mod accounts;
mod anonymous_histories;
mod attendance;
mod authorization;
mod bodies;
mod bots;
mod break_offs;
mod browsers;
mod calculator;
mod client_seeds;
mod compressed_histories;
mod compressed_streams;
mod connections;
mod documentation;
mod examples;
mod field_errors;
mod floods;
mod guests;
mod hints;
mod home_streams;
mod idempotency;
mod keys;
mod limits;
mod listening;
mod lobby;
mod login_timing;
mod logs;
mod long_lobbies;
mod matchmaking;
mod metrics;
mod missed_openings;
mod moves;
mod names;
mod operations;
mod players;
mod playthrough;
mod printed_example;
mod problems;
mod profile;
pub mod published;
mod rates;
pub(crate) mod ratings;
mod raw;
mod record;
mod refresh;
mod requests;
mod restart;
mod roles;
mod rulesets;
mod score_command;
mod secrets;
pub mod service;
mod sessions;
pub mod spec;
mod stream_connections;
mod table;
mod tables_per_host;
mod tokens;

pub mod traffic;
mod turns;
mod versions;
mod web_app;
mod whole_games;
