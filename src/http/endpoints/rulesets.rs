//! The rulesets with their options, and the calculator.

use actix_web::web::Path;
use actix_web::{get, post};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::answer::{Answer, Reply};
use crate::http::body::Json;
use crate::http::caching::PUBLIC;
use crate::http::language::{PreferredLanguage, Translate};
use estimation_service::calculator::{self, PlayedRound, ScoredRound};
use estimation_service::rulesets::{self, PublishedRuleset};

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
#[utoipa::path]
#[get("/v1/rulesets")]
pub(super) async fn list_rulesets(PreferredLanguage(language): PreferredLanguage) -> Answer<RulesetPage> {
    let mut items = rulesets::rulesets();
    items.iter_mut().for_each(|ruleset| language.ruleset(ruleset));
    let page = RulesetPage { items, next_cursor: None };
    Answer::json(&page).header(PUBLIC).in_language(language)
}

/// Show a ruleset
///
/// One ruleset with every option a table may agree on.
#[utoipa::path]
#[get("/v1/rulesets/{id}")]
pub(super) async fn get_ruleset(
    id: Path<String>,
    PreferredLanguage(language): PreferredLanguage,
) -> Reply<PublishedRuleset> {
    let mut ruleset = rulesets::ruleset(&id)?;
    language.ruleset(&mut ruleset);
    Ok(Answer::json(&ruleset).header(PUBLIC).in_language(language))
}

/// Score a round
///
/// The score of a round that was played with real cards, with the lines of each score. Nothing is stored. An
/// impossible round is refused with the reason.
#[utoipa::path]
#[post("/v1/rulesets/{id}/score")]
pub(super) async fn score_round(id: Path<String>, Json(played): Json<PlayedRound>) -> Reply<ScoredRound> {
    Ok(Answer::json(&calculator::score_round(&id, &played)?))
}
