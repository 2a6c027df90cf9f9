//! `GET /v1/audit/games`.

use actix_web::{get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::parameters::{PageSize, Query};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::public_log::OpenedEntryPage;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Which entries to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EntriesQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of entries per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// List the log entries of all games
///
/// Returns the starts, ends and adoptions of games in the public log, those of private games too, up to the last
/// checkpoint. Each item opens an entry of the log: the entry itself, or its hash with the salt, is at the position
/// `index` of the log `origin`. Items are in the order of the log. A log that was replaced comes before the one that
/// continues it. For auditors.
#[utoipa::path(
    operation_id = "listAuditedGames",
    tag = "audit",
    params(EntriesQuery),
    responses((status = 200, description = "A page of entries."), CallerRefusals)
)]
#[get("/v1/audit/games")]
pub(super) async fn list_audited_games(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(EntriesQuery { cursor, limit }): Query<EntriesQuery>,
) -> Result<Answer<OpenedEntryPage>, Problem> {
    Ok(Answer::json(&app.public_log.opened_entries(&caller, cursor.as_deref(), limit.0).await?))
}
