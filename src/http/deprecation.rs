//! Retiring an operation: `Deprecation` (RFC 9745) says since when it should not be used any more, `Sunset`
//! (RFC 8594) when it will be gone, and a link what to use instead.
//!
//! An operation is wrapped with it where it is registered, and marked `deprecated` in its description:
//! `web::scope("/v1/old").wrap(Retiring { … }.headers())`. None is being retired at present.

use actix_web::http::header::LINK;
use actix_web::middleware::DefaultHeaders;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

/// How an operation goes.
#[derive(Clone, Copy, Debug)]
pub struct Retiring {
    /// Since when it should not be used.
    pub deprecated: Timestamp,
    /// From when it may be gone.
    pub sunset: Option<Timestamp>,
    /// Where it is said what to use instead.
    pub instead: Option<&'static str>,
}

impl Retiring {
    /// The headers that say so with every answer.
    ///
    /// # Errors
    /// If the sunset is a time that HTTP cannot write.
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
