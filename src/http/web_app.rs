//! The web app: its page, its files, and their content security policy.
//!
//! The files are those of the folder `web`, without their comments. The page loads them below `/web/VERSION/`, where VERSION
//! is a hash of all files, so browsers keep them for ever. The page of a path names what that path loads, with the texts of
//! the language that the browser asks for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use actix_web::web::{self, Bytes, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, get, routes};
use rapidhash::v3::rapidhash_v3;
use rust_embed::RustEmbed;
use tokio::sync::OnceCell;

use super::caching::{IMMUTABLE, PUBLIC};
use super::language::{PreferredLanguage, Translate};
use super::problem::Problem;
use super::security::isolate;
use super::static_body::{StaticBody, once};
use super::web_modules::{Modules, Needs, without_comments};
use estimation_service::base::locale::Language;

/// Every path of this module, for [`super::paths::Paths`], without `/`, which leads to the documentation if there is no
/// web app. All take GET.
pub(super) const PATHS: [&str; 20] = [
    "/lobby",
    "/leaderboard",
    "/people",
    "/players/{id}",
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
    "/desk",
    "/desk/{section}",
    "/desk/{section}/{id}",
    "/web/{*path}",
];

const PAGE: &str = "index.html";

/// The list of the files that the service worker keeps.
const LIST: &str = "files.json";

/// The folder and the files of the desk, which players never load.
const DESK: [&str; 4] = ["desk/", "i18n/ar/desk.js", "i18n/en/desk.js", "style/desk.css"];

/// The folder of the files in the page's text.
const FOLDER: &str = "/web/";

/// The folder of the libraries.
const VENDOR: &str = "vendor/";

/// The root element of the page's text.
const ROOT: &str = "<html lang=\"en\" dir=\"ltr\">";

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

/// This server's files and nothing else.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; \
     worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types service-worker",
);

#[derive(RustEmbed)]
#[folder = "web"]
struct Folder;

/// The pages and the files of the web app.
struct WebApp {
    /// By path pattern and language.
    pages: BTreeMap<(String, &'static str), StaticBody>,
    files: BTreeMap<String, StaticBody>,
    version: String,
}

/// An embedded file is invalid: the build is wrong.
type Malformed = Box<dyn std::error::Error + Send + Sync>;

impl WebApp {
    /// The one of this program, made at the first request for it.
    async fn embedded() -> Result<&'static WebApp, Problem> {
        static APP: OnceCell<WebApp> = OnceCell::const_new();
        once(&APP, WebApp::new).await
    }

    fn new() -> Result<WebApp, Malformed> {
        let mut files = BTreeMap::new();
        let mut version = 0;
        for name in Folder::iter() {
            let Some(media_type) = media_type(&name) else { continue };
            let content = Folder::get(&name).ok_or("an embedded file is missing")?.data;
            let content = served(&name, content)?;
            version = rapidhash_v3(&[&u64::to_be_bytes(version)[..], name.as_bytes(), &content].concat());
            files.insert(name.into_owned(), StaticBody::embedded(media_type, content));
        }
        let template = Folder::get(PAGE).ok_or("the web app has no page")?.data;
        let version = format!("{:016x}", rapidhash_v3(&[&u64::to_be_bytes(version)[..], &template].concat()));
        let template = Template { text: String::from_utf8(template.into_owned())?, version: &version };
        let pages = pages(&template, &files)?;
        let names = files.keys().map(String::as_str);
        let names: Vec<&str> = names.filter(|name| !DESK.iter().any(|desk| name.starts_with(desk))).collect();
        let list = serde_json::to_vec(&names)?;
        files.insert(LIST.to_owned(), StaticBody::new("application/json", list.into()));
        Ok(WebApp { pages, files, version })
    }

    fn page(&self, path: &str, language: Language) -> Option<&StaticBody> {
        self.pages.get(&(path.to_owned(), language.tag()))
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
        headers.insert(CONTENT_SECURITY_POLICY, POLICY);
        isolate(headers);
        answer
    }
}

/// What is served of a file of the folder.
fn served(name: &str, content: Cow<'static, [u8]>) -> Result<Cow<'static, [u8]>, Malformed> {
    let is_source = name.ends_with(".js") || name.ends_with(".css");
    // The comments of others have their licences.
    if !is_source || name.starts_with(VENDOR) {
        return Ok(content);
    }
    Ok(without_comments(std::str::from_utf8(&content)?).into_bytes().into())
}

fn media_type(name: &str) -> Option<&'static str> {
    MEDIA_TYPES.into_iter().find(|(end, _)| name.ends_with(end)).map(|(_, media_type)| media_type)
}

/// The page as it is in the folder.
struct Template<'a> {
    text: String,
    version: &'a str,
}

impl Template<'_> {
    /// The page, with the version in the addresses of its files.
    fn versioned(&self) -> String {
        self.text.replace(FOLDER, &format!("{FOLDER}{}/", self.version))
    }

    /// The page in a language, with what its path loads.
    fn page(&self, needs: &Needs, language: Language) -> String {
        let folder = format!("{FOLDER}{}/", self.version);
        let tag = language.tag();
        let texts = needs.areas.iter().map(|area| format!("i18n/{tag}/{area}.js"));
        let styles = needs
            .styles
            .iter()
            .map(|name| format!("<link rel=\"stylesheet\" href=\"{folder}style/{name}.css\">\n"));
        let modules = needs
            .modules
            .iter()
            .cloned()
            .chain(texts)
            .map(|name| format!("<link rel=\"modulepreload\" href=\"{folder}{name}\">\n"));
        let links: String = styles.chain(modules).collect();
        let root = format!("<html lang=\"{tag}\" dir=\"{}\">", language.direction());
        self.versioned().replace(ROOT, &root).replace("</head>", &format!("{links}</head>"))
    }
}

/// The page of every path, in every language.
fn pages(
    template: &Template<'_>,
    files: &BTreeMap<String, StaticBody>,
) -> Result<BTreeMap<(String, &'static str), StaticBody>, Malformed> {
    let sources = files.iter().filter(|(name, _)| name.ends_with(".js"));
    let sources = sources.map(|(name, file)| Ok((name.as_str(), std::str::from_utf8(file.bytes())?)));
    let sources = sources.collect::<Result<_, std::str::Utf8Error>>()?;
    let modules = Modules::new(sources);
    let mut pages = BTreeMap::new();
    for (path, module) in modules.pages()? {
        let needs = modules.needs(module)?;
        for language in Language::ALL {
            let page = template.page(&needs, language);
            let body = StaticBody::new("text/html; charset=utf-8", Bytes::from(page));
            pages.insert((path.to_owned(), language.tag()), body);
        }
    }
    Ok(pages)
}

/// Adds the routes of the web app.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(show_page).service(show_file);
}

/// The same app for every path: it shows what the path names.
#[routes]
#[get("/")]
#[get("/lobby")]
#[get("/leaderboard")]
#[get("/people")]
#[get("/players/{id}")]
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
#[get("/desk")]
#[get("/desk/{section}")]
#[get("/desk/{section}/{id}")]
async fn show_page(
    request: HttpRequest,
    PreferredLanguage(language): PreferredLanguage,
) -> Result<HttpResponse, Problem> {
    let path = request.match_pattern().ok_or_else(Problem::no_such_path)?;
    let app = WebApp::embedded().await?;
    let page = app.page(&path, language).ok_or_else(Problem::no_such_path)?;
    Ok(language.mark(app.protect(page.answer(&request, "no-cache").await?)))
}

#[get("/web/{path:.*}")]
async fn show_file(request: HttpRequest, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let app = WebApp::embedded().await?;
    let (file, cache) = app.file(&path).ok_or_else(Problem::no_such_path)?;
    let mut answer = app.protect(file.answer(&request, cache).await?);
    answer.headers_mut().insert(SERVICE_WORKER_ALLOWED, HeaderValue::from_static("/"));
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A path that the server answers without a page, or a page without such a path, leads nowhere.
    #[test]
    fn every_path_has_a_page() {
        let app = WebApp::new().unwrap();
        let pages: BTreeSet<&str> = app.pages.keys().map(|(path, _)| path.as_str()).collect();
        let paths = PATHS.into_iter().filter(|path| !path.starts_with(FOLDER)).chain(["/"]).collect();
        assert_eq!(pages, paths);
    }
}
