//! TLS for the program's HTTP clients.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

use super::Failed;

/// Trusts whom the system trusts. Where it trusts nobody, as in a container without certificates, a client can
/// be made all the same, and asks servers that need none.
pub(super) fn tls() -> Result<ClientConfig, Failed> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
