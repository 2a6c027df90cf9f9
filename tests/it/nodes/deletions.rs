//! Deleting an account while it joins a table: a deleted account keeps no seat.

use super::races::races;
use crate::prelude::*;

/// How often an account is deleted while it joins.
const ATTEMPTS: u64 = 40;

const TABLES: usize = 4;

/// Upper bound for a background job, on a busy machine.
const SOON: Duration = Duration::from_secs(60);

/// A player joins tables, opens one and queues on one node, while another node deletes the account.
async fn deleted_accounts_keep_no_seat(backend: Backend, nodes: usize) {
    let site = Site::new(backend);
    let nodes: Vec<Node> = (0..nodes).map(|_| site.node()).collect();
    let (here, there) = (&nodes[0].url, &nodes[nodes.len() - 1].url);
    let nobody = Client::anonymous(here);
    let mut outsider = site.outsider();
    let (mut caught, mut left_behind) = (0, Vec::<u64>::new());
    for attempt in 0..ATTEMPTS {
        let host = nobody.guest().await.client;
        let wish = json!({"ruleset": "nineteen", "players": 2});
        let mut requests = Vec::new();
        let leaving = nobody.guest().await.client;
        for _ in 0..TABLES {
            let game = host.send("/v1/games", &wish).await.accepted();
            let path = format!("/v1/games/{}/seats", game["id"].as_str().expect("an id"));
            requests.push(leaving.at(there).apart().send(&path, &json!({})));
        }
        requests.push(leaving.at(there).apart().send("/v1/games", &wish));
        requests.push(leaving.at(there).apart().send("/v1/matchmaking", &json!({"ruleset": "squares"})));
        let sitting_down = join_all(requests.into_iter().map(IntoFuture::into_future));
        let deletion = async {
            // Shifts the moment of the race each time.
            tokio::time::sleep(Duration::from_micros(200 * attempt)).await;
            leaving.apart().request(Method::DELETE, "/v1/me").json(&json!({})).await
        };
        let (answers, deleted) = tokio::join!(sitting_down, deletion);
        assert_eq!(deleted.status, 204, "{deleted:?}");
        for answer in &answers {
            assert!(answer.is_success() || answer.status == 401, "{answer:?}");
        }
        caught += usize::from(answers.iter().any(|answer| answer.is_success()));
        let of_the_gone = [
            "game_players p JOIN games g ON g.id = p.game_id WHERE g.status IN ('lobby', 'playing') \
             AND p.account_id NOT IN (SELECT id FROM accounts)",
            "games g WHERE g.status = 'lobby' AND g.host NOT IN (SELECT id FROM accounts)",
        ];
        if of_the_gone.map(|rows| outsider.count(rows)) != [0, 0] {
            left_behind.push(attempt);
            outsider
                .run("UPDATE games SET status = 'abandoned' WHERE status = 'lobby'")
                .expect("a clean table");
            continue;
        }
        // The remaining player can use every table.
        let mine = host.get("/v1/games?mine=true&limit=100").await.accepted();
        for game in mine["items"].as_array().expect("games") {
            let path = format!("/v1/games/{}", game["id"].as_str().expect("an id"));
            let seen = host.get(&path).await.accepted();
            assert_eq!((&seen["seats"][1]["player"], &seen["status"]), (&Value::Null, &json!("lobby")));
            host.send(&format!("{path}/cancel"), &json!({})).await.accepted();
        }
    }
    assert_eq!(left_behind, [0; 0], "attempts of {ATTEMPTS} after which somebody gone had a seat");
    assert!(caught > 0, "nobody sat down before they were gone: that proves nothing");
}

/// A seated player deletes the account on one node, while the host starts the game on another. Either a bot plays for
/// the account, or the game does not start and the seat is free. After a start the next deletion is sent earlier, and
/// after a refusal later, so that the two meet on a busy machine too.
async fn deletions_do_not_break_a_start(backend: Backend, nodes: usize) {
    let site = Site::new(backend);
    let nodes: Vec<Node> = (0..nodes).map(|_| site.node()).collect();
    let (here, there) = (&nodes[0].url, &nodes[nodes.len() - 1].url);
    let nobody = Client::anonymous(here);
    let host = nobody.guest().await;
    let (mut started, mut refused) = (0, 0);
    let mut head_start = HeadStart::default();
    for _ in 0..ATTEMPTS {
        let leaving = nobody.guest().await;
        let table =
            Table::of(vec![host.clone(), leaving.clone()], &json!({"ruleset": "nineteen", "players": 2}))
                .await;
        let deletion = async {
            tokio::time::sleep(head_start.before_deletion()).await;
            leaving.client.at(there).apart().request(Method::DELETE, "/v1/me").json(&json!({})).await
        };
        let start = async {
            tokio::time::sleep(head_start.before_start()).await;
            host.client.apart().send(&table.path("start"), &json!({})).await
        };
        let (answer, deleted) = tokio::join!(start, deletion);
        assert_eq!(deleted.status, 204, "{deleted:?}");
        match answer.status {
            200 => {
                seen(&host, &table, |game| game["seats"][1]["stand_in"] == true).await;
                started += 1;
                head_start.earlier(true);
            }
            _ => {
                answer.refused(409, "empty-seats");
                seen(&host, &table, |game| game["seats"][1]["player"].is_null()).await;
                host.client.apart().send(&table.path("cancel"), &json!({})).await.accepted();
                refused += 1;
                head_start.earlier(false);
            }
        }
    }
    assert!(started > 0 && refused > 0, "{started} started and {refused} refused: the two never met");
    for node in &nodes {
        assert!(!node.complaints().contains("request failed"), "{}", node.complaints());
    }
}

/// Seats of deleted accounts, as left by a node that dies during a deletion: the next node frees them.
async fn seats_of_the_gone_are_freed(backend: Backend, nodes: usize) {
    let site = Site::new(backend);
    let mut nodes: Vec<Node> = (0..nodes).map(|_| site.node()).collect();
    let nobody = Client::anonymous(&nodes[0].url);
    let (noor, omar) = (nobody.register("noor").await, nobody.register("omar").await);
    let lina = nobody.register("lina").await;
    let wish = |players: u8| json!({"ruleset": "nineteen", "players": players});
    let running = Table::of(vec![noor.clone(), lina.clone()], &wish(2)).await;
    running.start().await.accepted();
    let lobby = Table::of(vec![noor.clone(), omar.clone(), lina.clone()], &wish(4)).await;
    let deserted = Table::of(vec![noor.clone(), omar.clone()], &wish(3)).await;

    let gone = format!("DELETE FROM accounts WHERE id IN ('{}', '{}')", noor.account, omar.account);
    site.outsider().run(&gone).expect("the accounts go");
    for node in &mut nodes {
        node.kill();
        node.restart();
    }
    // The host's successor is deleted too, so the next player becomes the host.
    let empty = |game: &Value| {
        game["seats"]
            .as_array()
            .expect("seats")
            .iter()
            .map(|seat| seat["player"].is_null())
            .collect::<Vec<_>>()
    };
    let seen = seen(&lina, &lobby, |game| empty(game) == [true, true, false, true]).await;
    assert_eq!((&seen["status"], &seen["host"]["id"]), (&json!("lobby"), &json!(lina.account)));
    lina.client.apart().send(&lobby.path("cancel"), &json!({})).await.accepted();
    self::seen(&lina, &running, |game| game["seats"][0]["stand_in"] == true).await;
    // Without players the table is abandoned.
    self::seen(&lina, &deserted, |game| game["status"] == "abandoned").await;
}

/// How much earlier than the start a deletion is sent, in microseconds. The step doubles while the outcome stays the
/// same and halves when it changes.
struct HeadStart {
    ahead: i64,
    step: i64,
}

impl Default for HeadStart {
    fn default() -> HeadStart {
        HeadStart { ahead: 0, step: 200 }
    }
}

impl HeadStart {
    fn earlier(&mut self, earlier: bool) {
        let direction = if earlier { 1 } else { -1 };
        self.step = match self.step.signum() == direction {
            true => (self.step * 2).clamp(-1_000_000, 1_000_000),
            false => direction * (self.step.abs() / 2).max(100),
        };
        self.ahead += self.step;
    }

    fn before_start(&self) -> Duration {
        Duration::from_micros(self.ahead.max(0).unsigned_abs())
    }

    fn before_deletion(&self) -> Duration {
        Duration::from_micros(self.ahead.min(0).unsigned_abs())
    }
}

async fn seen(player: &Player, table: &Table, wanted: impl Fn(&Value) -> bool) -> Value {
    let until = Instant::now() + SOON;
    loop {
        let game = player.client.apart().get(&table.game()).await.accepted();
        if wanted(&game) {
            return game;
        }
        assert!(Instant::now() < until, "{game}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

races!(
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    deleted_accounts_keep_no_seat
    deletions_do_not_break_a_start
    seats_of_the_gone_are_freed
);
