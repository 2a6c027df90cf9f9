//! The store: the only crate with SQL on the tables, and the only one that distinguishes the two databases.
//!
//! [`Database`] reads on pooled connections off the event loop and writes through one thread that batches.
//! The append-only log of events is the source of truth; the other tables are derived from it or hold
//! accounts, sessions and settings. The store uses neither the process clock nor randomness, and contains no
//! game rules: callers pass times, ids and hashes.

mod any_connection;
mod backup;
mod checkpoint;
mod columns;
mod connection;
mod database;
mod error;
mod heads;
mod node_messages;
mod pool;
mod postgres_server;
mod schema;
mod shared_work;
mod sqlite;
mod url;
mod writer;

pub mod account_changes;
pub mod account_games;
pub mod accounts;
pub mod adopted_heads;
pub mod attempts;
pub mod audit_accesses;
pub mod break_offs;
pub mod checked_backups;
pub mod contradictions;
pub mod email_addresses;
pub mod ended_games;
pub mod event_reads;
pub mod foreign_rows;
pub mod games;
pub mod idempotency;
pub mod identities;
pub mod invitations;
pub mod mails;
pub mod matchmaking;
pub mod migrations;
pub mod moderation;
pub mod notifications;
pub mod packed;
pub mod people_settings;
pub mod players;
pub mod presence;
pub mod public_log;
pub mod push_subscriptions;
pub mod ratings;
pub mod reactions;
pub mod recovery_codes;
pub mod refresh_tokens;
pub mod relations;
pub mod reports;
pub mod request;
pub mod results;
pub mod role;
pub mod role_grants;
pub mod sealed_keys;
pub mod second_steps;
pub mod seeds;
pub mod sessions;
pub mod snapshots;
pub mod triggers;

use estimation_engine::player::AccountId;
use estimation_record::RecordTime;

pub use any_connection::AnyConnection as Connection;
pub use backup::{BackupError, backup};
pub use columns::{Binding, GameId, Id};
pub use database::{Database, Settings};
pub use error::{Result, StoreError};
pub use estimation_postgres::PgConnection;
pub use estimation_record::{GENESIS, Hash, chain};
pub use node_messages::{NodeMessage, NodeMessages};
pub use postgres_server::{
    NODE_CONNECTIONS, PostgresServer, ServerSettings, Standbys, postgres_server, replayed_until,
    server_settings, server_time, standbys,
};
pub use sqlite::DiskSpace;
pub use url::{DatabaseUrl, PostgresUrl, UrlError};
pub use writer::{
    Append, AppendResult, Authority, BatchSize, Effect, Server, SessionAuthority, StoreObserver, UnitError,
    UnitFailure, Unobserved, WriteOutcomes, WriteRefusal,
};
