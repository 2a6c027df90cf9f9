//! Flags for the record keys, which sign promises and the ends of games.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use estimation_record::verify::Trust;

use super::outcome::Problem;

/// The record keys.
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
