//! `GET /v1/reactions`.

use actix_web::get;
use serde::Serialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::caching::PUBLIC;
use crate::http::language::Preferred;
use crate::http::refusals::ReadRefusals;
use estimation_engine::choice::Choice;
use estimation_service::talk::Reaction;

pub(super) const ACCESS: Access = Access::Public;

/// What players can say at tables.
#[derive(Serialize, ToSchema)]
pub(super) struct ReactionList {
    /// The reactions.
    #[schema(max_items = 100)]
    items: Vec<ReactionText>,
}

/// A reaction with its text.
#[derive(Serialize, ToSchema)]
struct ReactionText {
    /// The reaction.
    reaction: Reaction,
    /// The text, in the language of the request.
    #[schema(min_length = 1, max_length = 40, example = "Well played")]
    text: String,
    /// An emoji for it; null for a phrase.
    #[schema(min_length = 1, max_length = 8, example = "👏")]
    symbol: Option<&'static str>,
}

/// List what players can say
///
/// Returns the fixed set of reactions and phrases with their texts, in the language of the request.
#[utoipa::path(
    operation_id = "listReactions",
    tag = "play",
    responses((status = 200, description = "The reactions."), ReadRefusals),
    security(())
)]
#[get("/v1/reactions")]
pub(super) async fn list_reactions(Preferred(language): Preferred) -> Answer<ReactionList> {
    let all = <Reaction as Choice>::NAMES.iter().filter_map(|name| Reaction::from_name(name));
    let items = all.map(|reaction| ReactionText {
        reaction,
        text: language.reaction_text(reaction.as_str()).to_owned(),
        symbol: reaction.symbol(),
    });
    Answer::json(&ReactionList { items: items.collect() }).header(PUBLIC).in_language(language)
}
