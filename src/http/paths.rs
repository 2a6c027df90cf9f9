//! The paths of the spec: which operation a request is for, and 404 or 405 where there is none.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::{HttpRequest, HttpResponse, web};
use matchit::Router;
use serde::Deserialize;

use super::problem::{Failure, Problem};
use super::spec::{IDEMPOTENCY_KEY, LARGEST_BODY};
use super::{docs, linked_apps, public_log, security, web_app};

/// Every path of the spec with its operations, and the paths of documents. The middleware looks up each request before
/// actix routes it. A literal path goes before one with parameters.
pub struct Paths(Router<PathItem>);

struct PathItem {
    operations: Vec<SpecOperation>,
    /// Whether a document is at the path: it has GET and no operation.
    is_document: bool,
}

#[derive(Clone)]
pub(super) struct SpecOperation {
    pub(super) id: Arc<str>,
    method: Method,
    /// Whether it takes an idempotency key.
    pub(super) takes_key: bool,
    /// Whether it takes parameters in the query.
    pub(super) takes_query: bool,
    /// The maximum size of its body, in bytes.
    pub(super) largest_body: usize,
}

/// The parts of the spec that are read.
#[derive(Deserialize)]
struct SpecPaths<'a> {
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
    request_body: Option<PublishedBody>,
}

#[derive(Deserialize)]
struct PublishedBody {
    #[serde(rename = "x-max-bytes", default = "largest_body")]
    max_bytes: usize,
}

fn largest_body() -> usize {
    LARGEST_BODY
}

#[derive(Deserialize)]
struct PublishedParameter<'a> {
    #[serde(rename = "$ref")]
    reference: Option<&'a str>,
    #[serde(rename = "in")]
    place: Option<&'a str>,
}

impl Paths {
    /// Reads paths and operations from the spec. The paths of the web app exist if `has_web_app`.
    ///
    /// # Errors
    /// If the text is not such a spec.
    pub fn of(spec: &str, has_web_app: bool) -> Result<Paths, Box<dyn std::error::Error + Send + Sync>> {
        let spec: SpecPaths<'_> = serde_json::from_str(spec)?;
        let mut router = Router::new();
        for (path, item) in spec.paths {
            router.insert(path, PathItem { operations: operations(item), is_document: false })?;
        }
        let pages = if has_web_app { &web_app::PATHS[..] } else { &[] };
        for path in docs::PATHS
            .iter()
            .chain(&public_log::PATHS)
            .chain(&security::PATHS)
            .chain(&linked_apps::PATHS)
            .chain(pages)
        {
            router.insert(*path, PathItem { operations: Vec::new(), is_document: true })?;
        }
        Ok(Paths(router))
    }

    fn find(&self, path: &str) -> Option<&PathItem> {
        self.0.at(path).ok().map(|found| found.value)
    }

    /// The methods of a path, with HEAD where there is GET.
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
        operation.parameters.iter().any(|parameter| parameter.reference == Some(IDEMPOTENCY_KEY))
    };
    let takes_query = |operation: &PublishedOperation<'_>| {
        operation.parameters.iter().any(|parameter| parameter.place == Some("query"))
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
            takes_query: takes_query(&operation),
            largest_body: operation.request_body.map_or(0, |body| body.max_bytes),
        })
    })
    .collect()
}

/// 405 with the methods of the path.
pub(super) fn not_allowed(others: &[&str]) -> Problem {
    Problem::from(Failure::MethodNotAllowed).header(ALLOW, others.join(", "))
}

/// Answers requests that no route takes.
pub(super) async fn fallback(request: HttpRequest, paths: web::Data<Paths>) -> Result<HttpResponse, Problem> {
    Err(match paths.methods(request.path()) {
        Some(others) => not_allowed(&others),
        None => Problem::no_such_path(),
    })
}
