//! Apps that open links to tables instead of a browser: the files by which Apple's systems and Android know them.

use std::str::FromStr;

use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, get};
use serde_json::{Value, json};

use super::caching::PUBLIC;
use super::problem::Problem;

/// The paths of this module, for [`super::paths::Paths`]. They take GET.
pub(super) const PATHS: [&str; 2] =
    ["/.well-known/apple-app-site-association", "/.well-known/assetlinks.json"];

/// The paths of the web app that lead to a table.
const LINKS: [&str; 2] = ["/join/*", "/games/*"];

/// Apps that open links to tables.
#[derive(Clone, Debug, Default)]
pub struct LinkedApps {
    pub apple: Vec<AppleApp>,
    pub android: Vec<AndroidApp>,
}

/// An app of Apple's systems: the team's id, a dot and the bundle's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppleApp(String);

/// An app of Android: the package, and the SHA-256 of the certificate that signs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AndroidApp {
    package: String,
    fingerprint: String,
}

const NOT_AN_APPLE_APP: &str =
    "expected the team's id, a dot and the bundle's id, as in A1B2C3D4E5.org.example.cards";

const NOT_AN_ANDROID_APP: &str =
    "expected the package, = and 64 hexadecimal digits, as in org.example.cards=14:6D:…";

/// Whether a text is a name of at least two parts, as packages and bundles have.
fn is_reversed_domain(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    text.len() <= 200 && text.contains('.') && text.split('.').all(is_part)
}

impl FromStr for AppleApp {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<AppleApp, &'static str> {
        let (team, bundle) = text.split_once('.').ok_or(NOT_AN_APPLE_APP)?;
        let is_team = team.len() == 10 && team.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_team && is_reversed_domain(bundle) {
            Ok(AppleApp(text.to_owned()))
        } else {
            Err(NOT_AN_APPLE_APP)
        }
    }
}

impl FromStr for AndroidApp {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<AndroidApp, &'static str> {
        let (package, digits) = text.split_once('=').ok_or(NOT_AN_ANDROID_APP)?;
        let digits = digits.replace(':', "").to_ascii_uppercase();
        let pairs: Vec<&str> =
            digits.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok()).collect();
        let is_hash = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hash || !is_reversed_domain(package) {
            return Err(NOT_AN_ANDROID_APP);
        }
        Ok(AndroidApp { package: package.to_owned(), fingerprint: pairs.join(":") })
    }
}

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(apple_app_site_association).service(asset_links);
}

#[get("/.well-known/apple-app-site-association")]
async fn apple_app_site_association(apps: web::Data<LinkedApps>) -> Result<HttpResponse, Problem> {
    let ids: Vec<&str> = apps.apple.iter().map(|app| app.0.as_str()).collect();
    let components: Vec<Value> = LINKS.iter().map(|path| json!({"/": path})).collect();
    let details = json!({"applinks": {"details": [{"appIDs": ids, "components": components}]}});
    published(!ids.is_empty(), &details)
}

#[get("/.well-known/assetlinks.json")]
async fn asset_links(apps: web::Data<LinkedApps>) -> Result<HttpResponse, Problem> {
    let statement = |app: &AndroidApp| {
        json!({
            "relation": ["delegate_permission/common.handle_all_urls"],
            "target": {
                "namespace": "android_app",
                "package_name": app.package,
                "sha256_cert_fingerprints": [app.fingerprint],
            },
        })
    };
    let statements: Vec<Value> = apps.android.iter().map(statement).collect();
    published(!statements.is_empty(), &Value::Array(statements))
}

fn published(has_apps: bool, body: &Value) -> Result<HttpResponse, Problem> {
    if !has_apps {
        return Err(Problem::no_such_path());
    }
    Ok(HttpResponse::Ok().insert_header(PUBLIC).json(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apps_are_read() {
        assert!("A1B2C3D4E5.org.example.cards".parse::<AppleApp>().is_ok());
        for wrong in ["", "org.example.cards", "A1B2C3D4E5", "A1B2C3D4E5.cards", "A1B2C3D4E5.org..cards"] {
            assert_eq!(wrong.parse::<AppleApp>(), Err(NOT_AN_APPLE_APP), "{wrong}");
        }
        let hash = "ab".repeat(32);
        let app: AndroidApp = format!("org.example.cards={hash}").parse().unwrap();
        assert_eq!(app.fingerprint, vec!["AB"; 32].join(":"));
        assert_eq!(format!("org.example.cards={}", app.fingerprint).parse(), Ok(app));
        for wrong in ["", "org.example.cards", "cards=ab", "org.example.cards=ab"] {
            assert_eq!(wrong.parse::<AndroidApp>(), Err(NOT_AN_ANDROID_APP), "{wrong}");
        }
    }
}
