//! The charge for the explanation of an invalid request: one request for every [`UNIT`] bytes of it, to the address and, if
//! the request has an access token, to the account. A request whose bucket has less is not explained.

use std::num::NonZeroU32;

use actix_web::{HttpMessage, HttpRequest};
use tokio::sync::watch::{Receiver, Sender, channel};

use super::{count_address_for, rates};
use crate::http::problem::Problem;
use estimation_engine::player::AccountId;
use estimation_service::auth::security::throttled;

/// The bytes whose explanation counts as a request.
const UNIT: usize = 256;

/// The account that a request counts against.
#[derive(Clone)]
pub(in crate::http) enum Payer {
    /// By the limit of requests.
    Account(AccountId),
    /// By the limit of refused commands.
    Commands(AccountId),
}

/// The authentication of a request whose other parts are being read meanwhile.
pub(in crate::http) struct Authentication(Sender<Option<Payer>>);

impl Authentication {
    /// `may_wait` says whether the session may wait for its second step.
    pub(in crate::http) fn begin(request: &HttpRequest, may_wait: bool) -> Authentication {
        let (sender, receiver) = channel(None);
        request.extensions_mut().insert(Authenticated { receiver, may_wait });
        Authentication(sender)
    }

    pub(in crate::http) fn succeed(self, payer: Payer) {
        self.0.send_replace(Some(payer));
    }
}

struct Authenticated {
    receiver: Receiver<Option<Payer>>,
    may_wait: bool,
}

/// Whether the session of a request may wait for its second step. `None` if the request needs no token.
pub(in crate::http) fn may_wait(request: &HttpRequest) -> Option<bool> {
    request.extensions().get::<Authenticated>().map(|authenticated| authenticated.may_wait)
}

/// Waits until the access token of a request has been verified. `None` if it was refused; `Some(None)` if the request needs
/// none.
pub(in crate::http) async fn await_authentication(request: &HttpRequest) -> Option<Option<Payer>> {
    let receiver =
        request.extensions().get::<Authenticated>().map(|authenticated| authenticated.receiver.clone());
    let Some(mut receiver) = receiver else { return Some(None) };
    let payer = receiver.wait_for(Option::is_some).await.ok()?;
    Some(payer.clone())
}

/// Charges for the explanation of so many bytes.
pub(in crate::http) fn charge_explanation(
    request: &HttpRequest,
    payer: Option<&Payer>,
    bytes: usize,
) -> Result<(), Problem> {
    let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX);
    let Some(units) = NonZeroU32::new(units) else { return Ok(()) };
    count_address_for(request, units)?;
    let Some(rates) = rates(request) else { return Ok(()) };
    let (buckets, account) = match payer {
        Some(Payer::Account(account)) => (&rates.account, account),
        Some(Payer::Commands(account)) => (&rates.commands, account),
        None => return Ok(()),
    };
    let left = buckets.buckets().map(|buckets| buckets.take_several(request, account, units)).transpose()?;
    if let (Some(Payer::Commands(_)), Some(0)) = (payer, left) {
        throttled("commands");
    }
    Ok(())
}
