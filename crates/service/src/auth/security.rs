//! The security log, under the target `estimation::security`.
//!
//! It names accounts and sessions by id. It never logs names, passwords or tokens.

use std::fmt::Display;
use std::net::IpAddr;

use tracing::{info, warn};
use uuid::Uuid;

use super::tokens::Claims;
use estimation_engine::player::AccountId;

const TARGET: &str = "estimation::security";

fn text(address: Option<IpAddr>) -> String {
    address.map_or("unknown".to_owned(), |address| address.to_string())
}

pub(crate) fn account_created(kind: &str, account: &AccountId, address: Option<IpAddr>) {
    info!(target: TARGET, event = "account_created", kind, account = account.as_str(), address = text(address));
}

pub(crate) fn login(account: &AccountId, session: Uuid, address: Option<IpAddr>) {
    info!(target: TARGET, event = "login", account = account.as_str(), %session, address = text(address));
}

/// The attempted name is not logged: it may be a password.
pub(crate) fn login_failed(account: Option<&AccountId>, address: Option<IpAddr>) {
    let account = account.map_or("unknown", AccountId::as_str);
    warn!(target: TARGET, event = "login_failed", account, address = text(address));
}

pub(crate) fn access_stopped(account: &AccountId, session: Uuid) {
    warn!(target: TARGET, event = "access_stopped", account = account.as_str(), %session);
}

pub(crate) fn second_step_set(account: &AccountId, session: Uuid) {
    info!(target: TARGET, event = "second_step_set", account = account.as_str(), %session);
}

pub(crate) fn second_step_removed(account: &AccountId, session: Uuid) {
    warn!(target: TARGET, event = "second_step_removed", account = account.as_str(), %session);
}

pub(crate) fn second_step_failed(account: &AccountId, session: Uuid) {
    warn!(target: TARGET, event = "second_step_failed", account = account.as_str(), %session);
}

pub(crate) fn confirmation_failed(account: &AccountId, session: Uuid) {
    warn!(target: TARGET, event = "confirmation_failed", account = account.as_str(), %session);
}

/// The refused request, for [`authentication_refused`] and [`authorization_refused`].
#[derive(Clone, Debug)]
pub struct RefusedRequest<'a> {
    /// The problem code sent to the client.
    pub code: &'static str,
    /// The operation id from the spec.
    pub operation: &'a str,
    /// The claims of the presented token, if it is genuine and not expired.
    pub token: Option<Claims>,
    pub address: Option<IpAddr>,
}

/// A request without an accepted token, password or refresh token.
pub fn authentication_refused(refused: &RefusedRequest<'_>) {
    let RefusedRequest { code, operation, token, address } = refused;
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
pub fn authorization_refused(refused: &RefusedRequest<'_>) {
    let RefusedRequest { code, operation, token, address } = refused;
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

pub(crate) fn refresh_reused(session: Uuid, address: Option<IpAddr>) {
    warn!(target: TARGET, event = "refresh_reused", %session, address = text(address));
}

pub(crate) fn session_ended(account: &AccountId, session: Uuid, reason: &str) {
    info!(target: TARGET, event = "session_ended", account = account.as_str(), %session, reason);
}

pub(crate) fn sessions_ended(account: &AccountId) {
    info!(target: TARGET, event = "sessions_ended", account = account.as_str());
}

pub(crate) fn password_changed(account: &AccountId, session: Uuid) {
    info!(target: TARGET, event = "password_changed", account = account.as_str(), %session);
}

pub(crate) fn recovery_codes_made(account: &AccountId, session: Uuid) {
    info!(target: TARGET, event = "recovery_codes_made", account = account.as_str(), %session);
}

pub(crate) fn account_recovered(account: &AccountId, session: Uuid, address: Option<IpAddr>) {
    warn!(target: TARGET, event = "account_recovered", account = account.as_str(), %session, address = text(address));
}

pub(crate) fn recovery_failed(address: Option<IpAddr>) {
    warn!(target: TARGET, event = "recovery_failed", address = text(address));
}

/// The failure names no subject and quotes nothing of a token.
pub(crate) fn identity_refused(failure: &dyn Display, address: Option<IpAddr>) {
    warn!(target: TARGET, event = "identity_refused", reason = %failure, address = text(address));
}

pub(crate) fn identity_linked(account: &AccountId, session: Uuid, issuer: &str) {
    info!(target: TARGET, event = "identity_linked", account = account.as_str(), %session, issuer);
}

pub(crate) fn identity_removed(account: &AccountId, session: Uuid) {
    info!(target: TARGET, event = "identity_removed", account = account.as_str(), %session);
}

pub(crate) fn email_set(account: &AccountId, session: Uuid) {
    info!(target: TARGET, event = "email_set", account = account.as_str(), %session);
}

pub(crate) fn email_removed(account: &AccountId, session: Uuid) {
    info!(target: TARGET, event = "email_removed", account = account.as_str(), %session);
}

/// The address is not logged: it may be that of an account.
pub(crate) fn reset_requested(address: Option<IpAddr>) {
    info!(target: TARGET, event = "reset_requested", address = text(address));
}

pub(crate) fn credentials_given(account: &AccountId) {
    info!(target: TARGET, event = "credentials_given", account = account.as_str());
}

pub(crate) fn role_granted(account: &AccountId, role: &str, former: &str, by: Option<&AccountId>) {
    let by = by.map_or("command line", AccountId::as_str);
    info!(target: TARGET, event = "role_granted", account = account.as_str(), role, former, by);
}

pub(crate) fn moderated(account: &AccountId, act: &str, by: Option<&AccountId>) {
    let by = by.map_or("command line", AccountId::as_str);
    info!(target: TARGET, event = "moderated", account = account.as_str(), act, by);
}

pub(crate) fn account_erased(account: &AccountId, reason: &str) {
    info!(target: TARGET, event = "account_erased", account = account.as_str(), reason);
}

pub(crate) fn keys_replaced() {
    info!(target: TARGET, event = "keys_replaced");
}
