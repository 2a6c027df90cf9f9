//! Nodes as the processes they are, one or several on a database: nothing acknowledged is lost, nothing
//! happens twice, everybody at a table sees the same, and whatever dies comes back.

mod absences;
mod account_streams;
mod across;
mod audit;
mod backup;
mod client;
pub(crate) mod cluster;
mod cost;
mod crowds;
mod deletions;
mod dice;
mod driver;
mod eavesdropper;
mod failover;
mod failures;
mod frames;
mod inside;
mod kills;
mod namespace;
mod node;
mod promise;
mod proxy;
mod races;
mod shutdown;
mod site;
mod stale;
mod stalls;
mod streams;
mod synchronous;
mod table;
mod tables_per_host;
mod telemetry;
mod tls;
