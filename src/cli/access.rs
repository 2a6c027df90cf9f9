//! Who may call from where, and how often something may be attempted.

use std::time::Duration;

use clap::Args;

use super::serve::{Span, span};
use crate::auth::sessions::SessionSettings;
use crate::auth::throttle::{Limits, Rate};
use crate::http::{Network, RateSettings};

/// Who may call from where, and how often.
#[derive(Args, Clone, Debug)]
pub(super) struct AccessFlags {
    /// A proxy whose `X-Forwarded-For` is believed, as an address or a network like 10.0.0.0/8; may be given
    /// several times, or as a list with commas.
    #[arg(long = "trusted-proxy", env = "ESTIMATION_TRUSTED_PROXY", value_delimiter = ',')]
    pub(super) trusted_proxies: Vec<Network>,

    /// An origin from which browsers may call, as in https://play.example.org; may be given several times, or
    /// as a list with commas. By default none may.
    #[arg(long = "cors-origin", env = "ESTIMATION_CORS_ORIGIN", value_delimiter = ',', value_parser = origin)]
    pub(super) cors_origins: Vec<String>,

    /// Failed attempts at signing in to an account; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_LOGIN", default_value = "10/15m", value_parser = limit)]
    limit_login: Limit,

    /// Failed attempts at signing in from an address; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_LOGIN_ADDRESS", default_value = "50/15m", value_parser = limit)]
    limit_login_address: Limit,

    /// Sessions that an account opens with its password; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_SESSIONS", default_value = "60/1h", value_parser = limit)]
    limit_sessions: Limit,

    /// Accounts, guests included, made from an address, and usernames given to guests; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_ACCOUNTS", default_value = "60/1h", value_parser = limit)]
    limit_accounts: Limit,

    /// Refreshed sessions of an account, and wrong refresh tokens from an address; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_REFRESH", default_value = "60/1m", value_parser = limit)]
    limit_refresh: Limit,

    /// How many sessions an account has at most; with one more the one that was unused longest ends.
    #[arg(long, env = "ESTIMATION_SESSIONS_PER_ACCOUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    sessions_per_account: u32,

    /// How long after its beginning a session ends, however much it is used, as in 12h or 180d, an hour at least;
    /// `off` for no such end.
    #[arg(long, env = "ESTIMATION_SESSION_LIFETIME", default_value = "180d", value_parser = lifetime)]
    session_lifetime: Span,

    /// Requests from an address, but for commands; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_ADDRESS", default_value = "30000/1m", value_parser = limit)]
    rate_address: Limit,

    /// Requests from an address whose access token is missing or not accepted, commands included. Valid tokens
    /// from there pass all the same; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_UNAUTHENTICATED", default_value = "300/1m", value_parser = limit)]
    rate_unauthenticated: Limit,

    /// Requests of an account, but for commands; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_ACCOUNT", default_value = "1200/1m", value_parser = limit)]
    rate_account: Limit,

    /// Refused commands of an account. Legal commands are never limited; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_COMMANDS", default_value = "600/1m", value_parser = limit)]
    rate_commands: Limit,
}

/// The shortest life that sessions may be given.
const SHORTEST_SESSION: Duration = Duration::from_secs(60 * 60);

/// A rate, or no limit.
#[derive(Clone, Copy, Debug)]
struct Limit(Option<Rate>);

fn origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let fits = |host: &str| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']);
    if text == "*" || host.is_some_and(fits) {
        Ok(text.to_owned())
    } else {
        Err("an origin is like https://play.example.org, without a path".to_owned())
    }
}

fn limit(text: &str) -> Result<Limit, String> {
    if text == "off" {
        return Ok(Limit(None));
    }
    text.parse().map(|rate| Limit(Some(rate))).map_err(|error| format!("{error}, or off"))
}

fn lifetime(text: &str) -> Result<Span, String> {
    let span = span(text)?;
    if span.0.is_some_and(|lifetime| lifetime < SHORTEST_SESSION) {
        return Err("a session lives for an hour at least".to_owned());
    }
    Ok(span)
}

impl AccessFlags {
    /// How much may be asked.
    pub(super) fn rates(&self) -> RateSettings {
        RateSettings {
            address: self.rate_address.0,
            unauthenticated: self.rate_unauthenticated.0,
            account: self.rate_account.0,
            commands: self.rate_commands.0,
        }
    }

    /// How many sessions there may be, and how long they live.
    pub(super) fn sessions(&self) -> SessionSettings {
        SessionSettings { per_account: self.sessions_per_account, lifetime: self.session_lifetime.0 }
    }

    /// The limits on attempts.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            login_per_account: self.limit_login.0,
            login_per_address: self.limit_login_address.0,
            sessions_per_account: self.limit_sessions.0,
            accounts_per_address: self.limit_accounts.0,
            refresh_per_account: self.limit_refresh.0,
            refresh_per_address: self.limit_refresh.0,
        }
    }
}
