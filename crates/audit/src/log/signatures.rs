//! The keys that flags name, those of logs and witnesses and the record keys, and the cosignatures of a checkpoint with their
//! times.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use estimation_tlog::{KeyType, Note, VerifierKey};
use jiff::{SignedDuration, Timestamp};

use super::outcome::{Findings, Problem};
use estimation_record::verify::Trust;

/// How far cosignatures may be in the future, for clocks that differ.
const MAX_AHEAD: SignedDuration = SignedDuration::from_secs(60);

/// Parses a key that signs as a log does.
pub(super) fn log_key(text: &str) -> Result<VerifierKey, String> {
    of_type(text, KeyType::Ed25519, "a log's key has the type 0x01")
}

/// Parses a key that cosigns as a witness does.
pub(super) fn witness_key(text: &str) -> Result<VerifierKey, String> {
    of_type(text, KeyType::Cosignature, "a witness's key has the type 0x04")
}

fn of_type(text: &str, kind: KeyType, otherwise: &str) -> Result<VerifierKey, String> {
    let key: VerifierKey = text.parse().map_err(|error: estimation_tlog::BadKey| error.to_string())?;
    if key.kind() == kind { Ok(key) } else { Err(otherwise.to_owned()) }
}

/// Verifies the cosignatures of the given keys, and returns the latest time.
pub(super) fn cosigned_at(note: &Note, keys: &[VerifierKey], findings: &mut Findings) -> Option<Timestamp> {
    let mut latest = None;
    for key in keys {
        let time = note.verify(key).map_err(Problem::unchecked).and_then(|verified| {
            let time = verified.time.and_then(|time| Timestamp::from_second(time.cast_signed()).ok());
            time.ok_or_else(|| {
                Problem::unchecked(format_args!("the cosignature of {} has no time", key.name()))
            })
        });
        if let Some(time) = findings.keep(time) {
            findings.say_once(format_args!("cosigned by {} at {time}", key.name()));
            latest = latest.max(Some(time));
        }
    }
    latest
}

/// Checks that a cosignature is at most so many seconds old.
pub(super) fn recent(time: Timestamp, now: Timestamp, max_age: u32) -> Result<(), Problem> {
    let age = now.duration_since(time);
    if age > SignedDuration::from_secs(i64::from(max_age)) {
        let seconds = age.as_secs();
        return Err(Problem::unchecked(format_args!(
            "the checkpoint is too old: it was cosigned {seconds} s ago, the limit is {max_age} s"
        )));
    }
    if -age > MAX_AHEAD {
        let seconds = (-age).as_secs();
        return Err(Problem::unchecked(format_args!("the cosignature is {seconds} s in the future")));
    }
    Ok(())
}

/// The record keys, which sign promises and the ends of games.
#[derive(Args, Clone, Debug)]
pub(super) struct RecordKeyFlags {
    /// The service's JWK set with the record keys, to check the signatures of histories and promises.
    #[arg(long, env = "ESTIMATION_AUDIT_JWKS")]
    jwks: Option<PathBuf>,

    /// A record key as 64 hexadecimal digits, instead of `--jwks`. May be given more than once.
    #[arg(long)]
    key: Vec<String>,
}

impl RecordKeyFlags {
    /// The keys. Without any, signatures are not checked.
    pub(super) fn trust(&self) -> Result<Trust, Problem> {
        let mut trust = Trust::default();
        if let Some(path) = &self.jwks {
            let unreadable = |error| Problem::unchecked(format_args!("{}: {error}", path.display()));
            trust.add_jwks(&fs::read_to_string(path).map_err(unreadable)?).map_err(Problem::unchecked)?;
        }
        self.key.iter().try_for_each(|key| trust.add_hex(key)).map_err(Problem::unchecked)?;
        trust.unsigned = self.jwks.is_none() && self.key.is_empty();
        Ok(trust)
    }
}
