//! `/openapi.json`, `/docs/` (the API browser) and `/docs/rules/` (the rule book).

use std::collections::HashMap;

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use actix_web::web::{self, Bytes, Redirect, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, get};
use rapidhash::v3::rapidhash_v3;
use rust_embed::RustEmbed;
use tokio::sync::OnceCell;

use super::caching::{IMMUTABLE, PUBLIC};
use super::problem::Problem;
use super::security::isolate;
use super::spec;
use super::static_body::{StaticBody, once};

/// The content security policy of the API browser: only this service's files. Its scripts set inline styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const PAGE: &str = "index.html";

/// The files that the page loads, with their media types. `swagger-…` and the icon are of the npm package
/// `swagger-ui-dist`, with which `tests/clients/check.sh browse` compares them.
const FILES: [(&str, &str, &[u8]); 4] = [
    ("favicon-32x32.png", "image/png", include_bytes!("../../openapi/browser/favicon-32x32.png")),
    (
        "swagger-initializer.js",
        "text/javascript; charset=utf-8",
        include_bytes!("../../openapi/browser/swagger-initializer.js"),
    ),
    (
        "swagger-ui-bundle.js",
        "text/javascript; charset=utf-8",
        include_bytes!("../../openapi/browser/swagger-ui-bundle.js"),
    ),
    ("swagger-ui.css", "text/css; charset=utf-8", include_bytes!("../../openapi/browser/swagger-ui.css")),
];

/// Every path of this module, for [`super::paths::Paths`]. All take GET.
pub(super) const PATHS: [&str; 6] =
    ["/", "/docs", "/docs/", "/docs/{file}", "/docs/{version}/{file}", "/openapi.json"];

/// The pages of the rule book, as they are written.
#[derive(RustEmbed)]
#[folder = "docs/rules"]
struct RuleBook;

/// The folder of the rule book below `/docs/`.
const RULES: &str = "rules";

/// The spec and the files of the API browser and of the rule book.
struct Documents {
    spec: StaticBody,
    files: HashMap<&'static str, StaticBody>,
    rules: HashMap<String, StaticBody>,
    /// A hash of all files. The page puts it in front of their names.
    version: String,
}

/// An embedded document is invalid: the build is wrong.
type Malformed = Box<dyn std::error::Error + Send + Sync>;

impl Documents {
    /// Those of this program, made at the first request for one.
    async fn embedded() -> Result<&'static Documents, Problem> {
        static DOCUMENTS: OnceCell<Documents> = OnceCell::const_new();
        once(&DOCUMENTS, Documents::new).await
    }

    fn new() -> Result<Documents, Malformed> {
        let mut files = HashMap::new();
        let mut version = 0;
        for (name, media_type, bytes) in FILES {
            version = rapidhash_v3(&[&u64::to_be_bytes(version)[..], bytes].concat());
            files.insert(name, StaticBody::embedded(media_type, bytes.into()));
        }
        let version = format!("{version:016x}");
        let mut page = include_str!("../../openapi/browser/index.html").to_owned();
        for (name, ..) in FILES {
            page = page.replace(&format!("\"./{name}\""), &format!("\"./{version}/{name}\""));
        }
        files.insert(PAGE, StaticBody::new("text/html; charset=utf-8", page.into()));
        let spec = StaticBody::new("application/json", Bytes::from_static(spec::COMMITTED.as_bytes()));
        let mut rules = HashMap::new();
        for name in RuleBook::iter() {
            let page = RuleBook::get(&name).ok_or("a page of the rule book is missing")?.data;
            rules.insert(name.into_owned(), StaticBody::embedded("text/plain; charset=utf-8", page));
        }
        Ok(Documents { spec, files, rules, version })
    }

    /// A file by its path below `/docs/`, and its `Cache-Control`. A path with another version, from a page of another
    /// node, leads to this version's file.
    fn file(&self, path: &str) -> Option<(&StaticBody, &'static str)> {
        let (version, name) = path.split_once('/').unwrap_or(("", path));
        if version == RULES {
            return Some((self.rules.get(name)?, PUBLIC.1));
        }
        let cache = if version == self.version { IMMUTABLE } else { PUBLIC.1 };
        let name = if path.is_empty() { PAGE } else { name };
        Some((self.files.get(name)?, cache))
    }
}

/// Adds the routes of the documents.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(openapi_json).service(without_slash).service(asset);
}

/// Adds the route that leads from `/` to the API browser, for a server without the web app.
pub(super) fn start_route(config: &mut ServiceConfig) {
    config.service(start);
}

#[get("/openapi.json")]
async fn openapi_json(request: HttpRequest) -> Result<HttpResponse, Problem> {
    Documents::embedded().await?.spec.answer(&request, PUBLIC.1).await
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
async fn asset(request: HttpRequest, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let (file, cache) = Documents::embedded().await?.file(&path).ok_or_else(Problem::no_such_path)?;
    file.answer(&request, cache).await
}

/// Adds the policy of the API browser to its answers.
pub(super) fn guard<B>(answer: &mut ServiceResponse<B>) {
    if answer.request().path().starts_with("/docs") {
        let headers = answer.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        isolate(headers);
    }
}
