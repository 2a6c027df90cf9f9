//! Requests that no operation answers: 404, or 405 with the methods of the path.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;

use super::docs;
use super::problem::{Problem, ProblemCode};

/// Every path of the spec with its operations, and the paths of documents.
///
/// Asked about every request, so it is a tree of segments and leaves regular expressions to the router.
#[derive(Default)]
pub struct Paths {
    /// What may follow as it stands.
    literal: BTreeMap<String, Paths>,
    /// What may follow and is a parameter.
    parameter: Option<Box<Paths>>,
    /// What may be done at the path that ends here.
    operations: Vec<SpecOperation>,
    /// Whether a document is at the path that ends here: it can be read, and has no operation.
    is_document: bool,
}

/// An operation of the spec.
#[derive(Clone)]
pub(super) struct SpecOperation {
    /// Its id.
    pub(super) id: Arc<str>,
    method: Method,
    /// Whether it takes an idempotency key.
    pub(super) takes_key: bool,
}

/// What is read of the spec.
#[derive(Deserialize)]
struct Published<'a> {
    #[serde(borrow)]
    paths: BTreeMap<&'a str, PublishedPath<'a>>,
}

#[derive(Deserialize)]
struct PublishedPath<'a> {
    #[serde(borrow)]
    get: Option<PublishedOperation<'a>>,
    #[serde(borrow)]
    post: Option<PublishedOperation<'a>>,
    #[serde(borrow)]
    put: Option<PublishedOperation<'a>>,
    #[serde(borrow)]
    patch: Option<PublishedOperation<'a>>,
    #[serde(borrow)]
    delete: Option<PublishedOperation<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublishedOperation<'a> {
    operation_id: &'a str,
    #[serde(borrow, default)]
    parameters: Vec<PublishedParameter<'a>>,
}

#[derive(Deserialize)]
struct PublishedParameter<'a> {
    name: Option<&'a str>,
}

impl Paths {
    /// Reads paths and operations off the spec.
    ///
    /// # Errors
    /// If the text is no such spec.
    pub fn of(spec: &str) -> Result<Paths, serde_json::Error> {
        let spec: Published<'_> = serde_json::from_str(spec)?;
        let mut paths = Paths::default();
        for (path, item) in spec.paths {
            paths.end_of(path).operations = operations(item);
        }
        for path in docs::PATHS {
            paths.end_of(path).is_document = true;
        }
        Ok(paths)
    }

    /// Where a path of the tree ends; it is added where it is missing.
    fn end_of(&mut self, path: &str) -> &mut Paths {
        path.split('/').fold(self, |paths, segment| match segment.starts_with('{') {
            true => paths.parameter.get_or_insert_default(),
            false => paths.literal.entry(segment.to_owned()).or_default(),
        })
    }

    /// Where the path of a request ends. A literal path is meant before one with parameters.
    fn find(&self, path: &str) -> Option<&Paths> {
        let (segment, rest) = path.split_once('/').map_or((path, None), |(one, rest)| (one, Some(rest)));
        let literal = self.literal.get(segment);
        let parameter = self.parameter.as_deref().filter(|_| !segment.is_empty());
        [literal, parameter].into_iter().flatten().find_map(|next| match rest {
            Some(rest) => next.find(rest),
            None => (next.is_document || !next.operations.is_empty()).then_some(next),
        })
    }

    /// The methods of a path: HEAD wherever there is GET.
    pub(super) fn methods(&self, path: &str) -> Option<Vec<&str>> {
        let found = self.find(path)?;
        let mut methods: Vec<&str> =
            found.operations.iter().map(|operation| operation.method.as_str()).collect();
        if found.is_document {
            methods.push("GET");
        }
        if let Some(get) = methods.iter().position(|method| *method == "GET") {
            methods.insert(get + 1, "HEAD");
        }
        Some(methods)
    }

    /// The operation that a request is for.
    pub(super) fn operation(&self, method: &Method, path: &str) -> Option<&SpecOperation> {
        self.find(path)?.operations.iter().find(|operation| operation.method == *method)
    }

    /// Whether a request is for a document.
    pub(super) fn is_document(&self, method: &Method, path: &str) -> bool {
        method == Method::GET && self.find(path).is_some_and(|found| found.is_document)
    }
}

fn operations(item: PublishedPath<'_>) -> Vec<SpecOperation> {
    let takes_key = |operation: &PublishedOperation<'_>| {
        operation.parameters.iter().any(|parameter| parameter.name == Some("Idempotency-Key"))
    };
    [
        (Method::GET, item.get),
        (Method::POST, item.post),
        (Method::PUT, item.put),
        (Method::PATCH, item.patch),
        (Method::DELETE, item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| {
        operation.map(|operation| SpecOperation {
            id: operation.operation_id.into(),
            method,
            takes_key: takes_key(&operation),
        })
    })
    .collect()
}

/// The refusal of a method that a path does not have.
pub(super) fn not_allowed(method: &Method, others: &[&str]) -> Problem {
    let detail = format!("{method} is not among the methods of this path.");
    Problem::new(ProblemCode::MethodNotAllowed, detail).header(ALLOW, others.join(", "))
}

/// Answers what nothing else does.
pub(super) async fn fallback(request: HttpRequest, paths: web::Data<Paths>) -> Result<HttpResponse, Problem> {
    Err(match paths.methods(request.path()) {
        Some(others) => not_allowed(request.method(), &others),
        None => Problem::no_such_path(),
    })
}
