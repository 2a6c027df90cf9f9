//! A player: an account, a connection, and tokens that are refreshed.

use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use serde_json::json;

use super::client::{Answer, Client};
use super::patience::RetryBudget;
use super::request::{Call, Target};
use super::statistics::Statistics;
use super::trouble::{DriveError, Exchange, described};
use super::wire::{self, Registered, Session};

/// The maximum number of token refreshes per request.
const REFRESHES: u32 = 5;

pub(super) struct Player {
    client: Client,
    statistics: Arc<Statistics>,
    patience: Duration,
    username: String,
    password: String,
    pub(super) account: String,
    bearer: HeaderValue,
    refresh_token: String,
}

/// The outcome of a request that was sent once.
pub(super) enum Outcome {
    /// The service responded.
    Known(Answer),
    /// Unknown: the reason, and how long the service asks to wait.
    Unknown(String, Option<Duration>),
}

impl Player {
    /// Registers an account. If the response is lost, signs in to the account.
    pub(super) async fn register(
        target: &Arc<Target>,
        statistics: &Arc<Statistics>,
        patience: Duration,
        (username, password): (String, String),
    ) -> Result<Player, DriveError> {
        let mut player = Player {
            client: Client::new(target),
            statistics: Arc::clone(statistics),
            patience,
            username,
            password,
            account: String::new(),
            bearer: HeaderValue::from_static(""),
            refresh_token: String::new(),
        };
        let body = player.credentials();
        let call = public(&Method::POST, "/v1/accounts", Some(&body));
        let answer = player.send_until_answered(call).await?;
        match answer.status {
            201 => {
                let made: Registered = wire::read(call, &answer)?;
                player.account = made.account.id;
                player.keep(made.session);
            }
            409 if wire::code(&answer) == "username-taken" => {
                player.log_in().await?;
                let answer = player.get("/v1/me").await?;
                let account: wire::Account = wire::read(player.call(&Method::GET, "/v1/me", None), &answer)?;
                player.account = account.id;
            }
            _ => return Err(DriveError::Unexpected(Exchange::new(call, &answer))),
        }
        Ok(player)
    }

    /// Sends a GET. Any status other than 200 is an error.
    pub(super) async fn get(&mut self, path: &str) -> Result<Answer, DriveError> {
        let answer = self.ask(&Method::GET, path, None).await?;
        if answer.status == 200 {
            return Ok(answer);
        }
        Err(DriveError::Unexpected(Exchange::new(self.call(&Method::GET, path, None), &answer)))
    }

    /// Retries until there is a response. For requests that may be repeated.
    pub(super) async fn ask(
        &mut self,
        method: &Method,
        path: &str,
        body: Option<&Bytes>,
    ) -> Result<Answer, DriveError> {
        let mut patience = RetryBudget::of(self.patience);
        loop {
            let (cause, asked) = match self.once(method, path, body, None).await? {
                Outcome::Known(answer) => return Ok(answer),
                Outcome::Unknown(cause, asked) => (cause, asked),
            };
            if !patience.wait(asked).await {
                let request = described(self.call(method, path, body));
                return Err(DriveError::Unreachable { request, cause });
            }
        }
    }

    /// Sends a request once, and again only if it certainly had no effect.
    pub(super) async fn once(
        &mut self,
        method: &Method,
        path: &str,
        body: Option<&Bytes>,
        if_match: Option<&HeaderValue>,
    ) -> Result<Outcome, DriveError> {
        let mut throttled = RetryBudget::of(self.patience);
        let mut refreshed = 0;
        loop {
            let bearer = self.bearer.clone();
            let call = Call { method, path, bearer: Some(&bearer), if_match, body };
            let answer = match self.client.send(call).await {
                Err(cause) => return Ok(Outcome::Unknown(cause.to_string(), None)),
                Ok(answer) => answer,
            };
            match answer.status {
                502..=504 => {
                    let asked = answer.retry_after();
                    return Ok(Outcome::Unknown(Exchange::new(call, &answer).to_string(), asked));
                }
                429 => {
                    self.statistics.counts().deferred += 1;
                    if !throttled.wait(answer.retry_after()).await {
                        return Err(DriveError::Unexpected(Exchange::new(call, &answer)));
                    }
                }
                401 if refreshed < REFRESHES && wire::code(&answer) == "token-expired" => {
                    refreshed += 1;
                    self.refresh().await?;
                }
                _ => return Ok(Outcome::Known(answer)),
            }
        }
    }

    /// Refreshes the access token, or signs in again if the refresh token was used up.
    async fn refresh(&mut self) -> Result<(), DriveError> {
        self.statistics.counts().refreshed += 1;
        let body = Bytes::from(json!({ "refresh_token": self.refresh_token }).to_string());
        let call = public(&Method::POST, "/v1/sessions/refresh", Some(&body));
        let answer = self.send_until_answered(call).await?;
        match answer.status {
            200 => {
                self.keep(wire::read(call, &answer)?);
                Ok(())
            }
            401 => self.log_in().await,
            _ => Err(DriveError::Unexpected(Exchange::new(call, &answer))),
        }
    }

    async fn log_in(&mut self) -> Result<(), DriveError> {
        let body = self.credentials();
        let call = public(&Method::POST, "/v1/sessions", Some(&body));
        let answer = self.send_until_answered(call).await?;
        if answer.status != 201 {
            return Err(DriveError::Unexpected(Exchange::new(call, &answer)));
        }
        self.keep(wire::read(call, &answer)?);
        Ok(())
    }

    /// Sends a request without a token until there is a response.
    async fn send_until_answered(&mut self, call: Call<'_>) -> Result<Answer, DriveError> {
        let mut patience = RetryBudget::of(self.patience);
        loop {
            let (cause, asked) = match self.client.send(call).await {
                Ok(answer) if !matches!(answer.status, 429 | 502..=504) => return Ok(answer),
                Ok(answer) => (Exchange::new(call, &answer).to_string(), answer.retry_after()),
                Err(cause) => (cause.to_string(), None),
            };
            if !patience.wait(asked).await {
                return Err(DriveError::Unreachable { request: described(call), cause });
            }
        }
    }

    /// Opens an event stream on a separate connection.
    pub(super) async fn stream(&self, path: &str) -> Result<Incoming, DriveError> {
        let opened = self.client.stream(path, &self.bearer).await;
        let request = || described(self.call(&Method::GET, path, None));
        match opened {
            Ok((200, body)) => Ok(body),
            Ok((status, _)) => {
                Err(DriveError::Unreachable { request: request(), cause: format!("status {status}") })
            }
            Err(cause) => Err(DriveError::Unreachable { request: request(), cause: cause.to_string() }),
        }
    }

    /// A request of this player, for a report.
    pub(super) fn call<'a>(&'a self, method: &'a Method, path: &'a str, body: Option<&'a Bytes>) -> Call<'a> {
        Call { method, path, bearer: Some(&self.bearer), if_match: None, body }
    }

    fn credentials(&self) -> Bytes {
        Bytes::from(json!({ "username": self.username, "password": self.password }).to_string())
    }

    fn keep(&mut self, session: Session) {
        if let Ok(mut bearer) = HeaderValue::try_from(format!("Bearer {}", session.access_token)) {
            bearer.set_sensitive(true);
            self.bearer = bearer;
        }
        self.refresh_token = session.refresh_token;
    }
}

/// A request without a token.
fn public<'a>(method: &'a Method, path: &'a str, body: Option<&'a Bytes>) -> Call<'a> {
    Call { method, path, bearer: None, if_match: None, body }
}
