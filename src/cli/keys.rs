//! Flags for the keys, and `estimation keys`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::database::DataFlags;
use estimation_command::terminal;

use super::Failed;
use estimation_service::auth::key_source::{KeySource, KeyVersion};
use estimation_service::auth::keys::{KeyRing, KeysSecret};
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::services::{App, AppSettings};
use estimation_store::{Database, DatabaseUrl};

/// The source of the keys that sign tokens and records. A node on PostgreSQL needs one of these flags, because several
/// nodes may share it.
#[derive(Args, Clone)]
pub(super) struct KeyFlags {
    /// File with the keys that sign tokens and records. By default a node on SQLite has `keys.json` in the data directory,
    /// created on the first run.
    #[arg(long, env = "ESTIMATION_KEYS_FILE", group = "key_source")]
    keys_file: Option<PathBuf>,

    /// The keys themselves, in the format of a key file. Set it in the environment, not on the command line.
    #[arg(long, env = "ESTIMATION_KEYS", hide_env_values = true, group = "key_source")]
    keys: Option<String>,

    /// Secret of at least 32 characters; the database stores the keys encrypted with it, created on the first run. Set it
    /// in the environment, not on the command line.
    #[arg(long, env = "ESTIMATION_KEYS_SECRET", hide_env_values = true, group = "key_source")]
    keys_secret: Option<String>,
}

/// Omits secrets.
impl std::fmt::Debug for KeyFlags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyFlags").field("keys_file", &self.keys_file).finish_non_exhaustive()
    }
}

impl KeyFlags {
    /// The source that the flags name, if any.
    pub(super) fn given(&self) -> Result<Option<KeySource>, Failed> {
        if let Some(path) = &self.keys_file {
            return Ok(Some(KeySource::File(path.clone())));
        }
        if let Some(text) = &self.keys {
            return Ok(Some(KeySource::Given(KeyRing::from_json(text)?)));
        }
        if let Some(secret) = &self.keys_secret {
            return Ok(Some(KeySource::Sealed(KeysSecret::read(secret.clone())?)));
        }
        Ok(None)
    }

    /// The source of the keys. Creates the data directory if it is missing.
    pub(super) fn source(&self, data: &DataFlags) -> Result<KeySource, Failed> {
        data.url()?;
        self.source_at(data)
    }

    /// The source of the keys. Creates nothing.
    pub(super) fn source_at(&self, data: &DataFlags) -> Result<KeySource, Failed> {
        if let Some(source) = self.given()? {
            return Ok(source);
        }
        if matches!(data.place()?, DatabaseUrl::Postgres(_)) {
            return Err("on PostgreSQL all nodes need the same keys: give them with --keys-file, or with \
                        ESTIMATION_KEYS or ESTIMATION_KEYS_SECRET in the environment"
                .into());
        }
        Ok(KeySource::OwnFile(data.data_dir.join("keys.json")))
    }

    /// The keys, their source and their version.
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

#[derive(Subcommand, Clone, Debug)]
pub(super) enum KeysTask {
    /// Add a token key, which signs after a minute; the previous one verifies until its last token has expired. Running
    /// nodes notice it within ten seconds.
    Rotate {
        /// Add a record key instead; the previous ones still verify.
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

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failed> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future))
}

/// Does something with a service on the database, without its background jobs.
pub(super) fn with_app<T>(
    data: &DataFlags,
    keys: &KeyFlags,
    work: impl AsyncFnOnce(&App) -> T,
) -> Result<T, Failed> {
    let database = data.open()?;
    let (ring, _) = keys.load(data, &database)?;
    block_on(async {
        let app = App::new(database, ring, AppSettings::default());
        let done = work(&app).await;
        app.shutdown().await;
        done
    })
}
