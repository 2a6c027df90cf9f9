//! Rendering: a problem as `application/problem+json`.

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, ResponseError};
use serde_json::{Map, Value};

use super::Problem;
use crate::http::language::{Language, Translate};

pub const MEDIA_TYPE: &str = "application/problem+json";

/// The longest detail, in characters. A detail may quote the request.
pub const DETAIL_LENGTH: usize = 1000;

/// The body of a problem. `instance` is the path of the request. A 5xx has the request's id.
pub fn body(
    problem: &Problem,
    language: Language,
    instance: Option<&str>,
    request_id: Option<&str>,
) -> Value {
    let kind = problem.failure.kind();
    let mut body = Map::new();
    body.insert("type".to_owned(), format!("/problems/{}", kind.code).into());
    body.insert("title".to_owned(), kind.text(language).title.into());
    body.insert("status".to_owned(), kind.status.into());
    let members = problem.failure.members();
    let detail = kind.detail(language, &members).or_else(|| problem.detail.clone());
    let detail = detail.unwrap_or_else(|| problem.failure.detail());
    body.insert("detail".to_owned(), shortened(&detail).into());
    if let Some(instance) = instance {
        body.insert("instance".to_owned(), instance.into());
    }
    body.insert("code".to_owned(), kind.code.into());
    if let Some(request_id) = request_id.filter(|_| kind.status >= 500) {
        body.insert("request_id".to_owned(), request_id.into());
    }
    for (name, mut value) in members {
        if name == "errors" {
            translate(language, &mut value);
        }
        // A member of the code never hides a standard one.
        body.entry(name).or_insert(value);
    }
    Value::Object(body)
}

/// Replaces the details of field errors by those of the language.
fn translate(language: Language, errors: &mut Value) {
    for error in errors.as_array_mut().into_iter().flatten() {
        if let Some(detail) = error["code"].as_str().and_then(|code| language.field_error(code)) {
            error["detail"] = detail.into();
        }
    }
}

fn shortened(detail: &str) -> &str {
    detail.char_indices().nth(DETAIL_LENGTH).map_or(detail, |(end, _)| &detail[..end])
}

pub(in crate::http) fn response(
    problem: &Problem,
    language: Language,
    instance: Option<&str>,
    request_id: Option<&str>,
) -> HttpResponse {
    let mut response = HttpResponse::build(problem.status_code());
    for (name, value) in &problem.headers {
        response.insert_header((name.clone(), value.as_str()));
    }
    let body = body(problem, language, instance, request_id).to_string();
    language.mark(response.insert_header((CONTENT_TYPE, MEDIA_TYPE)).body(body))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::problem::{Failure, PROBLEMS};
    use estimation_engine::rejection::Rejection;
    use estimation_engine::seat::Place;
    use estimation_service::auth::tokens::Role;

    fn detail(code: Failure, language: Language) -> Value {
        body(&Problem::new(code, "Its own."), language, None, None)["detail"].take()
    }

    #[test]
    fn details_are_filled_with_the_members() {
        let role = || Failure::RoleRequired { role: Role::Admin };
        let empty =
            || Failure::Rejected(Rejection::EmptySeats { places: vec![Place::new(1), Place::new(3)] });
        let header = || Failure::MalformedHeader { header: "If-Match" };
        for (code, english, arabic) in [
            (
                role as fn() -> Failure,
                "This operation needs the role admin.",
                "تتطلب هذه العملية الدور admin.",
            ),
            (empty, "These places are empty: 1, 3.", "هذه الأماكن خالية: 1, 3."),
            (header, "Its own.", "قيمة الترويسة If-Match غير سليمة."),
        ] {
            assert_eq!(detail(code(), Language::English), json!(english));
            assert_eq!(detail(code(), Language::Arabic), json!(arabic));
        }
    }

    /// A text names only members that its code always has.
    #[test]
    fn every_brace_is_a_member() {
        for kind in PROBLEMS {
            for text in Language::ALL.into_iter().filter_map(|language| kind.text(language).detail) {
                for part in text.split('{').skip(1) {
                    let name = part.split('}').next().unwrap_or_default();
                    assert!(kind.members.contains(&name), "{}: {name}", kind.code);
                }
            }
        }
    }
}
