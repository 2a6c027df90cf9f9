//! `GET /v1/games/{id}/events`.

use actix_web::{get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::parameters::{EventHash, LogSeq, PageSize, Query, Wait};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::{EventsPage, LogPosition};
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// Which part of the log to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EventsQuery {
    /// Only events after this sequence number.
    #[serde(default)]
    #[param(value_type = u64, minimum = 0, maximum = 9007199254740991i64, default = 0)]
    after: LogSeq,
    /// The `hash` of the event `after`, or at least its first 16 digits. If the log has another event at that
    /// position, or none, the answer is the problem `log-replaced`.
    #[serde(default)]
    #[param(value_type = Option<String>, min_length = 16, max_length = 64, pattern = "^[0-9a-f]{16,64}$")]
    hash: Option<EventHash>,
    /// The maximum number of events per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
    /// The maximum time to wait for an event, in seconds, if there is none yet.
    #[serde(default)]
    #[param(value_type = u64, minimum = 0, maximum = 55, default = 0)]
    wait: Wait,
}

/// Read the log of a game
///
/// Returns the events of a game in order, as the caller may see them. With `wait`, the server waits for an event before
/// it answers (long polling).
#[utoipa::path(
    operation_id = "listEvents",
    tag = "play",
    params(("id" = Uuid, Path, description = "The game's id."), EventsQuery),
    responses((status = 200, description = "A page of events."), CallerRefusals)
)]
#[get("/v1/games/{id}/events")]
pub(super) async fn list_events(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Query(EventsQuery { after, hash, limit, wait }): Query<EventsQuery>,
) -> Result<Answer<EventsPage>, Problem> {
    let after = LogPosition { seq: after.0, tag: hash.map(|hash| hash.0) };
    let page = app.streams.await_events(&caller, *id, after, limit.0, wait.0).await?;
    Ok(Answer::json(&page))
}
