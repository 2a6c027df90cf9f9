use estimation_engine::player::AccountId;
use estimation_store::games::{self, GameChanges, GameFilter, Page};
use estimation_store::seeds::{self, SealedSeed};
use estimation_store::snapshots::{self, Snapshot};
use estimation_store::{Binding, Database, Effect, Server, StoreError, players};

use super::samples::{Log, account_id, at, game_id, human, lobby_game, people, with};
use crate::prelude::*;

async fn create(store: &Database, id: &str, ruleset: &str, account: &str) -> Log {
    let mut log = Log::new(id);
    let unit =
        with(log.next(&["created"]), [Effect::InsertGame(lobby_game(ruleset, account)), human(0, account)]);
    store.append(unit).await.expect("a game");
    log
}

fn only(status: &str) -> GameFilter {
    GameFilter { status: Some(status.to_owned()), ..GameFilter::default() }
}

fn page(after: Option<&str>, limit: i64) -> Page {
    Page { after: after.map(game_id), limit }
}

on_both! {
    async fn a_game_row_lives_with_its_log(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann", "bob"]).await;
        let mut log = Log::new("g");
        let mut new = lobby_game("kabooot", "ann");
        new.join_code = Some("QX7P".to_owned());
        let unit = with(log.next(&["created"]), [Effect::InsertGame(new.clone()), human(0, "ann")]);
        store.append(unit).await.expect("a game");
        let unit = with(log.next(&["joined", "started"]), [
            human(1, "bob"),
            Effect::SeatPlayer { place: 2, account: None, kind: "bot".to_owned() },
            Effect::UpdateGame(GameChanges {
                status: Some("playing".to_owned()),
                join_code: Some(None),
                taken: Some(3),
                updated_at: 2_000,
                ..GameChanges::default()
            }),
        ]);
        let before = store.read(|conn| games::find_by_join_code(conn, "QX7P")).await.expect("a look");
        assert_eq!(before.map(|game| game.id), Some(game_id("g")));
        store.append(unit).await.expect("the start");
        let (game, places, by_code) = store
            .read(|conn| {
                Ok((
                    games::find(conn, game_id("g"))?,
                    players::of_game(conn, game_id("g"))?,
                    games::find_by_join_code(conn, "QX7P")?,
                ))
            })
            .await
            .expect("a look");
        let game = game.expect("the game");
        assert_eq!((game.status.as_str(), game.taken, game.join_code), ("playing", 3, None));
        assert_eq!((game.created_at, game.updated_at, game.ended_at), (at(1_000), at(2_000), None));
        assert_eq!(by_code, None);
        let places: Vec<_> =
            places.iter().map(|p| (p.place, p.account_id.as_ref().map(AccountId::as_str), p.kind.as_str())).collect();
        assert_eq!(places, [(0, Some("ann"), "human"), (1, Some("bob"), "human"), (2, None, "bot")]);

        store.append(with(log.next(&["left"]), [Effect::UnseatPlayer { place: 1 }])).await.expect("a leave");
        let places = store.read(|conn| players::of_games(conn, &["g", "h"].map(game_id))).await.expect("a look");
        assert_eq!(places.len(), 2);
    }

    async fn invitation_codes_are_unique(database: TestDatabase) {
        let store = database.open();
        let mut new = lobby_game("plain", "ann");
        new.join_code = Some("SAME".to_owned());
        let insert = || [Effect::InsertGame(new.clone())];
        store.append(with(Log::new("a").next(&["1"]), insert())).await.expect("the first");
        let second = store.append(with(Log::new("b").next(&["1"]), insert())).await;
        assert_eq!(second, Err(StoreError::JoinCodeTaken));
    }

    /// Pages are disjoint, newest first, and together form the whole list.
    async fn lists_are_paged_by_id(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann", "bob"]).await;
        for n in 0..7 {
            let (ruleset, account) = if n % 2 == 0 { ("squares", "ann") } else { ("nineteen", "bob") };
            create(&store, &format!("0190-{n}"), ruleset, account).await;
        }
        let (first, second, squares, mine, none) = store
            .read(|conn| {
                let squares = GameFilter { ruleset: Some("squares".to_owned()), ..only("lobby") };
                let hidden = GameFilter { visibility: Some("private".to_owned()), ..GameFilter::default() };
                Ok((
                    games::list(conn, &only("lobby"), &page(None, 4))?,
                    games::list(conn, &only("lobby"), &page(Some("0190-3"), 4))?,
                    games::list(conn, &squares, &page(None, 10))?,
                    games::list_mine(conn, &account_id("bob"), &only("lobby"), &page(Some("0190-5"), 10))?,
                    games::list(conn, &hidden, &page(None, 10))?,
                ))
            })
            .await
            .expect("lists");
        let ids = |games: &[games::GameRow]| games.iter().map(|game| game.id).collect::<Vec<_>>();
        assert_eq!(ids(&first), ["0190-6", "0190-5", "0190-4", "0190-3"].map(game_id));
        assert_eq!(ids(&second), ["0190-2", "0190-1", "0190-0"].map(game_id));
        assert_eq!(ids(&squares), ["0190-6", "0190-4", "0190-2", "0190-0"].map(game_id));
        assert_eq!(ids(&mine), ["0190-3", "0190-1"].map(game_id));
        assert_eq!(ids(&none), []);
    }

    /// A stored id that is not a UUID makes the row unreadable.
    async fn a_damaged_id_is_detected(database: TestDatabase) {
        let store = database.open();
        people(&store, ["ann"]).await;
        create(&store, "g", "plain", "ann").await;
        database.outsider().run("UPDATE games SET id = 'g'").expect("damage");
        let read = store.read(|conn| games::list(conn, &GameFilter::default(), &Page { after: None, limit: 10 })).await;
        let damaged = |detail: &str| detail.contains("\"g\" is no id");
        assert!(matches!(&read, Err(StoreError::Corrupt { detail }) if damaged(detail)), "{read:?}");
    }

    async fn seeds_are_kept(database: TestDatabase) {
        let store = database.open();
        let mut seed = [0; 32];
        seed.iter_mut().zip(0..).for_each(|(byte, n)| *byte = 255 - n);
        let mut log = Log::new("g");
        let unit = with(log.next(&["1"]), [Effect::InsertSeed(SealedSeed::new(seed))]);
        store.append(unit).await.expect("a game with a seed");
        let found = store.read(|conn| seeds::find(conn, game_id("g"))).await.expect("a look").expect("a seed");
        assert_eq!(found.expose(), &seed);
        assert!(store.read(|conn| seeds::find(conn, game_id("h"))).await.expect("a look").is_none());
        let again = with(log.next(&["2"]), [Effect::InsertSeed(SealedSeed::new([1; 32]))]);
        assert!(matches!(store.append(again).await, Err(StoreError::Constraint { .. })));
    }

    async fn snapshots_only_move_forward(database: TestDatabase) {
        let store = database.open();
        let at = |seq, state: &str| {
            let binding = Binding::new([1; 9], [7; 32]);
            Snapshot { seq, format: 1, hash: [seq as u8; 32], state: state.to_owned(), binding }
        };
        let mut log = Log::new("g");
        let unit = with(log.next(&["1", "2"]), [Effect::SaveSnapshot(at(2, "two"))]);
        store.append(unit).await.expect("with a snapshot");
        let (newer, older) = (at(9, "nine"), at(5, "five"));
        store.write(Server, move |conn| snapshots::save(conn, game_id("g"), &newer)).await.expect("a newer one");
        store.write(Server, move |conn| snapshots::save(conn, game_id("g"), &older)).await.expect("an older one");
        let latest = store.read(|conn| snapshots::latest(conn, game_id("g"))).await.expect("a look");
        assert_eq!(latest, Some(at(9, "nine")));
        assert_eq!(store.read(|conn| snapshots::latest(conn, game_id("h"))).await, Ok(None));
    }
}
