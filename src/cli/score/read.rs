//! Reads a sheet. Rounds are parsed as the HTTP calculator parses its body.

use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::{complaint, line};
use crate::cli::Failed;
use crate::http::field_errors::{Document, faults_by, read_value};
use estimation_service::calculator::{PlayedRound, PlayedSheet};

/// The operation whose body has the fields of a round.
const CALCULATOR: &str = "scoreRound";

/// Reads a sheet from a file or from standard input.
pub(super) fn sheet(file: &Path) -> Result<PlayedSheet, Failed> {
    let text = bytes(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let Document { value, repeated, is_cut, lacks_fields } = Document::read(&text).map_err(|error| {
        format!("{} is not JSON: line {}, column {}", file.display(), error.line(), error.column())
    })?;
    let (fields, prefix) = match value {
        Value::Array(rounds) => (Map::from_iter([("rounds".to_owned(), Value::Array(rounds))]), ""),
        Value::Object(fields) => (fields, "rounds"),
        _ => {
            let wanted = "The file must hold a list of rounds, or an object with `rounds`.".to_owned();
            return Err(complaint(file, [wanted].into_iter()));
        }
    };
    let value = Value::Object(fields);
    let errors = faults_by(&schema(), &value);
    if !errors.is_empty() {
        return Err(complaint(file, errors.iter().map(|error| line(None, error))));
    }
    let mut sheet = PlayedSheet {
        options: serde_json::from_value(value.get("options").cloned().unwrap_or_else(|| json!({})))?,
        players: serde_json::from_value(value.get("players").cloned().unwrap_or_default())?,
        rounds: Vec::new(),
    };
    let mut faults = Vec::new();
    for (index, round) in value["rounds"].as_array().into_iter().flatten().enumerate() {
        let below = format!("{prefix}[{index}].");
        let repeated = repeated.iter().filter_map(|path| path.strip_prefix(&below)).map(str::to_owned);
        match read_value::<PlayedRound>(
            CALCULATOR,
            Document { value: round.clone(), repeated: repeated.collect(), is_cut, lacks_fields },
        ) {
            Ok(round) => sheet.rounds.push(round),
            Err(errors) => {
                let name = round["round"].as_u64();
                let name = name.map_or(format!("rounds[{index}]"), |number| format!("round {number}"));
                faults.extend(errors.iter().map(|error| line(Some(&name), error)));
            }
        }
    }
    if faults.is_empty() { Ok(sheet) } else { Err(complaint(file, faults.into_iter())) }
}

/// The schema of the sheet without its rounds. The ruleset validates the options.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "options": {"type": "object"},
            "players": {"type": ["integer", "null"], "minimum": 2, "maximum": 5},
            "rounds": {"type": "array"},
        },
        "required": ["rounds"],
        "additionalProperties": false,
    })
}

fn bytes(file: &Path) -> std::io::Result<Vec<u8>> {
    if file.as_os_str() != "-" {
        return std::fs::read(file);
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    Ok(text)
}
