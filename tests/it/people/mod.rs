//! People: blocks, friends, table talk, reports and what moderators do, on one node and across nodes.

mod blocks;
mod friends;
mod hiding;
mod moderation;
mod spam;
mod talk;

use crate::harness::node::estimation;
use crate::prelude::*;

/// A site with the most nodes that its database has.
pub struct Scene {
    pub site: Site,
    pub nodes: Vec<Node>,
}

impl From<TestDatabase> for Scene {
    fn from(database: TestDatabase) -> Scene {
        Scene::with(database, &[])
    }
}

impl Scene {
    pub fn with(database: TestDatabase, flags: &[&str]) -> Scene {
        let site = Site::on(database);
        let mut all = vec!["--bot-delay", "off"];
        for limit in ["--limit-people", "--limit-reports"] {
            if !flags.contains(&limit) {
                all.extend([limit, "off"]);
            }
        }
        all.extend(flags);
        let count = if site.backend() == Backend::Sqlite { 1 } else { 2 };
        let nodes = (0..count).map(|_| site.node_with(&all)).collect();
        Scene { site, nodes }
    }

    /// A new player whose requests go to the first or the last node.
    pub async fn player(&self, name: &str, node: usize) -> Player {
        let node = &self.nodes[node.min(self.nodes.len() - 1)];
        Client::anonymous(&node.url).register(name).await
    }

    /// Runs the command line on the database of the site.
    pub fn command(&self, arguments: &[&str]) -> (bool, String) {
        let (url, keys) = (self.site.url().to_owned(), self.site.keys_file());
        let mut all = arguments.to_vec();
        all.extend(["--database-url", &url]);
        match self.site.backend() {
            Backend::Sqlite => all.extend(["--keys-file", &keys]),
            Backend::Postgres => all.extend(["--keys-secret", "a secret that all of these nodes share"]),
        }
        let output = estimation(&all).output().expect("the program");
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.success(), said.into_owned())
    }
}

/// A request that changes something, without a body.
pub fn put(player: &Player, path: &str) -> Request {
    player.client.request(Method::PUT, path)
}

pub fn friends(player: &Player) -> String {
    format!("/v1/me/friends/{}", player.account)
}

pub async fn block(player: &Player, other: &Player) {
    put(player, &format!("/v1/me/blocks/{}", other.account)).await.accepted();
}

pub async fn unblock(player: &Player, other: &Player) {
    player.client.delete(&format!("/v1/me/blocks/{}", other.account)).await.accepted();
}

/// Makes two players friends.
pub async fn befriend(one: &Player, other: &Player) {
    assert_eq!(put(one, &friends(other)).await.accepted()["status"], "requested");
    assert_eq!(put(other, &friends(one)).await.accepted()["status"], "friends");
}

pub async fn people(player: &Player) -> Value {
    player.client.get("/v1/me/people").await.accepted()
}

/// A table of two with these players, in the lobby.
pub async fn table_of(players: &[&Player], wish: &Value) -> Table {
    Table::of(players.iter().map(|player| (*player).clone()).collect(), wish).await
}

pub fn for_two() -> Value {
    json!({"ruleset": "nineteen", "players": 2})
}

/// A refusal as that of something that does not exist, without what names the request.
pub fn gone(answer: &Answer, what: &str) -> Value {
    let mut problem = answer.refused(404, "not-found");
    assert_eq!(problem["what"], what, "{answer}");
    let members = problem.as_object_mut().expect("a problem");
    members.remove("instance");
    members.remove("request_id");
    problem
}
