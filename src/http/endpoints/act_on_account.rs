//! `POST /v1/admin/accounts/{id}/acts`.

use actix_web::{post, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_engine::player::AccountId;
use estimation_service::desk::{ActDone, ActRequest};
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

impl Body for ActRequest {}

/// Act on an account
///
/// Notes something, ends sessions, renames, mutes, suspends, bans, lifts all measures, gives a link into the account, mails its export,
/// removes its second step, or deletes it. The act is recorded with its reason and what it changed, and nobody can change the record.
/// The player is told, unless `untold` says why not; never of a note. For moderators, on players, and for admins, who alone act on
/// accounts with a role and remove a second step; nobody on their own account (`account-protected`). The second step must have been passed within the last 15 minutes.
#[utoipa::path(
    operation_id = "actOnAccount",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The account's id.")),
    responses((status = 200, description = "The act."), WriteRefusals)
)]
#[post("/v1/admin/accounts/{id}/acts")]
pub(super) async fn act_on_account(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Json(act): Json<ActRequest>,
) -> Result<Answer<ActDone>, Problem> {
    let done = app.desk.act(&caller, &AccountId::new(*id), &act).await?;
    Ok(Answer::json(&done).uncompressed())
}
