//! `POST /v1/me/friend-code`.

use actix_web::{HttpRequest, post, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// A friend code.
#[derive(Serialize, ToSchema)]
pub(super) struct FriendCode {
    /// The code. It has no look-alike signs.
    #[schema(min_length = 12, max_length = 12, pattern = "^[0-9A-Z]{12}$", example = "7KQ2MX9RWBTA")]
    friend_code: String,
}

/// Draw a friend code
///
/// Returns a new code with which others find you and ask for friendship. It replaces the former one.
#[utoipa::path(
    operation_id = "createFriendCode",
    tag = "people",
    responses((status = 200, description = "The code."), CallerRefusals)
)]
#[post("/v1/me/friend-code")]
pub(super) async fn create_friend_code(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<FriendCode>, Problem> {
    announce(&request, &app.throttle.policies("people"));
    let friend_code = app.people.draw_code(&caller).await?;
    Ok(Answer::json(&FriendCode { friend_code }))
}
