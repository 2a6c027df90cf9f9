//! `estimation keys`: where the keys come from, and changing them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::database::DataFlags;
use estimation_audit::terminal;

use super::Failed;
use crate::app::clock::{Clock, SystemClock};
use crate::app::entropy::SystemEntropy;
use crate::auth::key_source::{KeySource, KeyVersion};
use crate::auth::keys::{KeyRing, KeysSecret};
use crate::store::Database;

/// Where the keys come from that sign tokens and records. On PostgreSQL, where there may be more than one
/// node, one of these has to be given.
#[derive(Args, Clone)]
pub(super) struct KeyFlags {
    /// The file of the keys; on SQLite by default `keys.json` in the data directory, made on first run.
    #[arg(long, env = "ESTIMATION_KEYS_FILE", group = "key_source")]
    keys_file: Option<PathBuf>,

    /// The keys themselves, as a key file has them. Better set in the environment than on a command line.
    #[arg(long, env = "ESTIMATION_KEYS", hide_env_values = true, group = "key_source")]
    keys: Option<String>,

    /// A secret of at least 32 characters, under which the keys stand encrypted in the database, made on
    /// first run. Better set in the environment than on a command line.
    #[arg(long, env = "ESTIMATION_KEYS_SECRET", hide_env_values = true, group = "key_source")]
    keys_secret: Option<String>,
}

/// Secrets are not printed.
impl std::fmt::Debug for KeyFlags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyFlags").field("keys_file", &self.keys_file).finish_non_exhaustive()
    }
}

impl KeyFlags {
    /// Where the keys come from.
    pub(super) fn source(&self, data: &DataFlags) -> Result<KeySource, Failed> {
        if let Some(path) = &self.keys_file {
            return Ok(KeySource::File(path.clone()));
        }
        if let Some(text) = &self.keys {
            return Ok(KeySource::Given(KeyRing::from_json(text)?));
        }
        if let Some(secret) = &self.keys_secret {
            return Ok(KeySource::Sealed(KeysSecret::read(secret.clone())?));
        }
        if data.is_shared()? {
            return Err("on PostgreSQL all nodes need the same keys: give them with --keys-file, or with \
                        ESTIMATION_KEYS or ESTIMATION_KEYS_SECRET in the environment"
                .into());
        }
        Ok(KeySource::OwnFile(data.data_dir.join("keys.json")))
    }

    /// The keys, where they come from, and which they are.
    pub(super) fn load(
        &self,
        data: &DataFlags,
        database: &Database,
    ) -> Result<(KeyRing, (KeySource, KeyVersion)), Failed> {
        let source = self.source(data)?;
        let (ring, version) =
            block_on(source.load(database, &SystemEntropy, SystemClock.now()))?.map_err(Failed::from)?;
        Ok((ring, (source, version)))
    }
}

/// What to do to the keys.
#[derive(Subcommand, Clone, Debug)]
pub(super) enum KeysTask {
    /// Add a token key, which signs a minute later; the one before verifies until its last token has expired.
    /// Running nodes see it within ten seconds.
    Rotate {
        /// Add a record key instead; the ones before stay for verifying.
        #[arg(long)]
        records: bool,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
}

pub(super) fn run(task: &KeysTask) -> Result<(), Failed> {
    let KeysTask::Rotate { records, data, keys } = task;
    let source = keys.source(data)?;
    let database = data.open()?;
    let now = SystemClock.now();
    let rotated = source.change(&database, &SystemEntropy, |ring| match records {
        true => ring.rotate_record_key(&SystemEntropy, now),
        false => ring.rotate_token_key(&SystemEntropy, now),
    });
    let kid = block_on(async {
        let rotated = rotated.await;
        database.shutdown().await;
        rotated
    })??;
    let kind = if *records { "record" } else { "token" };
    let kid = kid.map(|kid| kid.to_string()).unwrap_or_default();
    terminal::print_line(format_args!("the new {kind} key is {kid}"))
}

fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failed> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future))
}
