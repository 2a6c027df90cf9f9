//! `GET /v1/me/export`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::accounts::exported::Export;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Export your account
///
/// Returns all data that the server stores about the account. The server stores passwords and tokens only as
/// hashes; the export does not include them. The moves of each game are in its record, which names accounts by
/// their ids.
#[utoipa::path(
    operation_id = "exportMe",
    tag = "accounts",
    responses((status = 200, description = "All data about the account."), CallerRefusals)
)]
#[get("/v1/me/export")]
pub(super) async fn export_me(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<Export>, Problem> {
    Ok(Answer::json(&app.accounts.export(&caller).await?))
}
