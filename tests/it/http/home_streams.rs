//! Account streams inside the process: lost hints, and several streams of an account.

use estimation_engine::client_seed::ClientSeed;
use estimation_engine::table::TableCommand;
use estimation_service::auth::caller::Caller;
use estimation_service::watch::{AccountNews, AccountStream};
use estimation_store::GameId;
use tokio::time::timeout;

use crate::prelude::*;

/// Upper bound for a stream to report a change, on a busy machine.
const SOON: Duration = Duration::from_secs(60);

const JOIN: TableCommand = TableCommand::Join { place: None, commitment: None };

async fn caller(app: &App, player: &Player) -> Caller {
    app.sessions.authenticate(&player.access_token).await.expect("a caller")
}

async fn told(stream: &mut AccountStream) -> (&'static str, GameId) {
    let next = async {
        loop {
            match stream.next().await.expect("no failure") {
                AccountNews::Quiet => {}
                AccountNews::Invited(matter) => return ("invited", matter.game),
                AccountNews::Started(matter) => return ("started", matter.game),
                AccountNews::Finished(matter) => return ("finished", matter.game),
                AccountNews::YourTurn(matter) => return ("your_turn", matter.game),
                other => panic!("{other:?}"),
            }
        }
    };
    timeout(SOON, next).await.expect("news")
}

async fn open(player: &Player) -> GameId {
    let wish = json!({"ruleset": "nineteen", "players": 2});
    let game = player.client.send("/v1/games", &wish).await.accepted();
    game["id"].as_str().expect("an id").parse().expect("a UUID")
}

/// Runs a table command on a node that sends no notices.
async fn quietly(silent: &Arc<App>, player: &Player, game: GameId, command: TableCommand) {
    let caller = caller(silent, player).await;
    silent.games.at_table(&caller, game, &command, None, None).await.expect("done");
}

on_sqlite_first! {
    /// A node without notices seats a player, and starts, ends and reopens games. The other nodes find out.
    async fn a_lost_hint_only_delays_streams(service: Service) {
        let (app, silent) = (service.app(), service.another_node());
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let marker = open(&omar).await;
        quietly(&silent, &noor, marker, JOIN).await;
        quietly(&silent, &omar, marker, TableCommand::Cancel).await;
        omar.client.send(&format!("/v1/games/{marker}/rematch"), &json!({})).await.accepted();
        let mut stream = app.streams.stream_account(&caller(&app, &noor).await).await.expect("a stream");
        assert_eq!(told(&mut stream).await.0, "invited");

        let game = open(&omar).await;
        quietly(&silent, &noor, game, JOIN).await;
        assert_eq!(told(&mut stream).await, ("invited", game));
        quietly(&silent, &omar, game, TableCommand::Start).await;
        assert_eq!(told(&mut stream).await, ("started", game));

        let other = open(&omar).await;
        quietly(&silent, &noor, other, JOIN).await;
        let mut next = told(&mut stream).await;
        if next == ("your_turn", game) {
            next = told(&mut stream).await;
        }
        assert_eq!(next, ("invited", other));
        quietly(&silent, &omar, other, TableCommand::Cancel).await;
        assert_eq!(told(&mut stream).await, ("finished", other));
        let omar = caller(&silent, &omar).await;
        let again = silent.games.rematch(&omar, other, None, None).await.expect("a rematch").value.id;
        assert_eq!(told(&mut stream).await, ("invited", again));
    }

    /// A player who has left a table is not told of its end, by a hint or by the poll that finds a lost one.
    async fn a_table_that_was_left_is_no_news(database: TestDatabase) {
        let service = Service::start(database);
        let (app, silent) = (service.app(), service.another_node());
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let mut stream = app.streams.stream_account(&caller(&app, &noor).await).await.expect("a stream");
        let left = open(&omar).await;
        quietly(&app, &noor, left, JOIN).await;
        assert_eq!(told(&mut stream).await, ("invited", left));
        quietly(&app, &noor, left, TableCommand::Leave { place: 1 }).await;
        let other = open(&noor).await;
        assert_eq!(told(&mut stream).await, ("invited", other));
        quietly(&app, &omar, left, TableCommand::Cancel).await;
        let last = open(&omar).await;
        quietly(&silent, &noor, last, JOIN).await;
        assert_eq!(told(&mut stream).await, ("invited", last));
    }

    /// Clients act as soon as they have the head of the answer, which is before the first frame.
    async fn a_stream_tells_of_changes_since_it_was_opened(service: Service) {
        let app = service.app();
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let game = open(&omar).await;
        let mut stream = app.streams.stream_account(&caller(&app, &noor).await).await.expect("a stream");
        quietly(&app, &noor, game, JOIN).await;
        assert_eq!(told(&mut stream).await, ("invited", game));
    }

    /// The start waits for the seeds of players who committed, so it is their turn.
    async fn an_opening_is_a_turn(service: Service) {
        let (app, omar, noor) = (service.app(), service.player("omar").await, service.player("noor").await);
        let game = open(&omar).await;
        let part = |part: &str| format!("/v1/games/{game}/{part}");
        let seed = "ab".repeat(16);
        let commitment = ClientSeed::new(&*seed).expect("a client seed").commitment();
        noor.client.send(&part("seats"), &json!({"seed_commitment": commitment})).await.accepted();
        let mut stream = app.streams.stream_account(&caller(&app, &noor).await).await.expect("a stream");
        let own = async || noor.client.get("/v1/games?mine=true").await.accepted()["items"][0]["own"].clone();
        assert_eq!(own().await["your_turn"], false);
        omar.client.post(&part("start")).await.accepted();
        assert_eq!(told(&mut stream).await, ("your_turn", game));
        assert_eq!(own().await["your_turn"], true);
        noor.client.send(&part("seed"), &json!({"client_seed": seed})).await.accepted();
        assert_eq!(told(&mut stream).await, ("started", game));
    }

    async fn streams_of_an_account_send_the_same_events(service: Service) {
        let (app, omar) = (service.app(), service.player("omar").await);
        let noor = service.player("noor").await;
        let former = open(&omar).await;
        noor.client.send(&format!("/v1/games/{former}/seats"), &json!({})).await.accepted();
        omar.client.post(&format!("/v1/games/{former}/cancel")).await.accepted();
        let again = omar.client.send(&format!("/v1/games/{former}/rematch"), &json!({})).await.accepted();
        let again: GameId = again["id"].as_str().expect("an id").parse().expect("a UUID");
        let caller = caller(&app, &noor).await;
        let mut streams = Vec::new();
        for _ in 0..3 {
            streams.push(app.streams.stream_account(&caller).await.expect("a stream"));
        }
        for stream in &mut streams {
            assert_eq!(told(stream).await, ("invited", again));
        }
        let game = open(&noor).await;
        for stream in &mut streams {
            assert_eq!(told(stream).await, ("invited", game));
        }
        // A stream that begins now reports what awaits the account, and then continues like the others.
        let mut late = app.streams.stream_account(&caller).await.expect("a stream");
        assert_eq!(told(&mut late).await, ("invited", again));
        streams.push(late);
        noor.client.post(&format!("/v1/games/{game}/cancel")).await.accepted();
        for stream in &mut streams {
            assert_eq!(told(stream).await, ("finished", game));
        }
        // A player who joins a table after an invitation is not invited again.
        noor.client.send(&format!("/v1/games/{former}/rematch"), &json!({})).await.accepted();
        omar.client.post(&format!("/v1/games/{again}/start")).await.accepted();
        for stream in &mut streams {
            assert_eq!(told(stream).await, ("started", again));
        }
    }
}
