//! `POST /v1/access-links/stop`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::NoContent;
use crate::http::body::Json;
use crate::http::common::mailed_token::MailedToken;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// Stop an access link by mail
///
/// The mail that announces an access link has a link that stops it. The web app sends its token here.
#[utoipa::path(
    operation_id = "stopAccessByLink",
    tag = "accounts",
    responses(
        (status = 204, description = "The access link is stopped."),
        (status = 401, description = "The link does not work.", content_type = "application/problem+json", body = Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/access-links/stop")]
pub(super) async fn stop_access_by_link(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(MailedToken { token }): Json<MailedToken>,
) -> Result<NoContent, Problem> {
    announce(&request, &app.throttle.policies("link"));
    app.accounts.stop_access_by_link(&token, address).await?;
    Ok(NoContent)
}
