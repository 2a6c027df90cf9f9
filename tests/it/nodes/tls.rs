//! PostgreSQL over TLS: queries, commits and notices, with certificates checked or not.

use std::fs;
use std::path::Path;
use std::process::Command;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::PKey;
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509NameBuilder};
use tempfile::TempDir;

use super::client::Client;
use super::cluster::Cluster;
use super::dice::Dice;
use super::frames::{Frame, Frames};
use super::site::Site;
use super::table::Table;
use crate::patience::PATIENCE;

/// A folder with a certificate that vouches for itself and speaks for one address, and its key.
fn certificate(address: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("a curve");
    let key = PKey::from_ec_key(EcKey::generate(&group).expect("a key")).expect("a key");
    let mut name = X509NameBuilder::new().expect("a name");
    name.append_entry_by_text("CN", "estimation test").expect("a name");
    let name = name.build();
    let mut builder = X509::builder().expect("a certificate");
    builder.set_version(2).expect("a version");
    let serial = BigNum::from_u32(1).and_then(|number| number.to_asn1_integer()).expect("a number");
    builder.set_serial_number(&serial).expect("a number");
    builder.set_subject_name(&name).expect("a name");
    builder.set_issuer_name(&name).expect("a name");
    builder.set_not_before(&Asn1Time::days_from_now(0).expect("a day")).expect("a day");
    builder.set_not_after(&Asn1Time::days_from_now(2).expect("a day")).expect("a day");
    builder.set_pubkey(&key).expect("a key");
    builder
        .append_extension(BasicConstraints::new().ca().build().expect("an extension"))
        .expect("an extension");
    let context = builder.x509v3_context(None, None);
    let place = SubjectAlternativeName::new().ip(address).build(&context).expect("an address");
    builder.append_extension(place).expect("an extension");
    builder.sign(&key, MessageDigest::sha256()).expect("a signature");
    fs::write(folder.path().join("server.crt"), builder.build().to_pem().expect("PEM")).expect("a file");
    fs::write(folder.path().join("server.key"), key.private_key_to_pem_pkcs8().expect("PEM"))
        .expect("a file");
    folder
}

#[derive(Debug, QueryableByName, PartialEq)]
struct Session {
    #[diesel(sql_type = Text)]
    application_name: String,
    #[diesel(sql_type = Bool)]
    ssl: bool,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Who is connected, and how.
fn sessions(url: &str) -> Vec<Session> {
    let mut conn = PgConnection::establish(url).expect("PostgreSQL");
    diesel::sql_query(
        "SELECT application_name, ssl, count(*) AS count FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) \
         WHERE application_name LIKE 'estimation%' GROUP BY 1, 2 ORDER BY 1",
    )
    .load(&mut conn)
    .expect("sessions")
}

/// Whether the program can use a database, and what it says if not.
fn migrate(url: &str) -> Result<(), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_estimation"))
        .env_clear()
        .args([
            "migrate",
            "--data-dir",
            std::env::temp_dir().to_str().expect("a path"),
            "--database-url",
            url,
        ])
        .output()
        .expect("the program");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

fn path(folder: &TempDir) -> String {
    let file: &Path = &folder.path().join("server.crt");
    file.to_str().expect("a path").to_owned()
}

#[tokio::test]
async fn nodes_reach_a_database_that_wants_tls() {
    let trusted = certificate("127.0.0.1");
    let cluster = Cluster::with_tls(trusted.path());
    for (number, options) in
        ["sslmode=require".to_owned(), format!("sslmode=verify-full&sslrootcert={}", path(&trusted))]
            .into_iter()
            .enumerate()
    {
        let url = format!("{}/postgres?{options}", cluster.url);
        let site = Site::at(&url);
        let nodes = [site.node(), site.node()];
        let table = Table::of_two(&Client::anybody(&nodes[0].url)).await;
        let mut stream = Frames::of(&table.players[0].client.at(&nodes[1].url), &table.stream(), None).await;
        let version = table.play(&mut Dice(number as u64), 30).await;
        for seq in 1..=version {
            assert!(matches!(stream.soon(PATIENCE).await, Frame::Event { id, .. } if id == seq));
        }
        let sessions = sessions(&url);
        assert!(sessions.iter().all(|session| session.ssl), "{sessions:?}");
        let listening = sessions.iter().find(|session| session.application_name == "estimation-listener");
        assert_eq!(listening.map(|session| session.count), Some(2), "each node hears notices: {sessions:?}");
        assert!(nodes.iter().all(|node| !node.complaints().contains("no notices")));
    }
}

#[test]
fn a_server_that_is_not_who_it_should_be_is_refused() {
    let (trusted, other) = (certificate("127.0.0.1"), certificate("127.0.0.1"));
    let elsewhere = certificate("192.0.2.1");
    let cluster = Cluster::with_tls(trusted.path());
    let url = |options: &str| format!("{}/postgres?{options}", cluster.url);
    migrate(&url(&format!("sslmode=verify-full&sslrootcert={}", path(&trusted)))).expect("the right one");
    let refused = |options: &str, why: &str| {
        let told = migrate(&url(options)).expect_err(options);
        assert!(told.contains(why), "{told}");
    };
    refused(&format!("sslmode=verify-full&sslrootcert={}", path(&other)), "certificate verify failed");
    refused("sslmode=disable", "no pg_hba.conf entry");
    let cluster = Cluster::with_tls(elsewhere.path());
    let url = |options: &str| format!("{}/postgres?{options}", cluster.url);
    migrate(&url(&format!("sslmode=verify-ca&sslrootcert={}", path(&elsewhere)))).expect("a known one");
    let told = migrate(&url(&format!("sslmode=verify-full&sslrootcert={}", path(&elsewhere))))
        .expect_err("a wrong name");
    assert!(told.contains("127.0.0.1"), "{told}");
}
