//! Requests that no operation answers: 404, or 405 with what the path does allow.

use std::collections::BTreeMap;

use actix_web::dev::{Path, ResourceDef};
use actix_web::http::header::ALLOW;
use actix_web::{HttpRequest, HttpResponse, web};
use utoipa::openapi::OpenApi;

use super::problem::Problem;

/// Every path of the spec with its methods.
pub struct Paths(Vec<(ResourceDef, String)>);

impl Paths {
    /// Reads paths and methods off the spec.
    pub fn of(spec: &OpenApi) -> Paths {
        let mut paths: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, item) in &spec.paths.paths {
            let methods = [
                (item.get.is_some(), "GET"),
                (item.post.is_some(), "POST"),
                (item.put.is_some(), "PUT"),
                (item.patch.is_some(), "PATCH"),
                (item.delete.is_some(), "DELETE"),
            ];
            let methods = methods.into_iter().filter(|(there, _)| *there).map(|(_, method)| method);
            paths.entry(path).or_default().extend(methods);
        }
        Paths(paths.into_iter().map(|(path, methods)| (ResourceDef::new(path), methods.join(", "))).collect())
    }

    fn allowed(&self, path: &str) -> Option<&str> {
        let matching =
            self.0.iter().filter(|(resource, _)| resource.capture_match_info(&mut Path::new(path)));
        // A literal path is meant before one with parameters.
        matching.min_by_key(|(resource, _)| resource.segments_count()).map(|(_, methods)| methods.as_str())
    }
}

/// Segments that are parameters, for telling a literal path from a pattern.
trait Segments {
    fn segments_count(&self) -> usize;
}

impl Segments for ResourceDef {
    fn segments_count(&self) -> usize {
        self.pattern().map_or(0, |pattern| pattern.matches('{').count())
    }
}

/// Answers what nothing else does.
pub(super) async fn fallback(request: HttpRequest, paths: web::Data<Paths>) -> Result<HttpResponse, Problem> {
    Err(match paths.allowed(request.path()) {
        Some(methods) => {
            let detail = format!("{} is not among the methods of this path.", request.method());
            Problem::new("method-not-allowed", detail).header(ALLOW, methods)
        }
        None => Problem::new("not-found", "There is nothing at this path.").with("what", "path"),
    })
}
