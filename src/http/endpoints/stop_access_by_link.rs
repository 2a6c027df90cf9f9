//! `POST /v1/access-links/stop`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::NoContent;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// The token of a link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AccessStop {
    /// What stands in the fragment of the link.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        min_length = 43,
        max_length = 43,
        example = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )]
    token: String,
}

impl Body for AccessStop {}

/// Stop a link into an account by mail
///
/// The mail that tells of a link into an account has a link that stops it. This is where it leads.
#[utoipa::path(
    operation_id = "stopAccessByLink",
    tag = "accounts",
    responses(
        (status = 204, description = "The link into the account does not work any more."),
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
    Json(AccessStop { token }): Json<AccessStop>,
) -> Result<NoContent, Problem> {
    announce(&request, &app.throttle.policies("link"));
    app.accounts.stop_access_by_link(&token, address).await?;
    Ok(NoContent)
}
