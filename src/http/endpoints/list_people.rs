//! `GET /v1/me/people`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::people::PeopleView;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// List your people
///
/// Returns your friends and their presence, received and sent requests for friendship, blocked and muted players, and how others
/// may find you. It does not tell which players block you.
#[utoipa::path(
    operation_id = "listPeople",
    tag = "people",
    responses((status = 200, description = "The people."), CallerRefusals)
)]
#[get("/v1/me/people")]
pub(super) async fn list_people(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<PeopleView>, Problem> {
    Ok(Answer::json(&app.people.list(&caller).await?))
}
