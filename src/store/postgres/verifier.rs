//! Verifies server certificates: with rustls, and in three cases more leniently, like libpq.
//!
//! libpq accepts three kinds of certificates that rustls refuses and that PostgreSQL's documentation
//! recommends: a self-signed authority that is itself the trusted root; a certificate with its host only in
//! the common name; and, when nothing is checked, a version 1 certificate.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{
    WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
    verify_tls13_signature_with_raw_key,
};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use x509_cert::Certificate;
use x509_cert::der::asn1::{Ia5StringRef, PrintableStringRef, TeletexStringRef, Utf8StringRef};
use x509_cert::der::oid::db::rfc4519::COMMON_NAME;
use x509_cert::der::{Decode, Encode, Tag, Tagged};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// Whether the certificate must name the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Checked,
    Any,
}

/// A verifier of server certificates.
#[derive(Debug)]
pub(super) struct Verifier {
    algorithms: WebPkiSupportedAlgorithms,
    chain: Option<Chain>,
}

#[derive(Debug)]
struct Chain {
    verifier: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
    names: Names,
}

impl Verifier {
    /// Accepts any certificate, as long as the server has its key, which channel binding needs.
    pub(super) fn trusting_any(algorithms: WebPkiSupportedAlgorithms) -> Self {
        Self { algorithms, chain: None }
    }

    pub(super) fn new(
        algorithms: WebPkiSupportedAlgorithms,
        verifier: Arc<WebPkiServerVerifier>,
        trusted: Vec<CertificateDer<'static>>,
        names: Names,
    ) -> Self {
        Self { algorithms, chain: Some(Chain { verifier, trusted, names }) }
    }
}

impl Chain {
    fn judge(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<(), Error> {
        let judgement = match self.verifier.verify_server_cert(certificate, intermediates, host, ocsp, now) {
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if self.trusted.contains(certificate) =>
            {
                in_force(certificate, now).and_then(|()| names_host(certificate, host))
            }
            judgement => judgement.map(|_| ()),
        };
        match judgement {
            // rustls checks the chain before the name, so the chain is valid here.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.names == Names::Any || common_name_matches(certificate, host) => Ok(()),
            judgement => judgement,
        }
    }
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
        if let Some(chain) = &self.chain {
            chain.judge(certificate, intermediates, host, ocsp, now)?;
        }
        Ok(ServerCertVerified::assertion())
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
        match verify_tls13_signature(message, certificate, signature, &self.algorithms) {
            // rustls does not read the key of a version 1 certificate.
            Err(Error::InvalidCertificate(_)) if ParsedCertificate::try_from(certificate).is_err() => {
                let key = public_key(certificate)?;
                verify_tls13_signature_with_raw_key(message, &key, signature, &self.algorithms)
            }
            verdict => verdict,
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

fn parse(certificate: &CertificateDer<'_>) -> Result<Certificate, Error> {
    Certificate::from_der(certificate).map_err(|_| CertificateError::BadEncoding.into())
}

fn public_key(certificate: &CertificateDer<'_>) -> Result<SubjectPublicKeyInfoDer<'static>, Error> {
    let key = parse(certificate)?.tbs_certificate.subject_public_key_info;
    Ok(key.to_der().map_err(|_| CertificateError::BadEncoding)?.into())
}

fn in_force(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let validity = parse(certificate)?.tbs_certificate.validity;
    if now.as_secs() < validity.not_before.to_unix_duration().as_secs() {
        Err(CertificateError::NotValidYet.into())
    } else if now.as_secs() > validity.not_after.to_unix_duration().as_secs() {
        Err(CertificateError::Expired.into())
    } else {
        Ok(())
    }
}

fn names_host(certificate: &CertificateDer<'_>, host: &ServerName<'_>) -> Result<(), Error> {
    match ParsedCertificate::try_from(certificate) {
        Ok(certificate) => verify_server_name(&certificate, host),
        // Version 1 has no alternative names.
        Err(_) => Err(CertificateError::NotValidForName.into()),
    }
}

/// Whether the common name matches the host. It counts only when no alternative name has the host's kind.
fn common_name_matches(certificate: &CertificateDer<'_>, host: &ServerName<'_>) -> bool {
    let Ok(certificate) = Certificate::from_der(certificate) else { return false };
    let alternatives = certificate.tbs_certificate.get::<SubjectAltName>();
    let Ok(alternatives) = alternatives else { return false };
    let of_its_kind = alternatives.is_some_and(|(_, SubjectAltName(names))| {
        names.iter().any(|name| match host {
            ServerName::IpAddress(_) => matches!(name, GeneralName::IpAddress(_)),
            _ => matches!(name, GeneralName::DnsName(_)),
        })
    });
    if of_its_kind {
        return false;
    }
    let subject = &certificate.tbs_certificate.subject;
    let mut parts = subject.0.iter().flat_map(|part| part.0.iter());
    let Some(name) = parts.find(|part| part.oid == COMMON_NAME) else { return false };
    let text = match name.value.tag() {
        Tag::Utf8String => Utf8StringRef::try_from(&name.value).map(|text| text.as_str().to_owned()),
        Tag::PrintableString => {
            PrintableStringRef::try_from(&name.value).map(|text| text.as_str().to_owned())
        }
        Tag::Ia5String => Ia5StringRef::try_from(&name.value).map(|text| text.as_str().to_owned()),
        Tag::TeletexString => TeletexStringRef::try_from(&name.value).map(|text| text.as_str().to_owned()),
        _ => return false,
    };
    text.is_ok_and(|pattern| host_matches(&pattern, &host.to_str()))
}

/// `*.example.com` matches one label in front.
fn host_matches(pattern: &str, host: &str) -> bool {
    if pattern.eq_ignore_ascii_case(host) {
        return true;
    }
    match (pattern.strip_prefix("*."), host.split_once('.')) {
        (Some(domain), Some((label, rest))) => {
            !label.is_empty() && !domain.is_empty() && domain.eq_ignore_ascii_case(rest)
        }
        _ => false,
    }
}
