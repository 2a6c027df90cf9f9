//! Deprecation of an operation: `Deprecation` (RFC 9745) gives the time since when clients should not use it, `Sunset`
//! (RFC 8594) the time of its removal, and a link the replacement.
//!
//! Wrap an operation where it is registered, and mark it `deprecated` in its attribute:
//! `web::scope("/v1/old").wrap(Retiring { … }.headers())`. No operation is deprecated at present.

use actix_web::http::header::LINK;
use actix_web::middleware::DefaultHeaders;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

/// The deprecation of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Retiring {
    /// Clients should not use it from this time on.
    pub deprecated: Timestamp,
    /// It may be removed from this time on.
    pub sunset: Option<Timestamp>,
    /// The page that names the replacement.
    pub instead: Option<&'static str>,
}

impl Retiring {
    /// The headers of every answer.
    ///
    /// # Errors
    /// If HTTP's date format cannot write the sunset.
    pub fn headers(self) -> Result<DefaultHeaders, jiff::Error> {
        let since = format!("@{}", self.deprecated.as_second());
        let mut headers = DefaultHeaders::new().add(("deprecation", since));
        if let Some(sunset) = self.sunset {
            headers = headers.add(("sunset", DateTimePrinter::new().timestamp_to_rfc9110_string(&sunset)?));
        }
        if let Some(instead) = self.instead {
            headers = headers.add((LINK, format!("<{instead}>; rel=\"deprecation\"; type=\"text/html\"")));
        }
        Ok(headers)
    }
}
