//! `POST /v1/exports`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::Answer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::accounts::exported::Export;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// The token of a link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportLink {
    /// What stands in the fragment of the link.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        min_length = 43,
        max_length = 43,
        example = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )]
    token: String,
}

impl Body for ExportLink {}

/// Export an account by mail
///
/// A moderator can mail an export to an account's address, for a player who cannot sign in. The mail has a link. This is where it
/// leads: it returns what `GET /v1/me/export` returns, and the link is used up.
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
    Json(ExportLink { token }): Json<ExportLink>,
) -> Result<Answer<Export>, Problem> {
    announce(&request, &app.throttle.policies("link"));
    Ok(Answer::json(&app.accounts.export_by_link(&token, address).await?).uncompressed())
}
