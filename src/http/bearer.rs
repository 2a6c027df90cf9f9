//! Authentication: the bearer token of a request.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};

use super::problem::{Problem, challenge};
use super::rate;
use crate::application::app::App;
use crate::application::caller::Caller;

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

/// Whoever shows a valid access token with a command, which counts by itself.
pub struct Player(pub Caller);

impl FromRequest for Player {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Player, Problem>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let app = application(&request)?;
            let caller = authenticate(&request, app).await?;
            let game = request.match_info().get("id").and_then(|id| id.parse().ok());
            if let Some(game) = game {
                rate::count_command(&request, app, &caller, game).await?;
            }
            Ok(Player(caller))
        })
    }
}

fn application(request: &HttpRequest) -> Result<&App, Problem> {
    let app = request.app_data::<web::Data<App>>();
    app.map(|app| app.get_ref()).ok_or_else(|| Problem::defect("no application is configured"))
}

async fn authenticate(request: &HttpRequest, app: &App) -> Result<Caller, Problem> {
    let missing = || challenge(Problem::new("token-missing", "The request carries no access token."), None);
    let header = request.headers().get(AUTHORIZATION).ok_or_else(missing)?;
    let (scheme, token) =
        header.to_str().ok().and_then(|header| header.split_once(' ')).ok_or_else(missing)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(missing());
    }
    Ok(app.authenticate(token.trim()).await?)
}
