//! `GET /v1/admin/accounts`.

use actix_web::{get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::parameters::Query;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::FoundAccounts;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// The search.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct FindQuery {
    /// An id, username, friend code, display name, or the id of a game.
    #[param(min_length = 1, max_length = 160, example = "noor")]
    q: String,
}

/// Find accounts
///
/// Returns the accounts with exactly this id, username, friend code or display name, or the players of the game with this id.
/// For moderators and admins.
#[utoipa::path(
    operation_id = "findAccounts",
    tag = "admin",
    params(FindQuery),
    responses((status = 200, description = "The accounts."), CallerRefusals)
)]
#[get("/v1/admin/accounts")]
pub(super) async fn find_accounts(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(FindQuery { q }): Query<FindQuery>,
) -> Result<Answer<FoundAccounts>, Problem> {
    Ok(Answer::json(&app.desk.find_accounts(&caller, &q).await?))
}
