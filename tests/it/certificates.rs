use std::sync::atomic::{AtomicU64, Ordering};

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DnType, IsCa, Issuer, KeyIdMethod,
    KeyPair, RevokedCertParams, date_time_ymd,
};

use crate::prelude::*;

pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    folder: TempDir,
}

impl Authority {
    pub fn new() -> Authority {
        let key = KeyPair::generate().expect("a key");
        let mut params = params(&[], &format!("estimation test authority {}", next_number()));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("root.crt"), &pem).expect("a file");
        Authority { issuer: Issuer::new(params, key), pem, folder }
    }

    pub fn file(&self) -> String {
        text(&self.folder.path().join("root.crt"))
    }

    /// A certificate and its key, for hosts or for a client with this common name.
    pub fn issue(&self, hosts: &[&str], common_name: &str) -> Pair {
        let key = KeyPair::generate().expect("a key");
        let (mut params, number) = (params(hosts, common_name), next_number());
        params.serial_number = Some(number.into());
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        Pair::write(&certificate.pem(), &key, number)
    }

    /// A file with the revocation list; the next update is due in that year.
    pub fn revocations(&self, revoked: &[&Pair], next: i32) -> String {
        let revoked_certs = revoked.iter().map(|pair| RevokedCertParams {
            serial_number: pair.number.into(),
            revocation_time: date_time_ymd(2024, 1, 1),
            reason_code: None,
            invalidity_date: None,
        });
        let params = CertificateRevocationListParams {
            this_update: date_time_ymd(2024, 1, 1),
            next_update: date_time_ymd(next, 1, 1),
            crl_number: next_number().into(),
            issuing_distribution_point: None,
            revoked_certs: revoked_certs.collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let pem = params.signed_by(&self.issuer).expect("a list").pem().expect("PEM");
        let path = self.folder.path().join(format!("{}.crl", next_number()));
        fs::write(&path, pem).expect("a file");
        text(&path)
    }

    pub fn together(&self, other: &Authority) -> PathBuf {
        let path = self.folder.path().join("both.crt");
        fs::write(&path, format!("{}{}", self.pem, other.pem)).expect("a file");
        path
    }
}

pub struct Pair {
    folder: TempDir,
    number: u64,
}

impl Pair {
    /// Like `openssl req -x509`: an authority that signs itself and serves.
    pub fn self_signed(hosts: &[&str]) -> Pair {
        Pair::self_signed_until(hosts, 2999)
    }

    /// The same, in force until that year.
    pub fn self_signed_until(hosts: &[&str], end: i32) -> Pair {
        let key = KeyPair::generate().expect("a key");
        let mut params = params(hosts, "estimation test");
        params.not_after = date_time_ymd(end, 1, 1);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let number = next_number();
        params.serial_number = Some(number.into());
        Pair::write(&params.self_signed(&key).expect("a certificate").pem(), &key, number)
    }

    fn write(certificate: &str, key: &KeyPair, number: u64) -> Pair {
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("server.crt"), certificate).expect("a file");
        let path = folder.path().join("server.key");
        fs::write(&path, key.serialize_pem()).expect("a file");
        set_mode(&path, 0o600);
        Pair { folder, number }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn certificate(&self) -> String {
        text(&self.folder.path().join("server.crt"))
    }

    pub fn key(&self) -> String {
        text(&self.folder.path().join("server.key"))
    }
}

pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

fn next_number() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

fn params(hosts: &[&str], common_name: &str) -> CertificateParams {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let mut params = CertificateParams::new(hosts).expect("names");
    params.distinguished_name.push(DnType::CommonName, common_name);
    params
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path").to_owned()
}
