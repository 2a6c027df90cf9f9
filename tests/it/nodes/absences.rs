//! Players who disconnect, return, time out and give up, while nodes die. Every game ends, each expired turn
//! is played once, and each game is counted once.
//!
//! With `ESTIMATION_TEST_LONG=1` there are 200 games.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::frames::{Frame, Frames};
use crate::patience::is_long;
use crate::prelude::*;

const LONG_PATIENCE: Duration = Duration::from_secs(900);

const TURN_SECONDS: u64 = 10;

fn games() -> usize {
    if is_long() { 200 } else { 5 }
}

/// An account that keeps asking while nodes die, and renews its tokens.
struct Person {
    urls: Arc<Vec<String>>,
    player: Mutex<Player>,
}

impl Person {
    fn new(urls: &Arc<Vec<String>>, player: &Player) -> Person {
        Person { urls: Arc::clone(urls), player: Mutex::new(player.clone()) }
    }

    async fn insist(&self, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
        let begun = Instant::now();
        for number in path.len().. {
            let client = self.player.lock().await.client.at(&self.urls[number % self.urls.len()]);
            let mut request = client.request(method.clone(), path);
            if let Some(body) = body {
                request = request.json(body);
            }
            match request.sent_within(Duration::from_secs(20)).await {
                Ok(answer) if answer.status == 401 => self.renew(&client).await,
                Ok(answer) if answer.status != 503 => return (answer.status, answer.json()),
                _ => {}
            }
            assert!(begun.elapsed() < LONG_PATIENCE, "{method} {path}: no answer");
            sleep(Duration::from_millis(100)).await;
        }
        unreachable!("there is always another attempt")
    }

    /// Refreshes the session if the tokens are still those of the client. A node that dies may leave it to the
    /// next attempt.
    async fn renew(&self, refused: &Client) {
        let mut player = self.player.lock().await;
        if player.client.token != refused.token {
            return;
        }
        let wish = json!({"refresh_token": player.refresh_token});
        let request =
            refused.request(Method::POST, "/v1/sessions/refresh").header("authorization", "").json(&wish);
        if let Ok(answer) = request.sent_within(Duration::from_secs(20)).await
            && answer.status != 503
        {
            player.use_session(&answer.accepted());
        }
    }
}

/// A player who is sometimes away, for a while or permanently, or gives up.
async fn play(person: Arc<Person>, table: Table, mut dice: Random) {
    let begun = Instant::now();
    let first = person.player.lock().await.client.clone();
    person.renew(&first).await;
    loop {
        assert!(begun.elapsed() < LONG_PATIENCE, "game {} does not end", table.id);
        let (status, view) = person.insist(Method::GET, &table.game(), None).await;
        if status != 200 || view["status"] != "playing" || view["you"].is_null() {
            return;
        }
        let legal = view["legal"].as_array().expect("commands");
        match dice.below(400) {
            0 => return,
            // The whole test takes as long as the table whose players are away most.
            1 => {
                let away = TURN_SECONDS * 1_000 / 2 + dice.below(2_500 * TURN_SECONDS as usize) as u64;
                sleep(Duration::from_millis(away)).await;
                continue;
            }
            2 => {
                let chair = view["you"]["seat"].as_u64().or(view["you"]["place"].as_u64()).expect("a chair");
                let path = table.path(&format!("seats/{chair}"));
                person.insist(Method::DELETE, &path, None).await;
                continue;
            }
            _ => {}
        }
        if legal.is_empty() {
            let after = view["version"].as_u64().expect("a version");
            let path = table.path(&format!("events?after={after}&wait=2"));
            person.insist(Method::GET, &path, None).await;
            continue;
        }
        // The timer, a bot, or an earlier unanswered command may have been faster.
        let command = dice.command(legal);
        let (status, answer) = person.insist(Method::POST, &table.path("commands"), Some(&command)).await;
        assert!(matches!(status, 200 | 403 | 409), "{command}: {status} {answer}");
    }
}

async fn kill_now_and_then(mut nodes: Vec<Node>, enough: Arc<AtomicBool>) -> (Vec<Node>, usize) {
    let (mut dice, mut kills) = (Random(5), 0);
    while !enough.load(Ordering::Relaxed) {
        sleep(Duration::from_millis(3_000 + dice.below(3_000) as u64)).await;
        let mut node = nodes.swap_remove(dice.below(nodes.len()));
        let restarted = spawn_blocking(move || {
            node.kill();
            node.restart();
            node
        });
        nodes.push(restarted.await.expect("the node is back"));
        kills += 1;
    }
    (nodes, kills)
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_games_survive_their_people() {
    survive(Site::new(Backend::Sqlite)).await;
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_games_survive_their_people() {
    survive(Site::new(Backend::Postgres)).await;
}

async fn survive(site: Site) {
    let begun = Instant::now();
    let nodes =
        if site.backend() == Backend::Sqlite { vec![site.node()] } else { vec![site.node(), site.node()] };
    let urls: Arc<Vec<String>> = Arc::new(nodes.iter().map(|node| node.url.clone()).collect());
    let mut tables = Vec::new();
    for number in 0..games() {
        let nobody = Client::anonymous(&urls[number % urls.len()]);
        let (wish, players) = match number % 3 {
            0 => {
                (json!({"ruleset": "plain", "options": {"length": "micro"}, "turn_seconds": TURN_SECONDS}), 4)
            }
            _ => (json!({"ruleset": "nineteen", "players": 2, "turn_seconds": TURN_SECONDS}), 2),
        };
        let table = Table::open(&nobody, &wish, players).await;
        table.start().await.accepted();
        tables.push(table);
    }
    let enough = Arc::new(AtomicBool::new(false));
    let killer = tokio::spawn(kill_now_and_then(nodes, Arc::clone(&enough)));
    let (mut people, mut games) = (Vec::new(), Vec::new());
    for (number, table) in tables.iter().enumerate() {
        let sitting: Vec<_> =
            table.players.iter().map(|player| Arc::new(Person::new(&urls, player))).collect();
        for (own, person) in sitting.iter().enumerate() {
            let dice = Random((number * 8 + own) as u64);
            games.push(tokio::spawn(play(Arc::clone(person), table.clone(), dice)));
        }
        people.push(sitting);
    }
    for game in games {
        game.await.expect("somebody who played in peace");
    }
    enough.store(true, Ordering::Relaxed);
    let (nodes, kills) = killer.await.expect("a killer");
    assert!(kills > 0);

    let (mut late, mut stand_ins, mut forfeits, mut finished) = (0, 0, 0, 0);
    for (table, sitting) in tables.iter().zip(&people) {
        let log = over(&sitting[0], table, begun).await;
        let of = |kind: &str| log.iter().filter(|event| event["event"]["type"] == kind).count();
        let by_clock = log.iter().filter(|event| event["actor"]["by"] == "clock").count();
        assert_eq!(by_clock, of("turn_timed_out"), "each turn that ran out was taken once");
        late += by_clock;
        stand_ins += of("stand_in_began");
        forfeits += of("player_forfeited");
        let ended = log.last().expect("an end")["event"]["type"] == "game_finished";
        finished += usize::from(ended);
        for person in sitting {
            is_counted_once(person, ended).await;
        }
    }
    println!(
        "{:?}: {} games, {finished} of them finished, {late} turns ran out, {stand_ins} stand-ins, {forfeits} \
         forfeits, {kills} kills, {:?}",
        site.backend(),
        tables.len(),
        begun.elapsed()
    );
    assert!(late > 0 && forfeits > 0, "nobody was away");
    is_sound(&site, &nodes[0]).await;
}

async fn over(person: &Person, table: &Table, begun: Instant) -> Vec<Value> {
    let mut log: Vec<Value> = Vec::new();
    loop {
        let path = table.path(&format!("events?after={}&limit=100&wait=5", log.len()));
        let (status, page) = person.insist(Method::GET, &path, None).await;
        assert_eq!(status, 200, "{page}");
        log.extend(page["items"].as_array().expect("events").iter().cloned());
        let last = log.last().map(|event| event["event"]["type"].as_str().unwrap_or_default().to_owned());
        if last.is_some_and(|last| last == "game_finished" || last == "game_abandoned") {
            return log;
        }
        assert!(begun.elapsed() < LONG_PATIENCE, "game {} does not end", table.id);
    }
}

/// After one finished game, each of its players has one game in the statistics and in the rating.
async fn is_counted_once(person: &Person, finished: bool) {
    let account = person.player.lock().await.account.clone();
    let path = format!("/v1/players/{account}/statistics");
    found(format!("a game of {account} is counted: {finished}"), async || {
        let (status, statistics) = person.insist(Method::GET, &path, None).await;
        assert_eq!(status, 200, "{statistics}");
        match (statistics["rulesets"].as_array().expect("rulesets").as_slice(), finished) {
            ([], false) => Some(()),
            ([one], true) => {
                assert_eq!((&one["games"], &one["rating"]["games"]), (&json!(1), &json!(1)), "{statistics}");
                Some(())
            }
            _ => None,
        }
    })
    .await;
}

/// The audit of the database passes: no turn was taken before its deadline, and nothing was done twice.
async fn is_sound(site: &Site, node: &Node) {
    let keys = Client::anonymous(&node.url).get("/.well-known/jwks.json").await.body;
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), keys).expect("the keys");
    let output = run(&["audit", "--jwks", file.path().to_str().expect("a path"), "--database", site.url()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

on_both! {
    /// A player with an open stream is present on every node, and absent soon after closing it.
    #[ignore = "all: runs, kills and freezes programs for many seconds"]
    async fn presence_is_known_everywhere(site: Site) {
        let node = site.node();
        let other = (site.backend() == Backend::Postgres).then(|| site.node());
        let elsewhere = other.as_ref().map_or(&node.url, |node| &node.url);
        let nobody = Client::anonymous(&node.url);
        let table = Table::of_two(&nobody).await;
        let looks = table.players[0].client.at(elsewhere);
        let connected = async |wanted: bool| {
            eventually(format!("connected is {wanted}"), async || {
                let view = looks.get(&table.game()).await.accepted();
                let own = view["you"]["seat"].as_u64().expect("a seat") as usize;
                view["seats"][1 - own]["connected"] == wanted
            })
            .await;
        };
        for _ in 0..2 {
            let mut stream = Frames::of(&table.players[1].client, "/v1/me/stream", None).await;
            connected(true).await;
            let _: Option<Frame> = tokio::time::timeout(Duration::from_millis(100), stream.next()).await.ok().and_then(Result::ok).flatten();
            drop(stream);
            connected(false).await;
        }
        // When a node dies, players connected only to it become absent.
        if other.is_some() {
            let stream = Frames::of(&table.players[1].client, "/v1/me/stream", None).await;
            connected(true).await;
            let mut node = node;
            node.kill();
            connected(false).await;
            drop(stream);
        }
        looks.request(Method::GET, "/healthz").await;
    }
}
