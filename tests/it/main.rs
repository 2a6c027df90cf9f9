#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on should fail, and may say why"
)]

mod audit;
mod certificates;
mod command_line;
mod config;
mod contract;
mod databases;
mod documents;
mod drive;
mod fuzz;
mod guide;
mod harness;
mod http;
mod identities;
mod layers;
mod locales;
mod mail;
mod nodes;
mod notifications;
mod patience;
mod people;
mod prelude;
mod public_log;
mod readme;
mod replicas;
mod rule_tables;
mod small_disk;
mod store;
mod web;
