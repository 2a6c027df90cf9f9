//! The flags of `drive`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::plan::TablePlan;

/// Play whole games as HTTP clients against a service, and measure it.
#[derive(Parser, Clone, Debug)]
#[command(name = "drive", version, about)]
pub struct Flags {
    /// The service's URL: `http://HOST[:PORT][/PATH]`.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    pub url: String,

    /// A table: the body of the request that opens it. If more than one is given, the games take them in turn.
    #[arg(long = "table", value_name = "JSON", default_value = r#"{"ruleset":"nineteen"}"#)]
    pub tables: Vec<TablePlan>,

    /// The number of games; at least one for each `--table`.
    #[arg(long, default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub games: usize,

    /// The number of games played at the same time.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub concurrency: u32,

    /// The seed of the players' choices. The service shuffles independently.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// At some turns post illegal commands, and check that they are refused and change nothing.
    #[arg(long)]
    pub sample_refusals: bool,

    /// How many seconds to retry while the service does not answer.
    #[arg(long, default_value = "30", value_parser = seconds)]
    pub patience: Duration,

    /// At the end read every game's log and check that it contains all acknowledged commands unchanged.
    #[arg(long)]
    pub verify: bool,

    /// Write each acknowledged command to this file, as one JSON object per line.
    #[arg(long, value_name = "FILE")]
    pub acknowledged: Option<PathBuf>,

    /// Play for this many seconds and stop in the middle of games. In an open loop, send all commands
    /// scheduled in that time, however late.
    #[arg(long, value_parser = seconds)]
    pub seconds: Option<Duration>,

    /// The warm-up in seconds, during which commands do not count.
    #[arg(long, default_value = "0", value_parser = seconds)]
    pub warm_up: Duration,

    /// Open loop: schedule this many commands per second, even if the service cannot keep up, and measure
    /// latencies from the scheduled times. Without it, closed loop: a table's next command waits for the
    /// previous one.
    #[arg(long, value_parser = rate)]
    pub rate: Option<f64>,

    /// The number of streams per game. Their frames are counted and their ids checked.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=16))]
    pub streams: u8,

    /// The number of extra reads per hundred commands: views, events and score sheets in turn.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub reads: u32,

    /// Play cards from known hands, without requesting a view before each, so that more of the load is
    /// commands.
    #[arg(long)]
    pub foresee: bool,

    /// Play as apps do: each player follows the stream of the game, takes the legal commands from its turns, and asks
    /// for short answers. After the first view none is loaded.
    #[arg(long, conflicts_with_all = ["foresee", "sample_refusals"])]
    pub follow: bool,

    /// The number of seats with bots. The driver plays at the others.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=4), requires = "follow")]
    pub bots: u8,
}

fn seconds(text: &str) -> Result<Duration, std::num::ParseIntError> {
    text.parse().map(Duration::from_secs)
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| *rate > 0.0 && rate.is_finite());
    rate.ok_or_else(|| "a number of commands a second, above 0".to_owned())
}
