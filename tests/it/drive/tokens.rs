//! Long drives: access tokens expire during a game and are refreshed.

use std::net::TcpListener;
use std::thread;

use estimation::http::{ServerSettings, serve};
use estimation_service::auth::keys::KeyRing;
use estimation_service::base::clock::ManualClock;
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::services::AppSettings;
use estimation_store::{Database, DatabaseUrl, Settings};

use super::{drive, report};
use crate::prelude::*;

/// The repeated step of the clock: less than an access token's life, more than a third of it.
const LEAP: SignedDuration = SignedDuration::from_mins(6);

/// The answers between two steps: many for each player, so that no token expires in each of several attempts.
const ANSWERS: f64 = 100.0;

#[ignore = "all: drives load for many seconds"]
#[test]
fn tokens_that_expire_during_a_game_are_refreshed() {
    refreshes(&["--games", "4"]);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn tokens_that_expire_before_a_stream_is_opened_are_refreshed() {
    refreshes(&["--games", "12", "--streams", "16"]);
}

/// How many requests the service has answered.
fn answers(app: &App) -> f64 {
    let text = app.metrics.render();
    let samples = text.lines().filter(|line| line.starts_with("estimation_requests_total{"));
    samples.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

/// Drives games while the clock leaps.
fn refreshes(flags: &[&str]) {
    let data = TempDir::new().unwrap();
    let began: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let clock = Arc::new(ManualClock::at(began));
    let keys = KeyRing::load_or_create(&data.path().join("keys.json"), &SystemEntropy, began).unwrap();
    let url = DatabaseUrl::sqlite(data.path().join("estimation.db"));
    let database = Database::open(&url, Settings::default()).unwrap();
    let settings = AppSettings::unlimited(Arc::clone(&clock) as _, Arc::new(SystemEntropy));
    let app = Arc::new(App::new(database, keys, settings));
    let measured = Arc::clone(&app);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let settings = ServerSettings::default();
        actix_web::rt::System::new().block_on(async { serve(app, listener, settings).unwrap().await })
    });
    let mut driver =
        drive(&url, &[flags, &["--table", r#"{"ruleset":"nineteen","players":2}"#, "--verify"]].concat())
            .spawn()
            .unwrap();
    let mut leapt_at = 0.0;
    while driver.try_wait().unwrap().is_none() {
        let answered = answers(&measured);
        if answered >= leapt_at + ANSWERS {
            leapt_at = answered;
            clock.advance(LEAP);
        }
        thread::sleep(Duration::from_millis(20));
    }
    println!("{} answers", answers(&measured));
    let report = report(&driver.wait_with_output().unwrap());
    assert!(report["refreshed_sessions"].as_u64() > Some(0), "{report}");
}
