mod columns;
mod document;
mod falsified_log;
mod falsified_rows;
mod forged_acts;
mod forged_states;
mod hinted_games;
mod outside;
mod packed;
mod refused_games;
mod refused_moves;
pub mod served;
mod server_seeds;
pub mod skipped_games;

use estimation_record::verify::Trust;
use estimation_service::auth::keys::KeyRing;
use estimation_service::base::entropy::SeededEntropy;
use estimation_test_support::made::time;

pub fn keys() -> KeyRing {
    KeyRing::create(&SeededEntropy::new(77), time(0).timestamp())
}

pub fn trust() -> Trust {
    let mut trust = Trust::default();
    keys().record_keys().iter().for_each(|key| trust.add_key(*key.verifying_key()));
    trust
}
