//! The page of a problem, for people who followed its `type` with a browser.

use actix_web::HttpResponse;
use actix_web::http::header::{ACCEPT, CONTENT_SECURITY_POLICY, HeaderMap};

use super::caching::PUBLIC;
use super::language::{Language, weighed};
use super::problem::ProblemType;

/// What the page may do: look like something, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

const STYLE: &str = "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem}\
                     code{background:#8882;padding:.1em .3em;border-radius:.2em}";

/// Whether a request would rather have a page than JSON.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let said = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    let ranges: Vec<(&str, f32)> = said.flat_map(|value| value.split(',')).map(weighed).collect();
    let weight = |names: &[&str]| {
        let of = |name: &&str| ranges.iter().find(|(range, _)| range == name).map(|(_, weight)| *weight);
        names.iter().find_map(of)
    };
    let html = weight(&["text/html", "application/xhtml+xml"]).unwrap_or(0.0);
    html > weight(&["application/json", "application/*"]).unwrap_or(0.0)
}

/// The page.
pub(super) fn answer(kind: &ProblemType, language: Language) -> HttpResponse {
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
         <p><code>{}</code> · {status}</p>\n<p dir=\"ltr\" lang=\"en\">{}</p>\n{members}</body>\n</html>\n",
        kind.code,
        with_code(kind.about),
    );
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header(PUBLIC)
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(page)
}

/// A sentence of the table as HTML: what stands between backquotes is code.
fn with_code(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let pieces = escaped.split('`').enumerate();
    pieces
        .map(|(at, piece)| if at % 2 == 1 { format!("<code>{piece}</code>") } else { piece.to_owned() })
        .collect()
}
