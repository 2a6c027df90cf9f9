//! `GET /v1/admin/acts`.

use actix_web::{get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::parameters::{PageSize, Query};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::ModeratorActPage;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Which acts to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ActsQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of acts per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// List what moderators did
///
/// Returns the acts of moderators and of the command line, newest first, with reasons and what they changed. For moderators, admins
/// and auditors.
#[utoipa::path(
    operation_id = "listActs",
    tag = "admin",
    params(ActsQuery),
    responses((status = 200, description = "A page of acts."), CallerRefusals)
)]
#[get("/v1/admin/acts")]
pub(super) async fn list_acts(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(ActsQuery { cursor, limit }): Query<ActsQuery>,
) -> Result<Answer<ModeratorActPage>, Problem> {
    Ok(Answer::json(&app.desk.acts(&caller, cursor.as_deref(), limit.0).await?))
}
