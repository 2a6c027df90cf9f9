//! Plays a whole game against itself: `play URL RULESET`. Then it reads the game back: scores, events, the list and a
//! problem.

mod player;

use std::error::Error;

use estimation_client::apis::{configuration::Configuration, games_api, play_api};
use estimation_client::models::{CreateGameRequest, JoinRequest, KnownRulesetId, RequestedOptions};
use estimation_client::models::requested_options::Length;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: play URL RULESET")?;
    let name = arguments.next().ok_or("usage: play URL RULESET")?;
    let ruleset: KnownRulesetId = serde_json::from_value(name.clone().into())?;
    let mut body = CreateGameRequest::new(ruleset);
    let seats = if ruleset == KnownRulesetId::Nineteen { 2 } else { 4 };
    body.players = Some(Some(seats));
    if ruleset != KnownRulesetId::Nineteen {
        let options = RequestedOptions { length: Some(Length::Micro), ..RequestedOptions::default() };
        body.options = Some(Box::new(options));
    }
    let players = (0..seats).map(|_| player::guest(&url)).collect::<Result<Vec<_>, _>>()?;
    let host = players.first().ok_or("no players")?;
    let game = games_api::create_game(host, body, None, None)?.id.to_string();
    for guest in players.iter().skip(1) {
        games_api::join_game(guest, &game, JoinRequest::new(), None, None)?;
    }
    games_api::start_game(host, &game, None, None)?;
    let mut commands = 0;
    for player in players.iter().cycle().take(10_000) {
        let (view, played) = player::act(player, &game)?;
        commands += played;
        if view.status == "finished" {
            read_back(host, &game)?;
            println!("{name}: {commands} commands, totals {:?}", view.scores.totals);
            return Ok(());
        }
    }
    Err(format!("the game is unfinished after {commands} commands").into())
}

/// Reads what an app shows after a game, and checks that each answer is complete.
fn read_back(host: &Configuration, game: &str) -> Result<(), Failure> {
    let sheet = play_api::get_scores(host, game, None)?;
    let complete = sheet.rounds.first().is_some_and(|round| round.seats.len() == sheet.totals.len());
    if sheet.status != "finished" || !complete {
        return Err("the score sheet is incomplete".into());
    }
    let events = play_api::list_events(host, game, None, None, None, None)?;
    if events.items.first().is_none_or(|first| first.event.r#type != "game_created") {
        return Err("the first event is not game_created".into());
    }
    let list = games_api::list_games(host, None, None, Some(true), None, None, None, None)?;
    if list.items.first().is_none_or(|first| first.id.to_string() != game) {
        return Err("the list does not have the game".into());
    }
    match games_api::start_game(host, game, None, None) {
        Err(estimation_client::apis::Error::ResponseError(refused)) => match refused.entity {
            Some(games_api::StartGameError::UnknownValue(value)) => {
                Err(format!("the problem was not decoded: {value}").into())
            }
            Some(_) => Ok(()),
            None => Err(format!("the problem was not decoded: {}", refused.content).into()),
        },
        _ => Err("a second start was not refused".into()),
    }
}
