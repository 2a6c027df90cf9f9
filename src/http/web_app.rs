//! The web app: its page, its files, and their content security policy.
//!
//! The files are those of the folder `web`. The page loads them below `/web/VERSION/`, where VERSION is a hash of all
//! files, so browsers keep them for ever.

use std::collections::BTreeMap;

use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use actix_web::web::{self, Bytes, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, get, routes};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rapidhash::v3::rapidhash_v3;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use super::caching::{IMMUTABLE, PUBLIC};
use super::problem::Problem;
use super::security::isolate;
use super::static_body::StaticBody;

/// Every path of this module, for [`super::paths::Paths`], without `/`, which leads to the documentation if there is no
/// web app. All take GET.
pub(super) const PATHS: [&str; 14] = [
    "/lobby",
    "/new",
    "/account",
    "/calculator",
    "/check",
    "/rules",
    "/rules/{id}",
    "/rules/{id}/book",
    "/learn/{ruleset}",
    "/join/{code}",
    "/games/{id}",
    "/games/{id}/scores",
    "/games/{id}/replay",
    "/web/{*path}",
];

const PAGE: &str = "index.html";

/// The list of all files, for the service worker.
const LIST: &str = "files.json";

/// The folder of the files in the page's text.
const FOLDER: &str = "/web/";

/// The modules of the start and of a table, beside those at the top of the folder. The page asks for them at once;
/// otherwise each would wait for the one that imports it.
const PRELOADED: [&str; 12] = [
    "api/",
    "cards/",
    "game/",
    "i18n/index.js",
    "pages/table.js",
    "parts/guest_gate.js",
    "parts/refusal.js",
    "parts/share.js",
    "parts/task.js",
    "table/",
    "vendor/htm.js",
    "vendor/preact",
];

/// Allows a service worker for all paths, though its own is longer.
const SERVICE_WORKER_ALLOWED: HeaderName = HeaderName::from_static("service-worker-allowed");

/// The media types of the files, by the end of their names. Other files are not served.
const MEDIA_TYPES: [(&str, &str); 7] = [
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".json", "application/json"),
    (".svg", "image/svg+xml"),
    (".png", "image/png"),
    (".webmanifest", "application/manifest+json"),
    (".txt", "text/plain; charset=utf-8"),
];

#[derive(RustEmbed)]
#[folder = "web"]
struct Folder;

/// The page and the files of the web app.
pub(super) struct WebApp {
    page: StaticBody,
    policy: HeaderValue,
    files: BTreeMap<String, StaticBody>,
    version: String,
}

/// An embedded file is invalid: the build is wrong.
type Malformed = Box<dyn std::error::Error + Send + Sync>;

impl WebApp {
    pub(super) fn new() -> Result<WebApp, Malformed> {
        let mut files = BTreeMap::new();
        let mut version = 0;
        for name in Folder::iter() {
            let Some(media_type) = media_type(&name) else { continue };
            let content = Folder::get(&name).ok_or("an embedded file is missing")?.data;
            version = rapidhash_v3(&[&u64::to_be_bytes(version)[..], name.as_bytes(), &content].concat());
            files.insert(name.into_owned(), StaticBody::embedded(media_type, content));
        }
        let page = Folder::get(PAGE).ok_or("the web app has no page")?.data;
        let version = format!("{:016x}", rapidhash_v3(&[&u64::to_be_bytes(version)[..], &page].concat()));
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        let page = page_text(&String::from_utf8(page.into_owned())?, &names, &version);
        let policy = policy(&page)?;
        let list = serde_json::to_vec(&names)?;
        files.insert(LIST.to_owned(), StaticBody::new("application/json", list.into()));
        let page = StaticBody::new("text/html; charset=utf-8", Bytes::from(page));
        Ok(WebApp { page, policy, files, version })
    }

    /// A file by its path below `/web/`, and its `Cache-Control`. A path with another version, from a page of another
    /// node, leads to this version's file.
    fn file(&self, path: &str) -> Option<(&StaticBody, &'static str)> {
        let (version, name) = path.split_once('/')?;
        let cache = if version == self.version { IMMUTABLE } else { PUBLIC.1 };
        Some((self.files.get(name)?, cache))
    }

    /// Adds the policies of the app to an answer.
    fn protect(&self, mut answer: HttpResponse) -> HttpResponse {
        let headers = answer.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        isolate(headers);
        answer
    }
}

fn media_type(name: &str) -> Option<&'static str> {
    MEDIA_TYPES.into_iter().find(|(end, _)| name.ends_with(end)).map(|(_, media_type)| media_type)
}

/// The page, with the version in the addresses of its files, and with the modules that it loads at once.
fn page_text(template: &str, names: &[&str], version: &str) -> String {
    let folder = format!("{FOLDER}{version}/");
    let preloaded = names.iter().filter(|name| {
        name.ends_with(".js")
            && (!name.contains('/') || PRELOADED.iter().any(|start| name.starts_with(start)))
    });
    let preloads: String = preloaded
        .filter(|name| **name != "service_worker.js")
        .map(|name| format!("<link rel=\"modulepreload\" href=\"{folder}{name}\">\n"))
        .collect();
    template.replace(FOLDER, &folder).replace("</head>", &format!("{preloads}</head>"))
}

/// The content security policy: this server's files, and the import map of the page by its hash.
fn policy(page: &str) -> Result<HeaderValue, Malformed> {
    let (_, rest) = page.split_once("<script type=\"importmap\">").ok_or("the page has no import map")?;
    let (map, _) = rest.split_once("</script>").ok_or("the import map has no end")?;
    let hash = BASE64_STANDARD.encode(Sha256::digest(map));
    let policy = format!(
        "default-src 'none'; script-src 'self' 'sha256-{hash}'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types service-worker"
    );
    Ok(HeaderValue::from_str(&policy)?)
}

/// Adds the routes of the web app.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(show_page).service(show_file);
}

/// The same page for every path: the app shows what the path names.
#[routes]
#[get("/")]
#[get("/lobby")]
#[get("/new")]
#[get("/account")]
#[get("/calculator")]
#[get("/check")]
#[get("/rules")]
#[get("/rules/{id}")]
#[get("/rules/{id}/book")]
#[get("/learn/{ruleset}")]
#[get("/join/{code}")]
#[get("/games/{id}")]
#[get("/games/{id}/scores")]
#[get("/games/{id}/replay")]
async fn show_page(request: HttpRequest, app: web::Data<WebApp>) -> Result<HttpResponse, Problem> {
    Ok(app.protect(app.page.answer(&request, "no-cache").await?))
}

#[get("/web/{path:.*}")]
async fn show_file(
    request: HttpRequest,
    app: web::Data<WebApp>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (file, cache) = app.file(&path).ok_or_else(Problem::no_such_path)?;
    let mut answer = app.protect(file.answer(&request, cache).await?);
    answer.headers_mut().insert(SERVICE_WORKER_ALLOWED, HeaderValue::from_static("/"));
    Ok(answer)
}
