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
        // The server compares the version and the hash alone.
        let tag = format!("\"{}.{}.{:016x}\"", view.version, &view.head.hash[..16], 0);
        let answer = play_api::post_command(config, game, command, Some(&tag), None, None, None)?;
        view = *answer.game.ok_or("the answer has no game")?;
        played += 1;
    }
    Ok((view, played))
}

/// The types of commands that this program knows.
const KNOWN: [&str; 12] = [
    "choose_seat", "cut", "redeal", "avoid", "enter_auction", "blind_dash", "bid", "pass", "dash_call", "estimate", "play",
    "resume",
];

/// A bid of at most four tricks, else a pass, else the first legal command of a known type.
fn choose(legal: &[Command]) -> Option<Command> {
    let known: Vec<&Command> = legal.iter().filter(|command| KNOWN.contains(&&*command.r#type)).collect();
    let cheap = |command: &&&Command| command.r#type == "bid" && command.tricks.is_some_and(|tricks| tricks <= 4);
    let pass = |command: &&&Command| command.r#type == "pass";
    known.iter().find(cheap).or_else(|| known.iter().find(pass)).or(known.first()).map(|command| (*command).clone())
}
