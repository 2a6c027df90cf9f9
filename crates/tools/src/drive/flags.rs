//! The flags of `drive`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::plan::TablePlan;
use estimation_audit::terminal::share;
use estimation_engine::ruleset::options::OptionValue;

/// The flags of `drive`.
#[derive(Args, Clone, Debug)]
pub struct DriveFlags {
    /// The service's URL: `http://HOST[:PORT][/PATH]`.
    #[arg(long, env = "ESTIMATION_DRIVE_URL", default_value = "http://127.0.0.1:8080")]
    pub(super) url: String,

    /// The ruleset: nineteen, squares, kabooot, plain or double-risk.
    #[arg(long, env = "ESTIMATION_DRIVE_RULESET", default_value = "nineteen")]
    pub(super) ruleset: String,

    /// The number of games; with `--options` at least one for each table that it tries.
    #[arg(long, env = "ESTIMATION_DRIVE_GAMES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) games: u32,

    /// The number of games played at the same time.
    #[arg(long, env = "ESTIMATION_DRIVE_CONCURRENCY", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) concurrency: u32,

    /// The seed of the players' choices. The service shuffles independently.
    #[arg(long, env = "ESTIMATION_DRIVE_SEED", default_value_t = 1)]
    pub(super) seed: u64,

    /// The number of players at a table; by default the ruleset's usual number.
    #[arg(long, env = "ESTIMATION_DRIVE_PLAYERS")]
    pub(super) players: Option<u8>,

    /// An option of the ruleset, as `NAME=VALUE`. May be given more than once.
    #[arg(long = "option", env = "ESTIMATION_DRIVE_OPTION", value_name = "NAME=VALUE", value_delimiter = ',', value_parser = crate::option)]
    pub(super) option: Vec<(String, OptionValue)>,

    /// Try every pair of values of two options of the ruleset, and every number of players.
    #[arg(long, env = "ESTIMATION_DRIVE_OPTIONS")]
    pub(super) options: bool,

    /// How often a player who could revoke does, at tables that penalise it: 0 to 1.
    #[arg(long, env = "ESTIMATION_DRIVE_REVOKE_RATE", default_value_t = 0.0, value_parser = share)]
    pub(super) revoke_rate: f64,

    /// At some turns post illegal commands, and check that they are refused and change nothing.
    #[arg(long, env = "ESTIMATION_DRIVE_SAMPLE_REFUSALS")]
    pub(super) sample_refusals: bool,

    /// How many seconds to retry while the service does not answer.
    #[arg(long, env = "ESTIMATION_DRIVE_PATIENCE", default_value_t = 30)]
    pub(super) patience: u64,

    /// At the end read every game's log and check that it contains all acknowledged commands unchanged.
    #[arg(long, env = "ESTIMATION_DRIVE_VERIFY")]
    pub(super) verify: bool,

    /// Write each acknowledged command to this file, as one JSON object per line.
    #[arg(long, env = "ESTIMATION_DRIVE_ACKNOWLEDGED", value_name = "FILE")]
    pub(super) acknowledged: Option<PathBuf>,

    /// Play for this many seconds and stop in the middle of games. In an open loop, send all commands
    /// scheduled in that time, however late.
    #[arg(long, env = "ESTIMATION_DRIVE_SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) seconds: Option<u32>,

    /// The warm-up in seconds, during which commands do not count.
    #[arg(long, env = "ESTIMATION_DRIVE_WARM_UP", default_value_t = 0)]
    pub(super) warm_up: u32,

    /// Open loop: schedule this many commands per second, even if the service cannot keep up, and measure
    /// latencies from the scheduled times. Without it, closed loop: a table's next command waits for the
    /// previous one.
    #[arg(long, env = "ESTIMATION_DRIVE_RATE", value_parser = rate)]
    pub(super) rate: Option<f64>,

    /// The number of streams per game. Their frames are counted and their ids checked.
    #[arg(long, env = "ESTIMATION_DRIVE_STREAMS", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=16))]
    pub(super) streams: u8,

    /// The number of extra reads per hundred commands: views, events and score sheets in turn.
    #[arg(long, env = "ESTIMATION_DRIVE_READS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(super) reads: u32,

    /// Play cards from known hands, without requesting a view before each, so that more of the load is
    /// commands.
    #[arg(long, env = "ESTIMATION_DRIVE_FORESEE")]
    pub(super) foresee: bool,

    /// Play as apps do: each player follows the stream of the game, takes the legal commands from its turns, and asks
    /// for short answers. After the first view none is loaded.
    #[arg(long, env = "ESTIMATION_DRIVE_FOLLOW", conflicts_with_all = ["foresee", "revoke_rate", "sample_refusals"])]
    pub(super) follow: bool,

    /// The number of seats with bots. The driver plays at the others.
    #[arg(long, env = "ESTIMATION_DRIVE_BOTS", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=4), requires = "follow")]
    pub(super) bots: u8,

    /// The number of threads.
    #[arg(long, env = "ESTIMATION_DRIVE_THREADS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: u16,

    /// Print the report as JSON.
    #[arg(long, env = "ESTIMATION_DRIVE_JSON")]
    pub(super) json: bool,
}

impl DriveFlags {
    pub(super) fn warm_up(&self) -> Duration {
        Duration::from_secs(self.warm_up.into())
    }

    /// How long commands count; none if not limited.
    pub(super) fn length(&self) -> Option<Duration> {
        self.seconds.map(|seconds| Duration::from_secs(seconds.into()))
    }

    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.patience)
    }

    /// The settings of every table.
    pub(super) fn table(&self) -> TablePlan {
        let options = self.option.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        TablePlan { ruleset: self.ruleset.clone(), players: self.players, options }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "a number of commands a second".to_owned())?;
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err("a number above 0".to_owned()) }
}
