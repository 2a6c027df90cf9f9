//! Links into accounts, which moderators send.

use actix_web::web::Data;
use actix_web::{HttpRequest, delete, get, post};

use super::email::MailedToken;
use crate::http::address::ClientAddress;
use crate::http::answer::{Answer, EmptyReply, NoContent, Reply};
use crate::http::bearer::PendingBearer;
use crate::http::body::Json;
use crate::http::rate::announce;
use estimation_service::accounts::access_link::AccessLink;
use estimation_service::exports::document::Export;
use estimation_service::services::App;

/// Show the access link of your account
///
/// A moderator can issue an access link to a player who has proved their identity by other means. It signs in to the account, after
/// 24 hours. Returns its times; show them to the player, who can stop it.
#[utoipa::path]
#[get("/v1/me/access-link")]
pub(super) async fn get_access_link(
    app: Data<App>,
    PendingBearer(caller): PendingBearer,
) -> Reply<AccessLink> {
    Ok(Answer::json(&app.accounts.access_link(&caller).await?))
}

/// Stop the access link of your account
///
/// The access link that a moderator issued stops working. Answers the same if there is none.
#[utoipa::path]
#[delete("/v1/me/access-link")]
pub(super) async fn stop_access(app: Data<App>, PendingBearer(caller): PendingBearer) -> EmptyReply {
    app.accounts.stop_access(&caller).await?;
    Ok(NoContent)
}

/// Stop an access link by mail
///
/// The mail that announces an access link has a link that stops it. The web app sends its token here.
#[utoipa::path(responses((status = 401)))]
#[post("/v1/access-links/stop")]
pub(super) async fn stop_access_by_link(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(MailedToken { token }): Json<MailedToken>,
) -> EmptyReply {
    announce(&request, &app.throttle.policies("link"));
    app.accounts.stop_access_by_link(&token, address).await?;
    Ok(NoContent)
}

/// Export an account by mail
///
/// A moderator can mail the export of an account to its address, for a player who cannot sign in. The web app sends the token of
/// the mailed link here. Returns what `GET /v1/me/export` returns; the link works once.
#[utoipa::path(responses((status = 401)))]
#[post("/v1/exports")]
pub(super) async fn export_by_link(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(MailedToken { token }): Json<MailedToken>,
) -> Reply<Export> {
    announce(&request, &app.throttle.policies("link"));
    Ok(Answer::json(&app.accounts.export_by_link(&token, address).await?).uncompressed())
}
