//! Lists of names: the contract has exactly those that the engine reads.

use std::collections::BTreeSet;

use estimation::app::failure::FieldCode;
use estimation::engine::{card, command, event, game, player, ruleset, score};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::components;

fn expected<T: DeserializeOwned>(unknown: Value) -> BTreeSet<String> {
    let error = serde_json::from_value::<T>(unknown).err().expect("no such name").to_string();
    let (_, names) = error.split_once("expected").expect(&error);
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn same_names<T: DeserializeOwned>(schema: &str) {
    let published = components()[schema]["enum"].as_array().unwrap_or_else(|| panic!("no enum {schema}"));
    let published: BTreeSet<String> =
        published.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    assert_eq!(published, expected::<T>(json!("?")), "{schema}");
}

fn same_variants<T: DeserializeOwned>(schema: &str, property: &str) {
    let discriminator = &components()[schema]["discriminator"];
    assert_eq!(discriminator["propertyName"], property);
    let published = discriminator["mapping"].as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(published, expected::<T>(json!({property: "?"})), "{schema}");
}

#[test]
fn the_contract_knows_every_word_of_the_engine() {
    same_names::<card::Suit>("Suit");
    same_names::<card::Trump>("Trump");
    same_names::<command::By>("By");
    same_names::<event::Visibility>("Visibility");
    same_names::<ruleset::RoundKind>("RoundKind");
    same_names::<game::PhaseKind>("Phase");
    same_names::<event::AbandonReason>("AbandonReason");
    same_names::<game::Status>("GameStatus");
    same_names::<player::BotLevel>("BotLevel");
    same_names::<score::CallKind>("CallKind");
    same_names::<score::Reason>("Reason");
    same_names::<FieldCode>("FieldErrorCode");
}

#[test]
fn the_contract_knows_every_word_of_a_ruleset() {
    same_names::<ruleset::RulesetId>("RulesetId");
    same_names::<ruleset::Direction>("Direction");
    same_names::<ruleset::Plan>("Plan");
    same_names::<ruleset::Length>("Length");
    same_names::<ruleset::Order>("Order");
    same_names::<ruleset::Revokes>("Revokes");
    same_names::<ruleset::Seating>("Seating");
    same_names::<ruleset::StarterRotation>("StarterRotation");
    same_names::<ruleset::AuctionKind>("AuctionKind");
    same_names::<ruleset::Dash>("Dash");
    same_names::<ruleset::DashCallTiming>("DashCallTiming");
    same_names::<ruleset::Unbid>("Unbid");
    same_names::<ruleset::FirstLead>("FirstLead");
    same_names::<ruleset::Scoring>("Scoring");
    same_names::<ruleset::RiskLadder>("RiskLadder");
    same_names::<ruleset::CarryLadder>("CarryLadder");
    same_names::<ruleset::HighCallExtras>("HighCallExtras");
    same_names::<ruleset::HalfSquare>("HalfSquare");
}

#[test]
fn the_contract_has_every_kind_of_command_event_and_player() {
    same_variants::<command::Command>("Command", "type");
    same_variants::<event::Event>("Event", "type");
    same_variants::<player::Player>("Player", "kind");
}
