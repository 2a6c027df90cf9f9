//! Reads the log of a service, over HTTP or from the folder in which an audit saved it.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use estimation_record::verify::{Sink, read};
use estimation_tlog::{
    BundleId, Hash, MAX_ENTRY, TILE_WIDTH, TileId, TileSource, decode_entries, encode_entries,
};
use ureq::Agent;
use uuid::Uuid;

use super::outcome::Problem;
use estimation_command::agent;

/// The maximum time for a response.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum length of a checkpoint or of keys, in bytes.
const MAX_TEXT: u64 = 64 << 10;
/// The maximum length of a tile, in bytes.
const MAX_TILE: u64 = 256 * Hash::LENGTH as u64;
/// The maximum length of an entry bundle, in bytes.
const MAX_BUNDLE: u64 = TILE_WIDTH as u64 * (2 + MAX_ENTRY as u64);

/// The log of a service.
pub(crate) struct Client(Source);

enum Source {
    Service {
        agent: Agent,
        /// The service, without a slash at the end.
        url: String,
        /// The folder for copies.
        copies: Option<PathBuf>,
    },
    Folder(PathBuf),
}

impl Client {
    pub(crate) fn new(url: &str) -> Client {
        let url = url.trim_end_matches('/').to_owned();
        Client(Source::Service { agent: agent(Some(TIMEOUT)), url, copies: None })
    }

    /// Also saves what it reads in a folder.
    pub(crate) fn saving(mut self, folder: PathBuf) -> Client {
        if let Source::Service { copies, .. } = &mut self.0 {
            *copies = Some(folder);
        }
        self
    }

    /// The log that was saved in a folder.
    pub(crate) fn saved(folder: PathBuf) -> Client {
        Client(Source::Folder(folder))
    }

    /// The body of a text.
    pub(super) fn text(&self, path: &str) -> Result<String, Problem> {
        self.text_if_there(path)?.ok_or_else(|| missing(path))
    }

    /// The body of a text; none if the service does not have it.
    pub(super) fn text_if_there(&self, path: &str) -> Result<Option<String>, Problem> {
        let text = self.get(path, MAX_TEXT)?.map(String::from_utf8).transpose();
        text.map_err(|_| Problem::unchecked(format_args!("{path} is not UTF-8")))
    }

    /// The bytes of an entry bundle.
    pub(super) fn entries(&self, id: BundleId) -> Result<Vec<u8>, Problem> {
        if let Some(bytes) = self.get(&id.to_string(), MAX_BUNDLE)? {
            return Ok(bytes);
        }
        // A log may delete a partial bundle once the full one exists.
        let full = BundleId { width: TILE_WIDTH, ..id };
        let bytes = if id.is_full() { None } else { self.get(&full.to_string(), MAX_BUNDLE)? };
        let bytes = bytes.ok_or_else(|| missing(id))?;
        let damaged = |error| Problem::unchecked(format_args!("{full} is damaged: {error}"));
        let mut entries = decode_entries(&bytes).map_err(damaged)?;
        entries.truncate(usize::from(id.width));
        encode_entries(entries).map_err(damaged)
    }

    /// Reads the history of a public game into an audit.
    pub(super) fn history(&self, game: Uuid, audit: &mut impl Sink) -> Result<(), Problem> {
        let failed = |what: &dyn std::fmt::Display| {
            Problem::unchecked(format_args!("the history of the game {game}: {what}"))
        };
        let Source::Service { agent, url, .. } = &self.0 else { return Err(failed(&"there is no service")) };
        let request = agent.get(format!("{url}/v1/games/{game}/history"));
        let answer = request.header("accept", "application/x-ndjson").call();
        let answer = answer.map_err(|error| failed(&error))?;
        if answer.status() != 200 {
            return Err(failed(&format_args!("status {}", answer.status().as_u16())));
        }
        read(answer.into_body().into_reader(), audit);
        Ok(())
    }

    /// The bytes at a path; none if the service does not have it.
    fn get(&self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Problem> {
        let failed = |error: io::Error| Problem::unchecked(format_args!("{path}: {error}"));
        match &self.0 {
            Source::Service { agent, url, copies } => {
                let bytes = fetch(agent, url, path, limit)?;
                if let (Some(folder), Some(bytes)) = (copies, &bytes) {
                    save(&folder.join(path), bytes).map_err(failed)?;
                }
                Ok(bytes)
            }
            Source::Folder(folder) => match fs::read(folder.join(path)) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(failed(error)),
            },
        }
    }
}

/// Writes a file, and makes its folders.
fn save(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, bytes)
}

/// The body of a response; none if the service does not have it.
fn fetch(agent: &Agent, url: &str, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Problem> {
    let failed = |error: ureq::Error| Problem::unchecked(format_args!("{path}: {error}"));
    let mut answer = agent.get(format!("{url}/log/{path}")).call().map_err(failed)?;
    match answer.status().as_u16() {
        // ureq refuses a body that reaches its limit.
        200 => {
            let body = answer.body_mut().with_config().limit(limit + 1).read_to_vec();
            body.map(Some).map_err(failed)
        }
        404 | 410 => Ok(None),
        status => Err(Problem::unchecked(format_args!("{path}: status {status}"))),
    }
}

fn missing(path: impl std::fmt::Display) -> Problem {
    Problem::unchecked(format_args!("the service has no {path}"))
}

impl TileSource for &Client {
    type Error = Problem;

    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, Problem> {
        let damaged = |error| Problem::unchecked(format_args!("{id} is damaged: {error}"));
        if let Some(bytes) = self.get(&id.to_string(), MAX_TILE)? {
            return id.decode(&bytes).map_err(damaged);
        }
        // A log may delete a partial tile once the full one exists.
        let full = id.full();
        let bytes = if id.is_full() { None } else { self.get(&full.to_string(), MAX_TILE)? };
        let mut hashes = full.decode(&bytes.ok_or_else(|| missing(id))?).map_err(damaged)?;
        hashes.truncate(usize::from(id.width));
        Ok(hashes)
    }
}
