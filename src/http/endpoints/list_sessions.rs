//! `GET /v1/sessions`.

use actix_web::{get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::auth::devices::SignedIn;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// The devices on which the account is signed in, newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct DeviceList {
    /// The devices, newest first.
    #[schema(max_items = 1000)]
    items: Vec<SignedIn>,
}

/// List your devices
///
/// Returns the devices on which the account is signed in, newest first. `current` marks the device of this request.
#[utoipa::path(
    operation_id = "listSessions",
    tag = "sessions",
    responses((status = 200, description = "The devices."), CallerRefusals)
)]
#[get("/v1/sessions")]
pub(super) async fn list_sessions(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<DeviceList>, Problem> {
    Ok(Answer::json(&DeviceList { items: app.sessions.devices(&caller).await? }))
}
