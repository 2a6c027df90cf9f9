//! `GET /v1/admin/nodes`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::NodeList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// List the nodes
///
/// Returns the running nodes with their versions and what they say of themselves. For admins.
#[utoipa::path(
    operation_id = "listNodes",
    tag = "admin",
    responses((status = 200, description = "The nodes."), CallerRefusals)
)]
#[get("/v1/admin/nodes")]
pub(super) async fn list_nodes(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<NodeList>, Problem> {
    Ok(Answer::json(&app.desk.nodes(&caller).await?))
}
