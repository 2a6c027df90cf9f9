//! Sound histories that show every line of every formula, and options that change play or scores.

use estimation_engine::game::Stage;
use estimation_engine::ruleset::options::OptionValue::{Flag, Number};
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_record::verify::Status;

use super::rehearsal::Shown;
use super::sound::{Recorder, Sound, agreed, name, recorded};
use crate::made::Made;

/// The trials of each round.
const TRIALS: usize = 150;

/// The histories.
pub fn all() -> Vec<Sound> {
    let sound = |name, about, made| Sound { name, about, made };
    vec![
        sound(
            "squares-scores",
            "rounds made and lost by the formula squares; played to the end",
            squares_scores(),
        ),
        sound(
            "squares-options",
            "squares with other options than the default in the auction and the formula; played to the end",
            squares_options(),
        ),
        sound(
            "kabooot-scores",
            "rounds made and lost by the formula round_number; abandoned",
            kabooot_scores(),
        ),
        sound(
            "kabooot-options",
            "kabooot with other options than the default in the auction and the formula; played to the end",
            kabooot_options(),
        ),
        sound(
            "double-risk-scores",
            "rounds made and lost by the formula roles; played to the end",
            double_risk_scores(),
        ),
        sound(
            "double-risk-options",
            "double-risk with other options than the default in the auction and the formula; played to the end",
            double_risk_options(),
        ),
        sound(
            "plain-options",
            "plain with other options than the default in the seats, the auction and the play; played to the end",
            plain_options(),
        ),
        sound("five-players", "five players and two jokers; abandoned", five_players()),
        sound("running", "a game that still runs, up to the last round that is over", running()),
    ]
}

/// Fills the table and plays rounds, each the best of many trials, until a round is reached.
fn show(table: &mut Recorder<'_>, until: u8) {
    for player in 1..table.players() {
        table.join(player, player % 2 == 0);
    }
    table.start(0);
    let mut shown = Shown::default();
    while !table.is_over() && table.round() < until {
        let round = matches!(table.stage(), Stage::Round(_));
        let commands = if round { table.rehearsed(&mut shown, TRIALS) } else { None };
        match commands {
            Some(commands) => commands.into_iter().for_each(|command| table.command(command)),
            None => table.any(),
        }
    }
    if !table.is_over() {
        table.forfeit(0..table.players());
    }
}

fn to_the_end(table: &mut Recorder<'_>) {
    show(table, u8::MAX);
}

fn squares_scores() -> Made {
    recorded(20, Ruleset::preset(RulesetId::Squares), None, |table| show(table, 15))
}

fn squares_options() -> Made {
    let options = [
        ("length", name("mini")),
        ("starter_rotation", name("previous_bidder")),
        ("auction", name("single_call")),
        ("minimum_bid", Number(6)),
        ("fast_redeal", Flag(true)),
        ("fast_trump_change", Flag(false)),
        ("risk_ladder", name("from_two")),
        ("with_penalty", Flag(true)),
        ("carry_ladder", name("double")),
        ("high_call_extras", name("only_bonus")),
        ("half_square", name("ceil")),
    ];
    recorded(21, agreed(RulesetId::Squares, 4, &options), None, to_the_end)
}

fn kabooot_scores() -> Made {
    recorded(1004, agreed(RulesetId::Kabooot, 4, &[("length", name("mini"))]), None, |table| show(table, 10))
}

fn kabooot_options() -> Made {
    let options = [
        ("length", name("mini")),
        ("auction", name("single_call")),
        ("minimum_bid", Number(1)),
        ("risk_ladder", name("from_two")),
        ("with_penalty", Flag(true)),
        ("carry_ladder", name("flat")),
        ("blind_dash_swap", Flag(true)),
    ];
    recorded(1108, agreed(RulesetId::Kabooot, 4, &options), None, to_the_end)
}

fn double_risk_scores() -> Made {
    recorded(24, agreed(RulesetId::DoubleRisk, 4, &[("length", name("mini"))]), None, to_the_end)
}

fn double_risk_options() -> Made {
    let options = [
        ("length", name("micro")),
        ("starter_rotation", name("fixed")),
        ("risk_ladder", name("from_two")),
        ("with_penalty", Flag(false)),
        ("carry_ladder", name("flat")),
        ("concealed_tricks", Flag(true)),
    ];
    recorded(25, agreed(RulesetId::DoubleRisk, 4, &options), None, to_the_end)
}

fn plain_options() -> Made {
    let options = [
        ("length", name("micro")),
        ("seating", name("as_joined")),
        ("cut", Flag(false)),
        ("bid_direction", name("counterclockwise")),
        ("first_lead", name("declarer")),
        ("no_trump_bids", Flag(false)),
        ("dash_limit", Number(3)),
        ("forbid_thirteen", Flag(true)),
    ];
    recorded(26, agreed(RulesetId::Plain, 4, &options), None, to_the_end)
}

fn five_players() -> Made {
    recorded(27, agreed(RulesetId::Nineteen, 5, &[("jokers", Number(2))]), None, |table| show(table, 14))
}

fn running() -> Made {
    let options = [("order", name("10-1-10")), ("jokers", Number(2))];
    let mut made = recorded(28, agreed(RulesetId::Nineteen, 3, &options), None, |table| show(table, 6));
    let scored = made.find("round_scored", 0).and_then(|first| made.find("round_scored", first + 1));
    made.events.truncate(scored.expect("a second round") + 1);
    made.header.status = Status::Running;
    made.end.signature = None;
    made.rehash();
    made
}
