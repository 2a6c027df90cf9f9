//! What the log says of games, and what a player can prove with it.

use estimation_engine::event::Visibility;
use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, LogPromise, Opening, pseudonym};
use estimation_service::auth::tokens::Role;
use estimation_service::base::failure::Failure;
use estimation_service::games::ProvenEntry;
use estimation_service::public_log::LogSettings;
use estimation_tlog::{Hash, ProofFile, tree};

use super::{node, node_with_log, signed, whole};
use crate::audit::served::*;
use crate::prelude::*;

on_both! {
    async fn a_public_game_is_in_the_log_from_its_start_to_its_end(database: TestDatabase) {
        let app = node_with_log(&database).await;
        assert_eq!(signed(&app).await.0.size, 0);
        let (game, players) = table(&app, Visibility::Public).await;
        let view = app.games.view(&players[0], game).await.expect("a view");
        let promise = view.log.clone().expect("a promise");
        app.public_log.advance().await.expect("the start");
        let (started, _) = signed(&app).await;
        assert_eq!(started.size, 1);
        let (mut tiles, entries) = whole(&app, 1).await;
        assert_eq!(tree::root(&mut tiles, 1).expect("a root"), started.root);

        // The past state of the lobby has no promise.
        assert!(app.games.state_at(&players[0], game, 1).await.expect("a past state").log.is_none());

        // The promise is for this entry, and signed with the record key.
        assert_eq!(Hash::leaf(entries[0].as_bytes()).0, promise.leaf.0);
        let origin = LogSettings::default().origin;
        assert_eq!((&*promise.origin, &*view.log_origin), (&*origin, &*origin));
        let statement = LogPromise { origin: &origin, leaf: promise.leaf, by: promise.by }.statement().expect("a text");
        let keys = crate::audit::keys().record_keys();
        let key = keys.iter().find(|key| key.kid().as_str() == promise.signature.kid).expect("the key");
        let signature = ed25519_dalek::Signature::from_bytes(&promise.signature.value.0);
        key.verifying_key().verify_strict(&statement, &signature).expect("a good signature");

        // A player's export proves which pseudonym is theirs; the others' stay unknown.
        let LogEntry::Start { game: logged, commitment, seats, .. } =
            serde_json::from_str(&entries[0]).expect("an entry")
        else { panic!("{}", entries[0]) };
        assert_eq!((logged, commitment), (game.0, view.fairness.fairness.commitment));
        let export = app.accounts.export(&players[1]).await.expect("an export");
        let [salt] = &export.pseudonyms[..] else { panic!("{:?}", export.pseudonyms) };
        assert_eq!((salt.game, seats[1]), (game, Some(pseudonym(&salt.salt.0, players[1].account.as_str()))));

        play(&app, game, &players, usize::MAX).await;
        let early = app.games.proof(&players[0], game, ProvenEntry::End).await;
        assert!(matches!(early, Err(Failure::NotLogged)), "{early:?}");
        assert!(matches!(app.games.public_proof(game, ProvenEntry::End).await, Err(Failure::NotLogged)));
        assert_eq!(sign_and_log(&app).await, 1);
        app.public_log.advance().await.expect("the end");
        let (ended, _) = signed(&app).await;
        assert_eq!(ended.size, 2);
        let proof = app.games.proof(&caller(6, Role::Player), game, ProvenEntry::End).await.expect("a proof");
        assert_eq!(app.games.public_proof(game, ProvenEntry::End).await.expect("a look"), Some(proof.clone()));
        assert!(proof.len() < 2048, "{} bytes", proof.len());
        let proof: ProofFile = proof.parse().expect("a proof");
        let opening: Opening = serde_json::from_slice(proof.extra.as_ref().expect("an opening")).expect("an opening");
        let log = app.public_log.verifiers().await.expect("keys").expect("a log").log;
        let logged = opening.logged().expect("an entry");
        assert_eq!(proof.verify(Hash::leaf(logged.as_bytes()), &log).expect("a good proof"), ended);
        let LogEntry::End { head, events, .. } = serde_json::from_str(&opening.entry).expect("an entry") else {
            panic!("{}", opening.entry)
        };
        let over = app.games.view(&players[0], game).await.expect("a view");
        assert_eq!((head, events), (over.head.hash, over.version));
        // The log only grew.
        let (mut tiles, _) = whole(&app, 2).await;
        let consistent = tree::consistency_proof(&mut tiles, 1, 2).expect("a proof");
        estimation_tlog::proof::verify_consistency(1, started.root, 2, ended.root, &consistent).expect("growth");
    }

    /// The queue is a table, and its rows are no entries unless a node wrote them for their game.
    async fn rows_that_no_node_wrote_are_refused_and_delay_nothing(database: TestDatabase) {
        let app = node_with_log(&database).await;
        let over = ended(&app, Visibility::Public).await;
        app.public_log.advance().await.expect("the start");
        let (running, _) = table(&app, Visibility::Public).await;
        let mut outsider = database.outsider();
        outsider.run("CREATE TABLE kept AS SELECT * FROM log_queue").expect("a copy");
        app.public_log.advance().await.expect("another start");
        assert_eq!(signed(&app).await.0.size, 2);
        sign_and_log(&app).await;
        let nobody = "01900000-0000-7000-8000-000000000001";
        let binding = outsider.bytes(&"07".repeat(41));
        let columns = "game_id, kind, entry, entered_at, binding";
        for row in [
            format!("SELECT NULL, 'other', 'hello', 0, {binding}"),
            format!("SELECT 'nobody', 'hello', 'hello', 0, {}", outsider.bytes("00")),
            // With the binding of another entry: of no game, another end, another time.
            format!("SELECT '{nobody}', kind, replace(entry, game_id, '{nobody}'), entered_at, binding FROM kept"),
            format!("SELECT game_id, 'end', replace(entry, '\"events\":', '\"events\":99'), entered_at, binding FROM log_queue WHERE game_id = '{over}'"),
            format!("SELECT game_id, kind, entry, entered_at - 1, binding FROM log_queue WHERE game_id = '{over}' AND entry NOT LIKE '%\"events\":99%'"),
            // What waits, under an unknown key.
            format!("SELECT game_id, kind, entry, 1, {binding} FROM log_queue WHERE game_id = '{over}' AND entry NOT LIKE '%\"events\":99%' AND entered_at > 1 ORDER BY number LIMIT 1"),
            // What waits, as a node wrote it.
            format!("SELECT {columns} FROM log_queue WHERE game_id = '{over}' AND entry NOT LIKE '%\"events\":99%' AND entered_at > 1 ORDER BY entered_at DESC LIMIT 1"),
            // What is in the log already, as a node wrote it.
            format!("SELECT {columns} FROM kept WHERE game_id = '{running}'"),
        ] {
            outsider.run(&format!("INSERT INTO log_queue ({columns}) {row}")).expect("a row");
        }
        assert_eq!(outsider.count("log_queue WHERE entry LIKE '%events%'"), 5);
        app.public_log.advance().await.expect("the end");
        assert_eq!(signed(&app).await.0.size, 3);
        let (_, entries) = whole(&app, 3).await;
        assert!(matches!(serde_json::from_str(&entries[2]), Ok(LogEntry::End { game, .. }) if game == over.0), "{entries:?}");
        assert_eq!((outsider.count("log_queue"), outsider.count("log_queue WHERE refused_at IS NULL")), (8, 0));
        let metrics = app.monitoring.scrape().await;
        assert!(metrics.contains("estimation_public_log_entries{state=\"refused\"} 8"), "{metrics}");
        app.public_log.advance().await.expect("nothing more");
        assert_eq!(signed(&app).await.0.size, 3);
    }
}

on_sqlite_first! {
    async fn a_private_game_is_sealed(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let (game, players) = finished(&app, Visibility::Private).await;
        sign_and_log(&app).await;
        // The first checkpoint is of the empty log.
        sign_starts(&app).await;
        let (_, entries) = whole(&app, 2).await;
        for entry in &entries {
            assert!(matches!(serde_json::from_str(entry), Ok(LogEntry::Sealed { .. })), "{entry}");
        }
        let stranger = app.games.proof(&caller(6, Role::Player), game, ProvenEntry::End).await;
        assert!(matches!(stranger, Err(Failure::Withheld { .. })), "{stranger:?}");
        assert_eq!(app.games.public_proof(game, ProvenEntry::End).await.expect("a look"), None);
        let proof = app.games.proof(&players[2], game, ProvenEntry::End).await.expect("a proof");
        let proof: ProofFile = proof.parse().expect("a proof");
        let opening: Opening = serde_json::from_slice(proof.extra.as_ref().expect("an opening")).expect("an opening");
        assert_eq!(opening.logged().expect("an entry"), entries[1]);
        assert!(opening.entry.contains(&game.to_string()));
        let another = Opening { salt: Some(Hex([7; 32])), ..opening };
        assert_ne!(another.logged().expect("an entry"), entries[1]);
    }

    async fn a_deleted_account_leaves_no_salt(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let (_, players) = table(&app, Visibility::Public).await;
        let kept = app.accounts.export(&players[1]).await.expect("an export");
        assert_eq!(kept.pseudonyms.len(), 1);
        app.accounts.erase_me(&players[1], None, None).await.expect("a deletion");
        let account = players[1].account.clone();
        let salts = database.open().read(move |conn| estimation_store::public_log::games::salts_of(conn, &account)).await;
        assert_eq!(salts.expect("a look"), []);
        let others = app.accounts.export(&players[2]).await.expect("an export");
        assert_eq!(others.pseudonyms.len(), 1);
    }

    async fn a_partial_tile_stays_readable_and_nothing_beyond_the_checkpoint_is_served(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        for _ in 0..3 {
            table(&app, Visibility::Public).await;
            app.public_log.advance().await.expect("a start");
        }
        app.public_log.advance().await.expect("a checkpoint");
        let (earlier, entries) = whole(&app, 2).await;
        let (now, _) = whole(&app, 3).await;
        assert_eq!((entries.len(), &earlier.0[0].1[..]), (2, &now.0[0].1[..2]));
        for path in ["tile/0/000.p/4", "tile/0/000", "tile/1/000.p/1", "tile/entries/000.p/4", "tile/0/001.p/1"] {
            let resource = path.parse().expect("a path");
            assert_eq!(app.public_log.resource(resource).await.expect("a look"), None, "{path}");
        }
    }
}
