//! Authentication: the bearer token of a request.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};

use super::problem::{Problem, challenge};
use super::rate;
use crate::app::state::App;
use crate::auth::caller::Caller;

/// Whoever shows a valid access token.
pub struct Bearer(pub Caller);

impl FromRequest for Bearer {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Bearer, Problem>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let caller = authenticate(&request, application(&request)?).await?;
            rate::count_account(&request, &caller)?;
            Ok(Bearer(caller))
        })
    }
}

/// Whoever shows a valid access token with a command, which counts only if it is refused.
pub struct Player(pub Caller);

impl FromRequest for Player {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Player, Problem>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { authenticate(&request, application(&request)?).await.map(Player) })
    }
}

fn application(request: &HttpRequest) -> Result<&App, Problem> {
    let app = request.app_data::<web::Data<App>>();
    app.map(|app| app.get_ref()).ok_or_else(|| Problem::defect("no application is configured"))
}

/// Who calls. Only a request that has failed counts against its address, so that a valid token passes whatever
/// else comes from there.
async fn authenticate(request: &HttpRequest, app: &App) -> Result<Caller, Problem> {
    let outcome = match shown(request) {
        Ok(token) => app.sessions.authenticate(token).await.map_err(Problem::from),
        Err(missing) => Err(missing),
    };
    if outcome.as_ref().is_err_and(|problem| problem.code.status() == StatusCode::UNAUTHORIZED) {
        rate::count_unauthenticated(request)?;
    }
    outcome
}

/// The token that a request shows.
pub(super) fn shown(request: &HttpRequest) -> Result<&str, Problem> {
    let missing = || challenge(Problem::new("token-missing", "The request carries no access token."), None);
    let header = request.headers().get(AUTHORIZATION).ok_or_else(missing)?;
    let (scheme, token) =
        header.to_str().ok().and_then(|header| header.split_once(' ')).ok_or_else(missing)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(token.trim()) } else { Err(missing()) }
}
