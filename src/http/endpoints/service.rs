//! Health, public keys, and descriptions of problems.

use actix_web::http::header::{Accept, CONTENT_SECURITY_POLICY, Header, Quality};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse, get};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::http::answer::{Answer, Either, Html, Reply};
use crate::http::caching::PUBLIC;
use crate::http::contract::{ProblemCode, ProblemPage};
use crate::http::language::{Language, PreferredLanguage};
use crate::http::problem::{Failure, PROBLEMS, Problem, ProblemType};
use crate::http::spec::examples;
use estimation_service::auth::keys::Jwks;
use estimation_service::services::App;

/// The status of the service.
#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`.
    #[schema(example = "ok", pattern = "^ok$", min_length = 2, max_length = 2)]
    status: &'static str,
}

/// Liveness probe
///
/// Answers 200 as long as the process runs.
#[utoipa::path]
#[get("/healthz")]
pub(super) async fn get_health() -> Answer<Health> {
    Answer::json(&Health { status: "ok" })
}

/// The readiness of the node.
#[derive(Serialize, ToSchema)]
pub(super) struct Ready {
    /// Always `ok`.
    #[schema(example = "ok", pattern = "^ok$", min_length = 2, max_length = 2)]
    status: &'static str,
    /// Whether the database accepts changes.
    writes: Writes,
    /// Why the database refuses changes: `disk-full`, `read-only`, `locked` or `unavailable`.
    #[schema(example = "disk-full", min_length = 1, max_length = 32, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Why this node does not sign the public log: `rolled-back`, `unconfirmed`, `time-ahead`, `start-overdue` or `failed`.
    #[schema(example = "rolled-back", min_length = 1, max_length = 32, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_refusal: Option<&'static str>,
}

/// Whether the database accepts changes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Writes {
    Accepted,
    Refused,
}

/// Readiness probe
///
/// Answers 503 when the node cannot handle requests. While the database refuses changes, reads continue: the node
/// answers 200 with `writes: refused`, or 503 if it is set so. The member `reason` gives the cause:
///
/// - `stopping`: the node is stopping.
/// - `database-silent`: the database does not answer.
/// - `writes-waiting`: a change has waited 5 seconds to be written.
/// - `clock-skewed`: the node's clock is wrong.
/// - `database-replaced`: the SQLite file was deleted or replaced while it was open. Restart the node.
/// - `disk-full`, `read-only`, `locked`, `unavailable`: the database refuses changes.
///
/// A node that does not sign the public log is ready, because games continue. Its 200 has the cause in `log_refusal`:
///
/// - `rolled-back`: the log does not continue a checkpoint that was signed, or a witness contradicts it.
/// - `unconfirmed`: neither the state file nor a witness says that the log was not rolled back.
/// - `time-ahead`: a stored time is more than 60 seconds ahead of the node's clock.
/// - `start-overdue`: a start that the log must have still waits.
/// - `failed`: the node cannot sign, as without the log's key. The log of the node has the details.
#[utoipa::path]
#[get("/readyz")]
pub(super) async fn get_readiness(app: Data<App>) -> Reply<Ready> {
    let log_refusal = app.public_log.refusal().map(|refusal| refusal.reason);
    match app.readiness.check().await {
        Ok(None) => {
            Ok(Answer::json(&Ready { status: "ok", writes: Writes::Accepted, reason: None, log_refusal }))
        }
        Ok(Some(refusal)) => {
            let reason = Some(refusal.as_str());
            Ok(Answer::json(&Ready { status: "ok", writes: Writes::Refused, reason, log_refusal }))
        }
        Err(reason) => {
            Err(Problem::new(Failure::Unavailable { reason: Some(reason.as_str()) }, reason.describe()))
        }
    }
}

/// List the public keys
///
/// Returns the public keys that verify access tokens and records, as a JWK set (RFC 7517).
#[utoipa::path]
#[get("/.well-known/jwks.json")]
pub(super) async fn get_jwks(app: Data<App>) -> Answer<Jwks> {
    Answer::json(&app.keys.jwks())
}

/// The content security policy of the page: inline styles only.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

const STYLE: &str = "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem}\
                     code{background:#8882;padding:.1em .3em;border-radius:.2em}pre{overflow-x:auto;font-size:.9rem}";

/// A kind of problem.
#[derive(Serialize, ToSchema)]
pub(super) struct ProblemKind {
    /// The stable code.
    #[schema(value_type = ProblemCode)]
    code: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// The title.
    #[schema(min_length = 1, max_length = 200)]
    title: &'static str,
    /// What the problem means and what to do about it.
    #[schema(min_length = 1, max_length = 400)]
    description: &'static str,
    /// The members that the problem always has, in addition to the standard ones.
    #[schema(value_type = Vec<String>, max_items = 40, min_length = 1, max_length = 40, pattern = "^[a-z_]+$")]
    members: &'static [&'static str],
    /// The members that the problem may also have.
    #[schema(value_type = Vec<String>, max_items = 40, min_length = 1, max_length = 40, pattern = "^[a-z_]+$")]
    perhaps: &'static [&'static str],
}

/// Describe a problem
///
/// Explains what a problem code means and what to do about it. The `type` of a problem links to this page.
#[utoipa::path(params(("code" = ProblemCode, Path, description = "The problem's code.")))]
#[get("/problems/{code}")]
pub(super) async fn get_problem(
    request: HttpRequest,
    code: Path<String>,
    PreferredLanguage(language): PreferredLanguage,
) -> Result<Either<Answer<ProblemKind>, Answer<ProblemPage, Html>>, Problem> {
    let entry = PROBLEMS.iter().find(|entry| entry.code == *code);
    let entry = entry.ok_or(Failure::NotFound { what: "problem" })?;
    if prefers_html(&request) {
        return Ok(Either::Right(page(entry, language).in_language(language)));
    }
    let kind = ProblemKind {
        code: entry.code,
        status: entry.status,
        title: entry.text(language).title,
        description: entry.about,
        members: entry.members,
        perhaps: entry.perhaps,
    };
    Ok(Either::Left(Answer::json(&kind).header(PUBLIC).in_language(language)))
}

/// Whether a request prefers HTML to JSON.
fn prefers_html(request: &HttpRequest) -> bool {
    let accepted = Accept::parse(request).map(|accept| accept.0).unwrap_or_default();
    let quality = |names: &[&str]| {
        let of = |name: &&str| accepted.iter().find(|range| range.item.essence_str() == *name);
        names.iter().find_map(of).map_or(Quality::ZERO, |range| range.quality)
    };
    quality(&["text/html", "application/xhtml+xml"]) > quality(&["application/json", "application/*"])
}

fn page(kind: &ProblemType, language: Language) -> Answer<ProblemPage, Html> {
    let (tag, direction) = (language.tag(), language.direction());
    let (title, status) = (kind.text(language).title, kind.status);
    let mut members = String::new();
    for (names, word) in [(kind.members, "Members"), (kind.perhaps, "Members, perhaps")] {
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| format!("<code>{name}</code>")).collect();
            members += &format!("<p dir=\"ltr\" lang=\"en\">{word}: {}</p>\n", names.join(", "));
        }
    }
    let page = format!(
        "<!doctype html>\n<html lang=\"{tag}\" dir=\"{direction}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p><code>{}</code> · {status}</p>\n<p dir=\"ltr\" lang=\"en\">{}</p>\n{members}\
         <pre dir=\"ltr\" lang=\"en\">{}</pre>\n</body>\n</html>\n",
        kind.code,
        with_code(kind.about),
        escaped(&example(kind)),
    );
    let page = HttpResponse::Ok().content_type("text/html; charset=utf-8").body(page);
    Answer::written(page).header(PUBLIC).header((CONTENT_SECURITY_POLICY, POLICY))
}

/// An example of an answer with the problem: a recorded one, or the standard members alone.
fn example(kind: &ProblemType) -> String {
    let title = kind.text(Language::English).title;
    let body = examples::problem(kind.code).cloned().unwrap_or_else(|| {
        let path = format!("/problems/{}", kind.code);
        json!({"type": path, "title": title, "status": kind.status, "detail": title, "code": kind.code})
    });
    format!("{body:#}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A sentence of the table as HTML. Text between backquotes is code.
fn with_code(text: &str) -> String {
    let escaped = escaped(text);
    let pieces = escaped.split('`').enumerate();
    pieces
        .map(|(at, piece)| if at % 2 == 1 { format!("<code>{piece}</code>") } else { piece.to_owned() })
        .collect()
}
