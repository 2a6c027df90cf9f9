//! Requests to the service, and its address.

use hyper::body::Bytes;
use hyper::header::HeaderValue;
use hyper::http::uri::Scheme;
use hyper::{Method, Uri};

use estimation_audit::Failed;

/// The service's address.
pub(super) struct Target {
    pub(super) address: String,
    pub(super) host: HeaderValue,
    pub(super) prefix: String,
}

/// A request, with its path relative to the service's base path.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    /// The `Authorization` header, if the request needs one.
    pub(super) bearer: Option<&'a HeaderValue>,
    /// The entity tag of the view the request is meant for, if any.
    pub(super) if_match: Option<&'a HeaderValue>,
    pub(super) body: Option<&'a Bytes>,
}

impl Target {
    /// Parses the service's URL. Only `http` is supported.
    pub(super) fn read(url: &str) -> Result<Target, Failed> {
        let uri: Uri = url.parse().map_err(|error| format!("invalid URL {url:?}: {error}"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err(format!("invalid URL {url:?}: expected one like http://127.0.0.1:8080").into());
        };
        if *scheme != Scheme::HTTP {
            return Err(format!("{url:?}: only http is supported").into());
        }
        let port = authority.port_u16().unwrap_or(80);
        Ok(Target {
            address: format!("{}:{port}", authority.host()),
            host: HeaderValue::from_str(authority.as_str())?,
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }
}
