//! Reads a sheet. Rounds are parsed as the HTTP calculator parses its body.

use std::io::Read;
use std::path::Path;

use super::{complaint, line};
use crate::cli::Failed;
use crate::http::field_errors::{Unreadable, read_json};
use estimation_service::calculator::PlayedSheet;

/// Reads a sheet from a file or from standard input.
pub(super) fn sheet(file: &Path) -> Result<PlayedSheet, Failed> {
    let text = bytes(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let read = match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'[') => read_json(&text).map(|rounds| PlayedSheet { rounds, ..PlayedSheet::default() }),
        Some(b'{') => read_json(&text),
        _ => {
            let wanted = "The file must hold a list of rounds, or an object with `rounds`.".to_owned();
            return Err(complaint(file, [wanted].into_iter()));
        }
    };
    read.map_err(|error| match error {
        Unreadable::Malformed { line, column } => {
            format!("{} is not JSON: line {line}, column {column}", file.display()).into()
        }
        Unreadable::Invalid(error) => complaint(file, [line(None, &error)].into_iter()),
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
