//! The settings, and the files that they name.

use super::Finding;
use crate::cli::Failed;
use crate::cli::serve::ServeFlags;

const AREA: &str = "settings";

const WHY: &str = "the server does not start with it";

pub(super) fn findings(flags: &ServeFlags) -> Vec<Finding> {
    // What `serve` reads at its start, beside what the command line has checked already.
    let read: [Result<(), Failed>; 4] = [
        flags.sign_in.identities().map(drop),
        flags.sign_in.mail().map(drop),
        flags.notifications.destinations(flags.sign_in.public_url()).map(drop),
        flags.people.words().map(drop),
    ];
    let wrong: Vec<Finding> = read
        .into_iter()
        .filter_map(Result::err)
        .map(|error| Finding::problem(AREA, error.to_string(), WHY, "correct the setting, or leave it out"))
        .collect();
    if !wrong.is_empty() {
        return wrong;
    }
    vec![Finding::good(AREA, "valid; `estimation config` prints them")]
}
