//! Concurrent requests: one wins, and every answer is true.

use super::audit::audit;
use crate::prelude::*;

const RIVALS: usize = 32;

/// A site with a running game, and many clients of the player to move, with their own connections, spread
/// over the nodes.
struct Scene {
    site: Site,
    nodes: Vec<Node>,
    table: Table,
    dice: Random,
}

impl Scene {
    async fn new(backend: Backend, nodes: usize) -> Scene {
        let site = Site::new(backend);
        let nodes: Vec<Node> = (0..nodes).map(|_| site.node()).collect();
        let table = Table::of_two(&Client::anonymous(&nodes[0].url)).await;
        let mut dice = Random(7);
        table.play(&mut dice, 20).await;
        // Every player has made a request at every node, so that all nodes know who is present.
        for node in &nodes {
            for player in &table.players {
                player.client.at(&node.url).get(&table.game()).await.accepted();
            }
        }
        Scene { site, nodes, table, dice }
    }

    async fn rivals(&mut self, with: impl Fn(Request, &Answer) -> Request) -> Vec<Answer> {
        let with = &with;
        let (actor, view) = self.table.turn().await.expect("a game under way");
        let command = self.dice.command(view["legal"].as_array().expect("commands"));
        let seen = self.table.players[actor].client.get(&self.table.game()).await;
        let path = self.table.path("commands");
        let (path, command, seen) = (&path, &command, &seen);
        // Makes all clients first, then sends all requests together.
        let clients: Vec<Client> = (0..RIVALS)
            .map(|rival| {
                let node = &self.nodes[rival % self.nodes.len()];
                self.table.players[actor].client.at(&node.url).apart()
            })
            .collect();
        let requests = clients.iter().map(|client| settled(move || with(client.send(path, command), seen)));
        join_all(requests).await
    }

    async fn version(&self) -> u64 {
        self.table.version().await
    }

    fn log(&self) -> super::audit::Log {
        audit(&mut self.site.outsider()).remove(&self.table.id).expect("the game")
    }
}

/// Sends a request again while another one with its key is in progress.
async fn settled(request: impl Fn() -> Request) -> Answer {
    found("an outcome of the request", async || {
        let answer = request().await;
        let is_in_progress = answer.status == 409 && answer.json()["code"] == "request-in-progress";
        (!is_in_progress).then_some(answer)
    })
    .await
}

fn commands(log: &super::audit::Log, after: u64) -> usize {
    log.events[after as usize..].iter().filter(|event| event.actor != "server").count()
}

async fn the_same_version(backend: Backend, nodes: usize) {
    let mut scene = Scene::new(backend, nodes).await;
    for _ in 0..3 {
        let before = scene.version().await;
        let answers = scene
            .rivals(|request, seen| request.header("if-match", seen.header("etag").expect("a tag")))
            .await;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Answer::is_success);
        assert_eq!((won.len(), lost.len()), (1, RIVALS - 1));
        let won = won[0].json();
        for answer in lost {
            let problem = answer.refused(412, "stale-version");
            assert_eq!(problem["current_version"], won["version"]);
            assert_eq!(problem["events"], won["events"], "the same events, as the same player sees them");
        }
        assert_eq!(commands(&scene.log(), before), 1);
    }
}

/// Without a version, only the first command meets a state in which it is legal.
async fn no_version(backend: Backend, nodes: usize) {
    let mut scene = Scene::new(backend, nodes).await;
    for _ in 0..3 {
        let before = scene.version().await;
        let answers = scene.rivals(|request, _| request).await;
        let won = answers.iter().filter(|answer| answer.is_success()).count();
        for answer in answers.iter().filter(|answer| !answer.is_success()) {
            assert_eq!(answer.status, 409, "{answer:?}");
        }
        // The same player may be to move again, with the same command legal again.
        assert_eq!(commands(&scene.log(), before), won);
        assert!((1..=2).contains(&won), "{won} won");
    }
}

async fn the_same_key(backend: Backend, nodes: usize) {
    let mut scene = Scene::new(backend, nodes).await;
    for round in 0..3 {
        let before = scene.version().await;
        let key = format!("key-{round}");
        let answers = scene.rivals(|request, _| request.header("idempotency-key", key.as_str())).await;
        let bodies: Vec<Value> = answers.iter().map(Answer::json).collect();
        assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
        assert!(bodies.iter().all(|body| *body == bodies[0]), "all are told the same");
        let etags = answers.iter().map(|answer| answer.header("etag"));
        assert!(etags.clone().all(|etag| etag == answers[0].header("etag")));
        let replayed = answers.iter().filter(|answer| answer.header("idempotency-replayed") == Some("true"));
        assert_eq!(replayed.count(), RIVALS - 1);
        assert_eq!(commands(&scene.log(), before), 1);
        assert_eq!(scene.version().await, bodies[0]["version"]);
    }
}

/// Joining, opening and starting with the same key have one effect too.
async fn the_same_key_in_the_lobby(backend: Backend, nodes: usize) {
    let site = Site::new(backend);
    let nodes: Vec<Node> = (0..nodes).map(|_| site.node()).collect();
    let nobody = Client::anonymous(&nodes[0].url);
    let (noor, omar) = (nobody.register("noor").await, nobody.register("omar").await);
    let all = async |player: &Player, path: String, body: Value, key: &str| {
        let (path, body) = (&path, &body);
        let requests = (0..RIVALS).map(|rival| {
            let client = player.client.at(&nodes[rival % nodes.len()].url).apart();
            settled(move || client.send(path, body).header("idempotency-key", key))
        });
        let answers = join_all(requests).await;
        for answer in &answers {
            assert!(answer.is_success(), "{answer:?}");
            assert_eq!((answer.status, &answer.body), (answers[0].status, &answers[0].body));
        }
        answers[0].json()
    };
    let wish = json!({"ruleset": "nineteen", "players": 2});
    let game = all(&noor, "/v1/games".to_owned(), wish, "open").await;
    let path = format!("/v1/games/{}", game["id"].as_str().expect("an id"));
    all(&omar, format!("{path}/seats"), json!({}), "sit").await;
    all(&noor, format!("{path}/start"), json!({}), "start").await;
    let mine = noor.client.get("/v1/games?mine=true").await.accepted();
    assert_eq!(mine["items"].as_array().expect("games").len(), 1);
    let view = noor.client.get(&path).await.accepted();
    assert_eq!((&view["status"], &view["version"]), (&json!("playing"), &json!(4)));
}

/// Runs each race on SQLite, on PostgreSQL, and on PostgreSQL with two nodes.
macro_rules! races {
    ($($(#[ignore = $why:literal])? $name:ident)+) => {$(
        mod $name {
            use crate::databases::Backend;

            $(#[ignore = $why])?
            #[tokio::test]
            async fn sqlite() {
                super::$name(Backend::Sqlite, 1).await;
            }

            $(#[ignore = $why])?
            #[tokio::test]
            async fn postgres() {
                super::$name(Backend::Postgres, 1).await;
            }

            $(#[ignore = $why])?
            #[tokio::test]
            async fn postgres_with_two_nodes() {
                super::$name(Backend::Postgres, 2).await;
            }
        }
    )+};
}
pub(super) use races;

races!(the_same_version no_version the_same_key the_same_key_in_the_lobby);
