//! The security log, under the target `estimation::security`.
//!
//! It names accounts and sessions by id. It never logs names, passwords or tokens.

use std::net::IpAddr;

use tracing::{info, warn};
use uuid::Uuid;

use super::tokens::Claims;

const TARGET: &str = "estimation::security";

fn text(address: Option<IpAddr>) -> String {
    address.map_or("unknown".to_owned(), |address| address.to_string())
}

pub(crate) fn account_created(kind: &str, account: &str, address: Option<IpAddr>) {
    info!(target: TARGET, event = "account_created", kind, account, address = text(address));
}

pub(crate) fn login(account: &str, session: Uuid, address: Option<IpAddr>) {
    info!(target: TARGET, event = "login", account, %session, address = text(address));
}

/// The attempted name is not logged: it may be a password.
pub(crate) fn login_failed(account: Option<&str>, address: Option<IpAddr>) {
    let account = account.unwrap_or("unknown");
    warn!(target: TARGET, event = "login_failed", account, address = text(address));
}

pub(crate) fn confirmation_failed(account: &str, session: Uuid) {
    warn!(target: TARGET, event = "confirmation_failed", account, %session);
}

/// The refused request, for [`authentication_refused`] and [`authorization_refused`].
#[derive(Clone, Debug)]
pub struct Refused<'a> {
    /// The problem code sent to the client.
    pub code: &'static str,
    /// The operation id from the spec.
    pub operation: &'a str,
    /// The claims of the presented token, if it is genuine and not expired.
    pub token: Option<Claims>,
    pub address: Option<IpAddr>,
}

/// A request without an accepted token, password or refresh token.
pub fn authentication_refused(refused: &Refused<'_>) {
    let Refused { code, operation, token, address } = refused;
    let (account, session) = token_ids(*token);
    let address = text(*address);
    // Expired tokens are normal; tokens that were never valid are not.
    if matches!(*code, "token-missing" | "token-expired" | "session-ended") {
        info!(target: TARGET, event = "authentication_refused", code, operation, account, session, address);
    } else {
        warn!(target: TARGET, event = "authentication_refused", code, operation, account, session, address);
    }
}

/// A caller requested something without permission. The client gets `not-found` if its existence is hidden.
pub fn authorization_refused(refused: &Refused<'_>) {
    let Refused { code, operation, token, address } = refused;
    let (account, session) = token_ids(*token);
    let address = text(*address);
    warn!(target: TARGET, event = "authorization_refused", code, operation, account, session, address);
}

fn token_ids(token: Option<Claims>) -> (String, String) {
    token.map_or(("unknown".to_owned(), "unknown".to_owned()), |claims| {
        (claims.account.to_string(), claims.session.to_string())
    })
}

pub fn throttled(what: &str) {
    warn!(target: TARGET, event = "throttled", what);
}

pub(crate) fn refresh_reused(session: &str, address: Option<IpAddr>) {
    warn!(target: TARGET, event = "refresh_reused", session, address = text(address));
}

pub(crate) fn session_ended(account: &str, session: Uuid, reason: &str) {
    info!(target: TARGET, event = "session_ended", account, %session, reason);
}

pub(crate) fn sessions_ended(account: &str) {
    info!(target: TARGET, event = "sessions_ended", account);
}

pub(crate) fn password_changed(account: &str, session: Uuid) {
    info!(target: TARGET, event = "password_changed", account, %session);
}

pub(crate) fn credentials_given(account: &str) {
    info!(target: TARGET, event = "credentials_given", account);
}

pub(crate) fn role_granted(account: &str, role: &str, former: &str, by: Option<&str>) {
    let by = by.unwrap_or("command line");
    info!(target: TARGET, event = "role_granted", account, role, former, by);
}

pub(crate) fn account_erased(account: &str, reason: &str) {
    info!(target: TARGET, event = "account_erased", account, reason);
}

pub(crate) fn keys_replaced() {
    info!(target: TARGET, event = "keys_replaced");
}
