//! `GET /v1/rulesets/{id}`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::caching::PUBLIC;
use crate::http::language::{Preferred, Translate};
use crate::http::problem::Problem;
use crate::http::refusals::ReadRefusals;
use estimation_service::rulesets;
use estimation_service::rulesets::PublishedRuleset;
use estimation_service::vocabulary::RulesetId;

pub(super) const ACCESS: Access = Access::Public;

/// Show a ruleset
///
/// One ruleset with every option a table may agree on.
#[utoipa::path(
    operation_id = "getRuleset",
    tag = "rulesets",
    params(("id" = RulesetId, Path, description = "The ruleset's id.")),
    responses((status = 200, description = "The ruleset."), ReadRefusals),
    security(())
)]
#[get("/v1/rulesets/{id}")]
pub(super) async fn get_ruleset(
    id: web::Path<String>,
    Preferred(language): Preferred,
) -> Result<Answer<PublishedRuleset>, Problem> {
    let mut ruleset = rulesets::ruleset(&id)?;
    language.ruleset(&mut ruleset);
    Ok(Answer::json(&ruleset).header(PUBLIC).in_language(language))
}
