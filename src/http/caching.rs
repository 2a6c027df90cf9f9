//! Caching: `Cache-Control` for every answer that does not set it, `Vary` for all, and entity tags.
//!
//! A view has the entity tag `"<version>.<hash>.<tag>"`: `hash` is the beginning of the last event's hash, and `tag` covers
//! what differs between viewers and is not in the log. Other representations have `"<version>.<tag>"`, with version 0
//! for pages of a list.

use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{
    AUTHORIZATION, CACHE_CONTROL, ETAG, ETag, EntityTag, Header, HeaderMap, HeaderValue, IF_MATCH,
    IfNoneMatch, VARY,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use rapidhash::v3::rapidhash_v3;
use serde::Serialize;
use utoipa::IntoParams;

use super::answer::Answer;
use super::compression::{Coding, PLAIN, encoding};
use super::language::{Language, Translate, preferred};
use super::problem::{Failure, Problem};
use estimation_service::games::view::GameView;
use estimation_service::games::{HashTag, LogPosition};

/// For answers that are the same for every client and change only with a new version of the program.
pub(super) const PUBLIC: (&str, &str) = ("cache-control", "public, max-age=300");

/// For files whose path has a hash of their content.
pub(super) const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// The request headers that any answer may depend on.
const DEPENDS: &str = "Accept, Accept-Encoding, Accept-Language, Authorization";

/// Completes an answer. Clients must not store personal answers, which are those to requests with a token, unless they
/// have an entity tag; such an answer they must revalidate each time. They must not store errors and answers to changes.
pub(super) fn complete<B>(answer: &mut ServiceResponse<B>) {
    let read = matches!(*answer.request().method(), Method::GET | Method::HEAD);
    let kept = read && (answer.status().is_success() || answer.status().is_redirection());
    let personal = answer.request().headers().contains_key(AUTHORIZATION);
    let headers = answer.headers_mut();
    if !kept {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    } else if !headers.contains_key(CACHE_CONTROL) {
        let value = match (personal, headers.contains_key(ETAG)) {
            (false, _) => "no-cache",
            (true, true) => "private, no-cache",
            (true, false) => "no-store",
        };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(value));
    }
    headers.insert(VARY, HeaderValue::from_static(DEPENDS));
}

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
    let language = preferred(request.headers());
    language.view(&mut view);
    let at = LogPosition::of(view.version, &view.head.hash.0);
    let remaining_ms = view.remaining_ms.take();
    let mut text = serde_json::to_vec(&view).map_err(Problem::defect)?;
    let etag = entity_tag(request, at, &text);
    add_remaining_time(&mut text, remaining_ms);
    Ok(unless_known(request, etag, text.into()).in_language(language))
}

/// Adds the member of a view that its entity tag does not cover, because it differs from one moment to the next.
pub(super) fn add_remaining_time(view: &mut Vec<u8>, remaining_ms: Option<u64>) {
    if let Some(remaining_ms) = remaining_ms
        && view.pop_if(|last| *last == b'}').is_some()
    {
        view.extend_from_slice(format!(",\"remaining_ms\":{remaining_ms}}}").as_bytes());
    }
}

/// Answers with a representation of a game at a position of its log, or 304 if the client has it.
pub(super) fn versioned<T: Serialize>(
    request: &HttpRequest,
    at: impl Into<LogPosition>,
    body: &T,
) -> Result<Answer<T>, Problem> {
    let text = serde_json::to_vec(body).map(Bytes::from).map_err(Problem::defect)?;
    let etag = entity_tag(request, at.into(), &text);
    Ok(unless_known(request, etag, text))
}

/// Answers with a representation, or 304 if the client has it.
fn unless_known<T>(request: &HttpRequest, etag: EntityTag, text: Bytes) -> Answer<T> {
    if request.method() == Method::GET && is_known(request, &etag) {
        return Answer::written(HttpResponse::NotModified().insert_header(ETag(etag)).finish());
    }
    Answer::written(HttpResponse::Ok().content_type("application/json").insert_header(ETag(etag)).body(text))
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

/// The most digits of a version.
const LONGEST_VERSION: usize = 16;

/// The position in `If-Match`: the number and the hash of the last event in a view's tag. The tag after them is not
/// compared. None for `*` and without the header. Takes exactly what the pattern in the spec does.
pub fn expected_version(request: &HttpRequest) -> Result<Option<LogPosition>, Problem> {
    let mut values = request.headers().get_all(IF_MATCH);
    let Some(value) = values.next() else { return Ok(None) };
    let malformed = || {
        let code = Failure::MalformedHeader { header: "If-Match" };
        Problem::new(code, "If-Match is one entity tag of a view of the game, or *.")
    };
    if values.next().is_some() {
        return Err(malformed());
    }
    let text = value.to_str().map_err(|_| malformed())?.trim();
    if text == "*" {
        return Ok(None);
    }
    position_in(text).map(Some).ok_or_else(malformed)
}

/// The position in a view's tag with its quotes.
fn position_in(tag: &str) -> Option<LogPosition> {
    let mut parts = tag.strip_prefix('"')?.strip_suffix('"')?.split('.');
    let (version, hash, view) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = version.bytes().all(|byte| byte.is_ascii_digit()) && version.len() <= LONGEST_VERSION;
    HashTag::parse(view).filter(|_| is_number && parts.next().is_none())?;
    Some(LogPosition { seq: version.parse().ok()?, tag: Some(HashTag::parse(hash)?) })
}
