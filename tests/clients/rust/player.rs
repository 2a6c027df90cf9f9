//! A seat at a table, played from `legal` with the generated client.

use estimation_client::apis::configuration::Configuration;
use estimation_client::apis::{accounts_api, games_api, play_api};
use estimation_client::models::{Command, GameView, RegisterGuestRequest};

use crate::Failure;

/// The configuration of a new guest, with the access token.
pub fn guest(url: &str) -> Result<Configuration, Failure> {
    let mut config = Configuration { base_path: url.to_owned(), ..Configuration::default() };
    let guest = accounts_api::register_guest(&config, RegisterGuestRequest::new())?;
    config.bearer_access_token = Some(guest.session.access_token);
    Ok(config)
}

/// Posts commands as long as it is this player's turn. Returns the last view and the number of commands.
pub fn act(config: &Configuration, game: &str) -> Result<(GameView, u32), Failure> {
    let mut view = games_api::get_game(config, game, None, None)?;
    let mut played = 0;
    while let Some(command) = choose(&view.legal) {
        let version = format!("\"{}\"", view.version);
        let answer = play_api::post_command(config, game, command, Some(&version), None, None, None)?;
        view = *answer.game.ok_or("the answer has no game")?;
        played += 1;
    }
    Ok((view, played))
}

/// A bid of at most four tricks, else a pass, else the first legal command.
fn choose(legal: &[Command]) -> Option<Command> {
    let cheap = |command: &&Command| matches!(command, Command::Bid(bid) if bid.tricks <= 4);
    let pass = |command: &&Command| matches!(command, Command::Pass(_));
    legal.iter().find(cheap).or_else(|| legal.iter().find(pass)).or(legal.first()).cloned()
}
