//! Sign-in takes the same time for known and unknown names. Run it on demand on an idle machine:
//! `ESTIMATION_TEST_TIMING=1 cargo test --test it login_timing`.

use estimation_service::auth::passwords::Cost;

use crate::prelude::*;

const ATTEMPTS: usize = 300;

#[tokio::test]
async fn known_and_unknown_names_take_the_same_time() {
    if std::env::var_os("ESTIMATION_TEST_TIMING").is_none() {
        return;
    }
    let setup = Setup { password_cost: Cost::default(), ..Setup::default() };
    let service = Service::told(TestDatabase::new(Backend::Sqlite), setup);
    service.player("noor").await;
    let nobody = service.anonymous();
    let mut times: [Vec<f64>; 2] = Default::default();
    for attempt in 0..2 * ATTEMPTS {
        // Alternates the two kinds and swaps their order, so that drift affects both equally.
        let kind = (attempt + attempt / 2) % 2;
        let name = ["noor", "nour"][kind];
        let wish = json!({"username": name, "password": "not-the-password"});
        let started = Instant::now();
        nobody.send("/v1/sessions", &wish).await.refused(401, "wrong-credentials");
        times[kind].push(started.elapsed().as_secs_f64());
    }
    let z = rank_test(&times[0], &times[1]);
    println!("z = {z:.2}");
    // Random variation exceeds this once in a thousand runs.
    assert!(z.abs() < 3.3, "known and unknown names can be told apart: z = {z:.2}");
}

/// The Mann-Whitney rank sum test: by how many standard deviations the samples differ.
pub fn rank_test(one: &[f64], other: &[f64]) -> f64 {
    let wins: f64 = one
        .iter()
        .map(|a| {
            other
                .iter()
                .map(|b| {
                    if a > b {
                        1.0
                    } else if a < b {
                        0.0
                    } else {
                        0.5
                    }
                })
                .sum::<f64>()
        })
        .sum();
    let (n, m) = (one.len() as f64, other.len() as f64);
    (wins - n * m / 2.0) / (n * m * (n + m + 1.0) / 12.0).sqrt()
}

#[test]
fn the_rank_test_separates_different_samples() {
    let near: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 100)).collect();
    let far: Vec<f64> = near.iter().map(|time| time + 40.0).collect();
    assert!(rank_test(&near, &near).abs() < 0.1);
    assert!(rank_test(&near, &far).abs() > 3.3);
}
