//! TLS to PostgreSQL: the servers accepted at each `sslmode`, and what a server without TLS receives.

use diesel::Connection as _;
use diesel::connection::SimpleConnection;
use diesel::{QueryableByName, RunQueryDsl, sql_query, sql_types};
use estimation_store::PgConnection;

use crate::certificates::{Authority, Pair, set_mode};
use crate::nodes::cluster::Cluster;

fn connect(url: &str) -> Result<PgConnection, String> {
    let mut conn = PgConnection::establish(url).map_err(|error| error.to_string())?;
    conn.batch_execute("SELECT 1").map_err(|error| error.to_string())?;
    Ok(conn)
}

fn refused(url: &str, why: &str) {
    let told = connect(url).err().unwrap_or_else(|| panic!("{url} was accepted"));
    assert!(told.contains(why), "{url}: {told}");
}

#[derive(QueryableByName)]
struct Encryption {
    #[diesel(sql_type = sql_types::Bool)]
    ssl: bool,
    #[diesel(sql_type = sql_types::Nullable<sql_types::Text>)]
    client: Option<String>,
}

fn encryption(conn: &mut PgConnection) -> Encryption {
    sql_query("SELECT ssl, client_dn AS client FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        .get_result(conn)
        .expect("the session")
}

#[test]
fn certificates_are_checked_as_sslmode_says() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let cluster = Cluster::with_tls(authority.issue(&["127.0.0.1"], "a server").folder());
    let at = |place: &str, options: &str| {
        format!("postgres://postgres@{place}:{}/postgres?{options}", cluster.port())
    };
    let (known, unknown) = (authority.file(), stranger.file());
    let both = authority.together(&stranger);
    for accepted in [
        // The default on this machine.
        String::new(),
        "sslmode=require".to_owned(),
        format!("sslrootcert={known}"),
        format!("sslmode=require&sslrootcert={known}"),
        format!("sslmode=verify-ca&sslrootcert={known}"),
        format!("sslmode=verify-full&sslrootcert={known}"),
        format!("sslmode=verify-full&sslrootcert={}", both.display()),
    ] {
        let mut conn =
            connect(&at("127.0.0.1", &accepted)).unwrap_or_else(|told| panic!("{accepted}: {told}"));
        assert!(encryption(&mut conn).ssl, "{accepted}");
    }
    // A given root certificate is used in every mode.
    for mode in ["require", "verify-ca", "verify-full"] {
        refused(&at("127.0.0.1", &format!("sslmode={mode}&sslrootcert={unknown}")), "UnknownIssuer");
    }
    refused(&at("127.0.0.1", &format!("sslrootcert={unknown}")), "UnknownIssuer");
    refused(&at("127.0.0.1", "sslmode=disable"), "no pg_hba.conf entry");
    refused(&at("127.0.0.1", "sslmode=verify-ca&sslrootcert=/nowhere/root.crt"), "/nowhere/root.crt");
    // Without a file the system's authorities are the trusted ones, if it has any.
    for options in ["sslmode=verify-full", "sslrootcert=system"] {
        let told = connect(&at("127.0.0.1", options)).err().expect(options);
        assert!(told.contains("UnknownIssuer") || told.contains("the system has no root"), "{told}");
    }
    // Only verify-full checks the name.
    let elsewhere =
        |options: &str| at("db.example", &format!("hostaddr=127.0.0.1&sslrootcert={known}{options}"));
    connect(&elsewhere("&sslmode=verify-ca")).expect("any name");
    for options in ["&sslmode=verify-full", ""] {
        refused(&elsewhere(options), "not valid for name \"db.example\"");
    }
}

#[test]
fn a_revoked_certificate_is_refused() {
    let authority = Authority::new();
    let server = authority.issue(&["127.0.0.1"], "a server");
    let cluster = Cluster::with_tls(server.folder());
    let with = |list: String| {
        let (port, root) = (cluster.port(), authority.file());
        let options = format!("sslmode=verify-ca&sslrootcert={root}&sslcrl={list}");
        format!("postgres://postgres@127.0.0.1:{port}/postgres?{options}")
    };
    connect(&with(authority.revocations(&[], 2999))).expect("an empty list");
    refused(&with(authority.revocations(&[&server], 2999)), "Revoked");
    refused(&with(authority.revocations(&[], 2025)), "revocation list expired");
    refused(&with("/nowhere/root.crl".to_owned()), "/nowhere/root.crl");
}

#[test]
fn a_server_has_the_alternative_names_of_its_certificate() {
    let authority = Authority::new();
    let at = |cluster: &Cluster, host: &str, root: &str| {
        let port = cluster.port();
        format!(
            "postgres://postgres@{host}:{port}/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={root}"
        )
    };
    let names = ["*.db.example", "two.example"];
    let cluster = Cluster::with_tls(authority.issue(&names, "three.example").folder());
    for name in ["one.DB.example", "two.example"] {
        connect(&at(&cluster, name, &authority.file())).expect(name);
    }
    for other in ["db.example", "a.one.db.example", "one.example", "127.0.0.1", "three.example"] {
        refused(&at(&cluster, other, &authority.file()), "not valid for");
    }
    // A common name alone is no name of the server.
    let cluster = Cluster::with_tls(authority.issue(&[], "one.example").folder());
    refused(&at(&cluster, "one.example", &authority.file()), "not valid for");
    // A trusted certificate may claim to be an authority, as most self-signed ones do.
    let own = Pair::self_signed(&["one.example"]);
    let cluster = Cluster::with_tls(own.folder());
    connect(&at(&cluster, "one.example", &own.certificate())).expect("itself");
    refused(&at(&cluster, "two.example", &own.certificate()), "not valid for");
    refused(&at(&cluster, "one.example", &authority.file()), "invalid peer certificate");
    let expired = Pair::self_signed_until(&["one.example"], 2020);
    let cluster = Cluster::with_tls(expired.folder());
    refused(&at(&cluster, "one.example", &expired.certificate()), "expired");
}

#[test]
fn passwords_are_bound_to_the_channel() {
    let own = Pair::self_signed(&["127.0.0.1"]);
    let cluster = Cluster::with_tls(own.folder());
    cluster.run("SET password_encryption = 'scram-sha-256'; CREATE ROLE ann LOGIN PASSWORD 'plum kettle'");
    cluster.admit("host all ann 127.0.0.1/32 scram-sha-256");
    let url = |password: &str, options: &str| {
        format!("postgres://ann:{password}@127.0.0.1:{}/postgres?{options}", cluster.port())
    };
    for options in ["sslmode=require&channel_binding=require", "sslmode=require&channel_binding=disable"] {
        connect(&url("plum%20kettle", options)).expect(options);
    }
    connect(&url("plum%20kettle", "sslmode=disable")).expect("without TLS");
    refused(&url("plum%20kettle", "sslmode=disable&channel_binding=require"), "channel binding");
    refused(&url("wrong", "sslmode=require&channel_binding=require"), "password authentication failed");
}

#[test]
fn a_client_shows_its_certificate() {
    let authority = Authority::new();
    let cluster = Cluster::with_tls(authority.issue(&["127.0.0.1"], "a server").folder());
    cluster.trust(&authority);
    cluster.run("CREATE ROLE ann LOGIN");
    cluster.admit("hostssl all ann 127.0.0.1/32 cert");
    let ann = authority.issue(&[], "ann");
    let url = format!("postgres://ann@127.0.0.1:{}/postgres?sslmode=require", cluster.port());
    let shown = format!("{url}&sslcert={}&sslkey={}", ann.certificate(), ann.key());
    let client = encryption(&mut connect(&shown).expect("a certificate")).client;
    assert_eq!(client.as_deref(), Some("/CN=ann"));
    refused(&url, "certificate");
    let other = authority.issue(&[], "someone else");
    refused(
        &format!("{url}&sslcert={}&sslkey={}", other.certificate(), other.key()),
        "authentication failed",
    );
    set_mode(ann.key().as_ref(), 0o644);
    refused(&shown, "readable by others");
}
