//! Email addresses: verified by a link, a way back by another one, and nothing that tells which addresses have accounts.

mod server;

use self::server::MailServer;
use crate::nodes::site::SECRET;
use crate::prelude::*;

const PUBLIC_URL: &str = "https://cards.example.org";
const NEW_PASSWORD: &str = "kettle-orbit-quince";

/// A node that sends mail.
pub struct Scene {
    pub server: MailServer,
    node: Node,
    pub nobody: Client,
    site: Site,
}

impl From<TestDatabase> for Scene {
    fn from(database: TestDatabase) -> Scene {
        Scene::with(database.into(), &["--limit-mail", "off"])
    }
}

impl Scene {
    fn with(site: Site, flags: &[&str]) -> Scene {
        let server = MailServer::start();
        let url = server.url();
        let own =
            ["--smtp-url", &url, "--mail-from", "Estimation <cards@example.org>", "--public-url", PUBLIC_URL];
        let node =
            site.node_in(site.url(), &[&own[..], flags].concat(), &[("SSL_CERT_FILE", &server.authority())]);
        let nobody = Client::anonymous(&node.url);
        Scene { server, node, nobody, site }
    }

    /// A new account with a role, signed in.
    pub async fn with_role(&self, name: &str, role: &str) -> Client {
        let keys = self.site.keys_file();
        let mut flags = vec!["account", "create", name, "--role", role, "--database-url", self.site.url()];
        match self.site.backend() {
            Backend::Postgres => flags.extend(["--keys-secret", SECRET]),
            Backend::Sqlite => flags.extend(["--keys-file", &keys]),
        }
        let made = run(&flags);
        let printed = String::from_utf8_lossy(&made.stdout).into_owned();
        let password = printed.trim().rsplit(' ').next().expect("a password");
        self.nobody.signed_in(name, password).await
    }

    /// Follows the link of the mail with this number to an address.
    async fn verify(&self, address: &str, number: usize) -> Answer {
        let mail = self.server.mail(address, number).await;
        self.nobody.send("/v1/email-verifications", &json!({"token": token(&mail, "verify")})).await
    }

    /// Gives a player a verified address.
    async fn set(&self, player: &Player, address: &str, number: usize) {
        assert_eq!(set(&player.client, address).await.status, 204);
        assert_eq!(self.verify(address, number).await.status, 204);
    }

    fn ask(&self, address: &str) -> Request {
        self.nobody.send("/v1/password-resets", &json!({"address": address}))
    }
}

pub fn set(client: &Client, address: &str) -> Request {
    client.request(Method::PUT, "/v1/me/email").json(&json!({"address": address}))
}

/// The tokens of the links of a mail.
fn tokens(mail: &Value, purpose: &str) -> Vec<String> {
    let text = mail["text"].as_str().expect("a text");
    let links =
        text.lines().filter_map(|line| line.strip_prefix(&format!("{PUBLIC_URL}/account#{purpose}=")));
    links.map(str::to_owned).collect()
}

pub fn token(mail: &Value, purpose: &str) -> String {
    tokens(mail, purpose).into_iter().next().unwrap_or_else(|| panic!("no link to {purpose}: {mail}"))
}

on_both! {
    async fn a_moderator_mails_an_export_and_a_way_to_stop_a_link(scene: Scene) {
        let noor = scene.nobody.register("noor").await;
        scene.set(&noor, "noor@example.org", 0).await;
        let mona = scene.with_role("mona", "moderator").await;
        let acts = format!("/v1/admin/accounts/{}/acts", noor.account);
        let sent = mona.send(&acts, &json!({"act": "export_sent", "reason": "A letter."})).await.accepted();
        assert_eq!(sent["token"], Value::Null);
        assert!(!sent.to_string().contains("noor@example.org"), "{sent}");
        let link = json!({"token": token(&scene.server.mail("noor@example.org", 1).await, "export")});
        let export = scene.nobody.send("/v1/exports", &link).await.accepted();
        assert_eq!((&export["account"]["id"], &export["email"]["address"]), (&json!(noor.account), &json!("noor@example.org")));
        scene.nobody.send("/v1/exports", &link).await.refused(401, "link-invalid");

        let given = mona.send(&acts, &json!({"act": "access_given", "reason": "A letter."})).await.accepted();
        let stop = json!({"token": token(&scene.server.mail("noor@example.org", 2).await, "stop")});
        let back = json!({"code": given["token"]});
        scene.nobody.send("/v1/sessions/recovery", &back).await.refused(403, "link-too-early");
        // The link that stops it is no way in.
        scene.nobody.send("/v1/sessions/recovery", &json!({"code": stop["token"]})).await.refused(401, "recovery-code-invalid");
        assert_eq!(scene.nobody.send("/v1/access-links/stop", &stop).await.status, 204);
        scene.nobody.send("/v1/sessions/recovery", &back).await.refused(401, "recovery-code-invalid");
        scene.nobody.send("/v1/access-links/stop", &stop).await.refused(401, "link-invalid");
        assert_eq!(noor.client.get("/v1/me/changes").await.accepted()["items"][0]["kind"], "access_stopped");
    }

    async fn mail_is_limited_retried_and_given_up(database: TestDatabase) {
        let scene = Scene::with(Site::on(database), &[]);
        for _ in 0..3 {
            assert_eq!(scene.ask("nobody@example.org").await.status, 204);
        }
        let problem = scene.ask("Nobody@example.org").await.refused(429, "too-many-attempts");
        assert_eq!(problem["policy"], "mail");
        let noor = scene.nobody.register("noor").await;
        set(&noor.client, "refused@example.org").await;
        eventually("the refused mail is given up", async || scene.site.outsider().count("mails") == 0).await;
        set(&noor.client, "later@example.org").await;
        let waits = "mails WHERE next_at >= created_at + 60000";
        eventually("the other one is tried again", async || scene.site.outsider().count(waits) == 1).await;
        // The next address replaces it, and deletion takes the rest.
        set(&noor.client, "noor@example.org").await;
        scene.verify("noor@example.org", 0).await;
        // The node deletes a mail after the server has taken it.
        eventually("no mail is left", async || scene.site.outsider().count("mails") == 0).await;
        let password = json!({"password": PASSWORD});
        noor.client.request(Method::DELETE, "/v1/me").json(&password).await;
        let mut outsider = scene.site.outsider();
        assert_eq!((outsider.count("email_addresses"), outsider.count("email_links")), (0, 0));
        drop(scene.node);
    }
}

on_sqlite_first! {
    async fn an_address_is_verified_and_leads_back(scene: Scene) {
        let noor = scene.nobody.register("noor").await;
        let before = noor.client.get("/v1/me/email").await.accepted();
        assert_eq!(before, json!({"address": null, "verified_at": null, "available": true}));
        set(&noor.client, "Noor@example.org").await;
        let mail = scene.server.mail("Noor@example.org", 0).await;
        assert_eq!((&mail["encrypted"], &mail["from"]), (&json!(true), &json!("Estimation <cards@example.org>")));
        // An unverified address belongs to no account.
        assert_eq!(noor.client.get("/v1/me/email").await.accepted(), before);
        let verification = json!({"token": token(&mail, "verify")});
        assert_eq!(scene.nobody.send("/v1/email-verifications", &verification).await.status, 204);
        scene.nobody.send("/v1/email-verifications", &verification).await.refused(401, "link-invalid");
        assert_eq!(noor.client.get("/v1/me/email").await.accepted()["address"], "Noor@example.org");
        let export = noor.client.get("/v1/me/export").await.accepted();
        assert_eq!(export["email"]["address"], "Noor@example.org");
        // In any spelling, the link leads back, once, and sets a password.
        scene.ask("noor@EXAMPLE.org").await;
        let mail = scene.server.mail("Noor@example.org", 1).await;
        let link = token(&mail, "reset");
        assert!(mail["text"].as_str().is_some_and(|text| text.contains("noor")));
        let back = json!({"code": link, "new_password": NEW_PASSWORD, "device": "a new phone"});
        let recovered = scene.nobody.send("/v1/sessions/recovery", &back).await;
        assert_eq!(recovered.status, 201);
        noor.client.get("/v1/me").await.refused(401, "session-ended");
        scene.nobody.send("/v1/sessions/recovery", &back).await.refused(401, "recovery-code-invalid");
        let me = scene.nobody.with_token(recovered.accepted()["access_token"].as_str().expect("a token"));
        let username = me.get("/v1/me").await.accepted()["username"].clone();
        let login = |password: &str| scene.nobody.send("/v1/sessions", &json!({"username": username, "password": password}));
        login(PASSWORD).await.refused(401, "wrong-credentials");
        login(NEW_PASSWORD).await.accepted();
        let changes = me.get("/v1/me/changes").await.accepted();
        assert_eq!((&changes["items"][0]["kind"], &changes["items"][1]["kind"]), (&json!("recovered"), &json!("email_set")));
    }

    /// The answer and the work do not depend on whether an account has the address.
    async fn an_unknown_address_is_answered_alike(scene: Scene) {
        let noor = scene.nobody.register("noor").await;
        scene.set(&noor, "noor@example.org", 0).await;
        let [known, unknown] = [scene.ask("noor@example.org").await, scene.ask("nobody@example.org").await];
        let shape = |answer: &Answer| {
            let names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
            (answer.status, answer.body.clone(), names)
        };
        assert_eq!(shape(&known), shape(&unknown));
        scene.server.mail("noor@example.org", 1).await;
        eventually("both mails are done", async || scene.site.outsider().count("mails") == 0).await;
        assert!(scene.server.mails().iter().all(|mail| mail["to"][0] != "nobody@example.org"));
        for wrong in ["noor", "noor@example.org\r\nBcc: all@example.org", "n\u{fc}r@example.org"] {
            let problem = scene.ask(wrong).await;
            assert_eq!(problem.status, 422, "{problem:?}");
        }
    }

    /// Of many that use a link at a time, one gets in.
    async fn a_link_works_once(scene: Scene) {
        let noor = scene.nobody.register("noor").await;
        scene.set(&noor, "noor@example.org", 0).await;
        // A later mail does not void the first before one is used.
        scene.ask("noor@example.org").await;
        let first = token(&scene.server.mail("noor@example.org", 1).await, "reset");
        scene.ask("noor@example.org").await;
        let second = token(&scene.server.mail("noor@example.org", 2).await, "reset");
        let wish = json!({"code": first});
        let all = join_all((0..8).map(|_| async { scene.nobody.send("/v1/sessions/recovery", &wish).await })).await;
        let statuses: Vec<u16> = all.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        scene.nobody.send("/v1/sessions/recovery", &json!({"code": second})).await.refused(401, "recovery-code-invalid");
        // The token of one purpose is none of the other.
        let sami = scene.nobody.register("sami").await;
        set(&sami.client, "sami@example.org").await;
        let verify = token(&scene.server.mail("sami@example.org", 0).await, "verify");
        scene.nobody.send("/v1/sessions/recovery", &json!({"code": verify})).await.refused(401, "recovery-code-invalid");
        // Only hashes are stored.
        let mut outsider = scene.site.outsider();
        assert!(!outsider.holds("email_links", &["purpose", "address", "account_id", "session_id"], &verify));
        // An expired link is none.
        outsider.run("UPDATE email_links SET expires_at = 0").expect("an end");
        scene.nobody.send("/v1/email-verifications", &json!({"token": verify})).await.refused(401, "link-invalid");
    }

    /// A change is told to the former address, and its links lead nowhere.
    async fn a_change_is_told_to_the_former_address(scene: Scene) {
        let noor = scene.nobody.register("noor").await;
        scene.set(&noor, "old@example.org", 0).await;
        scene.ask("old@example.org").await;
        let stolen = token(&scene.server.mail("old@example.org", 1).await, "reset");
        scene.set(&noor, "new@example.org", 0).await;
        let told = scene.server.mail("old@example.org", 2).await;
        assert_eq!(told["subject"], "Your email address was removed");
        scene.nobody.send("/v1/sessions/recovery", &json!({"code": stolen})).await.refused(401, "recovery-code-invalid");
        assert_eq!(noor.client.delete("/v1/me/email").header("accept-language", "ar").await.status, 204);
        let told = scene.server.mail("new@example.org", 1).await;
        assert_eq!(told["subject"], "أُزيل بريدك الإلكتروني");
        noor.client.delete("/v1/me/email").await.refused(404, "not-found");
        let changes = noor.client.get("/v1/me/changes").await.accepted();
        let kinds: Vec<&str> = changes["items"].as_array().expect("changes").iter()
            .map(|one| one["kind"].as_str().expect("a kind")).collect();
        assert_eq!(kinds, ["email_removed", "email_set", "email_set"]);
    }

    /// Who had a stolen session cannot come back by a link that was sent before.
    async fn links_end_with_the_sessions(scene: Scene) {
        let noor = scene.nobody.register("noor").await;
        scene.set(&noor, "noor@example.org", 0).await;
        let codes = noor.client.post("/v1/me/recovery-codes").await.accepted();
        set(&noor.client, "thief@example.org").await;
        let theirs = token(&scene.server.mail("thief@example.org", 0).await, "verify");
        let back = json!({"code": codes["codes"][0], "new_password": NEW_PASSWORD});
        let recovered = scene.nobody.send("/v1/sessions/recovery", &back).await.accepted();
        scene.nobody.send("/v1/email-verifications", &json!({"token": theirs})).await.refused(401, "link-invalid");
        let noor = scene.nobody.with_token(recovered["access_token"].as_str().expect("a token"));
        assert_eq!(noor.get("/v1/me/email").await.accepted()["address"], "noor@example.org");
        // Neither after a change of the password.
        scene.ask("noor@example.org").await;
        let link = token(&scene.server.mail("noor@example.org", 1).await, "reset");
        let change = json!({"current_password": NEW_PASSWORD, "new_password": "plum-orbit-quince"});
        assert_eq!(noor.request(Method::PUT, "/v1/me/password").json(&change).await.status, 204);
        scene.nobody.send("/v1/sessions/recovery", &json!({"code": link})).await.refused(401, "recovery-code-invalid");
        let changes = noor.get("/v1/me/changes").await.accepted();
        let kinds: Vec<&str> = changes["items"].as_array().expect("changes").iter()
            .map(|one| one["kind"].as_str().expect("a kind")).collect();
        assert_eq!(kinds, ["password_changed", "recovered", "recovery_codes_made", "email_set"]);
    }

    /// The link needs the session that asked for it, not only the account.
    async fn a_link_ends_with_the_session_that_asked_for_it(scene: Scene) {
        let noor = scene.nobody.register("noor").await;
        let name = noor.client.get("/v1/me").await.accepted()["username"].as_str().expect("a name").to_owned();
        let thief = scene.nobody.signed_in(&name, PASSWORD).await;
        set(&thief, "thief@example.org").await;
        let theirs = token(&scene.server.mail("thief@example.org", 0).await, "verify");
        assert_eq!(noor.client.delete("/v1/sessions").await.status, 204);
        thief.get("/v1/me").await.refused(401, "session-ended");
        scene.nobody.send("/v1/email-verifications", &json!({"token": theirs})).await.refused(401, "link-invalid");
        let noor = scene.nobody.signed_in(&name, PASSWORD).await;
        assert_eq!(noor.get("/v1/me/email").await.accepted()["address"], Value::Null);
    }

    /// The address that is asked for last counts, and mail goes where it was verified.
    async fn only_the_last_link_to_an_address_works(scene: Scene) {
        let noor = scene.nobody.register("noor").await;
        set(&noor.client, "mistyped@example.org").await;
        let first = token(&scene.server.mail("mistyped@example.org", 0).await, "verify");
        set(&noor.client, "Noor@example.org").await;
        let second = token(&scene.server.mail("Noor@example.org", 0).await, "verify");
        scene.nobody.send("/v1/email-verifications", &json!({"token": first})).await.refused(401, "link-invalid");
        assert_eq!(scene.nobody.send("/v1/email-verifications", &json!({"token": second})).await.status, 204);
        // An address that was never verified is taken back by the same request.
        set(&noor.client, "other@example.org").await;
        let third = token(&scene.server.mail("other@example.org", 0).await, "verify");
        assert_eq!(noor.client.delete("/v1/me/email").await.status, 204);
        scene.nobody.send("/v1/email-verifications", &json!({"token": third})).await.refused(401, "link-invalid");
    }

    /// A family has one address: its mail has a link for each account.
    async fn several_accounts_share_an_address(scene: Scene) {
        for (number, name) in ["noor", "sami"].iter().enumerate() {
            let player = scene.nobody.register(name).await;
            scene.set(&player, "family@example.org", number).await;
        }
        scene.ask("family@example.org").await;
        let links = tokens(&scene.server.mail("family@example.org", 2).await, "reset");
        assert_eq!(links.len(), 2);
        for link in links {
            assert_eq!(scene.nobody.send("/v1/sessions/recovery", &json!({"code": link})).await.status, 201);
        }
    }
}

#[tokio::test]
async fn a_server_without_mail_says_so() {
    let site = Site::new(crate::databases::Backend::Sqlite);
    let node = site.node();
    let nobody = Client::anonymous(&node.url);
    let noor = nobody.register("noor").await;
    assert_eq!(noor.client.get("/v1/me/email").await.accepted()["available"], false);
    set(&noor.client, "noor@example.org").await.refused(409, "mail-off");
    let wish = json!({"address": "noor@example.org"});
    nobody.send("/v1/password-resets", &wish).await.refused(409, "mail-off");
}
