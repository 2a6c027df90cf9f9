//! URLs that the server requests.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use ureq::http::Uri;

/// The longest URL, in bytes.
const LONGEST: usize = 2_000;

/// An absolute `https` URL without credentials. `Debug` prints only the host: who knows the URL may be able to use it.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpsUrl(Uri);

/// The text is no such URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an https URL with a host, without credentials, of at most 2000 bytes")]
pub struct NotAnHttpsUrl;

impl FromStr for HttpsUrl {
    type Err = NotAnHttpsUrl;

    fn from_str(text: &str) -> Result<HttpsUrl, NotAnHttpsUrl> {
        if text.len() > LONGEST || text.contains('#') {
            return Err(NotAnHttpsUrl);
        }
        let uri: Uri = text.parse().map_err(|_| NotAnHttpsUrl)?;
        let authority = uri.authority().ok_or(NotAnHttpsUrl)?;
        let is_plain = !authority.as_str().contains('@') && !authority.host().is_empty();
        let is_https = uri.scheme_str() == Some("https");
        if is_https && is_plain && authority.port_u16() != Some(0) {
            Ok(HttpsUrl(uri))
        } else {
            Err(NotAnHttpsUrl)
        }
    }
}

impl HttpsUrl {
    /// The whole URL.
    pub fn as_text(&self) -> String {
        self.0.to_string()
    }

    /// The host, without a port.
    pub fn host(&self) -> &str {
        self.0.host().unwrap_or_default()
    }

    /// The scheme, the host and the port.
    pub fn origin(&self) -> String {
        format!("https://{}", self.0.authority().map_or("", |authority| authority.as_str()))
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.0
    }
}

impl fmt::Debug for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.host())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_urls_are_read() {
        let url: HttpsUrl = "https://push.example.org:8443/a/b?c=d".parse().unwrap();
        assert_eq!(
            (url.host(), url.origin().as_str()),
            ("push.example.org", "https://push.example.org:8443")
        );
        assert_eq!(format!("{url:?}"), "push.example.org");
        for wrong in [
            "",
            "/",
            "push.example.org",
            "http://push.example.org/",
            "HTTPS//push",
            "https://",
            "https:///a",
            "https://:443/",
            "https://user@push.example.org/",
            "https://user:word@push.example.org/",
            "ftp://push.example.org/",
            "https://a b/",
            "https://push.example.org:0/",
            "https://push.example.org/#part",
            "file:///etc/passwd",
            "gopher://push/",
            "//push/",
        ] {
            assert_eq!(wrong.parse::<HttpsUrl>(), Err(NotAnHttpsUrl), "{wrong}");
        }
        assert!(format!("https://push.example.org/{}", "a".repeat(2_000)).parse::<HttpsUrl>().is_err());
    }
}
