//! Rate limits of this node: buckets by address, by account, and for commands.
//!
//! The commands' bucket counts only refused commands, so a legal move is never rate-limited. Requests whose access token is
//! missing or invalid count by address in a bucket of their own, which does not affect valid tokens from there. Attempts at
//! guessing are counted across all nodes in `app::throttle`; this module only announces those limits. Health checks are
//! never limited.

mod bucket;
mod headers;
mod refusals;

use std::net::IpAddr;

use actix_web::{HttpRequest, web};

use self::bucket::Buckets;
pub(super) use self::headers::{add_headers, announce};
pub(super) use self::refusals::Refusals;
use super::address;
use super::problem::Problem;
use crate::auth::caller::Caller;
use crate::auth::security::throttled;
use crate::auth::throttle::{Rate, rate_limit_prefix};
use crate::engine::player::AccountId;

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
}

impl RateSettings {
    /// No limits at all: for tests and load drivers.
    pub const NONE: RateSettings =
        RateSettings { address: None, unauthenticated: None, account: None, commands: None };
}

impl Default for RateSettings {
    fn default() -> RateSettings {
        let a_minute = |times| Some(Rate { times, seconds: 60 });
        RateSettings {
            address: a_minute(30_000),
            unauthenticated: a_minute(300),
            account: a_minute(1_200),
            commands: a_minute(600),
        }
    }
}

/// The buckets of a node.
pub(super) struct Rates {
    address: Option<Buckets<IpAddr>>,
    unauthenticated: Option<Buckets<IpAddr>>,
    account: Option<Buckets<AccountId>>,
    commands: Option<Buckets<AccountId>>,
}

impl Rates {
    pub(super) fn new(settings: RateSettings) -> Rates {
        Rates {
            address: settings.address.map(|rate| Buckets::new("address", rate)),
            unauthenticated: settings.unauthenticated.map(|rate| Buckets::new("unauthenticated", rate)),
            account: settings.account.map(|rate| Buckets::new("account", rate)),
            commands: settings.commands.map(|rate| Buckets::new("commands", rate)),
        }
    }
}

/// The health checks, which are never limited.
const FREE: [&str; 2] = ["/healthz", "/readyz"];

/// Counts a request against its address.
pub(super) fn count_address(request: &HttpRequest) -> Result<(), Problem> {
    if FREE.contains(&request.path()) {
        return Ok(());
    }
    take_by_address(request, |rates| rates.address.as_ref()).map(drop)
}

/// Counts a request without a valid access token against its address.
pub(super) fn count_unauthenticated(request: &HttpRequest) -> Result<(), Problem> {
    let left = take_by_address(request, |rates| rates.unauthenticated.as_ref())?;
    if left == Some(0) {
        throttled("unauthenticated");
    }
    Ok(())
}

/// Counts a request against its account.
pub(super) fn count_account(request: &HttpRequest, caller: &Caller) -> Result<(), Problem> {
    let buckets = rates(request).and_then(|rates| rates.account.as_ref());
    buckets.map_or(Ok(()), |buckets| buckets.take(request, &caller.account).map(drop))
}

/// Takes one request out of an address's bucket. Returns the remaining number, if there is a bucket.
fn take_by_address(
    request: &HttpRequest,
    buckets: impl FnOnce(&Rates) -> Option<&Buckets<IpAddr>>,
) -> Result<Option<u32>, Problem> {
    match (rates(request).and_then(buckets), address::client(request)) {
        (Some(buckets), Some(address)) => buckets.take(request, &rate_limit_prefix(address)).map(Some),
        _ => Ok(None),
    }
}

fn rates(request: &HttpRequest) -> Option<&Rates> {
    request.app_data::<web::Data<Rates>>().map(|rates| rates.get_ref())
}
