//! The list of ended games ends where the public log begins. Games from before the upgrade have their ends in the log.

use estimation::app::public_log::LogSettings;
use estimation::app::services::App;
use estimation::auth::tokens::Role;
use estimation::engine::event::Visibility;
use estimation::store::GameId;
use estimation_record::verify::{Audit, Piece, Report, SignedCheckpoint};
use estimation_record::{LogEntry, Opening};
use estimation_tlog::{Hash, ProofFile};

use super::{node, signed, whole};
use crate::audit::served::{auditor, caller, inspected, play, table};
use crate::databases::on_both;

async fn ended(app: &std::sync::Arc<App>, visibility: Visibility) -> GameId {
    let (game, players) = table(app, visibility).await;
    play(app, game, &players, usize::MAX).await;
    game
}

/// What the list shows to a caller, and what a verifier says of it.
async fn shown(app: &App, is_auditor: bool) -> (Vec<uuid::Uuid>, SignedCheckpoint, Report) {
    let (auditor, player) = (auditor(), caller(6, Role::Player));
    let caller = if is_auditor { &auditor } else { &player };
    let page = app.transparency_log.listed_games(Some(caller), 0, 10).await.expect("the list");
    let checkpoint = app.transparency_log.checkpoint(Some(caller)).await.expect("a checkpoint");
    let trust = crate::audit::trust();
    let mut audit = Audit::new(&trust);
    let games = page.items.iter().map(|line| line.entry.game).collect();
    page.items.into_iter().for_each(|line| audit.piece(Piece::Listed(line)));
    audit.piece(Piece::Checkpoint(checkpoint.clone()));
    (games, checkpoint, audit.finish())
}

async fn logged(app: &App) -> Vec<LogEntry> {
    for _ in 0..2 {
        app.public_log.advance().await.expect("a checkpoint");
    }
    let (checkpoint, _) = signed(app).await;
    let (_, entries) = whole(app, checkpoint.size).await;
    entries.iter().map(|entry| serde_json::from_str(entry).expect("an entry")).collect()
}

on_both! {
    /// The ids of private games are in the list, and the entries of the log hide them. So the list must not go on.
    async fn nobody_but_auditors_sees_games_after_the_end_of_the_list(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let (_, begun, _) = shown(&app, false).await;
        assert_eq!((begun.checkpoint.games, begun.checkpoint.log.map(|log| log.size)), (0, Some(0)));
        let before = ended(&app, Visibility::Private).await;
        app.transparency_log.list_ended().await.expect("the list");
        // As if the program with the public log had been installed now.
        database.outsider().run("UPDATE list_end SET published = 1").expect("an upgrade");
        let after = ended(&app, Visibility::Private).await;
        app.transparency_log.list_ended().await.expect("the list");
        logged(&app).await;

        let (games, ended, report) = shown(&app, false).await;
        assert_eq!((games, report.findings, ended.checkpoint.games), (vec![before.0], vec![], 1));
        let (head, log) = (signed(&app).await.0, ended.checkpoint.log.expect("the log"));
        assert_eq!((log.origin.as_str(), log.size, Hash(log.root.0)), (head.origin.as_str(), 4, head.root));
        assert!(app.transparency_log.listed_games(None, 1, 10).await.expect("the list").items.is_empty());
        let (games, whole, report) = shown(&app, true).await;
        assert_eq!((games, report.findings), (vec![before.0, after.0], vec![]));
        assert!(whole.checkpoint.log.is_none());
        let (well, report) = inspected(&database);
        assert!(well, "{report:#}");
    }

    /// Also a game that a node of an earlier version started, and one that it listed, has its end in the log.
    async fn games_of_an_earlier_version_have_their_end_in_the_log(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let (started, players) = table(&app, Visibility::Private).await;
        let listed = ended(&app, Visibility::Public).await;
        app.transparency_log.list_ended().await.expect("the list");
        let mut outsider = database.outsider();
        for change in ["DELETE FROM log_games", "DELETE FROM log_pseudonyms", "DELETE FROM log_queue", "UPDATE list_end SET logged = 0"] {
            outsider.run(change).expect("rows of an earlier version");
        }
        play(&app, started, &players, usize::MAX).await;
        app.transparency_log.list_ended().await.expect("the list");
        let entries = logged(&app).await;
        assert!(
            matches!(&entries[..], [LogEntry::End { game, .. }, LogEntry::Sealed { .. }] if *game == listed.0),
            "{entries:?}"
        );
        let proof: ProofFile = app.games.proof(&players[1], started).await.expect("a proof").parse().expect("a proof");
        let opening: Opening = serde_json::from_slice(proof.extra.as_ref().expect("an opening")).expect("an opening");
        assert_eq!(entries[1], serde_json::from_str(&opening.logged().expect("an entry")).expect("an entry"));
        let key = app.public_log.verifiers().await.expect("keys").expect("a log").log;
        let leaf = Hash::leaf(opening.logged().expect("an entry").as_bytes());
        assert_eq!(proof.verify(leaf, &key).expect("a good proof"), signed(&app).await.0);
        let (well, report) = inspected(&database);
        assert!(well, "{report:#}");

        // A lost end is found.
        outsider.run("DELETE FROM log_games").expect("damage");
        let (well, report) = inspected(&database);
        assert!(!well && report.to_string().contains("the public log lacks the end of the game"), "{report:#}");
    }
}
