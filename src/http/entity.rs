//! Entity tags: `"<version>.<hash>.<tag>"`, where the hash is the beginning of that of the last event, and the tag
//! covers what differs between viewers and is not in the log.

use actix_web::http::Method;
use actix_web::http::header::{ETAG, HeaderMap, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use rapidhash::v3::rapidhash_v3;
use serde::Serialize;

use super::compression::encoding;
use super::language::Language;
use super::problem::{Problem, ProblemCode};
use crate::app::games::view::GameView;
use crate::app::games::{HashTag, LogPosition, tag_of};

/// Answers with a view of a game in the client's language, or 304 where the client has it already.
pub fn view_answer(request: &HttpRequest, mut view: GameView) -> Result<HttpResponse, Problem> {
    let language = Language::of(request.headers());
    language.view(&mut view);
    let head = tag_of(&view.head.hash.0);
    Ok(language.mark(versioned(request, LogPosition { seq: view.version, tag: Some(head) }, &view)?))
}

/// Answers with a representation of a game at a position of its log, or 304 where the client has it already.
pub fn versioned(
    request: &HttpRequest,
    at: impl Into<LogPosition>,
    body: &impl Serialize,
) -> Result<HttpResponse, Problem> {
    let text = json(body)?;
    let etag = entity_tag(request, at.into(), &text);
    let mut answer = if request.method() == Method::GET && matches_any(request.headers(), &etag) {
        HttpResponse::NotModified().finish()
    } else {
        HttpResponse::Ok().content_type("application/json").body(text)
    };
    let headers = answer.headers_mut();
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(ETAG, etag);
    }
    Ok(answer)
}

/// JSON as bytes.
pub fn json(body: &impl Serialize) -> Result<Bytes, Problem> {
    serde_json::to_vec(body).map(Bytes::from).map_err(Problem::defect)
}

/// The tag of a representation: its version, the tag of the last event where `If-Match` may name it, and a hash of
/// all it says and of how it is encoded. Its language
/// is in what it says. The hash is the same on every machine; nothing rests on its being hard to find.
pub fn entity_tag(request: &HttpRequest, at: LogPosition, text: &[u8]) -> String {
    let hash = rapidhash_v3(text) ^ rapidhash_v3(encoding(request.headers()).as_bytes());
    match at.tag {
        Some(tag) => format!("\"{}.{tag}.{hash:016x}\"", at.seq),
        None => format!("\"{}.{hash:016x}\"", at.seq),
    }
}

/// Whether a client has a representation already, as `If-None-Match` says.
pub(super) fn matches_any(headers: &HeaderMap, etag: &str) -> bool {
    let weak = |tag: &str| tag.trim().trim_start_matches("W/") == etag || tag.trim() == "*";
    headers
        .get_all(IF_NONE_MATCH)
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.split(',').any(weak))
}

/// The version a command is meant for: the number before the first dot in `If-Match`, and the hash between the dots
/// where there are two; none for `*` and for no such header.
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
    // A tag without a hash is a number's alone, or an earlier version's of this service.
    let (hash, view) = (parts.next(), parts.next());
    let tag = hash.filter(|_| view.is_some()).and_then(HashTag::parse);
    Ok(Some(LogPosition { seq, tag }))
}
