//! `GET /problems/{code}`: JSON, or a page for browsers.

use actix_web::http::header::{Accept, CONTENT_SECURITY_POLICY, Header, Quality};
use actix_web::{HttpRequest, HttpResponse, get, web};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::{Answer, Either, Html};
use crate::http::caching::PUBLIC;
use crate::http::contract::ProblemPage;
use crate::http::language::{Language, Preferred};
use crate::http::problem::{PROBLEMS, Problem, ProblemCode, ProblemType};
use crate::http::refusals::ReadRefusals;
use crate::http::spec::examples;

pub(super) const ACCESS: Access = Access::Public;

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
#[utoipa::path(
    operation_id = "getProblem",
    tag = "service",
    params(("code" = ProblemCode, Path, description = "The problem's code.")),
    responses(
        (status = 200, description = "The kind of problem: as JSON, or as an HTML page if `Accept` prefers HTML."),
        ReadRefusals
    ),
    security(())
)]
#[get("/problems/{code}")]
pub(super) async fn get_problem(
    request: HttpRequest,
    code: web::Path<String>,
    Preferred(language): Preferred,
) -> Result<Either<Answer<ProblemKind>, Answer<ProblemPage, Html>>, Problem> {
    let no_such = || Problem::new(ProblemCode::NotFound { what: "problem" }, "There is no such problem.");
    let entry = PROBLEMS.iter().find(|entry| entry.code == *code).ok_or_else(no_such)?;
    if prefers_html(&request) {
        return Ok(Either::Right(page(entry, language).in_language(language)));
    }
    let kind = ProblemKind {
        code: entry.code,
        status: entry.status,
        title: language.problem_title(entry.code),
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
    let (title, status) = (language.problem_title(kind.code), kind.status);
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
    let title = Language::English.problem_title(kind.code);
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
