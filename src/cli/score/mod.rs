//! `estimation score`: the score sheet of rounds played with real cards.

mod read;
mod table;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use estimation_command::terminal;

use super::Failed;
use estimation_engine::ruleset::RulesetId;
use estimation_service::base::field_error::FieldError;
use estimation_service::calculator::{SheetFault, score_sheet};

#[derive(Args, Clone, Debug)]
pub(super) struct ScoreFlags {
    /// Ruleset that was played.
    #[arg(long, env = "ESTIMATION_RULESET", value_parser = ruleset())]
    ruleset: RulesetId,

    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table, env = "ESTIMATION_FORMAT")]
    format: Format,

    /// JSON file: a list of rounds, or an object with `options`, `players` and `rounds`; `-` for standard input. A round has
    /// the fields of the body of `POST /v1/rulesets/{id}/score`. Rounds are consecutive, and each carry applies to the next
    /// round.
    file: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Table,
    Json,
}

fn ruleset() -> impl TypedValueParser<Value = RulesetId> {
    PossibleValuesParser::new(RulesetId::ALL.map(RulesetId::as_str)).try_map(|name| name.parse::<RulesetId>())
}

pub(super) fn run(flags: &ScoreFlags) -> Result<(), Failed> {
    let sheet = read::sheet(&flags.file)?;
    let scored = score_sheet(flags.ruleset, &sheet).map_err(|faults| {
        let line = |SheetFault { round, error }: &SheetFault| {
            line(round.map(|round| format!("round {round}")).as_deref(), error)
        };
        complaint(&flags.file, faults.iter().map(line))
    })?;
    for warning in &scored.warnings {
        terminal::print_error(format_args!("warning: {warning}"));
    }
    match flags.format {
        Format::Json => terminal::print_line(serde_json::to_string_pretty(&scored.rounds)?),
        Format::Table => terminal::print(table::table(&scored.rounds)),
    }
}

/// A fault in one line: the round, the field and the HTTP calculator's sentence.
fn line(round: Option<&str>, error: &FieldError) -> String {
    let field = format!("`{}`", error.field);
    let named = error.field.is_empty() || error.detail.contains(&field);
    match (round, named) {
        (Some(round), true) => format!("{round}: {}", error.detail),
        (Some(round), false) => format!("{round}, {field}: {}", error.detail),
        (None, true) => error.detail.clone(),
        (None, false) => format!("{field}: {}", error.detail),
    }
}

/// The error for a file, with one fault per line.
fn complaint(file: &Path, faults: impl Iterator<Item = String>) -> Failed {
    let faults: String = faults.map(|fault| format!("\n  {fault}")).collect();
    format!("{} cannot be scored:{faults}", file.display()).into()
}
