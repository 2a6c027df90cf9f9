//! The ruleset and the options of a table, read by name; the schedule that follows from them.

use serde_json::{Map, Value};

/// Suits and no trump in the order of bidding, low to high.
pub const TRUMPS: [&str; 5] = ["clubs", "diamonds", "hearts", "spades", "no_trump"];

/// A table's ruleset id, number of players and options.
#[derive(Clone)]
pub struct Rules {
    pub id: String,
    pub players: usize,
    options: Map<String, Value>,
}

/// What is dealt for: a turned indicator, an auction, or estimates alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Indicator,
    Auction,
    Fast,
}

/// Every option a ruleset has, with its default.
fn defaults(id: &str) -> Option<Vec<(&'static str, Value)>> {
    let common = |rest: Vec<(&'static str, Value)>| {
        let mut all =
            vec![("length", "full".into()), ("concealed_tricks", false.into()), ("minimum_bid", 4.into())];
        all.extend(rest);
        all
    };
    let auctioned = |rest: Vec<(&'static str, Value)>| {
        let mut all = common(vec![
            ("auction", "ascending".into()),
            ("fast_redeal", false.into()),
            ("risk_ladder", "from_one".into()),
            ("carry_ladder", "add".into()),
        ]);
        all.extend(rest);
        all
    };
    Some(match id {
        "nineteen" => vec![
            ("order", "1-10-1".into()),
            ("jokers", 0.into()),
            ("concealed_tricks", false.into()),
            ("revokes", "refuse".into()),
        ],
        "squares" => auctioned(vec![
            ("starter_rotation", "rotate".into()),
            ("dash_call_timing", "in_auction".into()),
            ("fast_trump_change", true.into()),
            ("with_penalty", false.into()),
            ("high_call_extras", "all".into()),
            ("half_square", "floor".into()),
        ]),
        "kabooot" => auctioned(vec![("with_penalty", false.into()), ("blind_dash_swap", false.into())]),
        "double-risk" => auctioned(vec![
            ("starter_rotation", "rotate".into()),
            ("dash_call_timing", "in_auction".into()),
            ("with_penalty", true.into()),
        ]),
        "plain" => common(vec![
            ("seating", "draw".into()),
            ("cut", true.into()),
            ("bid_direction", "clockwise".into()),
            ("first_lead", "dealers_right".into()),
            ("allow_pass", false.into()),
            ("no_trump_bids", true.into()),
            ("dash_limit", 2.into()),
            ("forbid_thirteen", false.into()),
        ]),
        _ => return None,
    })
}

impl Rules {
    /// A table with the given options over the ruleset's defaults.
    pub fn new(id: &str, players: usize, given: &Value) -> Result<Rules, String> {
        let own = defaults(id).ok_or_else(|| format!("no ruleset {id}"))?;
        let given = given.as_object().ok_or("options are not an object")?;
        if let Some(name) = given.keys().find(|name| !own.iter().any(|(known, _)| known == name)) {
            return Err(format!("{id} has no option {name}"));
        }
        let options = own
            .into_iter()
            .map(|(name, default)| (name.to_string(), given.get(name).cloned().unwrap_or(default)))
            .collect();
        Ok(Rules { id: id.to_string(), players, options })
    }

    /// The ruleset as it stands whole in a game's first event: every option of its own must be there.
    pub fn of_game(ruleset: &Value) -> Result<Rules, String> {
        let id = ruleset["id"].as_str().ok_or("the ruleset has no id")?;
        let players = ruleset["players"].as_u64().ok_or("the ruleset has no number of players")? as usize;
        let own = defaults(id).ok_or_else(|| format!("no ruleset {id}"))?;
        let mut options = Map::new();
        for (name, default) in own {
            let value = ruleset.get(name).ok_or_else(|| format!("the ruleset lacks the option {name}"))?;
            if std::mem::discriminant(value) != std::mem::discriminant(&default) {
                return Err(format!("the option {name} is {value}"));
            }
            options.insert(name.to_string(), value.clone());
        }
        let fits = if id == "nineteen" { (2..=5).contains(&players) } else { players == 4 };
        if !fits {
            return Err(format!("{id} is not played by {players}"));
        }
        Ok(Rules { id: id.to_string(), players, options })
    }

    /// Whether an option has this value; an option the ruleset does not have has no value.
    pub fn is(&self, option: &str, value: &str) -> bool {
        self.options.get(option).and_then(Value::as_str) == Some(value)
    }

    /// Whether a yes-or-no option is on.
    pub fn on(&self, option: &str) -> bool {
        self.options.get(option).and_then(Value::as_bool) == Some(true)
    }

    /// A numeric option; 0 where the ruleset does not have it.
    pub fn number(&self, option: &str) -> i64 {
        self.options.get(option).and_then(Value::as_i64).unwrap_or(0)
    }

    /// Whether this is one of the named rulesets.
    pub fn among(&self, ids: &[&str]) -> bool {
        ids.contains(&self.id.as_str())
    }

    /// How many rounds a game has.
    pub fn rounds(&self) -> i64 {
        match () {
            () if self.id == "nineteen" => 19,
            () if self.is("length", "mini") => 10,
            () if self.is("length", "micro") => 5,
            () => 18,
        }
    }

    /// What round `number` is played for.
    pub fn part(&self, number: i64) -> Part {
        let auctions = if self.is("length", "full") { 13 } else { 5 };
        match () {
            () if self.id == "nineteen" => Part::Indicator,
            () if number <= auctions => Part::Auction,
            () => Part::Fast,
        }
    }

    /// The trump of a fast round.
    pub fn fast_trump(&self, number: i64) -> &'static str {
        let auctions = if self.is("length", "full") { 13 } else { 5 };
        ["no_trump", "spades", "hearts", "diamonds", "clubs"][(number - auctions - 1) as usize]
    }

    /// How many cards each player is dealt.
    pub fn hand_size(&self, number: i64) -> i64 {
        match () {
            () if self.id != "nineteen" => 13,
            () if self.is("order", "10-1-10") => 1 + (10 - number).abs(),
            () => 10 - (10 - number).abs(),
        }
    }

    /// Whether the total of the calls may not equal the tricks.
    pub fn bars_total(&self) -> bool {
        self.id != "plain" || self.on("forbid_thirteen")
    }

    /// How many may declare a zero before or during the auction.
    pub fn dash_calls(&self) -> usize {
        match self.id.as_str() {
            "squares" => 3,
            "kabooot" | "double-risk" => 2,
            "plain" => self.number("dash_limit") as usize,
            _ => 0,
        }
    }

    /// How many zeros of every kind a round may have.
    pub fn zeros(&self) -> usize {
        if self.among(&["kabooot", "double-risk"]) { 2 } else { self.players }
    }

    /// The seat `steps` after `seat` in order of play; negative steps go the other way.
    pub fn seat(&self, seat: usize, steps: i64) -> usize {
        (seat as i64 + steps).rem_euclid(self.players as i64) as usize
    }

    /// The seats in the order in which they bid and estimate, beginning with `first`.
    pub fn calling_order(&self, first: usize) -> Vec<usize> {
        let step = if self.is("bid_direction", "clockwise") { -1 } else { 1 };
        (0..self.players as i64).map(|turn| self.seat(first, turn * step)).collect()
    }

    /// The seats that estimate after the auction: from the bidder's neighbour, without dash callers.
    pub fn estimators(&self, bidder: usize, dashed: &[bool]) -> Vec<usize> {
        self.calling_order(bidder).into_iter().skip(1).filter(|&seat| !dashed[seat]).collect()
    }
}
