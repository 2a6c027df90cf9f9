//! Entity tags. A view has `"<version>.<hash>.<tag>"`: `hash` is the beginning of the last event's hash, and `tag` covers
//! what differs between viewers and is not in the log. Other representations have `"<version>.<tag>"`, with version 0
//! for pages of a list.

use actix_web::http::Method;
use actix_web::http::header::{ETAG, ETag, EntityTag, Header, HeaderMap, HeaderValue, IF_MATCH, IfNoneMatch};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use rapidhash::v3::rapidhash_v3;
use serde::Serialize;
use utoipa::IntoParams;

use super::answer::Answer;
use super::compression::{Coding, PLAIN, encoding};
use super::language::Language;
use super::problem::{Problem, ProblemCode};
use crate::app::games::view::GameView;
use crate::app::games::{HashTag, LogPosition};

/// The header `If-None-Match` as the spec describes it.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "what arrives is read by is_known")]
pub(super) struct IfNoneMatchHeader {
    /// The `ETag` of the answer that you already have.
    #[param(rename = "If-None-Match", max_length = 1000)]
    if_none_match: Option<String>,
}

/// Answers with a view of a game in the client's language, or 304 if the client has it.
pub(super) fn view_answer(request: &HttpRequest, mut view: GameView) -> Result<Answer<GameView>, Problem> {
    let language = Language::of(request.headers());
    language.view(&mut view);
    let at = LogPosition::of(view.version, &view.head.hash.0);
    Ok(versioned(request, at, &view)?.in_language(language))
}

/// Answers with a representation of a game at a position of its log, or 304 if the client has it.
pub(super) fn versioned<T: Serialize>(
    request: &HttpRequest,
    at: impl Into<LogPosition>,
    body: &T,
) -> Result<Answer<T>, Problem> {
    let text = serde_json::to_vec(body).map(Bytes::from).map_err(Problem::defect)?;
    let etag = entity_tag(request, at.into(), &text);
    if request.method() == Method::GET && is_known(request, &etag) {
        return Ok(Answer::written(HttpResponse::NotModified().insert_header(ETag(etag)).finish()));
    }
    let answer = HttpResponse::Ok().content_type("application/json").insert_header(ETag(etag)).body(text);
    Ok(Answer::written(answer))
}

/// Answers with a page in the client's language, or 304 if the client has it.
pub(super) fn tagged_page<T: Serialize>(
    request: &HttpRequest,
    language: Language,
    page: &T,
) -> Result<Answer<T>, Problem> {
    Ok(versioned(request, 0, page)?.in_language(language))
}

/// The tag of a representation: its version, the tag of the last event where `If-Match` may name it, and a hash of
/// the text and its encoding. The text contains the language. The hash is the same on every machine; it need not
/// resist attackers.
pub fn entity_tag(request: &HttpRequest, at: LogPosition, text: &[u8]) -> EntityTag {
    let hash = rapidhash_v3(text) ^ of_encoding(encoding(request.headers()));
    EntityTag::new_strong(match at.tag {
        Some(tag) => format!("{}.{tag}.{hash:016x}", at.seq),
        None => format!("{}.{hash:016x}", at.seq),
    })
}

/// The part of an entity tag's hash that names the encoding.
fn of_encoding(name: &str) -> u64 {
    rapidhash_v3(name.as_bytes())
}

/// Changes the entity tag of an answer, made for a coding, to that of the uncompressed answer.
pub(super) fn mark_uncompressed(headers: &mut HeaderMap, made_for: Coding) {
    let tag = headers.get(ETAG).and_then(|tag| tag.to_str().ok());
    let Some((rest, hash)) = tag.and_then(|tag| tag.strip_suffix('"')?.rsplit_once('.')) else { return };
    let Ok(hash) = u64::from_str_radix(hash, 16) else { return };
    let hash = hash ^ of_encoding(made_for.name()) ^ of_encoding(PLAIN.1);
    if let Ok(tag) = HeaderValue::from_str(&format!("{rest}.{hash:016x}\"")) {
        headers.insert(ETAG, tag);
    }
}

/// Whether `If-None-Match` names a representation.
pub(super) fn is_known(request: &HttpRequest, etag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|tag| tag.weak_eq(etag)),
        Err(_) => false,
    }
}

/// The position in `If-Match`: the number before the first dot, and the hash between the dots if there are two. None
/// for `*` and without the header.
pub fn expected_version(request: &HttpRequest) -> Result<Option<LogPosition>, Problem> {
    let Some(value) = request.headers().get(IF_MATCH) else { return Ok(None) };
    let malformed = || {
        let code = ProblemCode::MalformedHeader { header: "If-Match" };
        Problem::new(code, "If-Match is one entity tag of a view of the game, or *.")
    };
    let text = value.to_str().map_err(|_| malformed())?.trim();
    if text == "*" {
        return Ok(None);
    }
    let tag = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).ok_or_else(malformed)?;
    let mut parts = tag.split('.');
    let version = parts.next().unwrap_or(tag);
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(malformed());
    }
    let seq = version.parse().map_err(|_| malformed())?;
    // A tag without a hash is a number alone, or from an earlier version of this service.
    let (hash, view) = (parts.next(), parts.next());
    let tag = hash.filter(|_| view.is_some()).and_then(HashTag::parse);
    Ok(Some(LogPosition { seq, tag }))
}
