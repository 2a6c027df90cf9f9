//! A player: an account, a connection, and tokens that are refreshed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::HeaderValue;
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use crate::error::{DriveError, described};
use crate::http::{Answer, Call, Client};
use crate::run::Run;

/// The maximum number of token refreshes per request.
const REFRESHES: u32 = 5;

/// The first pause before a retry. Each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(25);

const LONGEST_PAUSE: Duration = Duration::from_millis(500);

pub struct Player {
    client: Client,
    run: Arc<Run>,
    /// The body of a registration and of a sign-in.
    credentials: String,
    pub account: String,
    bearer: HeaderValue,
    refresh_token: String,
}

/// The outcome of a request that was sent once.
pub enum Outcome {
    /// The service responded.
    Known(Box<Answer>),
    /// Unknown: the reason, and how long the service asks to wait.
    Unknown(String, Option<Duration>),
}

#[derive(Deserialize)]
struct Registration {
    account: Account,
    session: Session,
}

#[derive(Deserialize)]
struct Account {
    id: String,
}

#[derive(Deserialize)]
struct Session {
    access_token: String,
    refresh_token: String,
}

/// A retry budget. It starts with the first failure and is reset by success.
pub struct RetryBudget {
    limit: Duration,
    since: Option<Instant>,
    pause: Duration,
}

impl RetryBudget {
    pub fn of(limit: Duration) -> RetryBudget {
        RetryBudget { limit, since: None, pause: FIRST_PAUSE }
    }

    /// Resets the budget after a success.
    pub fn renew(&mut self) {
        *self = RetryBudget::of(self.limit);
    }

    /// Waits before the next attempt, as long as the service asks for. Returns false when the budget is used
    /// up.
    async fn wait(&mut self, asked: Option<Duration>) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.limit {
            return false;
        }
        sleep(asked.unwrap_or(self.pause).min(self.limit)).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }

    /// Waits before a request is sent again. The error has the cause if the budget is used up.
    pub async fn wait_for(
        &mut self,
        call: &Call,
        cause: &str,
        asked: Option<Duration>,
    ) -> Result<(), DriveError> {
        if self.wait(asked).await { Ok(()) } else { Err(DriveError::unreachable(call, cause)) }
    }
}

impl Player {
    /// Registers an account. If the response is lost, signs in to the account.
    pub async fn register(run: &Arc<Run>, username: &str) -> Result<Player, DriveError> {
        let mut player = Player {
            client: Client::new(&run.target),
            run: Arc::clone(run),
            credentials: json!({ "username": username, "password": run.password }).to_string(),
            account: String::new(),
            bearer: HeaderValue::from_static(""),
            refresh_token: String::new(),
        };
        let answer = player.ask_openly("/v1/accounts", player.credentials.clone()).await?;
        match answer.status {
            201 => {
                let Registration { account, session } = answer.read()?;
                player.account = account.id;
                player.keep(session);
            }
            409 if answer.code() == "username-taken" => {
                player.sign_in().await?;
                player.account = player.get("/v1/me").await?.read::<Account>()?.id;
            }
            _ => return Err(DriveError::unexpected(&answer)),
        }
        Ok(player)
    }

    /// Sends a GET. Any status other than 200 is an error.
    pub async fn get(&mut self, path: impl Into<Arc<str>>) -> Result<Answer, DriveError> {
        let answer = self.ask(&Call::get(path)).await?;
        if answer.status == 200 { Ok(answer) } else { Err(DriveError::unexpected(&answer)) }
    }

    /// Retries until there is a response. For requests that may be repeated.
    pub async fn ask(&mut self, call: &Call) -> Result<Answer, DriveError> {
        let mut budget = RetryBudget::of(self.run.flags.patience);
        loop {
            match self.once(call.clone()).await? {
                Outcome::Known(answer) => return Ok(*answer),
                Outcome::Unknown(cause, asked) => budget.wait_for(call, &cause, asked).await?,
            }
        }
    }

    /// Sends a request once, and again only if it certainly had no effect.
    pub async fn once(&mut self, mut call: Call) -> Result<Outcome, DriveError> {
        let mut throttled = RetryBudget::of(self.run.flags.patience);
        let mut refreshed = 0;
        loop {
            call.bearer = Some(self.bearer.clone());
            let answer = match self.client.send(call).await {
                Err(cause) => return Ok(Outcome::Unknown(cause.to_string(), None)),
                Ok(answer) => answer,
            };
            match answer.status {
                502..=504 => return Ok(Outcome::Unknown(described(&answer), answer.retry_after())),
                429 => {
                    self.run.statistics.count(|counts| counts.deferred_requests += 1);
                    if !throttled.wait(answer.retry_after()).await {
                        return Err(DriveError::unexpected(&answer));
                    }
                }
                401 if refreshed < REFRESHES && answer.code() == "token-expired" => {
                    refreshed += 1;
                    self.refresh().await?;
                }
                _ => return Ok(Outcome::Known(Box::new(answer))),
            }
            call = answer.call;
        }
    }

    /// Refreshes the access token, or signs in again if the refresh token was used up.
    async fn refresh(&mut self) -> Result<(), DriveError> {
        self.run.statistics.count(|counts| counts.refreshed_sessions += 1);
        let body = json!({ "refresh_token": self.refresh_token }).to_string();
        let answer = self.ask_openly("/v1/sessions/refresh", body).await?;
        match answer.status {
            200 => {
                self.keep(answer.read()?);
                Ok(())
            }
            401 => self.sign_in().await,
            _ => Err(DriveError::unexpected(&answer)),
        }
    }

    async fn sign_in(&mut self) -> Result<(), DriveError> {
        let answer = self.ask_openly("/v1/sessions", self.credentials.clone()).await?;
        if answer.status != 201 {
            return Err(DriveError::unexpected(&answer));
        }
        self.keep(answer.read()?);
        Ok(())
    }

    /// Posts without a token until there is a response.
    async fn ask_openly(&mut self, path: &'static str, body: String) -> Result<Answer, DriveError> {
        let call = Call::post(path, Some(body.into()));
        let mut budget = RetryBudget::of(self.run.flags.patience);
        loop {
            let (cause, asked) = match self.client.send(call.clone()).await {
                Ok(answer) if !matches!(answer.status, 429 | 502..=504) => return Ok(answer),
                Ok(answer) => (described(&answer), answer.retry_after()),
                Err(cause) => (cause.to_string(), None),
            };
            budget.wait_for(&call, &cause, asked).await?;
        }
    }

    /// Opens the event stream of a game on a separate connection, after a position or from the first event.
    pub async fn stream(&mut self, game: &str, after: Option<HeaderValue>) -> Result<Incoming, DriveError> {
        let mut call = Call::get(format!("/v1/games/{game}/stream"));
        call.headers.extend(after.map(|position| ("last-event-id", position)));
        let mut refreshed = 0;
        loop {
            call.bearer = Some(self.bearer.clone());
            match self.client.stream(&call).await {
                Ok((200, body)) => return Ok(body),
                // An expired token, or an ended session.
                Ok((401, _)) if refreshed < REFRESHES => {
                    refreshed += 1;
                    self.refresh().await?;
                }
                Ok((status, _)) => return Err(DriveError::unreachable(&call, &format!("status {status}"))),
                Err(cause) => return Err(DriveError::unreachable(&call, &cause.to_string())),
            }
        }
    }

    fn keep(&mut self, session: Session) {
        if let Ok(mut bearer) = HeaderValue::try_from(format!("Bearer {}", session.access_token)) {
            bearer.set_sensitive(true);
            self.bearer = bearer;
        }
        self.refresh_token = session.refresh_token;
    }
}
