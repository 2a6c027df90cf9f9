//! Verifying a service from outside: its list of ended games, and every game on it.

use reqwest::{Client, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{Failed, progress};
use crate::application::audit::{
    Audit, Finding, ListedLine, Piece, Report, Rule, SignedCheckpoint, Trust, read,
};
use crate::application::record::RecordTime;

/// How many games are asked for at a time.
const PAGE: usize = 100;

#[derive(Deserialize)]
struct Page<T> {
    items: Vec<T>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Ended {
    id: Uuid,
    updated_at: RecordTime,
}

/// A service, and what is shown to it.
struct Service<'a> {
    client: Client,
    url: &'a str,
    token: Option<&'a str>,
}

pub(super) fn audit(
    url: &str,
    token: Option<&str>,
    mut trust: Trust,
    keyless: bool,
) -> Result<Report, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let service = Service { client: Client::new(), url: url.trim_end_matches('/'), token };
        if keyless && !trust.unsigned {
            trust.add_jwks(&service.text("/.well-known/jwks.json").await?)?;
        }
        let mut audit = Audit::new(&trust);
        let games = service.list(&mut audit).await?;
        if token.is_some() {
            service.ended(&mut audit).await?;
            service.histories(&games, &mut audit).await?;
        } else {
            eprintln!("without a token only the list is verified, and no game on it");
        }
        Ok(audit.finish())
    })
}

impl Service<'_> {
    /// The list up to a checkpoint.
    async fn list(&self, audit: &mut Audit<'_>) -> Result<Vec<Uuid>, Failed> {
        // The checkpoint first: what is listed meanwhile is left for the next time.
        let signed: SignedCheckpoint = self.json("/v1/audit/checkpoint").await?;
        let mut games = Vec::new();
        let mut after = 0;
        while after < signed.checkpoint.games {
            let page: Page<ListedLine> =
                self.json(&format!("/v1/audit/games?after={after}&limit={PAGE}")).await?;
            for line in page.items {
                if line.entry.position > signed.checkpoint.games {
                    break;
                }
                // A position that does not grow would have this go on for ever.
                after = line.entry.position.max(after + 1);
                games.push(line.entry.game);
                audit.piece(Piece::Listed(line));
            }
            if page.next_cursor.is_none() {
                break;
            }
        }
        audit.piece(Piece::Checkpoint(signed));
        Ok(games)
    }

    /// What the service shows as over: none of it may be missing on the list.
    async fn ended(&self, audit: &mut Audit<'_>) -> Result<(), Failed> {
        for status in ["finished", "abandoned"] {
            let mut cursor = String::new();
            loop {
                let path = format!("/v1/games?status={status}&limit={PAGE}{cursor}");
                let page: Page<Ended> = self.json(&path).await?;
                page.items.iter().for_each(|game| audit.ended(game.id, game.updated_at));
                match page.next_cursor {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
        }
        Ok(())
    }

    async fn histories(&self, games: &[Uuid], audit: &mut Audit<'_>) -> Result<(), Failed> {
        audit.whole = true;
        let bar = progress(games.len() as u64);
        for game in games {
            let answer = self.get(&format!("/v1/games/{game}/history")).send().await?;
            match answer.status() {
                StatusCode::OK => {
                    let text = answer.bytes().await;
                    match text {
                        Ok(text) => read(&text[..], audit),
                        Err(error) => audit.unreadable(format!("the history of {game}: {error}")),
                    }
                }
                status @ (StatusCode::FORBIDDEN | StatusCode::NOT_FOUND | StatusCode::CONFLICT) => {
                    let detail = format!("the service does not hand out the history: {status}");
                    audit.find(Finding { game: Some(*game), seq: None, rule: Rule::List, detail });
                }
                status => return Err(format!("the history of {game}: {status}").into()),
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn get(&self, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.get(format!("{}{path}", self.url)).header("accept", "application/x-ndjson");
        match self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn text(&self, path: &str) -> Result<String, Failed> {
        let answer = self.get(path).send().await?;
        match answer.status() {
            StatusCode::OK => Ok(answer.text().await?),
            status => Err(format!("{path}: {status}").into()),
        }
    }

    async fn json<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failed> {
        serde_json::from_str(&self.text(path).await?).map_err(|error| format!("{path}: {error}").into())
    }
}
