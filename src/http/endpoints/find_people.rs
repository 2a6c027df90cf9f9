//! `GET /v1/people`.

use actix_web::{HttpRequest, get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::parameters::{Query, ShortText};
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::CallerRefusals;
use estimation_service::people::FoundPlayers;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Whom to find.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct FindPeopleQuery {
    /// A display name.
    #[param(value_type = Option<String>, min_length = 1, max_length = 40)]
    name: Option<ShortText<40>>,
    /// A friend code, in upper or lower case.
    #[param(value_type = Option<String>, min_length = 1, max_length = 12)]
    code: Option<ShortText<12>>,
}

/// Find players
///
/// Finds players by their exact display name, if they chose to be found by it, or one by the friend code. Upper and lower case
/// of a name differ. Without a name and a code the list is empty. With both, only the name counts. Usernames find no player.
#[utoipa::path(
    operation_id = "findPeople",
    tag = "people",
    params(FindPeopleQuery),
    responses((status = 200, description = "The players."), CallerRefusals)
)]
#[get("/v1/people")]
pub(super) async fn find_people(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(FindPeopleQuery { name, code }): Query<FindPeopleQuery>,
) -> Result<Answer<FoundPlayers>, Problem> {
    announce(&request, &app.throttle.policies("people"));
    let (name, code) = (name.map(|name| name.0), code.map(|code| code.0));
    Ok(Answer::json(&app.people.find(&caller, name.as_deref(), code.as_deref()).await?))
}
