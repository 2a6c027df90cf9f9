//! `POST /v1/rulesets/{id}/score`.

use actix_web::{post, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::PublicRefusals;
use estimation_service::calculator::{self, PlayedRound, ScoredRound};
use estimation_service::vocabulary::RulesetId;

pub(super) const ACCESS: Access = Access::Public;

impl Body for PlayedRound {}

/// Score a round
///
/// The score of a round that was played with real cards, with the lines of each score. Nothing is stored. An
/// impossible round is refused with the reason.
#[utoipa::path(
    operation_id = "scoreRound",
    tag = "rulesets",
    params(("id" = RulesetId, Path, description = "The ruleset's id.")),
    request_body = PlayedRound,
    responses((status = 200, description = "The score."), PublicRefusals),
    security(())
)]
#[post("/v1/rulesets/{id}/score")]
pub(super) async fn score_round(
    id: web::Path<String>,
    Json(played): Json<PlayedRound>,
) -> Result<Answer<ScoredRound>, Problem> {
    Ok(Answer::json(&calculator::score_round(&id, &played)?))
}
