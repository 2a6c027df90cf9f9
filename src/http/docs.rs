//! The documentation that is served: the spec, the API browser, and what a browser may do with its page and
//! with every other answer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{
    CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::web::{self, Bytes, Redirect, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, get};
use rapidhash::v3::rapidhash_v3;
use utoipa_swagger_ui::Config;

use super::caching::{IMMUTABLE, PUBLIC};
use super::problem::Problem;
use super::spec;
use super::static_body::StaticBody;

/// What the page of the API browser may do: run and load what comes from here, and nothing else. Its styles
/// are set by its own scripts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The page of the API browser.
const PAGE: &str = "index.html";

/// What the page loads.
const FILES: [&str; 7] = [
    "favicon-16x16.png",
    "favicon-32x32.png",
    "index.css",
    "swagger-initializer.js",
    "swagger-ui-bundle.js",
    "swagger-ui-standalone-preset.js",
    "swagger-ui.css",
];

/// Every path here, as [`super::fallback::Paths`] has those of the spec. All take GET.
pub(super) const PATHS: [&str; 6] =
    ["/", "/docs", "/docs/", "/docs/{file}", "/docs/{version}/{file}", "/openapi.json"];

/// The spec and the files of the API browser.
pub(super) struct Documents {
    spec: StaticBody,
    files: HashMap<&'static str, StaticBody>,
    /// A hash of all files, which the page puts in front of their names.
    version: String,
}

/// A document that is not as it should be: the program was put together wrongly.
type Malformed = Box<dyn std::error::Error + Send + Sync>;

impl Documents {
    pub(super) fn new() -> Result<Documents, Malformed> {
        let config = Arc::new(browser());
        let read = |name| {
            let found =
                utoipa_swagger_ui::serve(name, Arc::clone(&config)).map_err(|error| error.to_string())?;
            let found = found.ok_or_else(|| format!("the API browser has no {name}"))?;
            let bytes = match found.bytes {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => bytes.into(),
            };
            Ok::<_, Malformed>(StaticBody::new(found.content_type, bytes))
        };
        let mut files = HashMap::new();
        let mut version = 0;
        for name in FILES {
            let body = read(name)?;
            version = rapidhash_v3(&[&u64::to_be_bytes(version)[..], body.bytes()].concat());
            files.insert(name, body);
        }
        let version = format!("{version:016x}");
        let mut page = String::from_utf8(read(PAGE)?.bytes().to_vec())?;
        for name in FILES {
            for plain in [format!("\"./{name}\""), format!("\"{name}\"")] {
                page = page.replace(&plain, &format!("\"./{version}/{name}\""));
            }
        }
        files.insert(PAGE, StaticBody::new("text/html; charset=utf-8", page.into()));
        let spec = StaticBody::new("application/json", Bytes::from_static(spec::COMMITTED.as_bytes()));
        Ok(Documents { spec, files, version })
    }

    /// A file by its path below `/docs/`, and how long it may be kept. Another version's path, as a page of
    /// another node may have it, leads to this version's file.
    fn file(&self, path: &str) -> Option<(&StaticBody, &'static str)> {
        let (version, name) = path.split_once('/').unwrap_or(("", path));
        let cache = if version == self.version { IMMUTABLE } else { PUBLIC.1 };
        let name = if path.is_empty() { PAGE } else { name };
        Some((self.files.get(name)?, cache))
    }
}

/// The API browser: operations can be tried at once. A token is gone with the page.
fn browser() -> Config<'static> {
    Config::from("/openapi.json").try_it_out_enabled(true).persist_authorization(false)
}

/// Adds the documents to an application.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(openapi_json).service(start).service(without_slash).service(asset);
}

#[get("/openapi.json")]
async fn openapi_json(
    request: HttpRequest,
    documents: web::Data<Documents>,
) -> Result<HttpResponse, Problem> {
    documents.spec.answer(&request, PUBLIC.1).await
}

#[get("/")]
async fn start() -> Redirect {
    Redirect::to("/docs/")
}

#[get("/docs")]
async fn without_slash() -> Redirect {
    Redirect::to("/docs/")
}

#[get("/docs/{path:.*}")]
async fn asset(
    request: HttpRequest,
    documents: web::Data<Documents>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (file, cache) = documents.file(&path).ok_or_else(Problem::no_such_path)?;
    file.answer(&request, cache).await
}

/// Tells browsers to take every answer for what it says it is, and what the page of the docs may do.
pub(super) fn guard<B>(answer: &mut ServiceResponse<B>) {
    let is_page = answer.request().path().starts_with("/docs");
    let headers = answer.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_page {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
}
