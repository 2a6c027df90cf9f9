//! Nodes as processes, one or several on a database: acknowledged data survives, nothing happens twice, all
//! players at a table see the same, and every node can restart.

mod absences;
mod account_streams;
mod across;
pub(crate) mod audit;
mod backup;
mod bots;
mod check;
pub(crate) mod cluster;
mod cost;
mod crowds;
mod deletions;
pub(crate) mod driver;
mod eavesdropper;
mod failover;
mod failures;
pub(crate) mod frames;
mod full_disk;
mod hang_ups;
mod inside;
pub(crate) mod kills;
pub(crate) mod ledger;
mod lost_future;
pub(crate) mod namespace;
mod promise;
pub(crate) mod proxy;
mod races;
mod refused_writes;
mod reload;
mod replaced;
mod restore;
mod retention;
mod shutdown;
pub(crate) mod signals;
pub(crate) mod site;
mod skewed_clocks;
mod stale;
mod stalls;
mod streams;
mod synchronous;
mod tables_per_host;
mod telemetry;
mod tls;
#[cfg(feature = "traces")]
mod traces;
mod upgrades;
