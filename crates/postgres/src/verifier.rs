//! Verifies server certificates with rustls, and accepts two that rustls alone refuses: any certificate when
//! nothing is to be checked, and a self-signed authority that is itself the trusted root, as
//! `openssl req -x509` makes it.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

/// A verifier of server certificates.
#[derive(Debug)]
pub(crate) struct Verifier {
    pub algorithms: WebPkiSupportedAlgorithms,
    /// None accepts any certificate, as long as the server has its key, which channel binding needs.
    pub chain: Option<Chain>,
}

/// The check that a certificate is in force, and was issued by a trusted one.
#[derive(Debug)]
pub(crate) struct Chain {
    pub verifier: Arc<WebPkiServerVerifier>,
    pub trusted: Vec<CertificateDer<'static>>,
    /// Whether the certificate must name the host.
    pub checks_name: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let valid = ServerCertVerified::assertion();
        let Some(Chain { verifier, trusted, checks_name }) = &self.chain else { return Ok(valid) };
        let judgement = match verifier.verify_server_cert(certificate, intermediates, host, ocsp, now) {
            // An authority may not be a server. rustls says so after it has checked the dates.
            Err(Error::InvalidCertificate(CertificateError::Other(_))) if trusted.contains(certificate) => {
                ParsedCertificate::try_from(certificate)
                    .and_then(|certificate| verify_server_name(&certificate, host))
            }
            judgement => judgement.map(|_| ()),
        };
        match judgement {
            // rustls checks the chain before the name, so the chain is valid here.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !checks_name => Ok(valid),
            judgement => judgement.map(|()| valid),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
