//! TLS to PostgreSQL with rustls: `sslmode`, `sslrootcert`, `sslcrl`, `sslcert` and `sslkey`.
//!
//! Files are read for every connection, so that renewed certificates apply without a restart.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio_postgres::config::SslMode as DriverSslMode;

use crate::verifier::{Chain, Verifier};

/// How a connection to a server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SslMode {
    Disable,
    /// Encrypts if the server supports TLS. The default on this machine, and no value of `sslmode`.
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// The source of trusted root certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Roots {
    /// The operating system's, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    System,
    File(PathBuf),
}

/// The TLS options of a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TlsSettings {
    mode: Option<SslMode>,
    roots: Option<Roots>,
    revoked: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

/// Why TLS cannot be used.
#[derive(Debug, Error)]
pub(crate) enum TlsError {
    #[error("{path:?}: {error}")]
    File { path: PathBuf, error: String },
    #[error("the system has no root certificates: {0}")]
    NoSystemRoots(String),
    #[error("{0:?} is readable by others than its owner: it must have mode 0600, or 0640 if root owns it")]
    Exposed(PathBuf),
    #[error(transparent)]
    Rustls(#[from] rustls::Error),
    #[error("the root certificates cannot be used: {0}")]
    Verifier(#[from] rustls::client::VerifierBuilderError),
}

impl SslMode {
    pub(crate) fn for_driver(self) -> DriverSslMode {
        match self {
            Self::Disable => DriverSslMode::Disable,
            Self::Prefer => DriverSslMode::Prefer,
            Self::Require | Self::VerifyCa | Self::VerifyFull => DriverSslMode::Require,
        }
    }
}

impl TlsSettings {
    /// Sets an option. Returns whether it is one of TLS.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<bool, &'static str> {
        match name {
            "sslmode" => {
                self.mode = Some(match value {
                    "disable" => SslMode::Disable,
                    "require" => SslMode::Require,
                    "verify-ca" => SslMode::VerifyCa,
                    "verify-full" => SslMode::VerifyFull,
                    _ => return Err("sslmode is disable, require, verify-ca or verify-full"),
                });
            }
            "sslrootcert" if value == "system" => self.roots = Some(Roots::System),
            "sslrootcert" => self.roots = Some(Roots::File(value.into())),
            "sslcrl" => self.revoked = Some(value.into()),
            "sslcert" => self.certificate = Some(value.into()),
            "sslkey" => self.key = Some(value.into()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Refuses options that would protect less than they seem to.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        Err(match (self.mode, &self.roots) {
            // Anybody can have a certificate of a public authority, for a name of their own.
            (Some(SslMode::VerifyCa), None) => "sslmode=verify-ca needs a file as sslrootcert",
            (Some(mode), Some(Roots::System)) if mode != SslMode::VerifyFull => {
                "sslrootcert=system needs sslmode=verify-full"
            }
            (Some(SslMode::Disable | SslMode::Require), None) if self.revoked.is_some() => {
                "sslcrl needs sslmode=verify-full or verify-ca"
            }
            _ if self.certificate.is_some() != self.key.is_some() => "sslcert and sslkey need each other",
            _ => return Ok(()),
        })
    }

    /// The mode for a server. Without `sslmode`, a server on another machine must prove its name, and so must
    /// every server if the URL says how.
    pub(crate) fn mode(&self, is_local: bool) -> SslMode {
        let has_proof = self.roots.is_some() || self.revoked.is_some();
        let default = if is_local && !has_proof { SslMode::Prefer } else { SslMode::VerifyFull };
        self.mode.unwrap_or(default)
    }

    /// The rustls configuration.
    pub(crate) fn client(&self, mode: SslMode) -> Result<ClientConfig, TlsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Verifier {
            algorithms: provider.signature_verification_algorithms,
            chain: self.chain(mode, &provider)?,
        };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) if mode != SslMode::Disable => {
                refuse_exposed(key)?;
                let chain = read(certificate)?;
                let key = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, error))?;
                builder.with_client_auth_cert(chain, key)?
            }
            _ => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(config)
    }

    /// The check of the server's certificate. A given root certificate is used with `require` too.
    fn chain(&self, mode: SslMode, provider: &Arc<CryptoProvider>) -> Result<Option<Chain>, TlsError> {
        let trusted = match (mode, &self.roots) {
            (SslMode::Disable | SslMode::Prefer, _) | (SslMode::Require, None) => return Ok(None),
            (_, Some(Roots::File(path))) => read(path)?,
            (_, None | Some(Roots::System)) => system_roots()?,
        };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(trusted.iter().cloned());
        let mut builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        if let Some(path) = &self.revoked {
            builder = builder.with_crls(read(path)?).enforce_revocation_expiration();
        }
        Ok(Some(Chain { verifier: builder.build()?, trusted, checks_name: mode == SslMode::VerifyFull }))
    }
}

fn system_roots() -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        let why = found.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        return Err(TlsError::NoSystemRoots(why));
    }
    Ok(found.certs)
}

fn failed(path: &Path, error: impl ToString) -> TlsError {
    TlsError::File { path: path.to_owned(), error: error.to_string() }
}

/// All items of one kind in a PEM file, at least one.
fn read<T: PemObject>(path: &Path) -> Result<Vec<T>, TlsError> {
    let all: Result<Vec<T>, _> = T::pem_file_iter(path).and_then(Iterator::collect);
    match all {
        Ok(all) if all.is_empty() => Err(failed(path, "it holds nothing in PEM")),
        Ok(all) => Ok(all),
        Err(error) => Err(failed(path, error)),
    }
}

/// Refuses a key that other users can read.
fn refuse_exposed(path: &Path) -> Result<(), TlsError> {
    let metadata = fs::metadata(path).map_err(|error: io::Error| failed(path, error))?;
    let allowed = if metadata.uid() == 0 { 0o640 } else { 0o600 };
    if metadata.is_file() && metadata.mode() & 0o777 & !allowed & 0o077 != 0 {
        return Err(TlsError::Exposed(path.to_owned()));
    }
    Ok(())
}
