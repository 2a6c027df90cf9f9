//! The desk: what each role sees, what moderators do, and that every act is recorded and told.

use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_service::auth::permission::ActingModerator;
use estimation_service::moderation::{Act, ActRequest};

use super::operations::{Targets, operations};
use super::second_steps::set_up;
use crate::prelude::*;
use estimation::http::endpoints::Access::Admin;

/// What each role may call, beside [`MODERATORS`] and [`ANY`]: everything.
const AUDITORS: [&str; 1] = ["listAuditedGames"];
const ADMINS: [&str; 5] = ["grantRole", "listAuditorAccesses", "listNodes", "listBackups", "listSettings"];
const ANY: [&str; 4] = ["getOverview", "listActs", "inspectGame", "getLogReport"];

async fn act(moderator: &Client, account: &str, body: Value) -> Answer {
    moderator.send(&format!("/v1/admin/accounts/{account}/acts"), &body).await
}

/// Acts at a time of its own, so that lists have one order.
async fn act_later(service: &Service, moderator: &Client, account: &str, body: Value) -> Answer {
    service.wait(1);
    act(moderator, account, body).await
}

async fn inspected(moderator: &Client, account: &str) -> Value {
    moderator.get(&format!("/v1/admin/accounts/{account}")).await.accepted()
}

/// A time some days from now, by the service's clock.
fn later(service: &Service, days: i64) -> String {
    (service.now() + SignedDuration::from_hours(24 * days)).strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}

async fn report(player: &Player, other: &Player) -> String {
    let body = json!({"player": other.account, "game": null, "about": "conduct", "text": "Insults."});
    let made = player.client.send("/v1/reports", &body).await.accepted();
    made["id"].as_str().expect("an id").to_owned()
}

on_both! {
    async fn each_operation_of_the_desk_is_for_its_roles(service: Service) {
        let table = service.table("nineteen").with("visibility", "private").open().await;
        let noor = service.player("noor").await;
        let targets = Targets { game: &table.id, session: "", account: &noor.account };
        let all = operations();
        let desk: Vec<_> = all.iter().filter(|operation| operation.access == Admin).collect();
        assert_eq!(desk.len(), 19, "a new operation of a role needs a line here");
        for (number, role) in ["auditor", "moderator", "admin"].into_iter().enumerate() {
            let client = service.with_role(&format!("keeper{number}"), role).await;
            for operation in &desk {
                let name = operation.name.as_str();
                let is_allowed = ANY.contains(&name) || match role {
                    "auditor" => AUDITORS.contains(&name),
                    "moderator" => !AUDITORS.contains(&name) && !ADMINS.contains(&name),
                    _ => !AUDITORS.contains(&name),
                };
                let answer = operation.by(&client, &targets).await;
                match is_allowed {
                    true => assert!(answer.status < 300 || matches!(answer.status, 404 | 409 | 422), "{role} {name}: {answer}"),
                    false => drop(answer.refused(403, "role-required")),
                }
            }
        }
    }

    async fn acts_change_tell_and_stay(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let mona = service.with_role("mona", "moderator").await;
        let note = json!({"act": "noted", "reason": "Keep an eye on this one."});
        let noted = act_later(&service, &mona, &omar.account, note).await.accepted();
        assert_eq!((&noted["act"]["act"], &noted["act"]["actor"]["name"], &noted["token"]), (&json!("noted"), &json!("mona"), &Value::Null));
        let rename = json!({"act": "renamed", "reason": "The name.", "display_name": "Omar M"});
        let renamed = act_later(&service, &mona, &omar.account, rename).await.accepted();
        assert_eq!(renamed["act"]["changes"], json!([{"field": "display_name", "before": "omar", "after": "Omar M"}]));
        let until = later(&service, 2);
        let mute = json!({"act": "muted", "reason": "Insults.", "until": until});
        act_later(&service, &mona, &omar.account, mute).await.accepted();
        let ban = json!({"act": "banned", "reason": "Again.", "appeal": "Write to cards@example.org.", "until": until});
        act_later(&service, &mona, &omar.account, ban).await.accepted();
        let shown = inspected(&mona, &omar.account).await;
        assert_eq!((&shown["account"]["display_name"], &shown["account"]["may_play"], &shown["suspended_until"]), (&json!("Omar M"), &json!(false), &json!(until)));
        assert_eq!(shown["acts"].as_array().map(Vec::len), Some(4));
        // The player is told of everything but the note.
        service.wait(3);
        let standing = omar.client.get("/v1/me/standing").await.accepted();
        let told: Vec<&str> = standing["acts"].as_array().expect("acts").iter().filter_map(|act| act["act"].as_str()).collect();
        assert_eq!((told, &standing["may_play"]), (vec!["banned", "muted", "renamed"], &json!(false)));
        assert_eq!(standing["acts"][0]["appeal"], "Write to cards@example.org.");
        assert!(!standing.to_string().contains("Keep an eye"));
        let untold = json!({"act": "lifted", "reason": "A mistake.", "untold": "It would only confuse."});
        let lifted = act_later(&service, &mona, &omar.account, untold).await.accepted();
        assert_eq!(lifted["act"]["changes"].as_array().map(Vec::len), Some(2));
        let standing = omar.client.get("/v1/me/standing").await.accepted();
        assert_eq!((&standing["acts"][0]["act"], &standing["may_play"]), (&json!("banned"), &json!(true)));
        // Sessions end at once.
        act_later(&service, &mona, &omar.account, json!({"act": "sessions_ended", "reason": "Stolen."})).await.accepted();
        omar.client.get("/v1/me").await.refused(401, "session-ended");
        let acts = mona.get("/v1/admin/acts?limit=2").await.accepted();
        assert_eq!((&acts["items"][0]["act"], &acts["items"][1]["untold"]), (&json!("sessions_ended"), &json!("It would only confuse.")));
        let next = acts["next_cursor"].as_str().expect("a cursor");
        let rest = mona.get(&format!("/v1/admin/acts?limit=100&cursor={next}")).await.accepted();
        assert_eq!((rest["items"].as_array().map(Vec::len), &rest["next_cursor"]), (Some(4), &Value::Null));

        // What is wrong changes nothing.
        for (body, code) in [
            (json!({"act": "muted", "reason": "x"}), 422),
            (json!({"act": "muted", "reason": "x", "until": "2020-01-01T00:00:00.000Z"}), 422),
            (json!({"act": "noted", "reason": "x", "until": until}), 422),
            (json!({"act": "noted", "reason": " "}), 422),
            (json!({"act": "report_upheld", "reason": "x"}), 422),
            (json!({"act": "renamed", "reason": "x", "display_name": "admin\u{202e}"}), 422),
            (json!({"act": "export_sent", "reason": "x"}), 409),
            (json!({"act": "second_step_removed", "reason": "x"}), 403),
        ] {
            assert_eq!(act(&mona, &noor.account, body.clone()).await.status, code, "{body}");
        }
        assert_eq!(inspected(&mona, &noor.account).await["acts"], json!([]));
        act(&mona, &uuid::Uuid::nil().to_string(), json!({"act": "noted", "reason": "x"})).await.refused(404, "not-found");
        // Deleting is an act as well, and stays.
        act_later(&service, &mona, &omar.account, json!({"act": "deleted", "reason": "A letter."})).await.accepted();
        mona.get(&format!("/v1/admin/accounts/{}", omar.account)).await.refused(404, "not-found");
        let newest = mona.get("/v1/admin/acts?limit=1").await.accepted();
        assert_eq!((&newest["items"][0]["act"], &newest["items"][0]["account"]["id"]), (&json!("deleted"), &json!(omar.account)));
    }

    async fn reports_are_taken_and_decided(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let id = report(&noor, &omar).await;
        let mona = service.with_role("mona", "moderator").await;
        let path = format!("/v1/admin/reports/{id}");
        let queue = mona.get("/v1/admin/reports").await.accepted();
        assert_eq!((&queue["items"][0]["id"], &queue["items"][0]["text"]), (&json!(id), &json!("Insults.")));
        let taken = mona.post(&format!("{path}/take")).await.accepted();
        assert_eq!(taken["taken_by"]["name"], "mona");
        let shown = mona.get(&path).await.accepted();
        assert_eq!((&shown["evidence"]["name"], &shown["evidence"]["rounds"]), (&json!("omar"), &json!("[]")));
        let wish = json!({"decision": "upheld", "reason": "We spoke to the player."});
        let decided = mona.send(&format!("{path}/decision"), &wish).await.accepted();
        assert_eq!((&decided["decision"], &decided["taken_by"]["name"]), (&json!("upheld"), &json!("mona")));
        mona.send(&format!("{path}/decision"), &wish).await.refused(409, "report-decided");
        mona.post(&format!("{path}/take")).await.refused(409, "report-decided");
        assert_eq!(mona.get("/v1/admin/reports").await.accepted()["items"], json!([]));
        assert_eq!(mona.get("/v1/admin/reports?all=true").await.accepted()["items"][0]["id"], id);
        assert_eq!(noor.client.get("/v1/me/reports").await.accepted()["items"][0]["state"], "upheld");
        assert_eq!(omar.client.get("/v1/me/standing").await.accepted()["acts"][0]["act"], "report_upheld");
        assert_eq!(inspected(&mona, &omar.account).await["reports"][0]["id"], id);
    }

    async fn accounts_are_found_by_what_names_them(service: Service) {
        let table = service.table("plain").open().await;
        let noor = service.player("noor").await;
        noor.client.request(Method::PATCH, "/v1/me").json(&json!({"display_name": "Noor of Cairo"})).await.accepted();
        let code = noor.client.post("/v1/me/friend-code").await.accepted();
        let code = code["friend_code"].as_str().expect("a code").to_lowercase();
        let mona = service.with_role("mona", "moderator").await;
        for text in [noor.account.as_str(), "NOOR", "Noor%20of%20Cairo", &code] {
            let found = mona.get(&format!("/v1/admin/accounts?q={text}")).await.accepted();
            assert_eq!((found["items"].as_array().map(Vec::len), &found["items"][0]["id"]), (Some(1), &json!(noor.account)), "{text}");
        }
        let seated = mona.get(&format!("/v1/admin/accounts?q={}", table.id)).await.accepted();
        assert_eq!(seated["items"].as_array().map(Vec::len), Some(1));
        // No part of a name finds anybody.
        for text in ["noo", "Cairo", "%25", "_oor"] {
            assert_eq!(mona.get(&format!("/v1/admin/accounts?q={text}")).await.accepted()["items"], json!([]), "{text}");
        }
    }

    async fn notes_and_reports_about_staff_are_for_others(service: Service) {
        let noor = service.player("noor").await;
        let mona = service.with_role("mona", "moderator").await;
        let aida = service.with_role("aida", "auditor").await;
        let boss = service.with_role("boss", "admin").await;
        let about = report(&noor, &service.player("mona").await).await;
        assert_eq!(mona.get("/v1/admin/reports").await.accepted()["items"], json!([]));
        mona.get(&format!("/v1/admin/reports/{about}")).await.refused(403, "account-protected");
        mona.post(&format!("/v1/admin/reports/{about}/take")).await.refused(403, "account-protected");
        assert_eq!(boss.get("/v1/admin/reports").await.accepted()["items"][0]["id"], about);
        let own = service.player("mona").await.account;
        act(&boss, &own, json!({"act": "noted", "reason": "Watch this moderator."})).await.accepted();
        assert_eq!(inspected(&mona, &own).await["acts"], json!([]));
        assert_eq!(inspected(&boss, &own).await["acts"][0]["reason"], "Watch this moderator.");
        assert_eq!(aida.get("/v1/admin/acts").await.accepted()["items"], json!([]));
        // A suspended moderator does nothing any more.
        let until = later(&service, 2);
        act(&boss, &own, json!({"act": "suspended", "reason": "Misuse.", "until": until})).await.accepted();
        service.wait(3);
        mona.get("/v1/admin/overview").await.refused(403, "suspended");
        act(&mona, &noor.account, json!({"act": "noted", "reason": "x"})).await.refused(403, "suspended");
    }
}

on_sqlite_first! {
    async fn accounts_with_a_role_are_for_admins_and_the_own_for_nobody(service: Service) {
        let mona = service.with_role("mona", "moderator").await;
        let aida = service.with_role("aida", "auditor").await;
        let boss = service.with_role("boss", "admin").await;
        let id = async |client: &Client| client.get("/v1/me").await.accepted()["id"].as_str().expect("an id").to_owned();
        let note = || json!({"act": "noted", "reason": "x"});
        act(&mona, &id(&aida).await, note()).await.refused(403, "account-protected");
        act(&mona, &id(&boss).await, note()).await.refused(403, "account-protected");
        for own in [&mona, &boss] {
            act(own, &id(own).await, note()).await.refused(403, "account-protected");
        }
        act(&boss, &id(&mona).await, note()).await.accepted();
        // Nobody decides about themselves, or their own reports, and nobody ends their own game.
        let (noor, mona_plays) = (service.player("noor").await, service.player("mona").await);
        let about = report(&noor, &mona_plays).await;
        let wish = json!({"decision": "dismissed", "reason": "No."});
        let decide = |client: &Client, id: &str| client.send(&format!("/v1/admin/reports/{id}/decision"), &wish);
        decide(&mona, &about).await.refused(403, "account-protected");
        decide(&boss, &about).await.accepted();
        let game = mona.send("/v1/games", &json!({"ruleset": "plain"})).await.accepted();
        let game = game["id"].as_str().expect("an id");
        let end = format!("/v1/admin/games/{game}/end");
        mona.send(&end, &json!({"reason": "x"})).await.refused(403, "account-protected");
        boss.send(&end, &json!({"reason": "x"})).await.accepted();
        boss.send(&end, &json!({"reason": "x"})).await.refused(409, "game-not-playing");
    }

    async fn a_link_works_after_a_day_unless_it_is_stopped(service: Service) {
        let noor = service.player("noor").await;
        let mona = service.with_role("mona", "moderator").await;
        let give = json!({"act": "access_given", "reason": "She knows her last games."});
        let nobody = service.anonymous();
        let redeem = |token: &Value| nobody.send("/v1/sessions/recovery", &json!({"code": token}));
        let first = act(&mona, &noor.account, give.clone()).await.accepted()["token"].clone();
        let refused = redeem(&first).await.refused(403, "link-too-early");
        assert_eq!(refused["works_at"], later(&service, 1));
        let link = noor.client.get("/v1/me/access-link").await.accepted();
        assert_eq!(link["works_at"], later(&service, 1));
        assert_eq!(noor.client.get("/v1/me/changes").await.accepted()["items"][0]["kind"], "access_given");
        // Its owner is there, and stops it.
        service.wait(1);
        assert_eq!(noor.client.delete("/v1/me/access-link").await.status, 204);
        assert_eq!(noor.client.delete("/v1/me/access-link").await.status, 204);
        assert_eq!(noor.client.get("/v1/me/changes").await.accepted()["items"][0]["kind"], "access_stopped");
        service.wait(25 * 3600);
        redeem(&first).await.refused(401, "recovery-code-invalid");
        // Nobody stops the second, and it works once.
        let mona = service.with_role("mona", "moderator").await;
        let second = act(&mona, &noor.account, give).await.accepted()["token"].clone();
        service.wait(24 * 3600);
        let session = redeem(&second).await.accepted();
        redeem(&second).await.refused(401, "recovery-code-invalid");
        let back = nobody.with_token(session["access_token"].as_str().expect("a token"));
        assert_eq!(back.get("/v1/me/access-link").await.accepted(), json!({"works_at": null, "expires_at": null}));
        nobody.send("/v1/access-links/stop", &json!({"token": second})).await.refused(401, "link-invalid");
        nobody.send("/v1/exports", &json!({"token": second})).await.refused(401, "link-invalid");
        // An account with a second step needs it still.
        let (_, codes) = set_up(&service, &back).await;
        let mona = service.with_role("mona", "moderator").await;
        let third = act(&mona, &noor.account, json!({"act": "access_given", "reason": "Again."})).await.accepted()["token"].clone();
        service.wait(24 * 3600);
        let session = redeem(&third).await.accepted();
        let back = nobody.with_token(session["access_token"].as_str().expect("a token"));
        back.get("/v1/sessions").await.refused(403, "second-step-required");
        back.send("/v1/sessions/current/second-step", &json!({"code": codes[0]})).await.accepted();
        back.get("/v1/sessions").await.accepted();
        // Admins remove it.
        let boss = service.with_role("boss", "admin").await;
        act(&boss, &noor.account, json!({"act": "second_step_removed", "reason": "The phone is lost."})).await.accepted();
        act(&boss, &noor.account, json!({"act": "second_step_removed", "reason": "Again."})).await.refused(409, "no-second-step");
        nobody.signed_in("noor", PASSWORD).await.get("/v1/sessions").await.accepted();
    }

    async fn no_operation_of_the_desk_shows_a_card(service: Service) {
        let table = service.table("nineteen").with("visibility", "private").started().await;
        let mona = service.with_role("mona", "moderator").await;
        let shown = mona.get(&format!("/v1/admin/games/{}", table.id)).await.accepted();
        assert_eq!((&shown["status"], &shown["visibility"]), (&json!("playing"), &json!("private")));
        assert!(shown["to_act"]["name"].is_string() && shown["phase"].is_string(), "{shown}");
        for word in ["hand", "card", "trick", "seed", "legal", "join_code"] {
            assert!(!shown.to_string().contains(&format!("\"{word}")), "{word}: {shown}");
        }
        // A running game has no history for moderators.
        let game = format!("/v1/games/{}", table.id);
        mona.get(&format!("{game}/history")).await.refused(404, "not-found");
        let ended = mona.send(&format!("/v1/admin/games/{}/end", table.id), &json!({"reason": "Stuck."})).await.accepted();
        assert_eq!((&ended["act"], &ended["game"]), (&json!("game_ended"), &json!(table.id)));
        let shown = mona.get(&format!("/v1/admin/games/{}", table.id)).await.accepted();
        assert_eq!((&shown["status"], &shown["acts"][0]["reason"]), (&json!("abandoned"), &json!("Stuck.")));
        // Of one that is over, moderators read it as auditors do, and that is recorded.
        let history = mona.get(&format!("{game}/history")).await;
        assert!(history.status == 200 && history.body.contains("ended"), "{history}");
        let noor = service.player("noor").await;
        let accesses = noor.client.get(&format!("{game}/audit-accesses")).await.accepted();
        assert_eq!(accesses["items"].as_array().map(Vec::len), Some(1));
        // The players are told, with the reason.
        let told = noor.client.get("/v1/me/standing").await.accepted();
        assert_eq!((&told["acts"][0]["act"], &told["acts"][0]["reason"], &told["acts"][0]["game"]), (&json!("game_ended"), &json!("Stuck."), &json!(table.id)));
        assert_eq!(service.player("stranger").await.client.get("/v1/me/standing").await.accepted()["acts"], json!([]));
        let mut outsider = service.database().outsider();
        assert_eq!(outsider.count("notifications WHERE kind = 'standing_changed' AND destination = 'webhook'"), 4);
    }

    /// Every answer of the desk while a game runs, against the hands of its players.
    async fn nobody_sees_a_hand_at_the_desk(service: Service) {
        let table = service.table("squares").with("visibility", "private").started().await;
        let mut hands = Vec::new();
        for player in &table.players {
            let view = player.client.get(&format!("/v1/games/{}", table.id)).await.accepted();
            let seen = view["round"]["hands"].to_string();
            let is_card = |word: &&str| {
                (2..=3).contains(&word.len())
                    && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
            };
            hands.extend(seen.split('"').filter(is_card).map(|card| format!("\"{card}\"")));
        }
        let view = table.players[0].client.get(&format!("/v1/games/{}", table.id)).await.accepted();
        assert!(hands.len() > 20, "{view}");
        let noor = service.player("noor").await;
        let targets = Targets { game: &table.id, session: "", account: &noor.account };
        for role in ["auditor", "moderator", "admin"] {
            let client = service.with_role(&format!("keeper{}", role.len()), role).await;
            for operation in operations().iter().filter(|one| one.access == Admin && one.method == Method::GET) {
                let answer = operation.by(&client, &targets).await;
                let seen = hands.iter().find(|card| answer.body.contains(card.as_str()));
                assert!(seen.is_none(), "{role} {}: {seen:?} in {answer}", operation.name);
            }
        }
    }

    async fn a_link_into_an_account_ends_with_its_promotion(service: Service) {
        let noor = service.player("noor").await;
        let mona = service.with_role("mona", "moderator").await;
        let given = act(&mona, &noor.account, json!({"act": "access_given", "reason": "x"})).await.accepted();
        let boss = service.with_role("boss", "admin").await;
        let role = format!("/v1/admin/accounts/{}/role", noor.account);
        boss.request(Method::PUT, &role).json(&json!({"role": "admin"})).await.accepted();
        service.wait(25 * 3600);
        let back = json!({"code": given["token"]});
        service.anonymous().send("/v1/sessions/recovery", &back).await.refused(401, "recovery-code-invalid");
    }

    /// Nodes act on one account at once: no measure is lost, and the audit finds nothing.
    async fn acts_of_several_nodes_take_turns(service: Service) {
        let (noor, boss) = (service.player("noor").await, service.with_role("boss", "admin").await);
        let account = AccountId::new(noor.account.as_str());
        let nodes = [service.app(), service.another_node(), service.another_node()];
        let until = Some(RecordTime::of(service.now() + SignedDuration::from_hours(48), None));
        let operator = ActingModerator::operator();
        for round in 0..8 {
            let measures = [Act::Banned, Act::Muted, Act::Suspended]
                .map(|act| ActRequest { until, ..ActRequest::new(act, "At once.") });
            let acting = nodes.iter().zip(&measures).map(|(node, measure)| node.moderation.act(&operator, &account, measure));
            for acted in join_all(acting).await {
                acted.expect("an act");
            }
            let mut outsider = service.database().outsider();
            let whole = "standings WHERE muted_until > 0 AND suspended_until > 0 AND banned_until > 0";
            assert_eq!(outsider.count(whole), 1, "round {round}");
            act(&boss, &noor.account, json!({"act": "lifted", "reason": "Again."})).await.accepted();
        }
        let audit = run(&["audit", "--unsigned", "--database", service.database().url_text()]);
        assert!(audit.status.success(), "{}", String::from_utf8_lossy(&audit.stdout));
        for node in &nodes[1..] {
            node.shutdown().await;
        }
    }
}
