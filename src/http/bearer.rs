//! Authentication: the bearer token of a request.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};

use super::problem::{Problem, challenge};
use crate::application::app::App;
use crate::application::caller::Caller;

/// Whoever shows a valid access token.
pub struct Bearer(pub Caller);

impl FromRequest for Bearer {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Bearer, Problem>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { authenticate(&request).await })
    }
}

async fn authenticate(request: &HttpRequest) -> Result<Bearer, Problem> {
    let missing = || challenge(Problem::new("token-missing", "The request carries no access token."), None);
    let header = request.headers().get(AUTHORIZATION).ok_or_else(missing)?;
    let (scheme, token) =
        header.to_str().ok().and_then(|header| header.split_once(' ')).ok_or_else(missing)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(missing());
    }
    let app = request
        .app_data::<web::Data<App>>()
        .ok_or_else(|| Problem::defect("no application is configured"))?;
    Ok(Bearer(app.authenticate(token.trim()).await?))
}
