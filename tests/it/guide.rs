//! Runs the requests of the guide in bash against the real server. The answers match the guide, and the game
//! is finished and verified.

use std::process::Command;

use crate::documents::{fences, root};
use crate::http::spec::spec;
use crate::prelude::*;
use crate::readme::prints_what_it_shows;

fn guide() -> String {
    page("guide.md")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).expect("a page")
}

#[test]
fn the_page_about_people_prints_what_it_shows() {
    let text = page("people.md");
    let mut fences = fences(&text);
    // An example of a request that only a suspended player makes.
    fences.retain(|fence| !fence.lines.first().is_some_and(|line| line.starts_with("POST ")));
    assert!(fences.iter().all(|fence| matches!(fence.info.as_str(), "sh" | "text")), "an unknown fence");
    for chapter in ["Friends", "Invitations", "Table talk", "Blocks and mutes", "Reports"] {
        let chapter = text.split_once(&format!("\n## {chapter}\n")).expect(chapter).1;
        assert!(chapter.split("\n## ").next().is_some_and(|chapter| chapter.contains("```sh")), "{chapter}");
    }
    prints_what_it_shows(&fences);
}

#[test]
#[ignore = "all: plays whole games; the default plays shorter ones"]
fn the_guide_leads_to_a_finished_and_verified_game() {
    let has_jq = Command::new("jq").arg("--version").output().is_ok_and(|run| run.status.success());
    assert!(has_jq, "the guide needs jq; ./test.sh installs it");
    let mut fences = fences(&guide());
    let known = ["sh", "text", "console", "ts"];
    assert!(fences.iter().all(|fence| known.contains(&fence.info.as_str())), "an unknown fence");
    // The generated clients are for tests/clients/check.sh.
    fences.retain(|fence| matches!(fence.info.as_str(), "sh" | "text"));
    assert!(fences.len() > 30, "{} fences", fences.len());
    let last = fences.last().expect("a fence");
    assert!(
        last.lines.last().is_some_and(|line| line.ends_with("all is well")),
        "the guide ends with a verified game"
    );
    prints_what_it_shows(&fences);
}

#[test]
fn the_guide_goes_through_every_step() {
    let text = guide();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let steps = [
        "Sign in",
        "Errors",
        "Names",
        "Refresh tokens",
        "Rulesets and options",
        "Idempotency keys",
        "Lobby",
        "Game state",
        "Commands",
        "Streams",
        "Reconnecting",
        "Bots and absent players",
        "Notifications",
        "Matchmaking",
        "Score sheet",
        "Client seeds",
        "Verify the game",
    ];
    assert_eq!(headings[..steps.len()], steps);
    let document = spec().document().to_string();
    for name in ["createSession", "getGame", "postCommand"] {
        assert!(text.contains(name) && document.contains(name), "{name}");
    }
}
