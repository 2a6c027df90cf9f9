//! The authority of a request: what was admitted before its session ended, or before it lost its role, writes nothing after
//! that. Requests are admitted on one node; another node ends the session meanwhile.

use std::cell::Cell;
use std::fmt::Debug;

use estimation_engine::command::Command;
use estimation_engine::player::AccountId;
use estimation_engine::table::TableCommand;
use estimation_record::RecordTime;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::permission::{ActingAdmin, ActingModerator, Permission};
use estimation_service::auth::restrictions::{Restrictions, SecondStep};
use estimation_service::games::{Play, Unlimited};
use estimation_service::moderation::{
    Act, ActRequest, Decision, DecisionRequest, EndRequest, ReportAbout, ReportRequest,
};
use estimation_service::notifications::NotificationChoices;
use estimation_service::people::PeopleSettings;
use estimation_service::reactions::Reaction;
use estimation_store::GameId;
use estimation_store::relations::Relation;
use uuid::Uuid;

use super::matchmaking::wish;
use crate::audit::served::new_table;
use crate::prelude::*;

fn later() -> RecordTime {
    "2099-01-01T00:00:00.000Z".parse().expect("a time")
}

/// A player with two sessions, of which one has been admitted, and with a game against bots; and another player's table.
struct Scene {
    app: Arc<App>,
    noor: Player,
    other_session: Client,
    caller: Caller,
    friend: AccountId,
    lobby: GameId,
    game: GameId,
    command: Command,
}

async fn scene(service: &Service) -> Scene {
    let app = service.another_node();
    let noor = service.player("noor").await;
    let omar = service.player("omar").await;
    let login = json!({"username": "noor", "password": PASSWORD});
    let session = service.anonymous().send("/v1/sessions", &login).await.accepted();
    let token = session["access_token"].as_str().expect("a token");
    let own = noor
        .client
        .send("/v1/games", &json!({"ruleset": "nineteen", "bots": {"level": "easy"}}))
        .await
        .accepted();
    let game: GameId = serde_json::from_value(own["id"].clone()).expect("an id");
    let waiting = omar.client.send("/v1/games", &json!({"ruleset": "nineteen"})).await.accepted();
    let view = found("a turn", async || {
        let view = noor.client.get(&format!("/v1/games/{game}")).await.accepted();
        Some(view).filter(|view| !view["legal"][0].is_null())
    })
    .await;
    Scene {
        caller: app.sessions.authenticate(token).await.expect("a session"),
        app,
        other_session: noor.client.clone(),
        noor,
        friend: AccountId::new(omar.account.clone()),
        lobby: serde_json::from_value(waiting["id"].clone()).expect("an id"),
        game,
        command: serde_json::from_value(view["legal"][0].clone()).expect("a command"),
    }
}

/// What each use case of a player answers, by its name.
async fn every_write(scene: &Scene) -> Vec<(&'static str, Result<(), String>)> {
    fn told<T, E: Debug>(outcome: Result<T, E>) -> Result<(), String> {
        outcome.map(drop).map_err(|failure| format!("{failure:?}"))
    }
    let Scene { app, caller, friend, lobby, game, .. } = scene;
    let settings = PeopleSettings { shows_presence: true, found_by_name: true, takes_requests: true };
    let choices = NotificationChoices { muted: Vec::new(), quiet_hours: None };
    let wish = wish("nineteen");
    let report = ReportRequest {
        player: friend.as_str().parse().expect("an id"),
        game: None,
        about: ReportAbout::PlayerName,
        text: "rude".to_owned(),
    };
    let join = TableCommand::Join { place: None, commitment: None };
    let leave = TableCommand::Leave { place: 0 };
    vec![
        ("rename", told(app.accounts.rename(caller, Some("Nour")).await)),
        (
            "change_password",
            told(app.accounts.change_password(caller, PASSWORD, "another-kettle-7", None).await),
        ),
        ("new_recovery_codes", told(app.accounts.new_recovery_codes(caller).await)),
        ("start_second_step", told(app.accounts.start_second_step(caller).await)),
        ("stop_access", told(app.accounts.stop_access(caller).await)),
        ("erase_me", told(app.accounts.erase_me(caller, Some(PASSWORD), None).await)),
        ("end_session", told(app.sessions.end_session(caller, scene.noor_session()).await)),
        ("end_sessions", told(app.sessions.end_sessions(caller).await)),
        ("remove_identity", told(app.identities.remove(caller, Uuid::nil()).await)),
        ("choose_notices", told(app.notifications.choose(caller, choices).await)),
        ("unsubscribe", told(app.notifications.unsubscribe(caller).await)),
        ("choose_settings", told(app.people.choose(caller, settings).await)),
        ("block", told(app.people.block(caller, friend).await)),
        ("mute", told(app.people.mute(caller, friend).await)),
        ("unmute", told(app.people.end_relation(caller, friend, Relation::Mute).await)),
        ("befriend", told(app.people.befriend(caller, friend, None).await)),
        ("end_friendship", told(app.people.end_friendship(caller, friend).await)),
        ("draw_code", told(app.people.draw_code(caller).await)),
        ("remove_code", told(app.people.remove_code(caller).await)),
        ("decline", told(app.people.decline(caller, Uuid::nil()).await)),
        ("report", told(app.moderation.report(caller, report).await)),
        ("create", told(app.games.create(caller, new_table("nineteen"), None).await)),
        ("join", told(app.games.at_table(caller, *lobby, &join, None, None).await)),
        ("seek_table", told(app.matchmaking.seek_table(caller, wish, None).await)),
        ("hint", told(app.games.hint(caller, *game).await)),
        ("play", told(app.games.play(&scene.play(), true).await)),
        ("leave", told(app.games.at_table(caller, *game, &leave, None, None).await)),
    ]
}

impl Scene {
    fn play(&self) -> Play<'_, Unlimited> {
        let (caller, command) = (&self.caller, &self.command);
        Play { caller, game: self.game, expected: None, command, key: None, refusals: &Unlimited }
    }

    /// The session that stays.
    fn noor_session(&self) -> Uuid {
        self.noor.session()
    }
}

/// What the account owns, as its other session exports it, and the version of its game.
async fn owned(scene: &Scene) -> (Value, Value) {
    let mut export = scene.other_session.get("/v1/me/export").await.accepted();
    export.as_object_mut().expect("an object").remove("exported_at");
    export.as_object_mut().expect("an object").remove("sessions");
    let game = scene.other_session.get(&format!("/v1/games/{}", scene.game)).await.accepted();
    (export, game["version"].clone())
}

async fn end_admitted(scene: &Scene) {
    let path = format!("/v1/sessions/{}", scene.caller.session);
    let ended = scene.other_session.delete(&path).await;
    assert_eq!(ended.status, 204, "{ended:?}");
}

on_both! {
    async fn what_was_admitted_before_its_session_ended_writes_nothing(service: Service) {
        let scene = scene(&service).await;
        end_admitted(&scene).await;
        let before = owned(&scene).await;
        for (name, outcome) in every_write(&scene).await {
            let refusal = outcome.err().unwrap_or_else(|| panic!("{name} was carried out"));
            assert!(refusal.contains("SessionEnded"), "{name}: {refusal}");
        }
        assert_eq!(owned(&scene).await, before);
        scene.app.shutdown().await;
    }

    async fn a_reaction_of_an_ended_session_is_not_kept(database: TestDatabase) {
        let mut outsider = database.outsider();
        let service = Service::start(database);
        let scene = scene(&service).await;
        scene.app.reactions.react(&scene.caller, scene.game, Reaction::Hello).await.expect("a reaction");
        end_admitted(&scene).await;
        scene.app.shutdown().await;
        assert_eq!(outsider.count("reactions"), 0);
    }

    /// An admin who loses the role between the check of the request and its write.
    async fn who_lost_the_role_meanwhile_does_nothing_at_the_desk(service: Service) {
        let scene = scene(&service).await;
        let role = |name: &str| name.parse().expect("a role");
        let sami = service.player("sami").await;
        let report = json!({"player": scene.friend, "game": null, "about": "player_name", "text": "rude"});
        let report = sami.client.send("/v1/reports", &report).await.accepted();
        let report = report["id"].as_str().expect("an id").parse().expect("an id");
        for name in ["noor", "sami"] {
            scene.app.roles.grant_to(name, role("admin")).await.expect("a grant");
        }
        let signed_in = service.anonymous().signed_in("noor", PASSWORD).await;
        let bearer = signed_in.bearer().expect("a token");
        let token = bearer.trim_start_matches("Bearer ");
        let admitted = scene.app.sessions.authenticate(token).await.expect("a session");
        let (now, at) = (scene.app.now(), scene.app.now().into());
        let restrictions = Restrictions { second_step: SecondStep::Passed { at }, ..admitted.restrictions };
        let caller = Caller { restrictions, ..admitted };
        let moderator = ActingModerator::of(caller.clone(), now).expect("a moderator");
        let admin = ActingAdmin::of(caller, now).expect("an admin");

        let operator = service.another_node();
        operator.roles.grant_to("noor", role("player")).await.expect("a grant");
        let App { moderation, roles, .. } = &*scene.app;
        let mute = ActRequest { until: Some(later()), ..ActRequest::new(Act::Muted, "talk") };
        let decision = DecisionRequest { decision: Decision::Upheld, reason: "rude".to_owned() };
        let end = EndRequest { reason: "stuck".to_owned(), untold: None };
        let outcomes = [
            format!("{:?}", moderation.take_report(&moderator, report).await),
            format!("{:?}", moderation.decide_report(&moderator, report, &decision).await),
            format!("{:?}", moderation.act(&moderator, &scene.friend, &mute).await.map(drop)),
            format!("{:?}", moderation.end_game(&moderator, scene.lobby, &end).await),
            format!("{:?}", roles.grant(&admin, scene.friend.clone(), role("auditor")).await),
        ];
        assert_eq!(outcomes, ["Err(SessionEnded)"; 5]);
        operator.shutdown().await;
        scene.app.shutdown().await;
    }

    async fn what_changes_nothing_that_a_request_needs_does_not_stop_it(service: Service) {
        let scene = scene(&service).await;
        // A mute changes the authority of the session, and not what these need.
        let operator = service.another_node();
        let mute = ActRequest { until: Some(later()), ..ActRequest::new(Act::Muted, "talk") };
        let by = ActingModerator::operator();
        operator.moderation.act(&by, &scene.caller.account, &mute).await.expect("an act");
        scene.app.accounts.rename(&scene.caller, Some("Nour")).await.expect("a name");
        scene.app.games.play(&scene.play(), true).await.expect("a command");
        let invited = scene.app.people.invite(&scene.caller, scene.lobby, &scene.friend).await;
        assert!(format!("{invited:?}").contains("Muted") || format!("{invited:?}").contains("NotSeated"), "{invited:?}");
        operator.shutdown().await;
        scene.app.shutdown().await;
    }

    async fn who_was_suspended_meanwhile_takes_no_seat(service: Service) {
        let scene = scene(&service).await;
        let operator = service.another_node();
        let suspend = ActRequest { until: Some(later()), ..ActRequest::new(Act::Suspended, "play") };
        let by = ActingModerator::operator();
        operator.moderation.act(&by, &scene.caller.account, &suspend).await.expect("an act");
        let join = TableCommand::Join { place: None, commitment: None };
        let joined = scene.app.games.at_table(&scene.caller, scene.lobby, &join, None, None).await;
        assert!(format!("{joined:?}").contains("Suspended"), "{joined:?}");
        let opened = scene.app.games.create(&scene.caller, new_table("nineteen"), None).await;
        assert!(format!("{opened:?}").contains("Suspended"), "{opened:?}");
        operator.shutdown().await;
        scene.app.shutdown().await;
    }
}

/// The statements that wait for a row on PostgreSQL.
const WAITING: &str = "pg_locks WHERE NOT granted AND locktype IN ('tuple', 'transactionid')";

/// A scene on PostgreSQL, and two connections beside the service.
async fn on_postgres() -> (Service, Scene, [Outsider; 2]) {
    let database = TestDatabase::new(Backend::Postgres);
    let outsiders = [database.outsider(), database.outsider()];
    let service = Service::start(database);
    let scene = scene(&service).await;
    (service, scene, outsiders)
}

/// A revocation that is not committed yet holds a write up, and then wins: of a setting, and of a command.
#[tokio::test]
async fn a_revocation_at_the_same_moment_wins() {
    let (_service, scene, [mut revoking, mut looking]) = on_postgres().await;
    let id = scene.caller.session;
    let end = format!("BEGIN; UPDATE sessions SET ended_at = 1 WHERE id = '{id}'");
    revoking.run(&end).expect("an open transaction");
    let play = scene.play();
    let (renamed, played, ()) = tokio::join!(
        scene.app.accounts.rename(&scene.caller, Some("Nour")),
        scene.app.games.play(&play, true),
        async {
            eventually("a write that waits", async || looking.count(WAITING) > 0).await;
            revoking.run("COMMIT").expect("a commit");
        }
    );
    for outcome in [format!("{renamed:?}"), format!("{played:?}")] {
        assert!(outcome.contains("SessionEnded"), "{outcome}");
    }
    scene.app.shutdown().await;
}

/// A revocation that is not committed yet holds the write of a reaction up, and then wins.
#[tokio::test]
async fn a_revocation_at_the_same_moment_wins_over_a_reaction() {
    let (_service, scene, [mut revoking, mut looking]) = on_postgres().await;
    scene.app.reactions.react(&scene.caller, scene.game, Reaction::Hello).await.expect("a reaction");
    let end = format!("BEGIN; UPDATE sessions SET ended_at = 1 WHERE id = '{}'", scene.caller.session);
    revoking.run(&end).expect("an open transaction");
    // The end of a node writes what waits.
    tokio::join!(scene.app.shutdown(), async {
        eventually("a write that waits", async || looking.count(WAITING) > 0).await;
        revoking.run("COMMIT").expect("a commit");
    });
    assert_eq!(looking.count("reactions"), 0);
}

/// The other order: a revocation waits for a write that has asserted its authority, and both are carried out.
#[tokio::test]
async fn a_revocation_waits_for_a_write_that_came_first() {
    let (service, scene, [mut holding, mut looking]) = on_postgres().await;
    let hold = format!("BEGIN; SELECT 1 FROM accounts WHERE id = '{}' FOR UPDATE", scene.caller.account);
    holding.run(&hold).expect("an open transaction");
    let path = format!("/v1/sessions/{}", scene.caller.session);
    let has_ended = Cell::new(false);
    let (renamed, ended, ()) = tokio::join!(
        async {
            let renamed = scene.app.accounts.rename(&scene.caller, Some("Nour")).await;
            assert!(!has_ended.get(), "the session ended before the write");
            renamed
        },
        async {
            eventually("a write that waits", async || looking.count(WAITING) == 1).await;
            let ended = scene.other_session.delete(&path).await;
            has_ended.set(true);
            ended
        },
        async {
            let mut watching = service.database().outsider();
            eventually("a revocation that waits", async || watching.count(WAITING) == 2).await;
            holding.run("COMMIT").expect("a commit");
        }
    );
    renamed.expect("a name");
    assert_eq!(ended.status, 204, "{ended:?}");
    scene.app.shutdown().await;
}
