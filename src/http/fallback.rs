//! Requests that no operation answers: 404, or 405 with what the path does allow.

use std::sync::Arc;

use actix_web::dev::{Path, ResourceDef};
use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::{HttpRequest, HttpResponse, web};
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

use super::problem::Problem;

/// Every path of the spec with its operations.
pub struct Paths {
    paths: Vec<SpecPath>,
}

struct SpecPath {
    resource: ResourceDef,
    /// How many segments stand for something.
    parameters: usize,
    operations: Vec<SpecOperation>,
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

impl Paths {
    /// Reads paths and operations off the spec.
    pub fn of(spec: &OpenApi) -> Paths {
        let path = |(path, item): (&String, &PathItem)| SpecPath {
            resource: ResourceDef::new(path.as_str()),
            parameters: path.matches('{').count(),
            operations: operations(item),
        };
        Paths { paths: spec.paths.paths.iter().map(path).collect() }
    }

    /// The operations of a path; a literal path is meant before one with parameters.
    fn operations(&self, path: &str) -> Option<&[SpecOperation]> {
        let matching =
            self.paths.iter().filter(|entry| entry.resource.capture_match_info(&mut Path::new(path)));
        matching.min_by_key(|entry| entry.parameters).map(|entry| entry.operations.as_slice())
    }

    /// The methods of a path.
    pub(super) fn methods(&self, path: &str) -> Option<Vec<&str>> {
        Some(self.operations(path)?.iter().map(|operation| operation.method.as_str()).collect())
    }

    /// The operation that a request is for.
    pub(super) fn operation(&self, method: &Method, path: &str) -> Option<&SpecOperation> {
        self.operations(path)?.iter().find(|operation| operation.method == *method)
    }
}

fn operations(item: &PathItem) -> Vec<SpecOperation> {
    let takes_key = |operation: &Operation| {
        let mut parameters = operation.parameters.iter().flatten();
        parameters.any(|parameter| matches!(parameter, RefOr::T(header) if header.name == "Idempotency-Key"))
    };
    [
        (Method::GET, &item.get),
        (Method::POST, &item.post),
        (Method::PUT, &item.put),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| {
        operation.as_ref().map(|operation| SpecOperation {
            id: operation.operation_id.as_deref().unwrap_or("unnamed").into(),
            method,
            takes_key: takes_key(operation),
        })
    })
    .collect()
}

/// The refusal of a method that a path does not have.
pub(super) fn not_allowed(method: &Method, others: &[&str]) -> Problem {
    let detail = format!("{method} is not among the methods of this path.");
    Problem::new("method-not-allowed", detail).header(ALLOW, others.join(", "))
}

/// Answers what nothing else does.
pub(super) async fn fallback(request: HttpRequest, paths: web::Data<Paths>) -> Result<HttpResponse, Problem> {
    Err(match paths.methods(request.path()) {
        Some(others) => not_allowed(request.method(), &others),
        None => Problem::new("not-found", "There is nothing at this path.").with("what", "path"),
    })
}
