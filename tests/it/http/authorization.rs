//! Access control: each operation of the spec is called without a token, with an expired token, with another
//! player's token, and in the wrong role.

use reqwest::Method;
use serde_json::{Value, json};

use super::service::Service;
use super::spec::spec;
use crate::databases::on_both;
use crate::harness::client::{Client, Request};

/// How an operation answers a valid token of another player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Public,
    /// Needs a token. The answer is the same for every account.
    Anyone,
    /// Concerns the caller only. The request cannot name another account's data.
    Own,
    /// Names another account's data. Refused with 403 or 404.
    Others,
    /// Needs a role. Refused with 403.
    Admin,
}

use Access::{Admin, Anyone, Others, Own, Public};

/// Every operation, with a valid body. Add new operations here.
fn operations() -> Vec<(&'static str, Access, Value)> {
    let password = "plum-kettle-orbit";
    vec![
        ("getHealth", Public, Value::Null),
        ("getReadiness", Public, Value::Null),
        ("getJwks", Public, Value::Null),
        ("getProblem", Public, Value::Null),
        ("listRulesets", Public, Value::Null),
        ("getRuleset", Public, Value::Null),
        ("scoreRound", Public, Value::Null),
        ("registerAccount", Public, Value::Null),
        ("registerGuest", Public, Value::Null),
        ("createSession", Public, Value::Null),
        ("refreshSession", Public, Value::Null),
        ("getMe", Own, Value::Null),
        ("updateMe", Own, json!({"display_name": "Somebody"})),
        ("changePassword", Own, json!({"current_password": password, "new_password": "kettle-orbit-quince"})),
        ("setCredentials", Own, json!({"username": "samira", "password": password})),
        ("exportMe", Own, Value::Null),
        ("deleteMe", Own, json!({"password": password})),
        ("streamMe", Own, Value::Null),
        ("listSessions", Own, Value::Null),
        ("endSessions", Own, Value::Null),
        ("endSession", Others, Value::Null),
        ("createGame", Own, json!({"ruleset": "plain"})),
        ("listGames", Own, Value::Null),
        ("getGame", Others, Value::Null),
        ("joinGame", Others, json!({})),
        ("joinByCode", Others, json!({})),
        ("leaveSeat", Others, Value::Null),
        ("seatBot", Others, json!({"level": "steady"})),
        ("changeHost", Others, json!({"seat": 1})),
        ("createRematch", Others, Value::Null),
        ("commitSeed", Others, json!({"commitment": null})),
        ("openSeed", Others, json!({"client_seed": "ab".repeat(16)})),
        ("startGame", Others, Value::Null),
        ("cancelGame", Others, Value::Null),
        ("postCommand", Others, json!({"type": "pass"})),
        ("listEvents", Others, Value::Null),
        ("getScores", Others, Value::Null),
        ("streamGame", Others, Value::Null),
        ("joinQueue", Own, json!({"ruleset": "plain"})),
        ("getQueueEntry", Own, Value::Null),
        ("leaveQueue", Own, Value::Null),
        ("getPlayer", Anyone, Value::Null),
        ("listPlayerGames", Anyone, Value::Null),
        ("getPlayerStatistics", Anyone, Value::Null),
        ("getLeaderboard", Anyone, Value::Null),
        ("getHistory", Others, Value::Null),
        ("getProof", Others, Value::Null),
        ("getState", Others, Value::Null),
        ("listAuditedGames", Admin, Value::Null),
        ("listAuditorAccesses", Admin, Value::Null),
        ("listAuditAccesses", Others, Value::Null),
        ("grantRole", Admin, json!({"role": "admin"})),
    ]
}

struct Aimed {
    name: String,
    method: Method,
    path: String,
    access: Access,
    body: Value,
}

impl Aimed {
    fn by(&self, client: &Client) -> Request {
        let request = client.request(self.method.clone(), &self.path);
        if self.body.is_null() { request } else { request.raw(self.body.to_string()) }
    }
}

fn aimed(game: &str, session: &str, account: &str) -> Vec<Aimed> {
    let known = operations();
    let mut all = Vec::new();
    for (path, item) in spec().document()["paths"].as_object().expect("paths") {
        for (verb, operation) in item.as_object().expect("operations") {
            let Some(name) = operation["operationId"].as_str() else { continue };
            let entry = known.iter().find(|(known, _, _)| *known == name);
            let (_, access, body) = entry.unwrap_or_else(|| panic!("{name} ({verb} {path}) is not covered"));
            let open = operation["security"] == json!([]) || operation["security"] == json!([{}]);
            assert_eq!(open, *access == Public, "{name}: what the spec says about tokens");
            let id = match path {
                path if path.starts_with("/v1/sessions") => session,
                path if path.starts_with("/v1/admin") || path.starts_with("/v1/players") => account,
                _ => game,
            };
            let path = path.replace("{id}", id).replace("{seat}", "0").replace("{code}", "AAAAAAAA");
            let path = path.replace("/leaderboards/{ruleset}", "/leaderboards/nineteen");
            let path = if name == "getState" { format!("{path}?version=1") } else { path };
            let method = verb.to_uppercase().parse().expect("a method");
            all.push(Aimed { name: name.to_owned(), method, path, access: *access, body: body.clone() });
        }
    }
    let missing: Vec<_> = known.iter().filter(|(name, ..)| all.iter().all(|one| one.name != *name)).collect();
    assert!(missing.is_empty(), "{missing:?} are no operations any more");
    all
}

on_both! {
    async fn every_operation_checks_access(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").with("visibility", "private").open().await;
        let noor = service.player("noor").await;
        let sessions = noor.client.get("/v1/sessions").await.accepted();
        let session = sessions["items"][0]["id"].as_str().expect("an id").to_owned();
        let all = aimed(&table.id, &session, &noor.account);
        let before = noor.client.get(&format!("/v1/games/{}", table.id)).await.etag();

        let nobody = service.anonymous();
        for operation in all.iter().filter(|operation| operation.access != Public) {
            operation.by(&nobody).await.refused(401, "token-missing");
        }
        let omar = service.player("omar").await;
        for operation in &all {
            match operation.access {
                Admin => drop(operation.by(&omar.client).await.refused(403, "role-required")),
                Others => {
                    let answer = operation.by(&omar.client).await;
                    assert!(matches!(answer.status, 403 | 404), "{}: {answer}", operation.name);
                    assert!(!answer.body.contains(&noor.account), "{}: {answer}", operation.name);
                }
                Own if operation.method == Method::GET && operation.name != "streamMe" => {
                    let answer = operation.by(&omar.client).await;
                    answer.accepted();
                    for hers in [&noor.account, &table.id, &session] {
                        assert!(!answer.body.contains(hers), "{}: {answer}", operation.name);
                    }
                }
                Anyone => {
                    let answer = operation.by(&omar.client).await;
                    answer.accepted();
                    for hers in [&table.id, &session] {
                        assert!(!answer.body.contains(hers), "{}: {answer}", operation.name);
                    }
                }
                Own | Public => {}
            }
        }
        service.wait(15 * 60);
        for operation in all.iter().filter(|operation| operation.access != Public) {
            operation.by(&noor.client).await.refused(401, "token-expired");
        }
        let wish = json!({"refresh_token": noor.refresh_token});
        let session = nobody.send("/v1/sessions/refresh", &wish).await.accepted();
        let noor = nobody.with_token(session["access_token"].as_str().expect("a token"));
        assert_eq!(noor.get(&format!("/v1/games/{}", table.id)).await.etag(), before);
        assert_eq!(noor.get("/v1/me").await.accepted()["display_name"], "noor");
    }
}
