//! The arguments of `estimation-audit verify`.

use std::path::PathBuf;

use clap::Args;
use estimation_tlog::VerifierKey;

use crate::log::record_keys::RecordKeyFlags;
use crate::log::signatures::{log_key, witness_key};

/// What to verify, and what to demand.
#[derive(Args, Clone, Debug)]
pub struct VerifyFlags {
    /// The bundle of a game, from `GET /v1/games/{id}/bundle`; or its history, with `--proof`.
    pub(super) file: PathBuf,

    /// A proof that the log has the start or the end of the game, from `GET /v1/games/{id}/proof`: beside a bundle one that was
    /// kept, beside a history those of start and end. May be given more than once.
    #[arg(long, value_name = "FILE")]
    pub(super) proof: Vec<PathBuf>,

    /// A promise that a player kept: a view of the game, or its member `log`. Needs a proof of the start.
    #[arg(long, value_name = "FILE")]
    pub(super) promise: Vec<PathBuf>,

    /// A kept head: a number and a hash, as in `41-9f3c2a71b0d4e655`, of at least 16 digits. The history must
    /// have this event. May be given more than once.
    #[arg(long, value_name = "HEAD", value_parser = head)]
    pub(super) head: Vec<Head>,

    /// The verifier key of a log, in place of the one in the bundle. May be given more than once, for logs with other names.
    #[arg(long, value_name = "VKEY", value_parser = log_key)]
    pub(super) log_key: Vec<VerifierKey>,

    /// The verifier key of a witness that must have cosigned the checkpoint with the end. May be given more than once.
    #[arg(long, value_name = "VKEY", value_parser = witness_key)]
    pub(super) witness: Vec<VerifierKey>,

    #[command(flatten)]
    pub(super) record_keys: RecordKeyFlags,
}

/// A known event: its number, and the first digits of its hash.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) seq: u64,
    pub(super) digits: String,
}

fn head(text: &str) -> Result<Head, &'static str> {
    let wrong = "a number, a hyphen, and 16 to 64 hexadecimal digits";
    let (seq, digits) = text.split_once('-').ok_or(wrong)?;
    let fits = (16..=64).contains(&digits.len())
        && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let fits = fits && seq.bytes().all(|byte| byte.is_ascii_digit());
    let seq = seq.parse().ok().filter(|_| fits).ok_or(wrong)?;
    Ok(Head { seq, digits: digits.to_owned() })
}
