//! Verifies a service over HTTP: its public log, and every game in it that is over.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};
use uuid::Uuid;

use crate::keys::Keys;
use crate::log::{self, Client, LogSummary, OpenedEntry};
use crate::save::Folder;
use crate::workers::{Workers, with_workers};
use estimation_command::terminal::progress;
use estimation_command::{Failed, agent};
use estimation_record::RecordTime;
use estimation_record::verify::{Audit, Finding, Report, Rule, read};

/// The number of entries per request.
const PAGE: usize = 100;

#[derive(Deserialize)]
struct Page<T> {
    items: Vec<T>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct EndedGame {
    id: Uuid,
    updated_at: RecordTime,
}

/// The credentials for a service.
pub(super) struct Tokens {
    pub(super) access: Option<String>,
    /// The refresh token, for a new access token when the first expires.
    pub(super) refresh: Option<String>,
}

/// The fields of a refreshed session that are used.
#[derive(Deserialize)]
struct RefreshedSession {
    access_token: String,
    refresh_token: String,
}

/// A service with the credentials for it.
struct Service<'a> {
    client: Agent,
    url: &'a str,
    tokens: Tokens,
    /// Where to save what was fetched.
    folder: Option<Folder>,
}

pub(super) fn audit(
    url: &str,
    tokens: Tokens,
    keys: &mut Keys,
    folder: Option<Folder>,
    promises: &[PathBuf],
) -> Result<(Report, Option<LogSummary>), Failed> {
    let mut service = Service { client: agent(None), url: url.trim_end_matches('/'), tokens, folder };
    if service.tokens.access.is_none() && service.tokens.refresh.is_some() {
        service.refresh()?;
    }
    let unknown = keys.is_empty() && !keys.trust.unsigned;
    if unknown || service.folder.is_some() {
        let jwks = service.text("/.well-known/jwks.json")?;
        if let Some(folder) = &service.folder {
            folder.jwks(&jwks)?;
        }
        if unknown {
            keys.add_own(&format!("{}/.well-known/jwks.json", service.url), &jwks)?;
        }
    }
    let mut summary = None;
    let audit = with_workers(&keys.trust, |workers| {
        let client = match &service.folder {
            Some(folder) => Client::new(url).saving(folder.public_log()),
            None => Client::new(url),
        };
        // The log first: what the service opens may have more entries, not fewer.
        let log = log::read(&client);
        log::check_promises(&log, promises, &keys.trust, workers.audit());
        let opened = service.opened()?;
        let (log, games) = log::audit(log, opened.as_deref(), workers.audit());
        summary = log;
        if service.tokens.access.is_some() {
            service.ended(workers.audit())?;
        }
        service.histories(&games, workers)
    })?;
    Ok((audit.finish(), summary))
}

impl Service<'_> {
    /// The entries of games that the service opens for an auditor; none for other accounts and without a token.
    fn opened(&mut self) -> Result<Option<Vec<OpenedEntry>>, Failed> {
        if self.tokens.access.is_none() {
            return Ok(None);
        }
        let (mut entries, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/v1/audit/games?limit={PAGE}{cursor}");
            let mut answer = self.get(&path)?;
            match answer.status() {
                StatusCode::OK => {}
                // The account has another role.
                StatusCode::FORBIDDEN if cursor.is_empty() => return Ok(None),
                status => return Err(format!("{path}: {status}").into()),
            }
            let page: Page<OpenedEntry> = serde_json::from_str(&answer.body_mut().read_to_string()?)
                .map_err(|error| format!("{path}: {error}"))?;
            entries.extend(page.items);
            match page.next_cursor {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        if let Some(folder) = &self.folder {
            folder.opened(&entries)?;
        }
        Ok(Some(entries))
    }

    /// Checks that the games the service shows as over are in the log.
    fn ended(&mut self, audit: &mut Audit<'_>) -> Result<(), Failed> {
        for status in ["finished", "abandoned"] {
            let mut cursor = String::new();
            loop {
                let path = format!("/v1/games?status={status}&limit={PAGE}{cursor}");
                let page: Page<EndedGame> = self.json(&path)?;
                page.items.iter().for_each(|game| audit.ended(game.id, game.updated_at));
                match page.next_cursor {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
        }
        Ok(())
    }

    /// Verifies the histories of games.
    fn histories(&mut self, games: &[Uuid], workers: &mut Workers<'_>) -> Result<(), Failed> {
        workers.audit().whole = true;
        let bar = progress(games.len() as u64);
        for game in games {
            let answer = self.get(&format!("/v1/games/{game}/history"))?;
            match answer.status() {
                StatusCode::OK => {
                    let body = answer.into_body().into_reader();
                    match &self.folder {
                        Some(folder) => read(folder.history(*game, body)?, workers),
                        None => read(body, workers),
                    }
                }
                status @ (StatusCode::UNAUTHORIZED
                | StatusCode::FORBIDDEN
                | StatusCode::NOT_FOUND
                | StatusCode::CONFLICT) => {
                    let detail = format!("the service does not hand out the history: {status}");
                    workers.audit().find(Finding::new(Some(*game), None, Rule::Log, detail));
                }
                status => return Err(format!("the history of {game}: {status}").into()),
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// Sends a GET. Retries once with a new access token if the service refuses the first.
    fn get(&mut self, path: &str) -> Result<Response<Body>, Failed> {
        let answer = self.send(path)?;
        if answer.status() != StatusCode::UNAUTHORIZED || self.tokens.refresh.is_none() {
            return Ok(answer);
        }
        self.refresh()?;
        self.send(path)
    }

    fn send(&self, path: &str) -> Result<Response<Body>, Failed> {
        let mut request =
            self.client.get(format!("{}{path}", self.url)).header("accept", "application/x-ndjson");
        if let Some(token) = &self.tokens.access {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        Ok(request.call()?)
    }

    fn refresh(&mut self) -> Result<(), Failed> {
        let body = json!({ "refresh_token": self.tokens.refresh }).to_string();
        let request = self.client.post(format!("{}/v1/sessions/refresh", self.url));
        let mut answer = request.content_type("application/json").send(body)?;
        if answer.status() != StatusCode::OK {
            return Err(format!("the session cannot be refreshed: {}", answer.status()).into());
        }
        let RefreshedSession { access_token, refresh_token } =
            serde_json::from_str(&answer.body_mut().read_to_string()?)?;
        self.tokens = Tokens { access: Some(access_token), refresh: Some(refresh_token) };
        Ok(())
    }

    fn text(&mut self, path: &str) -> Result<String, Failed> {
        let mut answer = self.get(path)?;
        match answer.status() {
            StatusCode::OK => Ok(answer.body_mut().read_to_string()?),
            status => Err(format!("{path}: {status}").into()),
        }
    }

    fn json<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, Failed> {
        serde_json::from_str(&self.text(path)?).map_err(|error| format!("{path}: {error}").into())
    }
}
