//! TLS to PostgreSQL with rustls: `sslmode` and related options, read like libpq.
//!
//! Files are read for every connection, so that renewed certificates apply without a restart.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use thiserror::Error;

use super::options::{OptionError, Options};
use super::verifier::{Names, Verifier};

/// `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SslMode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// The source of trusted root certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Roots {
    /// The operating system's, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    System,
    /// A file that must exist.
    File(PathBuf),
    /// `~/.postgresql/root.crt`, if it exists.
    DefaultFile(Option<PathBuf>),
}

/// A client certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Whether the URL names the files. Otherwise they may be missing.
    pub named: bool,
}

/// The TLS options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TlsSettings {
    pub mode: SslMode,
    pub roots: Roots,
    pub identity: Option<Identity>,
    pub revoked: Option<PathBuf>,
    /// Whether to send the host name to the server (SNI).
    pub names_host: bool,
    pub versions: Versions,
}

type Versions = &'static [&'static SupportedProtocolVersion];
const ONLY_12: Versions = &[&TLS12];
const ONLY_13: Versions = &[&TLS13];
const BOTH: Versions = &[&TLS13, &TLS12];

/// Why TLS cannot be used.
#[derive(Debug, Error)]
pub(super) enum TlsError {
    #[error("{path}: {error}")]
    File { path: PathBuf, error: String },
    #[error(
        "sslmode asks for the server's certificate to be checked, and there is no root certificate: name a file \
         with sslrootcert, or the system's with sslrootcert=system"
    )]
    NoRoots,
    #[error("the system has no root certificates: {0}")]
    NoSystemRoots(String),
    #[error("{0} is readable by others than its owner: it must have mode 0600, or 0640 if root owns it")]
    Exposed(PathBuf),
    #[error(transparent)]
    Rustls(#[from] rustls::Error),
    #[error("the root certificates cannot be used: {0}")]
    Verifier(#[from] rustls::client::VerifierBuilderError),
}

impl TlsSettings {
    /// Interprets the options. `home` is the directory of default files.
    pub(super) fn new(options: &Options, home: Option<&Path>) -> Result<Self, OptionError> {
        let modes = [
            ("disable", SslMode::Disable),
            ("allow", SslMode::Allow),
            ("prefer", SslMode::Prefer),
            ("require", SslMode::Require),
            ("verify-ca", SslMode::VerifyCa),
            ("verify-full", SslMode::VerifyFull),
        ];
        let expected = "disable, allow, prefer, require, verify-ca or verify-full";
        let mode = options.choice("sslmode", expected, &modes)?;
        let file = |name: &str| home.map(|home| home.join(".postgresql").join(name));
        let roots = match options.get("sslrootcert") {
            Some("system") => Roots::System,
            Some(path) => Roots::File(path.into()),
            None => Roots::DefaultFile(file("root.crt")),
        };
        let mode = match (mode, &roots) {
            (None | Some(SslMode::VerifyFull), Roots::System) => SslMode::VerifyFull,
            (Some(_), Roots::System) => {
                return Err(OptionError::Contradiction("sslrootcert=system needs sslmode=verify-full"));
            }
            (mode, _) => mode.unwrap_or(SslMode::Prefer),
        };
        let named = options.get("sslcert").map(PathBuf::from);
        let identity = named
            .clone()
            .or(file("postgresql.crt"))
            .zip(options.get("sslkey").map(PathBuf::from).or(file("postgresql.key")));
        let revoked = options.get("sslcrl").map(PathBuf::from);
        Ok(Self {
            mode,
            roots,
            identity: identity.map(|(certificate, key)| Identity {
                certificate,
                key,
                named: named.is_some(),
            }),
            revoked: revoked.or(file("root.crl").filter(|path| path.exists())),
            names_host: options.choice("sslsni", "0 or 1", &[("0", false), ("1", true)])?.unwrap_or(true),
            versions: versions(options)?,
        })
    }

    /// The rustls configuration.
    pub(super) fn client(&self) -> Result<ClientConfig, TlsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = self.verifier(&provider)?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(self.versions)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match self.identity()? {
            Some((chain, key)) => builder.with_client_auth_cert(chain, key)?,
            None => builder.with_no_client_auth(),
        };
        config.enable_sni = self.names_host;
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(config)
    }

    /// Like libpq: certificates are checked whenever there are roots, names only with `verify-full`.
    fn verifier(&self, provider: &Arc<CryptoProvider>) -> Result<Verifier, TlsError> {
        let algorithms = provider.signature_verification_algorithms;
        let Some(trusted) = self.trusted()? else { return Ok(Verifier::trusting_any(algorithms)) };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(trusted.iter().cloned());
        let mut builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        if let Some(path) = &self.revoked {
            let revoked = read::<CertificateRevocationListDer<'_>>(path)?;
            builder = builder.with_crls(revoked).enforce_revocation_expiration();
        }
        let names = if self.mode == SslMode::VerifyFull { Names::Checked } else { Names::Any };
        Ok(Verifier::new(algorithms, builder.build()?, trusted, names))
    }

    /// The trusted certificates; none when the server's certificate is not checked.
    fn trusted(&self) -> Result<Option<Vec<CertificateDer<'static>>>, TlsError> {
        match &self.roots {
            _ if self.mode == SslMode::Disable => Ok(None),
            Roots::System => {
                let found = rustls_native_certs::load_native_certs();
                if found.certs.is_empty() {
                    let why = found.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                    return Err(TlsError::NoSystemRoots(why));
                }
                Ok(Some(found.certs))
            }
            Roots::File(path) => Ok(Some(read(path)?)),
            Roots::DefaultFile(Some(path)) if path.exists() => Ok(Some(read(path)?)),
            Roots::DefaultFile(_) if matches!(self.mode, SslMode::VerifyCa | SslMode::VerifyFull) => {
                Err(TlsError::NoRoots)
            }
            Roots::DefaultFile(_) => Ok(None),
        }
    }

    fn identity(&self) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>, TlsError> {
        let Some(Identity { certificate, key, named }) = &self.identity else { return Ok(None) };
        if self.mode == SslMode::Disable || !named && !certificate.exists() {
            return Ok(None);
        }
        let chain = read(certificate)?;
        refuse_exposed(key)?;
        let key = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, error))?;
        Ok(Some((chain, key)))
    }
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

/// Refuses a key that other users can read, like libpq.
fn refuse_exposed(path: &Path) -> Result<(), TlsError> {
    let metadata = fs::metadata(path).map_err(|error: io::Error| failed(path, error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let allowed = if metadata.uid() == 0 { 0o640 } else { 0o600 };
        if metadata.is_file() && metadata.mode() & 0o777 & !allowed & 0o077 != 0 {
            return Err(TlsError::Exposed(path.to_owned()));
        }
    }
    Ok(())
}

/// TLS versions before 1.2 are never used.
fn versions(options: &Options) -> Result<Versions, OptionError> {
    let expected = "TLSv1.2 or TLSv1.3";
    let lowest = [("TLSv1", 12), ("TLSv1.1", 12), ("TLSv1.2", 12), ("TLSv1.3", 13)];
    let highest = [("TLSv1.2", 12), ("TLSv1.3", 13)];
    let lowest = options.choice("ssl_min_protocol_version", expected, &lowest)?.unwrap_or(12);
    let highest = options.choice("ssl_max_protocol_version", expected, &highest)?.unwrap_or(13);
    match (lowest, highest) {
        (12, 12) => Ok(ONLY_12),
        (13, 13) => Ok(ONLY_13),
        (12, 13) => Ok(BOTH),
        _ => Err(OptionError::Contradiction("ssl_min_protocol_version is above ssl_max_protocol_version")),
    }
}
