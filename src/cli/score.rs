//! `estimation score`: a score sheet for rounds that were played with real cards.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failed, output};
use crate::application::calculator::{PlayedRound, score_round};
use crate::application::terms::RoundScore;

/// What to score.
#[derive(Args, Clone, Debug)]
pub(super) struct ScoreFlags {
    /// The ruleset: nineteen, squares, kabooot, plain or double-risk.
    #[arg(long, env = "ESTIMATION_RULESET")]
    ruleset: String,

    /// How to print the sheet.
    #[arg(long, value_enum, default_value_t = Format::Table, env = "ESTIMATION_FORMAT")]
    format: Format,

    /// A JSON file: a list of rounds, or an object with `options`, `players` and `rounds`; `-` for the
    /// standard input. Carry runs on from round to round unless a round gives it.
    file: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Table,
    Json,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Sheet {
    Rounds(Vec<PlayedRound>),
    Game(GameRounds),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameRounds {
    #[serde(default)]
    options: BTreeMap<String, Value>,
    players: Option<u8>,
    rounds: Vec<PlayedRound>,
}

#[derive(Serialize)]
struct ScoredRound {
    round: u8,
    #[serde(flatten)]
    score: RoundScore,
    totals: Vec<i32>,
}

pub(super) fn run(flags: &ScoreFlags) -> Result<(), Failed> {
    let text = read(&flags.file)?;
    let game = match serde_json::from_str(&text)? {
        Sheet::Game(game) => game,
        Sheet::Rounds(rounds) => GameRounds { options: BTreeMap::new(), players: None, rounds },
    };
    let scored = score(&flags.ruleset, game)?;
    match flags.format {
        Format::Json => output::print_line(serde_json::to_string_pretty(&scored)?),
        Format::Table => output::print(table(&scored)),
    }
}

fn read(file: &PathBuf) -> Result<String, Failed> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()).into())
}

fn score(ruleset: &str, game: GameRounds) -> Result<Vec<ScoredRound>, Failed> {
    let mut carry = 1;
    let mut totals: Vec<i32> = Vec::new();
    let mut scored = Vec::new();
    for round in game.rounds {
        let number = round.round;
        let mut options = game.options.clone();
        options.extend(round.options);
        let players = round.players.or(game.players);
        let played = PlayedRound { options, players, carry: round.carry.or(Some(carry)), ..round };
        let score = score_round(ruleset, &played).map_err(|error| format!("round {number}: {error}"))?;
        carry = score.next_carry;
        totals.resize(score.points.players().into(), 0);
        for (seat, points) in score.points.iter() {
            totals[seat.index()] += points;
        }
        scored.push(ScoredRound { round: number, score, totals: totals.clone() });
    }
    Ok(scored)
}

/// A score sheet for the terminal: points and totals of each seat, round by round.
fn table(scored: &[ScoredRound]) -> String {
    let seats = scored.first().map_or(0, |round| round.totals.len());
    let mut text = format!("{:>5}", "round");
    for seat in 0..seats {
        text += &format!("  {:>15}", format!("seat {seat}"));
    }
    text += "  bidder  multiplier\n";
    for round in scored {
        text += &format!("{:>5}", round.round);
        for ((_, points), total) in round.score.points.iter().zip(&round.totals) {
            text += &format!("  {points:>+7} {total:>7}");
        }
        let bidder = round.score.bidder.map_or("-".to_owned(), |seat| seat.to_string());
        text += &format!("  {bidder:>6}  {:>10}\n", format!("x{}", round.score.multiplier));
    }
    text
}
