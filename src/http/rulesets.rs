//! Rulesets over HTTP: what is published, and the calculator.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, get, post, web};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::body::Json;
use super::contract;
use super::problem::Problem;
use super::refusals::{PublicRefusals, ReadRefusals};
use crate::application::calculator::{PlayedRound, score_round};
use crate::application::rulesets::{self, PublishedRuleset};
use crate::application::terms::Call;

/// The published rulesets, all on one page.
#[derive(Serialize)]
struct RulesetPage {
    items: Vec<PublishedRuleset>,
    next_cursor: Option<String>,
}

/// A round that was played with real cards.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScoreRequest {
    #[serde(default)]
    options: BTreeMap<String, Value>,
    players: Option<u8>,
    round: u8,
    carry: Option<u32>,
    first_speaker: Option<u8>,
    dealer: Option<u8>,
    #[serde(default, deserialize_with = "given")]
    bidder: Option<Option<u8>>,
    #[serde(default)]
    calls: Vec<Option<Call>>,
    #[serde(default)]
    tricks: Vec<u8>,
    #[serde(default)]
    folded: bool,
}

/// Reads a field that is there, so that null is told from nothing.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// List the rulesets
///
/// The five published rulesets with every option a table may agree on.
#[utoipa::path(
    operation_id = "listRulesets",
    tag = "rulesets",
    responses((status = 200, description = "The rulesets.", body = contract::RulesetPage), ReadRefusals),
    security(())
)]
#[get("/v1/rulesets")]
pub(super) async fn list() -> HttpResponse {
    HttpResponse::Ok().json(RulesetPage { items: rulesets::rulesets(), next_cursor: None })
}

/// Show a ruleset
///
/// One ruleset with every option a table may agree on.
#[utoipa::path(
    operation_id = "getRuleset",
    tag = "rulesets",
    params(("id" = contract::RulesetId, Path, description = "The ruleset's id.")),
    responses((status = 200, description = "The ruleset.", body = contract::RulesetInfo), ReadRefusals),
    security(())
)]
#[get("/v1/rulesets/{id}")]
pub(super) async fn show(id: web::Path<String>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(rulesets::ruleset(&id)?))
}

/// Score a round
///
/// The score of a round played with real cards, with the lines it is made of. Nothing is stored. A round
/// that could not have happened is refused with the reason.
#[utoipa::path(
    operation_id = "scoreRound",
    tag = "rulesets",
    params(("id" = contract::RulesetId, Path, description = "The ruleset's id.")),
    request_body = contract::ScoreRequest,
    responses((status = 200, description = "The score.", body = contract::ScoreAnswer), PublicRefusals),
    security(())
)]
#[post("/v1/rulesets/{id}/score")]
pub(super) async fn score(
    id: web::Path<String>,
    Json(round): Json<ScoreRequest>,
) -> Result<HttpResponse, Problem> {
    let played = PlayedRound {
        options: round.options,
        players: round.players,
        round: round.round,
        carry: round.carry,
        first_speaker: round.first_speaker,
        dealer: round.dealer,
        bidder: round.bidder,
        calls: round.calls,
        tricks: round.tricks,
        folded: round.folded,
    };
    Ok(HttpResponse::Ok().json(score_round(&id, &played)?))
}
