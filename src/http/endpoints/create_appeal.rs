//! `POST /v1/appeals`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::answer::Created;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_service::moderation::Report;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// An appeal.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateAppealRequest {
    /// Why a moderator should look again.
    #[schema(min_length = 1, max_length = 500)]
    text: String,
}

impl Body for CreateAppealRequest {}

/// Appeal
///
/// Asks the moderators to look again at what is in effect against your account. One appeal waits at a time. It is listed with your
/// reports.
#[utoipa::path(
    operation_id = "createAppeal",
    tag = "people",
    responses((status = 201, description = "The appeal is with the moderators."), WriteRefusals)
)]
#[post("/v1/appeals")]
pub(super) async fn create_appeal(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(CreateAppealRequest { text }): Json<CreateAppealRequest>,
) -> Result<Created<Report>, Problem> {
    announce(&request, &app.throttle.policies("reports"));
    Ok(Answer::json(&app.moderation.appeal(&caller, text).await?))
}
