//! `PUT /v1/me/people/settings`.

use actix_web::{put, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::people::PeopleSettings;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

impl Body for PeopleSettings {}

/// Choose how others find you
///
/// Replaces all three choices.
#[utoipa::path(
    operation_id = "setPeopleSettings",
    tag = "people",
    responses((status = 204, description = "The choices are stored."), WriteRefusals)
)]
#[put("/v1/me/people/settings")]
pub(super) async fn set_people_settings(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(settings): Json<PeopleSettings>,
) -> Result<NoContent, Problem> {
    app.people.choose(&caller, settings).await?;
    Ok(NoContent)
}
