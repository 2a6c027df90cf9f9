//! Flags for connections.

use std::time::Duration;

use clap::Args;

use super::Failed;
use crate::http::{ConnectionLimits, Timeouts};

/// File descriptors reserved for the database and its journals, the listeners, the metrics and the traces. A third of them
/// is open without any connection.
const RESERVED: u64 = 128;

/// File descriptors reserved for each worker: its event loop, and connections that it refuses.
const RESERVED_PER_WORKER: u64 = 16;

/// The server does not start with fewer connections.
const FEWEST: u64 = 16;

/// The most connections by default; they take about 1 GB of memory.
const MAX: u64 = 50_000;

/// Flags for connections.
#[derive(Args, Clone, Debug)]
pub(super) struct ConnectionFlags {
    /// Maximum number of open connections; by default the open-file limit less 128 and 16 for each worker, and at most
    /// 50000.
    #[arg(long, env = "ESTIMATION_MAX_CONNECTIONS", value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: Option<u32>,

    /// Maximum number of open connections from an address, IPv6 by the /64; by default a quarter of all; `off` for no
    /// limit. Addresses of trusted proxies are exempt.
    #[arg(long, env = "ESTIMATION_MAX_CONNECTIONS_PER_ADDRESS", value_parser = per_address)]
    max_connections_per_address: Option<usize>,

    /// Seconds until an idle connection is closed. It must be longer than the proxy's own keep-alive time.
    #[arg(long, env = "ESTIMATION_KEEP_ALIVE", default_value_t = 75, value_parser = clap::value_parser!(u32).range(1..))]
    keep_alive: u32,
}

fn per_address(text: &str) -> Result<usize, &'static str> {
    match text {
        "off" => Ok(usize::MAX),
        _ => text.parse().ok().filter(|count| *count > 0).ok_or("expected a number of at least 1, or off"),
    }
}

impl ConnectionFlags {
    /// The limits under an open-file limit.
    pub(super) fn limits(&self, files: u64, workers: usize) -> Result<ConnectionLimits, Failed> {
        let reserved = RESERVED + RESERVED_PER_WORKER * workers as u64;
        let room = files.saturating_sub(reserved);
        let total = match self.max_connections.map(u64::from) {
            None if room < FEWEST => {
                let least = reserved + FEWEST;
                return Err(format!(
                    "the open-file limit is {files} and leaves no room for connections: raise it to {least} or \
                     more (`ulimit -n`, or `LimitNOFILE=` of systemd)"
                )
                .into());
            }
            None => room.min(MAX),
            Some(total) if total > room => {
                return Err(format!(
                    "--max-connections {total} needs an open-file limit of {}, and it is {files}: raise it \
                     (`ulimit -n`, or `LimitNOFILE=` of systemd), or allow {room} connections at most",
                    total + reserved
                )
                .into());
            }
            Some(total) => total,
        };
        let total = usize::try_from(total)?;
        let per_address = self.max_connections_per_address.unwrap_or(total.div_ceil(4));
        Ok(ConnectionLimits { total, per_address })
    }

    pub(super) fn timeouts(&self) -> Timeouts {
        Timeouts { keep_alive: Duration::from_secs(self.keep_alive.into()), ..Timeouts::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(total: Option<u32>, per_address: Option<usize>) -> ConnectionFlags {
        ConnectionFlags { max_connections: total, max_connections_per_address: per_address, keep_alive: 75 }
    }

    #[test]
    fn descriptors_are_kept_in_reserve() {
        let limits = |files| flags(None, None).limits(files, 2).unwrap();
        assert_eq!(limits(1_024), ConnectionLimits { total: 864, per_address: 216 });
        assert_eq!(limits(176), ConnectionLimits { total: 16, per_address: 4 });
        assert_eq!(limits(1_048_576), ConnectionLimits { total: 50_000, per_address: 12_500 });
    }

    #[test]
    fn a_limit_per_address_is_a_number_or_off() {
        assert_eq!(per_address("7"), Ok(7));
        assert_eq!(per_address("off"), Ok(usize::MAX));
        assert!(per_address("0").is_err() && per_address("none").is_err());
    }

    #[test]
    fn limits_are_as_told_where_there_is_room() {
        let told = flags(Some(60_000), Some(7)).limits(100_000, 2).unwrap();
        assert_eq!(told, ConnectionLimits { total: 60_000, per_address: 7 });
        let refused = flags(Some(1_000), None).limits(1_024, 2).unwrap_err().to_string();
        assert!(refused.contains("an open-file limit of 1160") && refused.contains("allow 864"), "{refused}");
        let refused = flags(None, None).limits(128, 2).unwrap_err().to_string();
        assert!(refused.contains("raise it to 176"), "{refused}");
    }
}
