//! Authentication: the bearer token of a request.

use std::future::{Future, ready};
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use tokio::sync::watch::{Receiver, Sender, channel};

use super::problem::{Failure, Problem};
use super::rate;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::permission::Permission;
use estimation_service::services::App;

/// The authentication of a request whose other parts are being read meanwhile.
struct Authentication(Sender<bool>);

impl Authentication {
    /// `may_wait` says whether the session may wait for its second step.
    fn begin(request: &HttpRequest, may_wait: bool) -> Authentication {
        let (sender, receiver) = channel(false);
        request.extensions_mut().insert(Authenticated { receiver, may_wait });
        Authentication(sender)
    }

    fn succeed(self) {
        self.0.send_replace(true);
    }
}

struct Authenticated {
    receiver: Receiver<bool>,
    may_wait: bool,
}

/// Waits until the access token of a request has been verified, if it needs one.
///
/// # Errors
/// If the token was refused. Its own problem is the answer then.
pub(super) async fn await_authentication(request: &HttpRequest) -> Result<(), Problem> {
    let receiver =
        request.extensions().get::<Authenticated>().map(|authenticated| authenticated.receiver.clone());
    let Some(mut receiver) = receiver else { return Ok(()) };
    receiver.wait_for(|succeeded| *succeeded).await.map(drop).map_err(|_| missing())
}

/// A caller with a valid access token. Counts against the account's rate limit.
pub struct Bearer(pub Caller);

impl FromRequest for Bearer {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Bearer, Problem>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let authentication = Authentication::begin(&request, false);
        Box::pin(async move {
            let caller = authenticate(&request, application(&request)?, false).await?;
            rate::count_account(&request, &caller)?;
            authentication.succeed();
            Ok(Bearer(caller))
        })
    }
}

/// A caller whose session may still wait for its second step. For the few operations that lead to it.
pub struct PendingBearer(pub Caller);

impl FromRequest for PendingBearer {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<PendingBearer, Problem>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let authentication = Authentication::begin(&request, true);
        Box::pin(async move {
            let caller = authenticate(&request, application(&request)?, true).await?;
            rate::count_account(&request, &caller)?;
            authentication.succeed();
            Ok(PendingBearer(caller))
        })
    }
}

/// A caller who has a permission. Counts against the account's rate limit.
pub struct Permitted<P>(pub P);

impl<P: Permission + 'static> FromRequest for Permitted<P> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Permitted<P>, Problem>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let authentication = Authentication::begin(&request, false);
        Box::pin(async move {
            let app = application(&request)?;
            let caller = authenticate(&request, app, false).await?;
            rate::count_account(&request, &caller)?;
            let permission = P::of(caller, app.now())?;
            authentication.succeed();
            Ok(Permitted(permission))
        })
    }
}

/// A caller who may do without an access token. A token that is sent must be valid.
pub struct OptionalBearer(pub Option<Caller>);

impl FromRequest for OptionalBearer {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<OptionalBearer, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if !request.headers().contains_key(AUTHORIZATION) {
            return Box::pin(ready(Ok(OptionalBearer(None))));
        }
        let bearer = Bearer::from_request(request, payload);
        Box::pin(async move { bearer.await.map(|Bearer(caller)| OptionalBearer(Some(caller))) })
    }
}

/// The refusal of a request that needs an access token and has none. Counts against the address.
pub(super) fn token_missing(request: &HttpRequest) -> Problem {
    match rate::count_unauthenticated(request) {
        Ok(()) => missing(),
        Err(too_many) => too_many,
    }
}

pub(super) fn missing() -> Problem {
    Failure::TokenMissing.into()
}

/// A caller who sends a command. Only a refused command counts against the rate limit.
pub struct Player(pub Caller);

impl FromRequest for Player {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Player, Problem>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let authentication = Authentication::begin(&request, false);
        Box::pin(async move {
            let caller = authenticate(&request, application(&request)?, false).await?;
            authentication.succeed();
            Ok(Player(caller))
        })
    }
}

fn application(request: &HttpRequest) -> Result<&App, Problem> {
    let app = request.app_data::<web::Data<App>>();
    app.map(|app| app.get_ref()).ok_or_else(|| Problem::defect("the application data is missing"))
}

/// Authenticates the caller, also one whose session waits for its second step if that `may_wait`. Only failures count against
/// the address, so other clients there cannot block a valid token.
async fn authenticate(request: &HttpRequest, app: &App, may_wait: bool) -> Result<Caller, Problem> {
    let outcome = match access_token(request) {
        Ok(token) if may_wait => app.sessions.authenticate_pending(token).await.map_err(Problem::from),
        Ok(token) => app.sessions.authenticate(token).await.map_err(Problem::from),
        Err(missing) => Err(missing),
    };
    if outcome.as_ref().is_err_and(|problem| problem.status() == 401) {
        rate::count_unauthenticated(request)?;
    }
    outcome
}

/// Authenticates the caller of a request again, whose body took a while: meanwhile the session may have ended.
pub(super) async fn authenticate_again(request: &HttpRequest) -> Result<(), Problem> {
    let may_wait = request.extensions().get::<Authenticated>().map(|authenticated| authenticated.may_wait);
    let Some(may_wait) = may_wait else { return Ok(()) };
    authenticate(request, application(request)?, may_wait).await.map(drop)
}

/// The request's access token.
pub(super) fn access_token(request: &HttpRequest) -> Result<&str, Problem> {
    let header = request.headers().get(AUTHORIZATION).ok_or_else(missing)?;
    // A token has no other characters than ASCII. Looking at each of them takes longer than the rest.
    let (scheme, token) = str::from_utf8(header.as_bytes())
        .ok()
        .and_then(|header| header.split_once(' '))
        .ok_or_else(missing)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(token.trim()) } else { Err(missing()) }
}
