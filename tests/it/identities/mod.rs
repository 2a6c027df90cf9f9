//! Sign-in with an issuer, and what becomes of identities.

mod issuer;

use self::issuer::{APP, FakeIssuer, PUBLIC_URL, WEB, challenge};

use crate::prelude::*;

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// A node that trusts a fake issuer.
pub struct Scene {
    pub issuer: FakeIssuer,
    node: Node,
    pub nobody: Client,
    site: Site,
    _folder: TempDir,
}

impl From<TestDatabase> for Scene {
    fn from(database: TestDatabase) -> Scene {
        Scene::with(database.into(), &[], false)
    }
}

impl Scene {
    /// `down`: there is another issuer, which does not answer.
    fn with(site: Site, flags: &[&str], down: bool) -> Scene {
        let (issuer, folder) = (FakeIssuer::start(), TempDir::new().expect("a folder"));
        let file = folder.path().join("issuers.toml");
        let silent = "[down]\nissuer = \"https://localhost:9\"\naudiences = [\"app\"]\n";
        fs::write(&file, issuer.settings() + if down { silent } else { "" }).expect("a file");
        let file = file.to_str().expect("a path").to_owned();
        let own = ["--oidc-issuers", &file, "--public-url", PUBLIC_URL, "--outbound-networks", "127.0.0.0/8"];
        let all = [&own[..], flags].concat();
        let node = site.node_in(site.url(), &all, &[("SSL_CERT_FILE", &issuer.authority())]);
        let nobody = Client::anonymous(&node.url);
        Scene { issuer, node, nobody, site, _folder: folder }
    }

    async fn nonce(&self) -> String {
        let nonce = self.nobody.post("/v1/nonces").await.accepted();
        nonce["nonce"].as_str().expect("a nonce").to_owned()
    }

    /// What the app of a player sends.
    pub async fn evidence(&self, subject: &str) -> Value {
        let nonce = self.nonce().await;
        let token = self.issuer.token(subject, &nonce);
        json!({"issuer": "fake", "nonce": nonce, "id_token": token})
    }

    async fn sign_in(&self, subject: &str) -> Answer {
        let evidence = self.evidence(subject).await;
        self.present(&evidence).await
    }

    pub fn present(&self, evidence: &Value) -> Request {
        self.nobody.send("/v1/sessions/oidc", &json!({"identity": evidence}))
    }

    pub fn client(&self, answer: &Answer) -> Client {
        self.nobody.with_token(answer.accepted()["session"]["access_token"].as_str().expect("a token"))
    }
}

fn remove(client: &Client, id: &Value) -> Request {
    client.delete(&format!("/v1/me/identities/{}", id.as_str().expect("an id")))
}

on_both! {
    async fn a_banned_player_does_not_come_back_with_the_identity(scene: Scene) {
        let first = scene.sign_in("player-7").await;
        let (noor, account) = (scene.client(&first), first.accepted()["account"]["id"].as_str().expect("an id").to_owned());
        let secret = ["--keys-secret", "a secret that all of these nodes share"];
        let file = scene.site.keys_file();
        let keys = if scene.site.backend() == Backend::Sqlite { ["--keys-file", &file] } else { secret };
        let ban = ["account", "ban", &account, "--until", "2999-01-31", "--reason", "Insults."];
        let output = run(&[&ban[..], &["--database-url", scene.site.url()], &keys].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // The account signs in as long as it is there, and does not play.
        let again = scene.client(&scene.sign_in("player-7").await);
        eventually("the node knows of the ban", async || again.send("/v1/games", &json!({"ruleset": "plain"})).await.status == 403).await;
        again.get("/v1/me/export").await.accepted();
        again.request(Method::DELETE, "/v1/me").json(&json!({})).await.accepted();
        noor.get("/v1/me").await.refused(401, "session-ended");
        let problem = scene.sign_in("player-7").await.refused(403, "banned");
        assert_eq!(problem["until"], "2999-01-31T00:00:00.000Z");
        // No other account takes the identity, and nothing in the row tells whose it was.
        let other = scene.client(&scene.sign_in("player-8").await);
        let evidence = scene.evidence("player-7").await;
        other.send("/v1/me/identities", &json!({"identity": evidence})).await.refused(403, "banned");
        let mut outsider = scene.site.outsider();
        assert_eq!(outsider.count("banned_identities"), 1);
        outsider.run("UPDATE banned_identities SET until_at = 10").expect("the end of the ban");
        assert_eq!(scene.sign_in("player-7").await.status, 201);
    }

    /// A refused evidence is not used up.
    async fn an_account_has_16_identities(scene: Scene) {
        let noor = scene.client(&scene.sign_in("player-0").await);
        let mut outsider = scene.site.outsider();
        for number in 1..16 {
            let row = format!("SELECT '01a2248a-0000-7000-8000-0000000000{number:02}', account_id, issuer, 'other-{number}', audience, linked_at FROM identities WHERE subject = 'player-0'");
            outsider.run(&format!("INSERT INTO identities (id, account_id, issuer, subject, audience, linked_at) {row}")).expect("an identity");
        }
        let evidence = json!({"identity": scene.evidence("player-16").await});
        let link = || noor.send("/v1/me/identities", &evidence);
        link().await.refused(409, "too-many-identities");
        outsider.run("DELETE FROM identities WHERE subject = 'other-1'").expect("room");
        assert_eq!(link().await.status, 201);
        assert_eq!(outsider.count("identities"), 16);
    }

    async fn a_guest_links_and_the_last_way_in_stays(scene: Scene) {
        let guest = scene.nobody.guest().await;
        let evidence = scene.evidence("player-7").await;
        let linked = guest.client.send("/v1/me/identities", &json!({"identity": evidence})).await;
        assert_eq!(linked.status, 201);
        let id = linked.accepted()["items"][0]["id"].clone();
        assert_eq!(guest.client.get("/v1/me").await.accepted()["kind"], "full");
        let signed_in = scene.sign_in("player-7").await;
        assert_eq!(signed_in.accepted()["account"]["id"], json!(guest.account));
        // An identity has one account.
        let other = scene.nobody.guest().await;
        let taken = scene.evidence("player-7").await;
        other.client.send("/v1/me/identities", &json!({"identity": taken})).await.refused(409, "identity-taken");
        assert_eq!(other.client.get("/v1/me").await.accepted()["kind"], "guest");
        let noor = scene.client(&signed_in);
        remove(&other.client, &id).await.refused(404, "not-found");
        remove(&noor, &id).await.refused(409, "last-way-in");
        // A second way in, and then one of them goes.
        let second = scene.evidence("player-8").await;
        noor.send("/v1/me/identities", &json!({"identity": second})).await.accepted();
        assert_eq!(remove(&noor, &id).await.status, 204);
        scene.sign_in("player-7").await.accepted();
        let rest = noor.get("/v1/me/identities").await.accepted()["items"].clone();
        remove(&noor, &rest[0]["id"]).await.refused(409, "last-way-in");
        // A password is a way in as well.
        let credentials = json!({"username": "noor", "password": PASSWORD});
        noor.request(Method::PUT, "/v1/me/credentials").json(&credentials).await.accepted();
        assert_eq!(remove(&noor, &rest[0]["id"]).await.status, 204);
        let changes = guest.client.get("/v1/me/changes").await.accepted();
        let told: Vec<(&str, bool)> = changes["items"].as_array().expect("changes").iter()
            .map(|one| (one["kind"].as_str().expect("a kind"), one["current"].as_bool().expect("whether")))
            .collect();
        assert_eq!(told, [
            ("identity_removed", false), ("credentials_set", false), ("identity_removed", false),
            ("identity_linked", false), ("identity_linked", true),
        ]);
    }

    async fn grants_are_encrypted_and_revoked_with_the_account(scene: Scene) {
        let mut evidence = scene.evidence("player-7").await;
        evidence["code"] = json!(scene.issuer.code(APP, "player-7", "", None));
        let signed_in = scene.present(&evidence).await;
        let noor = scene.client(&signed_in);
        let export = noor.get("/v1/me/export").await.accepted();
        assert_eq!(export["identities"][0]["revocable"], true);
        assert!(!export.to_string().contains("grant of"));
        let mut outsider = scene.site.outsider();
        assert_eq!((outsider.count("identities"), outsider.count("revocations")), (1, 0));
        scene.issuer.refuse_to_revoke(true);
        assert_eq!(noor.request(Method::DELETE, "/v1/me").json(&json!({})).await.status, 204);
        assert_eq!(outsider.count("identities"), 0);
        let waits = "revocations WHERE next_at >= created_at + 600000";
        eventually("it is tried again later", async || scene.site.outsider().count(waits) == 1).await;
        scene.issuer.refuse_to_revoke(false);
        outsider.run("UPDATE revocations SET next_at = 0").expect("an earlier time");
        eventually("the grant is revoked", async || scene.issuer.revoked() == ["grant of player-7"]).await;
        eventually("nothing is left of it", async || scene.site.outsider().count("revocations") == 0).await;
        drop(scene.node);
    }
}

on_sqlite_first! {
    async fn an_identity_registers_once_and_signs_in_again(scene: Scene) {
        let first = scene.sign_in("player-7").await;
        assert_eq!(first.status, 201);
        let registered = first.accepted();
        assert_eq!(registered["recovery_codes"].as_array().map(Vec::len), Some(10));
        let (kind, username) = (&registered["account"]["kind"], &registered["account"]["username"]);
        assert_eq!((kind, username), (&json!("full"), &Value::Null));
        let again = scene.sign_in("player-7").await.accepted();
        assert_eq!(again["account"]["id"], registered["account"]["id"]);
        assert_eq!(again["recovery_codes"], json!([]));
        let other = scene.sign_in("player-8").await.accepted();
        assert_ne!(other["account"]["id"], registered["account"]["id"]);
        let noor = scene.client(&first);
        let listed = noor.get("/v1/me/identities").await.accepted();
        assert_eq!((&listed["items"][0]["name"], listed["items"].as_array().map(Vec::len)), (&json!("fake"), Some(1)));
        let export = noor.get("/v1/me/export").await.accepted();
        assert_eq!((&export["identities"][0]["subject"], &export["identities"][0]["revocable"]), (&json!("player-7"), &json!(false)));
        // Nothing holds the address that the issuer told.
        assert!(!export.to_string().contains("example.org\""), "{export}");
    }

    async fn a_token_signs_in_once(scene: Scene) {
        let evidence = scene.evidence("player-7").await;
        scene.present(&evidence).await.accepted();
        scene.present(&evidence).await.refused(403, "nonce-invalid");
        // Of many that send it at a time, one gets in.
        let evidence = scene.evidence("player-7").await;
        let all = join_all((0..8).map(|_| async { scene.present(&evidence).await })).await;
        let statuses: Vec<u16> = all.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| matches!(status, 201 | 403)), "{statuses:?}");
        // Of many first sign-ins of a player at a time, one registers.
        let mut evidence = Vec::new();
        for _ in 0..8 {
            evidence.push(scene.evidence("player-9").await);
        }
        let all = join_all(evidence.iter().map(|one| async { scene.present(one).await })).await;
        let accounts: Vec<Value> = all.iter().map(|answer| answer.accepted()["account"]["id"].clone()).collect();
        assert!(accounts.iter().all(|id| *id == accounts[0]), "{accounts:?}");
        assert_eq!(all.iter().filter(|answer| answer.accepted()["recovery_codes"] != json!([])).count(), 1);
    }

    async fn wrong_evidence_is_refused(scene: Scene) {
        let good = scene.evidence("player-7").await;
        let other = scene.nonce().await;
        for (member, value, status, code) in [
            ("issuer", json!("google"), 422, "invalid-field"),
            ("nonce", json!(other), 403, "id-token-invalid"),
            ("nonce", json!("A".repeat(54)), 403, "nonce-invalid"),
            ("id_token", json!("a.b.c"), 403, "id-token-invalid"),
            ("code_verifier", json!(VERIFIER), 422, "invalid-field"),
            ("code", json!("a\u{e9}"), 422, "invalid-field"),
            ("code", json!("code-of-nobody"), 403, "authorization-code-invalid"),
        ] {
            let mut wrong = good.clone();
            wrong[member] = value;
            scene.present(&wrong).await.refused(status, code);
        }
        let problem = scene.present(&{ let mut wrong = good.clone(); wrong["nonce"] = json!(other); wrong }).await;
        assert_eq!(problem.json()["reason"], "nonce");
        for missing in [json!({"issuer": "fake", "nonce": other}), json!({"issuer": "fake", "nonce": other, "code": "c"})] {
            scene.present(&missing).await.refused(422, "invalid-field");
        }
        // Nothing of that used the nonce up.
        scene.present(&good).await.accepted();
        // Another player's code keeps no grant.
        let mut mixed = scene.evidence("player-7").await;
        mixed["code"] = json!(scene.issuer.code(APP, "player-8", "", None));
        let problem = scene.present(&mixed).await;
        problem.refused(403, "id-token-invalid");
        assert_eq!(problem.json()["reason"], "subject");
    }

    /// An issuer that does not answer, and wrong fields, use up no attempts to sign in.
    async fn an_outage_bars_nobody(database: TestDatabase) {
        let scene = Scene::with(Site::on(database), &["--limit-login-address", "3/15m"], true);
        let noor = scene.nobody.register("noor").await;
        let username = noor.client.get("/v1/me").await.accepted()["username"].clone();
        let mut wrong = scene.evidence("player-7").await;
        wrong["issuer"] = json!("down");
        for _ in 0..6 {
            scene.present(&wrong).await.refused(503, "issuer-unavailable");
            let mut short = wrong.clone();
            short["code_verifier"] = json!("short");
            let problem = scene.present(&short).await.refused(422, "invalid-field");
            assert_eq!(problem["errors"][0]["field"], "/identity/code_verifier");
        }
        let login = json!({"username": username, "password": PASSWORD});
        assert_eq!(scene.nobody.send("/v1/sessions", &login).await.status, 201);
        scene.sign_in("player-7").await.accepted();
    }

    async fn a_web_app_brings_a_code_and_its_verifier(scene: Scene) {
        let asked = async || Some(scene.nobody.get("/v1/issuers").await.accepted()["items"][0]["web"].clone()).filter(Value::is_object);
        let web = found("the issuer has answered", asked).await;
        assert_eq!((&web["client_id"], &web["redirect_uri"]), (&json!(WEB), &json!(format!("{PUBLIC_URL}/"))));
        let nonce = scene.nonce().await;
        let code = || scene.issuer.code(WEB, "player-7", &nonce, Some(challenge(VERIFIER)));
        let with = |code: String, verifier: &str| json!({"issuer": "fake", "nonce": nonce, "code": code, "code_verifier": verifier});
        // The thief of a code has no verifier.
        scene.present(&with(code(), &"x".repeat(43))).await.refused(403, "authorization-code-invalid");
        scene.present(&with(code(), "short")).await.refused(422, "invalid-field");
        let used = code();
        scene.present(&with(used.clone(), VERIFIER)).await.accepted();
        let fresh = scene.nonce().await;
        let mut again = with(used, VERIFIER);
        again["nonce"] = json!(fresh);
        scene.present(&again).await.refused(403, "authorization-code-invalid");
        // A code that another browser asked for has another nonce.
        let mut foreign = with(code(), VERIFIER);
        foreign["nonce"] = json!(fresh);
        let problem = scene.present(&foreign).await;
        problem.refused(403, "id-token-invalid");
        assert_eq!(problem.json()["reason"], "nonce");
    }
}
