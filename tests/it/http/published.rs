//! Rules for the published spec as a whole: every operation, parameter, header, field and answer. The rules
//! read only the document, so they cover new operations too.

use serde_json::Map;

use super::spec::spec;
use crate::documents::root;
use crate::prelude::*;

fn operations() -> Vec<(String, &'static Map<String, Value>)> {
    let paths = spec().document()["paths"].as_object().expect("paths");
    let all = paths.iter().flat_map(|(path, item)| {
        let item = item.as_object().expect("operations");
        item.iter()
            .map(move |(verb, operation)| (format!("{verb} {path}"), operation.as_object().expect("one")))
    });
    let all: Vec<_> = all.collect();
    assert!(all.len() >= 39, "{} operations", all.len());
    all
}

fn is_text(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_some_and(|text| text.trim().len() > 3)
}

/// Calls `visit` with every schema in a part of the document, and its location.
pub fn schemas(at: &str, value: &Value, visit: &mut dyn FnMut(&str, &Map<String, Value>)) {
    let Some(object) = value.as_object() else { return };
    visit(at, object);
    for (name, property) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
        schemas(&format!("{at}.{name}"), property, visit);
    }
    for part in ["items", "additionalProperties"] {
        if let Some(inner) = object.get(part) {
            schemas(&format!("{at}[]"), inner, visit);
        }
    }
    for (index, variant) in object.get("oneOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
        schemas(&format!("{at}|{index}"), variant, visit);
    }
}

/// `ESTIMATION_TEST_RECORD=1` writes it again. Its examples stay.
#[test]
fn the_committed_spec_is_the_programs_own() {
    let file = root().join("openapi/openapi.json");
    let own = estimation::http::openapi_text(&estimation::http::openapi().expect("the spec"));
    if std::env::var_os("ESTIMATION_TEST_RECORD").is_some() {
        fs::write(file, own).expect("the committed spec");
        return;
    }
    let committed = fs::read_to_string(file).expect("the committed spec");
    assert!(committed == own, "ESTIMATION_TEST_RECORD=1 writes it again");
}

#[test]
fn every_operation_is_described() {
    let mut names = BTreeSet::new();
    for (at, operation) in operations() {
        let name = operation["operationId"].as_str().expect("an id");
        let readable = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_alphabetic());
        assert!(readable, "{at}: {name}");
        assert!(names.insert(name), "{name} stands twice");
        for part in ["summary", "description"] {
            assert!(is_text(operation.get(part)), "{at} has no {part}");
        }
        assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{at}");
        let forms = [serde_json::json!([]), serde_json::json!([{}, {"bearer": []}])];
        let secured = operation.get("security").is_none_or(|security| forms.contains(security));
        assert!(secured, "{at}: a token, none, or an optional one");
    }
    let used: BTreeSet<_> =
        operations().iter().map(|(_, operation)| operation["tags"][0].clone().to_string()).collect();
    let tags = spec().document()["tags"].as_array().expect("tags");
    assert_eq!(tags.len(), used.len());
    for tag in tags {
        assert!(used.contains(&tag["name"].to_string()));
        let about = tag["description"].as_str().expect("a description");
        assert!(
            !about.starts_with("Operations on"),
            "{tag} needs words of its own in src/http/spec/about.rs"
        );
    }
}

#[test]
fn every_parameter_and_field_has_its_form() {
    let mut seen = 0;
    let mut visit = |at: &str, schema: &Map<String, Value>| {
        let kinds: Vec<&str> = match &schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let has = |limit: &str| schema.contains_key(limit);
        seen += 1;
        if kinds.contains(&"string") {
            let form = has("enum") || has("format") || has("pattern") || has("maxLength");
            let limits = has("enum") || has("maxLength") || has("pattern");
            // Streams and NDJSON have no maximum length.
            let endless = ["EventFrames", "AccountFrames", "HistoryLines"].contains(&at);
            assert!(form && limits || endless, "{at}: a text without form or limit: {schema:?}");
        }
        if kinds.contains(&"integer") || kinds.contains(&"number") {
            assert!(has("minimum") && has("maximum"), "{at}: a number without limits: {schema:?}");
        }
        if kinds.contains(&"array") {
            assert!(has("maxItems"), "{at}: a list without limit");
        }
    };
    for (name, schema) in spec().document()["components"]["schemas"].as_object().expect("schemas") {
        schemas(name, schema, &mut visit);
    }
    for (at, operation) in operations() {
        for parameter in operation.get("parameters").and_then(Value::as_array).into_iter().flatten() {
            let parameter = spec().resolved(parameter);
            let at = format!("{at} {}", parameter["name"]);
            assert!(is_text(parameter.get("description")), "{at} has no description");
            schemas(&at, &parameter["schema"], &mut visit);
        }
    }
    for (name, header) in spec().document()["components"]["headers"].as_object().expect("headers") {
        assert!(is_text(header.get("description")), "{name} has no description");
        schemas(name, &header["schema"], &mut visit);
    }
    assert!(seen > 500, "{seen} schemas");
}

#[test]
fn every_answer_has_a_schema_and_its_headers() {
    for (at, operation) in operations() {
        let answers = operation["responses"].as_object().expect("answers");
        assert!(answers.keys().any(|status| status.starts_with('2')), "{at}");
        for (status, answer) in answers {
            let is_problem = status.starts_with(['4', '5']);
            assert_eq!(is_problem, answer.get("$ref").is_some(), "{at} {status}");
            let answer = spec().resolved(answer);
            assert!(is_text(answer.get("description")), "{at} {status} has no description");
            assert!(answer["headers"].get("X-Request-Id").is_some(), "{at} {status}");
            let contents = answer.get("content").and_then(Value::as_object);
            assert_eq!(contents.is_none(), ["204", "304"].contains(&status.as_str()), "{at} {status}");
            for (media_type, content) in contents.into_iter().flatten() {
                assert!(content["schema"].get("$ref").is_some(), "{at} {status} {media_type}");
            }
        }
        for status in ["400", "404", "405", "500", "503"] {
            assert!(answers.contains_key(status), "{at} without {status}");
        }
        let limited = at.contains(" /v1");
        assert!(!limited || answers.contains_key("429"), "{at} without 429");
    }
}

#[test]
fn links_lead_to_the_operations_that_take_what_answers_hold() {
    let links = spec().document()["components"]["links"].as_object().expect("links");
    let leads = |operation: &str, parameter: &str| {
        let to =
            |link: &&Value| link["operationId"] == operation && link["parameters"].get(parameter).is_some();
        links.values().any(|link| to(&link))
    };
    let (mut taken, mut unlinked) = (0, Vec::new());
    for (_, operation) in operations() {
        let name = operation["operationId"].as_str().expect("an id");
        let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
        for parameter in parameters.map(|parameter| spec().resolved(parameter)) {
            let part = parameter["name"].as_str().expect("a name");
            // An id, a code, a cursor, or another name of one.
            if parameter["in"] == "path" || ["cursor", "after"].contains(&part) {
                taken += 1;
                if !leads(name, part) {
                    unlinked.push(format!("{name} {part}"));
                }
            }
        }
    }
    // Seats are numbers in the view. Problems are linked by their `type`.
    let known = ["getProblem code", "leaveSeat seat", "seatBot seat"];
    assert_eq!(unlinked, known, "see src/http/spec/links.rs");
    assert!(unlinked.len() * 10 <= taken, "{} of {taken} parameters without a link", unlinked.len());
    let known: BTreeSet<_> =
        operations().iter().map(|(_, one)| one["operationId"].as_str().expect("an id")).collect();
    assert!(links.values().all(|link| known.contains(link["operationId"].as_str().expect("an id"))));
}
