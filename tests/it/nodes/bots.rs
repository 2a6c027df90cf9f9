//! The times of bots' turns.

use crate::harness::node::free_port;
use crate::prelude::*;

/// How long `sharp` searches at least, if it has a choice, in milliseconds.
const SEARCH: i64 = 250;

/// The shortest time of a turn, in milliseconds, with the metric's bound of as many seconds. On a fast machine the first one
/// is more than a search, and little more.
const LEAST: [(u32, &str); 4] = [(500, "0.5"), (1_000, "1"), (2_500, "2.5"), (9_500, "10")];

/// By how much the longest time of a turn exceeds the shortest.
const WIDTH: u32 = 300;

async fn versus_bots(node: &Node, level: &str) -> Table {
    let noor = Client::anonymous(&node.url).register("noor").await;
    let wish = json!({"ruleset": "squares", "options": {"length": "micro"}, "bots": {"level": level}});
    let view = noor.client.send("/v1/games", &wish).await.accepted();
    Table { id: view["id"].as_str().expect("an id").to_owned(), players: vec![noor] }
}

/// Plays until the condition holds. Returns how long the person's commands took, in milliseconds.
async fn play_until(table: &Table, dice: &mut Random, enough: impl Fn(&Value) -> bool) -> Vec<i64> {
    let mut took = Vec::new();
    loop {
        let view = table.view().await;
        if enough(&view) {
            return took;
        }
        match view["legal"].as_array().expect("commands").as_slice() {
            [] => {
                let path = table.path(&format!("events?after={}&wait=5", view["version"]));
                table.players[0].client.get(&path).await.accepted();
            }
            legal => {
                let begun = Instant::now();
                table.seat(0).command(&dice.command(legal)).await.accepted();
                took.push(i64::try_from(begun.elapsed().as_millis()).expect("a short time"));
            }
        }
    }
}

fn milliseconds(event: &Value) -> i64 {
    event["at"].as_str().expect("a time").parse::<Timestamp>().expect("a time").as_millisecond()
}

/// The time that the service drew for the turn after an event, if the shortest is `least`.
fn drawn(event: &Value, least: u32) -> i64 {
    let hash = event["hash"].as_str().expect("a hash");
    let number = u32::from_str_radix(&hash[56..], 16).expect("digits");
    i64::from(least + number % (WIDTH + 1))
}

fn median(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    values[values.len() / 2]
}

/// The turns of bots in a log: how much longer each took than was drawn for it, and whether the bot followed suit with a
/// choice, with its only card, or did something else.
fn late_by(log: &[Value], least: u32) -> Vec<(Option<bool>, i64)> {
    let turns = log.windows(2).filter(|pair| pair[1]["actor"]["by"] == "bot");
    turns
        .map(|pair| {
            let late = milliseconds(&pair[1]) - milliseconds(&pair[0]) - drawn(&pair[0], least);
            (has_choice(log, &pair[1]), late)
        })
        .collect()
}

/// Whether the bot that played a card had other cards of the suit; none for another event.
fn has_choice(log: &[Value], played: &Value) -> Option<bool> {
    let card = played["event"]["card"].as_str()?;
    let (seq, seat) = (played["seq"].as_u64()?, &played["event"]["seat"]);
    let suit = card.chars().last()?;
    let next_deal = log
        .iter()
        .position(|event| event["seq"].as_u64() > Some(seq) && event["event"]["type"] == "round_dealt");
    let later = log.iter().take(next_deal.unwrap_or(log.len()));
    let later = later.filter(|event| event["seq"].as_u64() > Some(seq) && event["event"]["seat"] == *seat);
    Some(later.filter_map(|event| event["event"]["card"].as_str()).any(|other| other.ends_with(suit)))
}

/// What a round at each of four tables shows.
struct Round {
    turns: Vec<(Option<bool>, i64)>,
    commands: Vec<i64>,
    /// The share of the bots' decisions that took less than the shortest time of a turn.
    in_time: f64,
}

async fn round(least: u32, bound: &str) -> Round {
    let site = Site::new(Backend::Sqlite);
    let delay = format!("{least}ms..{}ms", least + WIDTH);
    let metrics = format!("127.0.0.1:{}", free_port());
    let node = site.node_with(&["--bot-delay", &delay, "--metrics-listen", &metrics]);
    let tables = join_all((0..4).map(|_| versus_bots(&node, "sharp"))).await;
    let played = tables.iter().zip(1..).map(async |(table, number)| {
        let mut dice = Random(number);
        let is_second_round = |view: &Value| view["scores"]["rounds"].as_array().expect("rounds").len() == 1;
        let commands = play_until(table, &mut dice, is_second_round).await;
        (late_by(&table.seat(0).log().await, least), commands)
    });
    let (turns, commands): (Vec<_>, Vec<_>) = join_all(played).await.into_iter().unzip();
    let text = Client::anonymous(&format!("http://{metrics}")).get("/metrics").await.body;
    let decisions = |sample: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(sample));
        let number = line.unwrap_or_else(|| panic!("{text}\nlacks {sample}"));
        number.trim().parse::<f64>().expect("a number")
    };
    let quick = decisions(&format!("estimation_bot_seconds_bucket{{level=\"sharp\",le=\"{bound}\"}}"));
    let in_time = quick / decisions("estimation_bot_seconds_count{level=\"sharp\"}");
    Round { turns: turns.concat(), commands: commands.concat(), in_time }
}

/// The time of a turn is drawn from the range, and neither a search nor a choice makes it longer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn the_time_of_a_turn_tells_nothing() {
    for (least, bound) in LEAST {
        let Round { turns, commands, in_time } = round(least, bound).await;
        assert!(turns.len() > 100, "{} turns", turns.len());
        assert!(turns.iter().all(|(_, late)| *late >= -1), "no turn is shorter than drawn: {turns:?}");
        // A search that a busy machine makes longer than the turn says nothing about the service.
        if in_time < 0.9 {
            println!("only {in_time:.2} of the decisions took less than {least} ms");
            continue;
        }
        let late = |choice| {
            let turns = turns.iter().filter(|(had, _)| *had == Some(choice));
            median(turns.map(|(_, late)| *late).collect())
        };
        let (with, without, command) = (late(true), late(false), median(commands));
        println!("late by {with} ms with a choice, {without} ms without; a command takes {command} ms");
        assert!((with - without).abs() < SEARCH / 2, "{with} ms with a choice, {without} ms without");
        assert!(with < SEARCH / 2 + command, "{with} ms more than was drawn, a command takes {command} ms");
        return;
    }
    panic!("the bots search longer than the longest turn");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_answer_at_once_without_a_delay() {
    let site = Site::new(Backend::Sqlite);
    let node = site.node_with(&["--bot-delay", "off"]);
    let table = versus_bots(&node, "steady").await;
    play_until(&table, &mut Random(7), |view| view["version"].as_u64() > Some(30)).await;
    let log = table.seat(0).log().await;
    let turns = log.windows(2).filter(|pair| pair[1]["actor"]["by"] == "bot");
    let took: Vec<i64> = turns.map(|pair| milliseconds(&pair[1]) - milliseconds(&pair[0])).collect();
    // A delay is at least 300 ms.
    assert!(took.iter().any(|took| *took < 300), "{took:?}");
}

async fn the_bot_of_a_killed_node_plays(backend: Backend) {
    let site = Site::new(backend);
    let delay = ["--bot-delay", "2000ms..2000ms"];
    let mut node = site.node_with(&delay);
    let other = (backend == Backend::Postgres).then(|| site.node_with(&delay));
    let table = versus_bots(&node, "easy").await;
    let mut dice = Random(3);
    let is_bots_turn = |view: &Value| view["legal"] == json!([]);
    loop {
        // The turn begins only now, so that the node dies before its end.
        play_until(&table, &mut dice, is_bots_turn).await;
        node.kill();
        // There is one game, and nothing writes to it.
        let last = u64::try_from(site.outsider().count("game_events")).expect("a number");
        if other.is_none() {
            node.restart();
        }
        let survivor = table.at(&other.as_ref().unwrap_or(&node).url);
        let has_played = found("the bot plays", async || {
            let view = survivor.view().await;
            let has_played = view["version"].as_u64() > Some(last);
            (has_played || !is_bots_turn(&view)).then_some(has_played)
        })
        .await;
        if has_played {
            let log = survivor.seat(0).log().await;
            let next = log.iter().find(|event| event["seq"].as_u64() == Some(last + 1));
            assert_eq!(next.expect("the next event")["actor"]["by"], "bot");
            return;
        }
        // The bot was faster than the kill: again.
        if other.is_some() {
            node.restart();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn the_bot_of_a_killed_node_plays_after_its_restart() {
    the_bot_of_a_killed_node_plays(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn the_bot_of_a_killed_node_plays_on_another_node() {
    the_bot_of_a_killed_node_plays(Backend::Postgres).await;
}
