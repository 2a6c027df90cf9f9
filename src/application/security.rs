//! What happens to accounts, for those who watch over them: a log of its own, under the target
//! `estimation::security`.
//!
//! Accounts and sessions stand there by their ids, people by nothing: no name, no password, no token.

use std::net::IpAddr;

use tracing::{info, warn};
use uuid::Uuid;

const TARGET: &str = "estimation::security";

fn text(address: Option<IpAddr>) -> String {
    address.map_or("unknown".to_owned(), |address| address.to_string())
}

/// An account was made.
pub(super) fn account_created(kind: &str, account: &str, address: Option<IpAddr>) {
    info!(target: TARGET, event = "account_created", kind, account, address = text(address));
}

/// Somebody signed in.
pub(super) fn login(account: &str, session: Uuid, address: Option<IpAddr>) {
    info!(target: TARGET, event = "login", account, %session, address = text(address));
}

/// Somebody could not sign in. The name that was tried is not told: it may be a password.
pub(super) fn login_failed(account: Option<&str>, address: Option<IpAddr>) {
    let account = account.unwrap_or("unknown");
    warn!(target: TARGET, event = "login_failed", account, address = text(address));
}

/// A password that was to confirm something was wrong.
pub(super) fn confirmation_failed(account: &str, session: Uuid) {
    warn!(target: TARGET, event = "confirmation_failed", account, %session);
}

/// Something was attempted too often.
pub(super) fn throttled(what: &str) {
    warn!(target: TARGET, event = "throttled", what);
}

/// A refresh token was used twice: its session was ended.
pub(super) fn refresh_reused(session: &str, address: Option<IpAddr>) {
    warn!(target: TARGET, event = "refresh_reused", session, address = text(address));
}

/// A session was ended by its owner.
pub(super) fn session_ended(account: &str, session: Uuid) {
    info!(target: TARGET, event = "session_ended", account, %session);
}

/// All sessions of an account were ended by its owner.
pub(super) fn sessions_ended(account: &str) {
    info!(target: TARGET, event = "sessions_ended", account);
}

/// A password was changed.
pub(super) fn password_changed(account: &str, session: Uuid) {
    info!(target: TARGET, event = "password_changed", account, %session);
}

/// A guest became a full account.
pub(super) fn credentials_given(account: &str) {
    info!(target: TARGET, event = "credentials_given", account);
}

/// An account was given a role.
pub(super) fn role_granted(account: &str, role: &str, former: &str, by: Option<&str>) {
    let by = by.unwrap_or("command line");
    info!(target: TARGET, event = "role_granted", account, role, former, by);
}

/// An account was erased.
pub(super) fn account_erased(account: &str, reason: &str) {
    info!(target: TARGET, event = "account_erased", account, reason);
}

/// Other keys are in use.
pub(super) fn keys_replaced() {
    info!(target: TARGET, event = "keys_replaced");
}
