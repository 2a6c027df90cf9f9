//! Nobody finds a player who does not want to be found: hidden, blocking and missing players are answered alike, and in the
//! same time. The times are compared on demand, on an idle machine: `ESTIMATION_TEST_TIMING=1 cargo test --test it hiding`.

use super::{Scene, befriend, block, for_two, gone, put, table_of};
use crate::http::login_timing::rank_test;
use crate::prelude::*;

const NOWHERE: &str = "019b7a00-0000-7000-8000-00000000dead";

/// Pairs of samples for each comparison of times.
const ATTEMPTS: usize = 200;

/// A way to look for somebody.
#[derive(Clone, Copy, Debug)]
enum Way {
    Profile,
    Name,
    Code,
    Request,
    RequestWithCode,
    Invitation,
    Reaction,
    Report,
}

const WAYS: [Way; 8] = [
    Way::Profile,
    Way::Name,
    Way::Code,
    Way::Request,
    Way::RequestWithCode,
    Way::Invitation,
    Way::Reaction,
    Way::Report,
];

/// What a seeker knows of somebody, or makes up.
struct Known {
    id: String,
    name: String,
    code: String,
    game: String,
}

async fn look(way: Way, seeker: &Player, own: &str, known: &Known) -> Answer {
    let client = &seeker.client;
    let Known { id, name, code, game } = known;
    match way {
        Way::Profile => client.get(&format!("/v1/players/{id}")).await,
        Way::Name => client.get(&format!("/v1/people?name={name}")).await,
        Way::Code => client.get(&format!("/v1/people?code={code}")).await,
        Way::Request => put(seeker, &format!("/v1/me/friends/{id}")).await,
        Way::RequestWithCode => put(seeker, &format!("/v1/me/friends/{id}?code={code}")).await,
        Way::Invitation => client.send(own, &json!({"player": id})).await,
        Way::Reaction => {
            client.send(&format!("/v1/games/{game}/reactions"), &json!({"reaction": "hello"})).await
        }
        Way::Report => {
            let report = json!({"player": id, "game": game, "about": "conduct", "text": ""});
            client.send("/v1/reports", &report).await
        }
    }
}

/// A hidden player, one who does not exist, and the seeker's own path for invitations.
async fn hidden(scene: &Scene) -> (Player, Known, Known, String) {
    let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
    let settings = json!({"shows_presence": false, "found_by_name": true, "takes_requests": false});
    omar.client.request(Method::PUT, "/v1/me/people/settings").json(&settings).await.accepted();
    let code = omar.client.post("/v1/me/friend-code").await.accepted();
    let table = table_of(&[&omar], &for_two()).await;
    block(&omar, &noor).await;
    let there = Known {
        id: omar.account.clone(),
        name: "omar".to_owned(),
        code: code["friend_code"].as_str().expect("a code").to_owned(),
        game: table.id.clone(),
    };
    let missing = Known {
        id: NOWHERE.to_owned(),
        name: "amor".to_owned(),
        code: "AAAAAAAAAAAA".to_owned(),
        game: NOWHERE.to_owned(),
    };
    let own = table_of(&[&noor], &for_two()).await.path("invitations");
    (noor, there, missing, own)
}

on_both! {
    async fn a_hidden_player_is_answered_like_nobody(scene: Scene) {
        let (noor, there, missing, own) = hidden(&scene).await;
        for way in WAYS {
            let answers = [look(way, &noor, &own, &there).await, look(way, &noor, &own, &missing).await];
            let [one, other] = answers.map(|answer| match answer.status {
                200 => answer.json(),
                _ => gone(&answer, answer.json()["what"].as_str().expect("a kind")),
            });
            assert_eq!(one, other, "{way:?}");
            assert!(!one.to_string().contains(&there.id), "{way:?}: {one}");
        }
    }

    /// A stranger learns nothing of presence, friends, codes and recent people, whatever ids they try.
    async fn people_of_others_are_in_no_answer(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let stranger = scene.player("lina", 1).await;
        befriend(&noor, &omar).await;
        let settings = json!({"shows_presence": true, "found_by_name": false, "takes_requests": true});
        omar.client.request(Method::PUT, "/v1/me/people/settings").json(&settings).await.accepted();
        let code = omar.client.post("/v1/me/friend-code").await.accepted()["friend_code"].as_str().expect("a code").to_owned();
        for path in ["/v1/me/people", "/v1/me/recent-players", "/v1/me/invitations", "/v1/me/reports", "/v1/me/export"] {
            let answer = stranger.client.get(path).await;
            answer.accepted();
            assert!(!answer.body.contains(&omar.account) && !answer.body.contains(&code), "{answer}");
        }
        let profile = stranger.client.get(&format!("/v1/players/{}", omar.account)).await;
        let fields = profile.accepted();
        let known = ["broken_off", "display_name", "id", "kind", "since"];
        assert!(fields.as_object().expect("a profile").keys().all(|field| known.contains(&field.as_str())), "{profile}");
    }
}

#[tokio::test]
async fn hidden_and_missing_players_take_the_same_time() {
    if std::env::var_os("ESTIMATION_TEST_TIMING").is_none() {
        return;
    }
    let scene = Scene::from(TestDatabase::new(Backend::Sqlite));
    let (noor, there, missing, own) = hidden(&scene).await;
    // Whether a game that one may not see is there can be told by the time. A game tells nothing of a player.
    for way in WAYS.into_iter().filter(|way| !matches!(way, Way::Reaction | Way::Report)) {
        let mut times: [Vec<f64>; 2] = Default::default();
        for attempt in 0..2 * ATTEMPTS {
            // Alternates the two kinds and swaps their order, so that drift affects both equally.
            let kind = (attempt + attempt / 2) % 2;
            let known = [&there, &missing][kind];
            let started = Instant::now();
            look(way, &noor, &own, known).await;
            times[kind].push(started.elapsed().as_secs_f64());
        }
        let z = rank_test(&times[0], &times[1]);
        println!("{way:?}: z = {z:.2}");
        // With six comparisons, random variation exceeds this once in some hundred runs.
        assert!(z.abs() < 3.8, "{way:?}: hidden and missing players can be told apart: z = {z:.2}");
    }
}

on_sqlite_first! {
    /// The limit is what makes codes safe from guessing: 2⁶⁰ codes, 120 tries an hour.
    async fn guesses_are_limited(database: TestDatabase) {
        let scene = Scene::with(database, &["--limit-people", "5/1h"]);
        let noor = scene.player("noor", 0).await;
        for _ in 0..5 {
            noor.client.get("/v1/people?code=AAAAAAAAAAAA").await.accepted();
        }
        let answer = noor.client.get("/v1/people?name=omar").await;
        assert_eq!(answer.refused(429, "too-many-attempts")["policy"], "people");
        put(&noor, &format!("/v1/me/friends/{NOWHERE}")).await.refused(429, "too-many-attempts");
        // On every node.
        let elsewhere = noor.at(&scene.nodes[scene.nodes.len() - 1].url);
        elsewhere.client.post("/v1/me/friend-code").await.refused(429, "too-many-attempts");
    }
}
