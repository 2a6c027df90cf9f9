//! What to drive, as it is asked for on the command line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use estimation_audit::terminal::share;

/// What to drive.
#[derive(Args, Clone, Debug)]
pub struct DriveFlags {
    /// Where the service is: `http://HOST[:PORT][/PATH]`.
    #[arg(long, env = "ESTIMATION_DRIVE_URL", default_value = "http://127.0.0.1:8080")]
    pub(super) url: String,

    /// The ruleset: nineteen, squares, kabooot, plain or double-risk.
    #[arg(long, env = "ESTIMATION_DRIVE_RULESET", default_value = "nineteen")]
    pub(super) ruleset: String,

    /// How many games to play; with `--options` as many more as there are values to try.
    #[arg(long, env = "ESTIMATION_DRIVE_GAMES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) games: u32,

    /// How many games are played at the same time.
    #[arg(long, env = "ESTIMATION_DRIVE_CONCURRENCY", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) concurrency: u32,

    /// What the players' choices follow from. The deals are the service's own.
    #[arg(long, env = "ESTIMATION_DRIVE_SEED", default_value_t = 1)]
    pub(super) seed: u64,

    /// How many sit at a table; by default the ruleset's usual number.
    #[arg(long, env = "ESTIMATION_DRIVE_PLAYERS")]
    pub(super) players: Option<u8>,

    /// An option the tables agree on, as `NAME=VALUE`; may be given more than once.
    #[arg(long = "option", env = "ESTIMATION_DRIVE_OPTION", value_name = "NAME=VALUE", value_delimiter = ',', value_parser = named_value)]
    pub(super) option: Vec<(String, Value)>,

    /// Try every value of every option of the ruleset, and every number of players.
    #[arg(long, env = "ESTIMATION_DRIVE_OPTIONS")]
    pub(super) options: bool,

    /// How often a player who could breaks the duty to follow suit, where the table penalises it: 0 to 1.
    #[arg(long, env = "ESTIMATION_DRIVE_REVOKE_RATE", default_value_t = 0.0, value_parser = share)]
    pub(super) revoke_rate: f64,

    /// At some turns post commands that are not allowed, and see that they are refused and change nothing.
    #[arg(long, env = "ESTIMATION_DRIVE_SAMPLE_REFUSALS")]
    pub(super) sample_refusals: bool,

    /// For how many seconds to go on asking a service that does not answer.
    #[arg(long, env = "ESTIMATION_DRIVE_PATIENCE", default_value_t = 30)]
    pub(super) patience: u64,

    /// At the end read every game's log and check that all that was acknowledged stands in it unchanged.
    #[arg(long, env = "ESTIMATION_DRIVE_VERIFY")]
    pub(super) verify: bool,

    /// Write each acknowledged command to this file, one JSON object a line.
    #[arg(long, env = "ESTIMATION_DRIVE_ACKNOWLEDGED", value_name = "FILE")]
    pub(super) acknowledged: Option<PathBuf>,

    /// Play for so many seconds, as many games as that takes, and stop in the midst of them. In an open loop all
    /// commands that fall due in that time are sent, however late.
    #[arg(long, env = "ESTIMATION_DRIVE_SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) seconds: Option<u32>,

    /// For how many seconds commands do not count at first.
    #[arg(long, env = "ESTIMATION_DRIVE_WARM_UP", default_value_t = 0)]
    pub(super) warm_up: u32,

    /// Open loop: so many commands fall due in a second, whether the service keeps up or not, and latencies are
    /// reckoned from when they were due. Without it, closed loop: a table's next command waits for the last.
    #[arg(long, env = "ESTIMATION_DRIVE_RATE", value_parser = rate)]
    pub(super) rate: Option<f64>,

    /// How many streams are open for each game; their frames are counted and their ids checked.
    #[arg(long, env = "ESTIMATION_DRIVE_STREAMS", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=16))]
    pub(super) streams: u8,

    /// How many more reads are sent with every hundred commands: views, events and score sheets in turn.
    #[arg(long, env = "ESTIMATION_DRIVE_READS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(super) reads: u32,

    /// Play cards from hands that are known, without asking for a view before each: more of the load is commands.
    #[arg(long, env = "ESTIMATION_DRIVE_FORESEE")]
    pub(super) foresee: bool,

    /// How many threads drive.
    #[arg(long, env = "ESTIMATION_DRIVE_THREADS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: u16,

    /// Report in JSON.
    #[arg(long, env = "ESTIMATION_DRIVE_JSON")]
    pub(super) json: bool,
}

impl DriveFlags {
    /// The options every table agrees on.
    pub(super) fn agreed(&self) -> BTreeMap<String, Value> {
        self.option.iter().cloned().collect()
    }

    pub(super) fn warm_up(&self) -> Duration {
        Duration::from_secs(self.warm_up.into())
    }

    /// How long commands count, if that is limited.
    pub(super) fn length(&self) -> Option<Duration> {
        self.seconds.map(|seconds| Duration::from_secs(seconds.into()))
    }

    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.patience)
    }
}

/// Reads `NAME=VALUE`: a value that is JSON is that, any other a text.
fn named_value(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("an option is given as NAME=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((name.to_owned(), value))
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "a number of commands a second".to_owned())?;
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err("a number above 0".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_values_are_flags_numbers_or_names() {
        assert_eq!(named_value("cut=false"), Ok(("cut".to_owned(), Value::Bool(false))));
        assert_eq!(named_value("jokers=2"), Ok(("jokers".to_owned(), 2.into())));
        assert_eq!(named_value("order=10-1-10"), Ok(("order".to_owned(), "10-1-10".into())));
        assert!(named_value("order").is_err());
    }
}
