//! `/openapi.json`, `/docs/` (the API browser) and `/docs/rules/` (the rule book).

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use actix_web::web::{self, Bytes, Redirect, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, get};
use rapidhash::v3::rapidhash_v3;
use rust_embed::RustEmbed;
use utoipa_swagger_ui::Config;

use super::caching::{IMMUTABLE, PUBLIC};
use super::problem::Problem;
use super::security::isolate;
use super::spec;
use super::static_body::StaticBody;

/// The content security policy of the API browser: only this service's files. Its scripts set inline styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const PAGE: &str = "index.html";

const TITLE_OF_SWAGGER_UI: &str = "<title>Swagger UI</title>";

/// For phones.
const VIEWPORT: &str = "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";

/// The files that the page loads.
const FILES: [&str; 7] = [
    "favicon-16x16.png",
    "favicon-32x32.png",
    "index.css",
    "swagger-initializer.js",
    "swagger-ui-bundle.js",
    "swagger-ui-standalone-preset.js",
    "swagger-ui.css",
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
pub(super) struct Documents {
    spec: StaticBody,
    files: HashMap<&'static str, StaticBody>,
    rules: HashMap<String, StaticBody>,
    /// A hash of all files. The page puts it in front of their names.
    version: String,
}

/// An embedded document is invalid: the build is wrong.
type Malformed = Box<dyn std::error::Error + Send + Sync>;

impl Documents {
    pub(super) fn new() -> Result<Documents, Malformed> {
        let config = Arc::new(browser());
        let read = |name| {
            let found =
                utoipa_swagger_ui::serve(name, Arc::clone(&config)).map_err(|error| error.to_string())?;
            let found = found.ok_or_else(|| format!("the API browser has no {name}"))?;
            Ok::<_, Malformed>(StaticBody::embedded(found.content_type, found.bytes))
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
        page = page.replace(TITLE_OF_SWAGGER_UI, "<title>Estimation API</title>");
        if !page.contains("name=\"viewport\"") {
            page = page.replace("<head>", &format!("<head>{VIEWPORT}"));
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

/// The API browser's settings: users can try operations at once, and the page forgets their token.
fn browser() -> Config<'static> {
    Config::from("/openapi.json").try_it_out_enabled(true).persist_authorization(false)
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

/// Adds the policy of the API browser to its answers.
pub(super) fn guard<B>(answer: &mut ServiceResponse<B>) {
    if answer.request().path().starts_with("/docs") {
        let headers = answer.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        isolate(headers);
    }
}
