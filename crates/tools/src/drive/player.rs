//! A player: an account, a connection, and tokens that are refreshed.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderValue;
use serde_json::json;

use super::patience::RetryBudget;
use super::run::Run;
use super::trouble::{DriveError, described};
use super::wire::{self, Registered, Session};
use crate::connection::Incoming;
use crate::http::{Answer, Call, Client};

/// The maximum number of token refreshes per request.
const REFRESHES: u32 = 5;

pub(super) struct Player {
    client: Client,
    run: Arc<Run>,
    username: String,
    password: String,
    pub(super) account: String,
    bearer: HeaderValue,
    refresh_token: String,
}

/// The outcome of a request that was sent once.
pub(super) enum Outcome {
    /// The service responded.
    Known(Box<Answer>),
    /// Unknown: the reason, and how long the service asks to wait.
    Unknown(String, Option<Duration>),
}

impl Player {
    /// Registers an account. If the response is lost, signs in to the account.
    pub(super) async fn register(
        run: &Arc<Run>,
        username: String,
        password: String,
    ) -> Result<Player, DriveError> {
        let mut player = Player {
            client: Client::new(&run.target),
            run: Arc::clone(run),
            username,
            password,
            account: String::new(),
            bearer: HeaderValue::from_static(""),
            refresh_token: String::new(),
        };
        let answer = player.ask_openly("/v1/accounts", player.credentials()).await?;
        match answer.status {
            201 => {
                let made: Registered = wire::read(&answer)?;
                player.account = made.account.id;
                player.keep(made.session);
            }
            409 if wire::code(&answer) == "username-taken" => {
                player.log_in().await?;
                let account: wire::Account = wire::read(&player.get("/v1/me").await?)?;
                player.account = account.id;
            }
            _ => return Err(DriveError::unexpected(&answer)),
        }
        Ok(player)
    }

    /// Sends a GET. Any status other than 200 is an error.
    pub(super) async fn get(&mut self, path: impl Into<Bytes>) -> Result<Answer, DriveError> {
        let answer = self.ask(&Call::get(path)).await?;
        if answer.status == 200 { Ok(answer) } else { Err(DriveError::unexpected(&answer)) }
    }

    /// Retries until there is a response. For requests that may be repeated.
    pub(super) async fn ask(&mut self, call: &Call) -> Result<Answer, DriveError> {
        let mut patience = RetryBudget::of(self.run.flags.patience());
        loop {
            match self.once(call.clone()).await? {
                Outcome::Known(answer) => return Ok(*answer),
                Outcome::Unknown(cause, asked) => patience.wait_for(call, cause, asked).await?,
            }
        }
    }

    /// Sends a request once, and again only if it certainly had no effect.
    pub(super) async fn once(&mut self, mut call: Call) -> Result<Outcome, DriveError> {
        let mut throttled = RetryBudget::of(self.run.flags.patience());
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
                401 if refreshed < REFRESHES && wire::code(&answer) == "token-expired" => {
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
                self.keep(wire::read(&answer)?);
                Ok(())
            }
            401 => self.log_in().await,
            _ => Err(DriveError::unexpected(&answer)),
        }
    }

    async fn log_in(&mut self) -> Result<(), DriveError> {
        let answer = self.ask_openly("/v1/sessions", self.credentials()).await?;
        if answer.status != 201 {
            return Err(DriveError::unexpected(&answer));
        }
        self.keep(wire::read(&answer)?);
        Ok(())
    }

    /// Posts without a token until there is a response.
    async fn ask_openly(&mut self, path: &'static str, body: String) -> Result<Answer, DriveError> {
        let call = Call::post(path, Some(body.into()));
        ask_openly(&mut self.client, &call, self.run.flags.patience()).await
    }

    /// Opens the event stream of a game on a separate connection, after a position or from the first event.
    pub(super) async fn stream(
        &mut self,
        game: &str,
        after: Option<HeaderValue>,
    ) -> Result<Incoming, DriveError> {
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
                Ok((status, _)) => return Err(DriveError::unreachable(&call, format!("status {status}"))),
                Err(cause) => return Err(DriveError::unreachable(&call, cause.to_string())),
            }
        }
    }

    fn credentials(&self) -> String {
        json!({ "username": self.username, "password": self.password }).to_string()
    }

    fn keep(&mut self, session: Session) {
        if let Ok(mut bearer) = HeaderValue::try_from(format!("Bearer {}", session.access_token)) {
            bearer.set_sensitive(true);
            self.bearer = bearer;
        }
        self.refresh_token = session.refresh_token;
    }
}

/// Sends a request without a token until there is a response.
pub(super) async fn ask_openly(
    client: &mut Client,
    call: &Call,
    patience: Duration,
) -> Result<Answer, DriveError> {
    let mut patience = RetryBudget::of(patience);
    loop {
        let (cause, asked) = match client.send(call.clone()).await {
            Ok(answer) if !matches!(answer.status, 429 | 502..=504) => return Ok(answer),
            Ok(answer) => (described(&answer), answer.retry_after()),
            Err(cause) => (cause.to_string(), None),
        };
        patience.wait_for(call, cause, asked).await?;
    }
}
