//! `GET /v1/rulesets`.

use actix_web::get;
use serde::Serialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::caching::PUBLIC;
use crate::http::language::{Preferred, Translate};
use crate::http::refusals::ReadRefusals;
use estimation_service::rulesets;
use estimation_service::rulesets::PublishedRuleset;

pub(super) const ACCESS: Access = Access::Public;

/// The published rulesets, all on one page.
#[derive(Serialize, ToSchema)]
pub(super) struct RulesetPage {
    /// The rulesets.
    #[schema(max_items = 100)]
    items: Vec<PublishedRuleset>,
    /// Always null.
    #[schema(min_length = 1, max_length = 512)]
    next_cursor: Option<String>,
}

/// List the rulesets
///
/// The five published rulesets with every option a table may agree on.
#[utoipa::path(
    operation_id = "listRulesets",
    tag = "rulesets",
    responses((status = 200, description = "The rulesets."), ReadRefusals),
    security(())
)]
#[get("/v1/rulesets")]
pub(super) async fn list_rulesets(Preferred(language): Preferred) -> Answer<RulesetPage> {
    let mut items = rulesets::rulesets();
    items.iter_mut().for_each(|ruleset| language.ruleset(ruleset));
    let page = RulesetPage { items, next_cursor: None };
    Answer::json(&page).header(PUBLIC).in_language(language)
}
