//! Access control: each operation of the spec is called without a token, with an expired token, with another
//! player's token, and in the wrong role.

use estimation::http::endpoints::Access::{Admin, Anyone, Others, Own, Public};

use super::operations::{Targets, operations};
use crate::prelude::*;

on_both! {
    async fn every_operation_checks_access(service: Service) {
        let table = service.table("nineteen").with("visibility", "private").open().await;
        let noor = service.player("noor").await;
        let sessions = noor.client.get("/v1/sessions").await.accepted();
        let session = sessions["items"][0]["id"].as_str().expect("an id").to_owned();
        let targets = Targets { game: &table.id, session: &session, account: &noor.account };
        let all = operations();
        let before = noor.client.get(&format!("/v1/games/{}", table.id)).await.etag();

        let nobody = service.anonymous();
        for operation in &all {
            let answer = operation.by(&nobody, &targets).await;
            match operation.access {
                Public => assert!(!answer.body.contains("token-missing"), "{}: {answer}", operation.name),
                _ => drop(answer.refused(401, "token-missing")),
            }
        }
        let omar = service.player("omar").await;
        for operation in &all {
            match operation.access {
                Admin => drop(operation.by(&omar.client, &targets).await.refused(403, "role-required")),
                Others => {
                    let answer = operation.by(&omar.client, &targets).await;
                    assert!(matches!(answer.status, 403 | 404), "{}: {answer}", operation.name);
                    assert!(!answer.body.contains(&noor.account), "{}: {answer}", operation.name);
                }
                Own if operation.method == Method::GET && operation.name != "streamMe" => {
                    let answer = operation.by(&omar.client, &targets).await;
                    answer.accepted();
                    for hers in [&noor.account, &table.id, &session] {
                        assert!(!answer.body.contains(hers), "{}: {answer}", operation.name);
                    }
                }
                Anyone => {
                    let answer = operation.by(&omar.client, &targets).await;
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
            operation.by(&noor.client, &targets).await.refused(401, "token-expired");
        }
        let wish = json!({"refresh_token": noor.refresh_token});
        let session = nobody.send("/v1/sessions/refresh", &wish).await.accepted();
        let noor = nobody.with_token(session["access_token"].as_str().expect("a token"));
        assert_eq!(noor.get(&format!("/v1/games/{}", table.id)).await.etag(), before);
        assert_eq!(noor.get("/v1/me").await.accepted()["display_name"], "noor");
    }
}
