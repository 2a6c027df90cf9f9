//! Two versions of the program on one database. Until there is a second release, one program claims to be a newer version
//! that knows another format of games.

use super::site::SECRET;
use crate::prelude::*;

const NEWER: [&str; 2] = ["--claims", "0.2.0:2"];

fn formats(site: &Site) -> i64 {
    site.outsider().count("game_formats")
}

/// A site on PostgreSQL with an old node and a new one that know of each other.
async fn pair() -> (Site, Node, Node) {
    let site = Site::new(Backend::Postgres);
    let old = site.node();
    let count = || site.outsider().count("nodes");
    eventually("the old node is known", async || count() == 1).await;
    let new = site.node_with(&NEWER);
    let known = || site.outsider().count("nodes WHERE format = 1 OR version = '0.2.0'");
    eventually("both nodes are known", async || known() == 2).await;
    (site, old, new)
}

fn is_sound(site: &Site) {
    let output = run(&["audit", "--database", site.url(), "--unsigned", "--keys-secret", SECRET]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_on_both_versions_play_games_that_verify() {
    let (site, mut old, new) = pair().await;
    let mut playing = Vec::new();
    for seed in 0..10 {
        let (opened, moved) = if seed % 2 == 0 { (&new, &old) } else { (&old, &new) };
        let mut table = Table::of_two(&Client::anonymous(&opened.url)).await;
        table.players[1].client = table.players[1].client.at(&moved.url);
        playing.push(tokio::spawn(async move { table.play(&mut Random(seed), usize::MAX).await }));
    }
    for game in playing {
        game.await.expect("a game");
    }
    assert_eq!((site.outsider().count("games WHERE status = 'finished'"), formats(&site)), (10, 0));
    is_sound(&site);

    // The last old node stops. Then the new one opens games of its own format, and the old version does not start.
    old.terminate();
    old.ended_within(PATIENCE).expect("its end");
    let nobody = Client::anonymous(&new.url);
    eventually("a game has the new format", async || {
        let table = Table::of_two(&nobody).await;
        table.play(&mut Random(1), usize::MAX).await;
        formats(&site) > 0
    })
    .await;
    is_sound(&site);
    let flags =
        ["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--database-url", site.url()];
    let output = run(&[&flags[..], &["--keys-secret", SECRET]].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let why = "it has games in format 2, and this version of the program knows format 1: start the version";
    assert!(!output.status.success() && told.contains(why), "{told}");
}

/// The old node started in the moment in which the new one opened a game.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_node_refuses_a_game_whose_format_it_does_not_know() {
    let (site, old, new) = pair().await;
    let game = Table::of_two(&Client::anonymous(&new.url)).await;
    let other = Table::of_two(&Client::anonymous(&new.url)).await;
    let (there, other) = (game.at(&old.url), other.at(&old.url));
    site.outsider()
        .run(&format!("INSERT INTO game_formats VALUES ('{}', 2)", game.id))
        .expect("another format");
    let refused = there.seat(0).view().await;
    refused.refused(503, "unavailable");
    let command = json!({"type": "estimate", "tricks": 0});
    there.seat(0).player.client.send(&there.path("commands"), &command).await.refused(503, "unavailable");
    let complaint = "has format 2, which this version of the program does not know: it knows 1";
    assert!(old.complaints().contains(complaint), "{}", old.complaints());
    let left = "its nodes take all games through their ends";
    eventually("the old node leaves ends to the new one", async || old.complaints().contains(left)).await;
    other.play(&mut Random(1), usize::MAX).await;
    game.play(&mut Random(1), usize::MAX).await;
    eventually("both are signed", async || site.outsider().count("games WHERE signed_at IS NOT NULL") == 2)
        .await;
    assert_eq!(site.outsider().count("refused_games"), 0, "a node took what it does not know for damaged");
    is_sound(&site);
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[test]
fn a_claim_is_a_version_and_a_format() {
    for wrong in ["2", "0.2.0:x", ""] {
        assert!(!run(&["config", "--claims", wrong]).status.success(), "{wrong}");
    }
}
