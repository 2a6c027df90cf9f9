//! `POST /v1/exports`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::Answer;
use crate::http::body::Json;
use crate::http::common::mailed_token::MailedToken;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::accounts::exported::Export;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// Export an account by mail
///
/// A moderator can mail the export of an account to its address, for a player who cannot sign in. The web app sends the token of
/// the mailed link here. Returns what `GET /v1/me/export` returns; the link works once.
#[utoipa::path(
    operation_id = "exportByLink",
    tag = "accounts",
    responses(
        (status = 200, description = "All data about the account."),
        (status = 401, description = "The link does not work.", content_type = "application/problem+json", body = Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/exports")]
pub(super) async fn export_by_link(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(MailedToken { token }): Json<MailedToken>,
) -> Result<Answer<Export>, Problem> {
    announce(&request, &app.throttle.policies("link"));
    Ok(Answer::json(&app.accounts.export_by_link(&token, address).await?).uncompressed())
}
