//! `arena`: lets bots play whole games against each other in memory, to compare their levels.

mod contest;
mod dice;
mod entrant;
mod game;
mod report;
mod tally;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use serde_json::Value;

use self::contest::Contest;
use self::entrant::Entrant;
use self::game::Thinking;
use self::report::Report;
use estimation_command::{Failed, terminal};
use estimation_engine::ruleset::options::OptionValue;
use estimation_engine::ruleset::{Ruleset, RulesetId};

/// Let bots play each other in memory, and compare their levels.
#[derive(Parser, Clone, Debug)]
#[command(name = "arena", version, about)]
struct Flags {
    /// The ruleset: nineteen, squares, kabooot, plain or double-risk.
    #[arg(long, env = "ESTIMATION_ARENA_RULESET", default_value = "double-risk")]
    ruleset: String,

    /// The player of each seat: easy, steady, sharp, or wild, which calls far too much. `nineteen` takes two to
    /// five.
    #[arg(long, env = "ESTIMATION_ARENA_PLAYERS", value_delimiter = ',', default_value = "sharp,steady,steady,easy", value_parser = entrant)]
    players: Vec<Entrant>,

    /// The number of games. Each deal is played once for each rotation of the players, so the number is
    /// rounded up to a multiple of the seats.
    #[arg(long, env = "ESTIMATION_ARENA_GAMES", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,

    /// The seed of deals and choices.
    #[arg(long, env = "ESTIMATION_ARENA_SEED", default_value_t = 1)]
    seed: u64,

    /// An option of the ruleset, as `NAME=VALUE`. May be given more than once.
    #[arg(long = "option", env = "ESTIMATION_ARENA_OPTION", value_name = "NAME=VALUE", value_delimiter = ',', value_parser = option)]
    options: Vec<(String, OptionValue)>,

    /// The number of playouts per command for `sharp`.
    #[arg(long, env = "ESTIMATION_ARENA_PLAYOUTS", default_value_t = 1_000, conflicts_with = "budget_ms")]
    playouts: u32,

    /// The milliseconds per command for `sharp`, instead of a number of playouts. Results then depend on the
    /// machine.
    #[arg(long, env = "ESTIMATION_ARENA_BUDGET_MS")]
    budget_ms: Option<u64>,

    /// The number of threads.
    #[arg(long, env = "ESTIMATION_ARENA_THREADS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Print the report as JSON.
    #[arg(long, env = "ESTIMATION_ARENA_JSON")]
    json: bool,
}

fn entrant(text: &str) -> Result<Entrant, String> {
    serde_json::from_value(Value::from(text))
        .map_err(|_| format!("{text} is neither easy, steady, sharp nor wild"))
}

/// Parses an option of a ruleset: `NAME=VALUE`.
fn option(text: &str) -> Result<(String, OptionValue), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("{text} is not NAME=VALUE"))?;
    let value = match (value.parse::<bool>(), value.parse::<i64>()) {
        (Ok(flag), _) => OptionValue::Flag(flag),
        (_, Ok(number)) => OptionValue::Number(number),
        _ => OptionValue::Name(value.to_owned()),
    };
    Ok((name.to_owned(), value))
}

fn main() -> ExitCode {
    terminal::finish("arena", run(&Flags::parse()), |_| None)
}

fn run(flags: &Flags) -> Result<(), Failed> {
    let contest = contest(flags)?;
    let bar = terminal::progress(contest.games);
    let tally = contest.run(|games| bar.inc(games));
    bar.finish_and_clear();
    let report = Report::of(&flags.ruleset, &tally?);
    if flags.json {
        terminal::print_line(serde_json::to_string_pretty(&report)?)
    } else {
        terminal::print(report.text())
    }
}

fn contest(flags: &Flags) -> Result<Contest, Failed> {
    let id: RulesetId = flags.ruleset.parse()?;
    let (min, max) = Ruleset::players_range(id);
    let players = u8::try_from(flags.players.len()).unwrap_or(u8::MAX);
    if !(min..=max).contains(&players) {
        return Err(format!("{id} seats {min} to {max} players, and {players} are given").into());
    }
    let options: BTreeMap<String, OptionValue> = flags.options.iter().cloned().collect();
    Ok(Contest {
        rules: Ruleset::agreed(id, Some(players), &options)?,
        players: flags.players.clone(),
        games: u64::from(flags.games).next_multiple_of(players.into()),
        seed: flags.seed,
        thinking: Thinking { playouts: flags.playouts, time: flags.budget_ms.map(Duration::from_millis) },
        threads: flags.threads.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_values_are_flags_numbers_or_names() {
        assert_eq!(option("cut=false"), Ok(("cut".to_owned(), OptionValue::Flag(false))));
        assert_eq!(option("jokers=2"), Ok(("jokers".to_owned(), OptionValue::Number(2))));
        let order = OptionValue::Name("10-1-10".to_owned());
        assert_eq!(option("order=10-1-10"), Ok(("order".to_owned(), order)));
        assert!(option("order").is_err());
    }
}
