//! Rate limits of this node: buckets by address, by account, for commands, and for hints.
//!
//! The commands' bucket counts only refused commands, so a legal move is never rate-limited. Requests whose access token is
//! missing or invalid count by address in a bucket of their own, which does not affect valid tokens from there. Attempts at
//! guessing are counted across all nodes in `estimation_service::auth::throttle`; this module only announces those limits.
//! Health checks are never limited.

mod bucket;
mod headers;
mod refusals;

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::{HttpRequest, web};

use self::bucket::{Buckets, Limit, Monotonic};
pub(super) use self::headers::{add_headers, announce};
pub(super) use self::refusals::Refusals;
use super::address;
use super::problem::Problem;
use estimation_engine::player::AccountId;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::security::throttled;
use estimation_service::auth::throttle::{Rate, rate_limit_prefix};
use estimation_service::base::clock::Clock;

/// The rate limits of a node; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSettings {
    /// Requests from an address, except commands. IPv6 addresses count by the /64.
    pub address: Option<Rate>,
    /// Requests from an address whose access token is missing or invalid, commands included.
    pub unauthenticated: Option<Rate>,
    /// Requests of an account, except commands.
    pub account: Option<Rate>,
    /// Refused commands of an account.
    pub commands: Option<Rate>,
    /// Hints for an account.
    pub hints: Option<Rate>,
}

impl RateSettings {
    /// No limits at all: for tests and load drivers.
    pub const NONE: RateSettings =
        RateSettings { address: None, unauthenticated: None, account: None, commands: None, hints: None };
}

/// The buckets of a node.
pub(super) struct Rates {
    address: Limit<IpAddr>,
    unauthenticated: Limit<IpAddr>,
    account: Limit<AccountId>,
    commands: Limit<AccountId>,
    hints: Limit<AccountId>,
}

impl Rates {
    pub(super) fn new(settings: RateSettings, clock: Arc<dyn Clock>) -> Rates {
        let clock = Monotonic(clock);
        Rates {
            address: Limit::new("address", clock.clone(), settings.address),
            unauthenticated: Limit::new("unauthenticated", clock.clone(), settings.unauthenticated),
            account: Limit::new("account", clock.clone(), settings.account),
            commands: Limit::new("commands", clock.clone(), settings.commands),
            hints: Limit::new("hints", clock, settings.hints),
        }
    }

    /// Changes the limits. A limit that changes forgets what it counted.
    pub(super) fn change(&self, settings: RateSettings) {
        self.address.change(settings.address);
        self.unauthenticated.change(settings.unauthenticated);
        self.account.change(settings.account);
        self.commands.change(settings.commands);
        self.hints.change(settings.hints);
    }
}

/// The health checks, which are never limited.
const FREE: [&str; 2] = ["/healthz", "/readyz"];

/// Counts a request against its address.
pub(super) fn count_address(request: &HttpRequest) -> Result<(), Problem> {
    if FREE.contains(&request.path()) {
        return Ok(());
    }
    take_by_address(request, |rates| rates.address.buckets()).map(drop)
}

/// Counts a request without a valid access token against its address.
pub(super) fn count_unauthenticated(request: &HttpRequest) -> Result<(), Problem> {
    let left = take_by_address(request, |rates| rates.unauthenticated.buckets())?;
    if left == Some(0) {
        throttled("unauthenticated");
    }
    Ok(())
}

/// Counts a request against its account.
pub(super) fn count_account(request: &HttpRequest, caller: &Caller) -> Result<(), Problem> {
    take_by_account(request, caller, |rates| &rates.account)
}

/// Counts a hint against its account.
pub(super) fn count_hint(request: &HttpRequest, caller: &Caller) -> Result<(), Problem> {
    take_by_account(request, caller, |rates| &rates.hints)
}

/// Takes a request out of an account's bucket, if there is one.
fn take_by_account(
    request: &HttpRequest,
    caller: &Caller,
    limit: impl FnOnce(&Rates) -> &Limit<AccountId>,
) -> Result<(), Problem> {
    let buckets = rates(request).and_then(|rates| limit(rates).buckets());
    buckets.map_or(Ok(()), |buckets| buckets.take(request, &caller.account).map(drop))
}

/// Takes a request out of an address's bucket. Returns the remaining number, if there is a bucket.
fn take_by_address(
    request: &HttpRequest,
    buckets: impl FnOnce(&Rates) -> Option<Arc<Buckets<IpAddr>>>,
) -> Result<Option<u32>, Problem> {
    match (rates(request).and_then(buckets), address::client(request)) {
        (Some(buckets), Some(address)) => buckets.take(request, &rate_limit_prefix(address)).map(Some),
        _ => Ok(None),
    }
}

fn rates(request: &HttpRequest) -> Option<&Rates> {
    request.app_data::<web::Data<Rates>>().map(|rates| rates.get_ref())
}
