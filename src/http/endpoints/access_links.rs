//! Links into accounts, which moderators send.

use actix_web::{HttpRequest, delete, get, post, web};

use crate::http::address::ClientAddress;
use crate::http::answer::{Answer, NoContent};
use crate::http::bearer::PendingBearer;
use crate::http::body::Json;
use crate::http::common::mailed_token::MailedToken;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::{CallerRefusals, PublicRefusals};
use estimation_service::accounts::access_link::AccessLink;
use estimation_service::accounts::exported::Export;
use estimation_service::services::App;

/// Show the access link of your account
///
/// A moderator can issue an access link to a player who has proved their identity by other means. It signs in to the account, after
/// 24 hours. Returns its times; show them to the player, who can stop it.
#[utoipa::path(
    operation_id = "getAccessLink",
    tag = "accounts",
    responses((status = 200, description = "The link, or nulls."), CallerRefusals)
)]
#[get("/v1/me/access-link")]
pub(super) async fn get_access_link(
    app: web::Data<App>,
    PendingBearer(caller): PendingBearer,
) -> Result<Answer<AccessLink>, Problem> {
    Ok(Answer::json(&app.accounts.access_link(&caller).await?))
}

/// Stop the access link of your account
///
/// The access link that a moderator issued stops working. Answers the same if there is none.
#[utoipa::path(
    operation_id = "stopAccess",
    tag = "accounts",
    responses((status = 204, description = "There is no access link."), CallerRefusals)
)]
#[delete("/v1/me/access-link")]
pub(super) async fn stop_access(
    app: web::Data<App>,
    PendingBearer(caller): PendingBearer,
) -> Result<NoContent, Problem> {
    app.accounts.stop_access(&caller).await?;
    Ok(NoContent)
}

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
