//! How much may be asked: buckets of this node, by address, by account, and for commands.
//!
//! Commands have a bucket of their own, which counts those that are refused: nobody is throttled out of a legal
//! move. Requests whose access token is missing or not accepted count by address, and a valid token from there
//! passes all the same. Attempts at guessing are counted elsewhere, across all nodes; their limits are only told
//! here. Health checks are never limited.

mod bucket;
mod headers;
mod refusals;

use std::net::IpAddr;

use actix_web::{HttpRequest, web};

use self::bucket::Buckets;
pub(super) use self::headers::{announce, tell};
pub(super) use self::refusals::Refusals;
use super::address;
use super::problem::Problem;
use crate::auth::caller::Caller;
use crate::auth::security::throttled;
use crate::auth::throttle::{Rate, rate_limit_prefix};

/// How much may be asked of a node; `None` is without limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSettings {
    /// Requests from an address, but for commands. IPv6 counts by the /64.
    pub address: Option<Rate>,
    /// Requests from an address whose access token is missing or not accepted, commands included.
    pub unauthenticated: Option<Rate>,
    /// Requests of an account, but for commands.
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
    account: Option<Buckets<String>>,
    commands: Option<Buckets<String>>,
}

impl Rates {
    /// Full buckets.
    pub(super) fn new(settings: RateSettings) -> Rates {
        Rates {
            address: settings.address.map(|rate| Buckets::new("address", rate)),
            unauthenticated: settings.unauthenticated.map(|rate| Buckets::new("unauthenticated", rate)),
            account: settings.account.map(|rate| Buckets::new("account", rate)),
            commands: settings.commands.map(|rate| Buckets::new("commands", rate)),
        }
    }
}

/// What is never limited: whoever asks how the node is has to be told.
const FREE: [&str; 2] = ["/healthz", "/readyz"];

/// Counts a request against its address.
pub(super) fn count_address(request: &HttpRequest) -> Result<(), Problem> {
    if FREE.contains(&request.path()) {
        return Ok(());
    }
    take_by_address(request, |rates| rates.address.as_ref()).map(drop)
}

/// Counts a request that came without an access token, or with one that is not accepted, against its address.
pub(super) fn count_unauthenticated(request: &HttpRequest) -> Result<(), Problem> {
    let left = take_by_address(request, |rates| rates.unauthenticated.as_ref())?;
    if left == Some(0) {
        throttled("unauthenticated");
    }
    Ok(())
}

/// Counts a request against the account it comes from.
pub(super) fn count_account(request: &HttpRequest, caller: &Caller) -> Result<(), Problem> {
    let buckets = rates(request).and_then(|rates| rates.account.as_ref());
    buckets.map_or(Ok(()), |buckets| buckets.take(request, &caller.account.to_string()).map(drop))
}

/// What is left of an address's bucket, if there is one.
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
