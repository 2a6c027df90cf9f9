//! The HTTP client.

use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// An HTTP client that trusts the system's root certificates. A system without any, such as a container, can
/// still use plain HTTP. Responses with an error status are not errors. `timeout` is for a whole request with its response;
/// without it a request may take any time.
pub fn agent(timeout: Option<Duration>) -> Agent {
    Agent::config_builder()
        .tls_config(tls())
        .http_status_as_error(false)
        .timeout_global(timeout)
        .build()
        .into()
}

/// TLS that trusts the system's root certificates.
pub fn tls() -> TlsConfig {
    let roots: Vec<Certificate<'static>> = rustls_native_certs::load_native_certs()
        .certs
        .iter()
        .map(|certificate| Certificate::from_der(certificate).to_owned())
        .collect();
    TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(default_provider()))
        .build()
}
