//! Flags for access: proxies, origins, limits on attempts and rate limits.

use std::time::Duration;

use clap::Args;

use super::values::{Span, Switch, contact, span, switch};
use crate::http::{RateSettings, SecuritySettings};
use estimation_service::auth::sessions::SessionSettings;
use estimation_service::auth::throttle::{Limits, Rate};
use estimation_service::base::network::Network;

/// Flags for access.
#[derive(Args, Clone, Debug)]
pub(super) struct AccessFlags {
    /// Proxy whose `X-Forwarded-For` the server trusts: an address or a network like 10.0.0.0/8. Repeat the flag or
    /// separate values by commas.
    #[arg(long = "trusted-proxy", env = "ESTIMATION_TRUSTED_PROXY", value_delimiter = ',')]
    pub(super) trusted_proxies: Vec<Network>,

    /// Origin from which browsers may call the API, as in https://play.example.org. Repeat the flag or separate values by
    /// commas. None by default.
    #[arg(long = "cors-origin", env = "ESTIMATION_CORS_ORIGIN", value_delimiter = ',', value_parser = origin)]
    pub(super) cors_origins: Vec<String>,

    /// Time for which browsers shall use https alone (`Strict-Transport-Security`), as in 365d; `off` to say nothing. Only
    /// for a server whose players all come over https.
    #[arg(long, env = "ESTIMATION_HSTS", default_value = "off", value_parser = span)]
    hsts: Span,

    /// Address for reports of security problems, as in mailto:security@example.org or https://example.org/report, for
    /// `/.well-known/security.txt`. Repeat the flag or separate values by commas. None by default.
    #[arg(long = "security-contact", env = "ESTIMATION_SECURITY_CONTACT", value_delimiter = ',', value_parser = contact)]
    security_contacts: Vec<String>,

    /// Failed sign-ins for an account; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_LOGIN", default_value = "10/15m", value_parser = limit)]
    limit_login: Limit,

    /// Failed sign-ins from an address; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_LOGIN_ADDRESS", default_value = "50/15m", value_parser = limit)]
    limit_login_address: Limit,

    /// Sessions that an account opens with its password; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_SESSIONS", default_value = "60/1h", value_parser = limit)]
    limit_sessions: Limit,

    /// Accounts created from an address, guests included, and usernames given to guests; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_ACCOUNTS", default_value = "60/1h", value_parser = limit)]
    limit_accounts: Limit,

    /// Session refreshes of an account, and wrong refresh tokens from an address; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_REFRESH", default_value = "60/1m", value_parser = limit)]
    limit_refresh: Limit,

    /// Mails to an email address, and of moderators to an account; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_MAIL", default_value = "3/1h", value_parser = limit)]
    limit_mail: Limit,

    /// Searches for players, requests for friendship and invitations of an account; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_PEOPLE", default_value = "120/1h", value_parser = limit)]
    limit_people: Limit,

    /// Reports and appeals of an account; `off` for no limit.
    #[arg(long, env = "ESTIMATION_LIMIT_REPORTS", default_value = "10/1h", value_parser = limit)]
    limit_reports: Limit,

    /// Maximum number of sessions of an account. One more ends the session that was unused longest.
    #[arg(long, env = "ESTIMATION_SESSIONS_PER_ACCOUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    sessions_per_account: u32,

    /// Maximum age of a session, however much it is used, as in 12h or 180d; at least one hour, `off` for no maximum.
    #[arg(long, env = "ESTIMATION_SESSION_LIFETIME", default_value = "180d", value_parser = lifetime)]
    session_lifetime: Span,

    /// Whether accounts with a role need a second step for what the role allows; `off` to leave it to them.
    #[arg(long, env = "ESTIMATION_SECOND_STEP_FOR_ROLES", default_value = "on", value_parser = switch)]
    second_step_for_roles: Switch,

    /// Requests from an address, without commands; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_ADDRESS", default_value = "30000/1m", value_parser = limit)]
    rate_address: Limit,

    /// Requests from an address whose access token is missing or not accepted, with commands. Valid tokens from that
    /// address still pass; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_UNAUTHENTICATED", default_value = "300/1m", value_parser = limit)]
    rate_unauthenticated: Limit,

    /// Requests of an account, without commands; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_ACCOUNT", default_value = "1200/1m", value_parser = limit)]
    rate_account: Limit,

    /// Refused commands of an account. Legal commands are never limited; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_COMMANDS", default_value = "600/1m", value_parser = limit)]
    rate_commands: Limit,

    /// Hints for an account; `off` for no limit.
    #[arg(long, env = "ESTIMATION_RATE_HINTS", default_value = "60/1m", value_parser = limit)]
    rate_hints: Limit,
}

/// The shortest maximum age of sessions.
const SHORTEST_SESSION: Duration = Duration::from_secs(60 * 60);

/// A rate; `off` is no limit.
#[derive(Clone, Copy, Debug)]
struct Limit(Option<Rate>);

fn origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let fits = |host: &str| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']);
    if text == "*" || host.is_some_and(fits) {
        Ok(text.to_owned())
    } else {
        Err("expected an origin like https://play.example.org, without a path".to_owned())
    }
}

fn limit(text: &str) -> Result<Limit, String> {
    if text == "off" {
        return Ok(Limit(None));
    }
    text.parse().map(|rate| Limit(Some(rate))).map_err(|error| format!("{error}, or off"))
}

fn lifetime(text: &str) -> Result<Span, &'static str> {
    let span = span(text)?;
    if span.0.is_some_and(|lifetime| lifetime < SHORTEST_SESSION) {
        return Err("expected at least one hour");
    }
    Ok(span)
}

impl AccessFlags {
    pub(super) fn rates(&self) -> RateSettings {
        RateSettings {
            address: self.rate_address.0,
            unauthenticated: self.rate_unauthenticated.0,
            account: self.rate_account.0,
            commands: self.rate_commands.0,
            hints: self.rate_hints.0,
        }
    }

    pub(super) fn security(&self) -> SecuritySettings {
        SecuritySettings { hsts: self.hsts.0, contacts: self.security_contacts.clone() }
    }

    pub(super) fn sessions(&self) -> SessionSettings {
        SessionSettings {
            per_account: self.sessions_per_account,
            lifetime: self.session_lifetime.0,
            second_step_for_roles: self.second_step_for_roles.0,
            ..SessionSettings::default()
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            login_per_account: self.limit_login.0,
            login_per_address: self.limit_login_address.0,
            sessions_per_account: self.limit_sessions.0,
            accounts_per_address: self.limit_accounts.0,
            refresh_per_account: self.limit_refresh.0,
            refresh_per_address: self.limit_refresh.0,
            mails_per_address: self.limit_mail.0,
            people_per_account: self.limit_people.0,
            reports_per_account: self.limit_reports.0,
        }
    }
}
