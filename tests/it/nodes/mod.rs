//! Nodes as the processes they are, one or several on a database: nothing acknowledged is lost, nothing
//! happens twice, everybody at a table sees the same, and whatever dies comes back.

mod absences;
mod account_streams;
mod across;
pub(crate) mod audit;
mod backup;
pub(crate) mod client;
pub(crate) mod cluster;
mod cost;
mod crowds;
mod deletions;
pub(crate) mod dice;
pub(crate) mod driver;
mod eavesdropper;
mod failover;
mod failures;
mod frames;
mod full_disk;
mod inside;
pub(crate) mod kills;
pub(crate) mod ledger;
mod namespace;
pub(crate) mod node;
mod promise;
mod proxy;
mod races;
mod replaced;
mod shutdown;
pub(crate) mod site;
mod stale;
pub(crate) mod stalls;
mod streams;
mod synchronous;
mod table;
mod tables_per_host;
mod telemetry;
mod tls;
