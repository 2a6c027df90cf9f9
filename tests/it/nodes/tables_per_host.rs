use super::races::races;
use crate::prelude::*;

/// The default limit of a node.
const MAX: usize = 20;

async fn tables_opened_at_once(backend: Backend, nodes: usize) {
    let site = Site::new(backend);
    let nodes: Vec<Node> = (0..nodes).map(|_| site.node()).collect();
    let noor = Client::anonymous(&nodes[0].url).register("noor").await.client;
    let wish = json!({"ruleset": "squares"});
    let requests =
        (0..MAX + 12).map(|n| noor.at(&nodes[n % nodes.len()].url).apart().send("/v1/games", &wish).sent());
    let answers: Vec<_> =
        join_all(requests).await.into_iter().map(|answer| answer.expect("an answer")).collect();
    let opened = answers.iter().filter(|answer| answer.status == 201).count();
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        let problem = answer.refused(409, "too-many-tables");
        assert_eq!(problem["limit"], MAX);
    }
    assert_eq!(opened, MAX);
    let mine = noor.get("/v1/games?mine=true&limit=100").await.accepted();
    assert_eq!(mine["items"].as_array().expect("games").len(), MAX);
}

races!(tables_opened_at_once);
