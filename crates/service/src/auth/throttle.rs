//! Rate limits on attempts, shared by all nodes.
//!
//! Guessing attempts count per account and per address. A device that has signed in before presents its
//! device token and has its own limit. So an attacker cannot lock a player out of their own device.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;
use thiserror::Error;
use uuid::Uuid;

use super::active_keys::ActiveKeys;
use super::keys::RefreshKey;
use super::security;
use crate::base::clock::Clock;
use crate::base::failure::{Failure, milliseconds};
use crate::base::live::Live;
use estimation_store::attempts::{self, Attempt, ExceededLimit};
use estimation_store::{Database, Server};

/// Buckets that are deleted in one transaction.
const SWEPT_AT_ONCE: i64 = 1_000;

/// A number of attempts per period; the burst is the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// At least 1.
    pub times: u32,
    /// At least 1.
    pub seconds: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a rate is a number of times and a period in s, m, h or d, like 10/15m")]
pub struct NotARate;

/// Parses a period: a number and `s`, `m`, `h` or `d`, as in `15m`.
pub fn period_seconds(text: &str) -> Option<u64> {
    let number = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let scale = match &text[number.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    number.parse::<u32>().ok().map(|number| u64::from(number) * scale)
}

impl FromStr for Rate {
    type Err = NotARate;

    fn from_str(text: &str) -> Result<Rate, NotARate> {
        let (times, period) = text.split_once('/').ok_or(NotARate)?;
        // A unit alone means one of it.
        let seconds = period_seconds(period).or_else(|| period_seconds(&format!("1{period}")));
        let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok()).ok_or(NotARate)?;
        let times: u32 = times.parse().map_err(|_| NotARate)?;
        if times == 0 || seconds == 0 { Err(NotARate) } else { Ok(Rate { times, seconds }) }
    }
}

/// The limits; `None` for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Failed logins per account from unknown devices, and per known device; failed password confirmations
    /// per session.
    pub login_per_account: Option<Rate>,
    /// Failed logins per address.
    pub login_per_address: Option<Rate>,
    /// Sessions opened by password per account.
    pub sessions_per_account: Option<Rate>,
    /// Registrations per address, including guests and usernames requested for guests.
    pub accounts_per_address: Option<Rate>,
    pub refresh_per_account: Option<Rate>,
    /// Invalid refresh tokens per address.
    pub refresh_per_address: Option<Rate>,
    /// Mails per email address.
    pub mails_per_address: Option<Rate>,
    /// Searches, requests for friendship and invitations per account.
    pub people_per_account: Option<Rate>,
    pub reports_per_account: Option<Rate>,
}

impl Limits {
    /// No limits: for tests and load drivers.
    pub const NONE: Limits = Limits {
        login_per_account: None,
        login_per_address: None,
        sessions_per_account: None,
        accounts_per_address: None,
        refresh_per_account: None,
        refresh_per_address: None,
        mails_per_address: None,
        people_per_account: None,
        reports_per_account: None,
    };
}

impl Default for Limits {
    fn default() -> Limits {
        let rate = |times: u32, minutes: u32| Some(Rate { times, seconds: minutes * 60 });
        Limits {
            login_per_account: rate(10, 15),
            login_per_address: rate(50, 15),
            sessions_per_account: rate(60, 60),
            accounts_per_address: rate(60, 60),
            refresh_per_account: rate(60, 1),
            refresh_per_address: rate(60, 1),
            mails_per_address: rate(3, 60),
            people_per_account: rate(120, 60),
            reports_per_account: rate(10, 60),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitKind {
    LoginByAccount,
    LoginByDevice,
    LoginByAddress,
    SessionsByAccount,
    Confirmation,
    SecondStep,
    CredentialsByAccount,
    AccountsByAddress,
    RefreshByAccount,
    RefreshByAddress,
    MailByAddress,
    /// What moderators send to an account.
    MailToAccount,
    People,
    Reports,
}

/// Counts attempts inside a transaction.
#[derive(Clone)]
pub(crate) struct Meter {
    limits: Limits,
    key: Arc<RefreshKey>,
}

impl Meter {
    /// An attempt, if it is limited. Buckets are keyed by a MAC, so the table reveals no accounts or
    /// addresses.
    pub(crate) fn attempt(&self, limited: LimitKind, who: &[u8]) -> Option<Attempt> {
        let limits = &self.limits;
        let (name, limit, rate) = match limited {
            LimitKind::LoginByAccount => ("login/account", "login", limits.login_per_account),
            LimitKind::LoginByDevice => ("login/device", "login", limits.login_per_account),
            LimitKind::LoginByAddress => ("login/address", "login-address", limits.login_per_address),
            LimitKind::SessionsByAccount => ("sessions/account", "session", limits.sessions_per_account),
            LimitKind::Confirmation => ("confirm/session", "confirmation", limits.login_per_account),
            LimitKind::SecondStep => ("second-step/account", "second-step", limits.login_per_account),
            LimitKind::CredentialsByAccount => {
                ("credentials/account", "credentials", limits.login_per_account)
            }
            LimitKind::AccountsByAddress => {
                ("accounts/address", "account-address", limits.accounts_per_address)
            }
            LimitKind::RefreshByAccount => ("refresh/account", "refresh", limits.refresh_per_account),
            LimitKind::RefreshByAddress => ("refresh/address", "refresh-address", limits.refresh_per_address),
            LimitKind::MailByAddress => ("mail/address", "mail", limits.mails_per_address),
            LimitKind::MailToAccount => ("mail/account", "mail", limits.mails_per_address),
            LimitKind::People => ("people/account", "people", limits.people_per_account),
            LimitKind::Reports => ("reports/account", "reports", limits.reports_per_account),
        };
        let rate = rate?;
        let bucket = self.key.mac(&[b"estimation/attempts/v1/", name.as_bytes(), b"\0", who].concat());
        // At most so many mails in any period: after a burst the next one waits for a whole period.
        let is_mail = matches!(limited, LimitKind::MailByAddress | LimitKind::MailToAccount);
        let times = if is_mail { 1 } else { rate.times };
        let interval = (i64::from(rate.seconds) * 1_000 / i64::from(times)).max(1);
        Some(Attempt { limit, bucket, interval, burst: rate.times.into() })
    }

    /// An attempt from a known address.
    pub(crate) fn attempt_from(&self, limited: LimitKind, address: Option<IpAddr>) -> Option<Attempt> {
        self.attempt(limited, rate_limit_prefix(address?).to_string().as_bytes())
    }
}

/// The address whose limit applies: the /64 for IPv6, since one customer has at least that.
pub fn rate_limit_prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(network))
        }
        v4 => v4,
    }
}

/// The failure for an attempt that exceeds a limit. Writes it to the security log.
pub(crate) fn too_many(exceeded: ExceededLimit) -> Failure {
    let ExceededLimit { limit, wait } = exceeded;
    security::throttled(limit);
    Failure::TooManyAttempts { policy: limit, retry_after: wait.unsigned_abs().div_ceil(1_000).max(1) }
}

pub struct Throttle {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) limits: Live<Limits>,
}

impl Throttle {
    /// Changes the limits. Attempts that were counted stay counted.
    pub(crate) fn change(&self, limits: Limits) {
        self.limits.set(limits);
    }

    pub(crate) fn meter(&self) -> Meter {
        Meter { limits: *self.limits.get(), key: self.keys.refresh_key() }
    }

    /// The limits of an operation: `login`, `recovery`, `reset`, `mail`, `link`, `identity`, `account`, `credentials`, `confirmation`, `second-step`, `people`, `reports`
    /// or `refresh`. Others have none.
    pub fn policies(&self, what: &'static str) -> Vec<(&'static str, Rate)> {
        let limits = *self.limits.get();
        let Limits { login_per_account, login_per_address, sessions_per_account, .. } = limits;
        let Limits { accounts_per_address, refresh_per_account, refresh_per_address, .. } = limits;
        let Limits { mails_per_address, people_per_account, reports_per_account, .. } = limits;
        let account_address = ("account-address", accounts_per_address);
        let all: &[(&'static str, Option<Rate>)] = match what {
            "login" => &[
                ("login", login_per_account),
                ("login-address", login_per_address),
                ("session", sessions_per_account),
            ],
            "link" => &[("login-address", login_per_address)],
            "mail" => &[("mail", mails_per_address)],
            "people" => &[("people", people_per_account)],
            "reports" => &[("reports", reports_per_account)],
            "reset" => &[("login-address", login_per_address), ("mail", mails_per_address)],
            "recovery" => &[("login-address", login_per_address), ("session", sessions_per_account)],
            "identity" => {
                &[("login-address", login_per_address), ("session", sessions_per_account), account_address]
            }
            "account" => &[account_address],
            "credentials" => &[("credentials", login_per_account), account_address],
            "confirmation" => &[("confirmation", login_per_account)],
            "second-step" => &[("second-step", login_per_account)],
            "refresh" => &[("refresh", refresh_per_account), ("refresh-address", refresh_per_address)],
            _ => &[],
        };
        all.iter().filter_map(|&(name, rate)| Some((name, rate?))).collect()
    }

    /// Counts all attempts or none.
    ///
    /// # Errors
    /// [`Failure::TooManyAttempts`] if one exceeds its limit.
    pub(crate) async fn count(&self, mut all: Vec<Attempt>) -> Result<(), Failure> {
        if all.is_empty() {
            return Ok(());
        }
        // A consistent order prevents deadlocks between nodes.
        all.sort_by_key(|attempt| attempt.bucket);
        let now = milliseconds(self.clock.now());
        match self.database.write(Server, move |conn| attempts::count(conn, &all, now)).await? {
            None => Ok(()),
            Some(exceeded) => Err(too_many(exceeded)),
        }
    }

    /// Refunds attempts that proved harmless.
    pub(crate) async fn take_back(&self, counted: &[Attempt]) -> Result<(), Failure> {
        if counted.is_empty() {
            return Ok(());
        }
        let counted = counted.to_vec();
        Ok(self.database.write(Server, move |conn| attempts::undo(conn, &counted)).await?)
    }

    /// Counts a password confirmation in a session.
    pub(crate) async fn count_confirmation(&self, session: Uuid) -> Result<Vec<Attempt>, Failure> {
        let attempt = self.meter().attempt(LimitKind::Confirmation, session.as_bytes());
        let all: Vec<Attempt> = attempt.into_iter().collect();
        self.count(all.clone()).await?;
        Ok(all)
    }

    pub(crate) async fn sweep(&self) -> Result<(), Failure> {
        let before = milliseconds(self.clock.now().max(Timestamp::UNIX_EPOCH));
        while self.database.write(Server, move |conn| attempts::sweep(conn, before, SWEPT_AT_ONCE)).await? > 0
        {
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read() {
        let rate = |times, seconds| Ok(Rate { times, seconds });
        assert_eq!("10/15m".parse(), rate(10, 900));
        assert_eq!("3/h".parse(), rate(3, 3_600));
        assert_eq!("1/1s".parse(), rate(1, 1));
        for wrong in ["", "10", "10/", "0/1m", "10/0m", "-1/m", "10/15", "10/15w", "9/99999999d", "ten/m"] {
            assert_eq!(wrong.parse::<Rate>(), Err(NotARate), "{wrong}");
        }
    }

    #[test]
    fn a_customer_is_a_whole_network() {
        let of = |text: &str| rate_limit_prefix(text.parse().unwrap()).to_string();
        assert_eq!(of("203.0.113.9"), "203.0.113.9");
        assert_eq!(of("::ffff:203.0.113.9"), "203.0.113.9");
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
