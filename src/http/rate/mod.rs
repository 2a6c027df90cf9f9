//! How much may be asked: buckets of this node, by address, by account, and for commands.
//!
//! Commands have a bucket of their own, and one that is empty refuses nobody who may act just now: nobody is
//! throttled out of a legal move. Attempts at guessing are counted elsewhere, across all nodes; their limits
//! are only told here. Health checks are never limited.

mod bucket;
mod told;

use std::net::IpAddr;

use actix_web::{HttpRequest, web};
use uuid::Uuid;

use self::bucket::Buckets;
pub(super) use self::told::{announce, tell};
use super::address;
use super::problem::Problem;
use crate::application::app::App;
use crate::application::caller::Caller;
use crate::application::failure::Failure;
use crate::application::throttle::{Rate, neighbourhood};

/// How much may be asked of a node; `None` is without limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSettings {
    /// Requests from an address, but for commands. IPv6 counts by the /64.
    pub address: Option<Rate>,
    /// Requests of an account, but for commands.
    pub account: Option<Rate>,
    /// Commands of an account.
    pub commands: Option<Rate>,
}

impl RateSettings {
    /// No limits at all: for tests and load drivers.
    pub const NONE: RateSettings = RateSettings { address: None, account: None, commands: None };
}

impl Default for RateSettings {
    fn default() -> RateSettings {
        let a_minute = |times| Some(Rate { times, seconds: 60 });
        RateSettings { address: a_minute(30_000), account: a_minute(1_200), commands: a_minute(600) }
    }
}

/// The buckets of a node.
pub(super) struct Rates {
    address: Option<Buckets<IpAddr>>,
    account: Option<Buckets<String>>,
    commands: Option<Buckets<String>>,
}

impl Rates {
    /// Full buckets.
    pub(super) fn new(settings: RateSettings) -> Rates {
        Rates {
            address: settings.address.map(|rate| Buckets::new("address", rate)),
            account: settings.account.map(|rate| Buckets::new("account", rate)),
            commands: settings.commands.map(|rate| Buckets::new("commands", rate)),
        }
    }
}

/// What is never limited: whoever asks how the node is has to be told.
const FREE: [&str; 2] = ["/healthz", "/readyz"];

/// Counts a request against its address. Commands count by account alone.
pub(super) fn count_address(request: &HttpRequest, commands: bool) -> Result<(), Problem> {
    if commands || FREE.contains(&request.path()) {
        return Ok(());
    }
    let buckets = rates(request).and_then(|rates| rates.address.as_ref());
    match (buckets, address::client(request)) {
        (Some(buckets), Some(address)) => buckets.take(request, &neighbourhood(address)),
        _ => Ok(()),
    }
}

/// Counts a request against the account it comes from.
pub(super) fn count_account(request: &HttpRequest, caller: &Caller) -> Result<(), Problem> {
    let buckets = rates(request).and_then(|rates| rates.account.as_ref());
    buckets.map_or(Ok(()), |buckets| buckets.take(request, &caller.account.to_string()))
}

/// Counts a command against the account it comes from, unless whoever sends it may act just now.
pub(super) async fn count_command(
    request: &HttpRequest,
    app: &App,
    caller: &Caller,
    game: Uuid,
) -> Result<(), Problem> {
    let buckets = rates(request).and_then(|rates| rates.commands.as_ref());
    let counted = buckets.map_or(Ok(()), |buckets| buckets.take(request, &caller.account.to_string()));
    let Err(refused) = counted else { return Ok(()) };
    match app.may_act(caller, game).await {
        Ok(true) => Ok(()),
        Ok(false) | Err(Failure::NotFound { .. }) => Err(refused),
        // What could not be found out is for the command itself to meet.
        Err(_) => Ok(()),
    }
}

fn rates(request: &HttpRequest) -> Option<&Rates> {
    request.app_data::<web::Data<Rates>>().map(|rates| rates.get_ref())
}
