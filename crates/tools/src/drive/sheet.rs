//! The score sheet of a game as a text table.

use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Sheet {
    totals: Vec<i32>,
    rounds: Vec<Row>,
    penalties: Vec<Penalty>,
    ranks: Option<Vec<u8>>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Row {
    round: u8,
    folded: bool,
    bidder: Option<usize>,
    multiplier: u32,
    seats: Vec<Cell>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Cell {
    call: Option<Call>,
    tricks: u8,
    points: i32,
    total: i32,
}

#[derive(Debug, Deserialize, Serialize)]
struct Call {
    kind: String,
    tricks: u8,
    with: bool,
    risk: bool,
}

#[derive(Debug, Deserialize, Serialize)]
struct Penalty {
    round: u8,
    seat: usize,
    card: String,
    points: i32,
}

impl Sheet {
    /// The sheet as text for a terminal.
    pub(super) fn table(&self) -> String {
        let mut text = format!("{:>5} {:>4}", "", "");
        for seat in 0..self.totals.len() {
            text += &format!(" | {:^24}", format!("seat {seat}"));
        }
        text += &format!("\n{:>5} {:>4}", "round", "x");
        text += &format!(" | {:>5} {:>5} {:>6} {:>5}", "call", "took", "points", "total")
            .repeat(self.totals.len());
        text += "\n";
        for row in &self.rounds {
            for penalty in self.penalties.iter().filter(|penalty| penalty.round == row.round) {
                text += &penalty.line();
            }
            text += &row.line();
        }
        text += &self.standings();
        text + "b bidder, w With, r Risk, d dash call\n"
    }

    fn standings(&self) -> String {
        let mut text = format!("{:>10}", "total");
        for total in &self.totals {
            text += &format!(" | {total:>24}");
        }
        if let Some(ranks) = &self.ranks {
            text += &format!("\n{:>10}", "rank");
            for rank in ranks {
                text += &format!(" | {rank:>24}");
            }
        }
        text + "\n"
    }
}

impl Row {
    fn line(&self) -> String {
        let mut text = format!("{:>5} {:>4}", self.round, self.multiplier);
        for (seat, cell) in self.seats.iter().enumerate() {
            let call = cell.call.as_ref().map(|call| call.text(self.bidder == Some(seat)));
            let call = call.unwrap_or_else(|| if self.folded { "fold" } else { "-" }.to_owned());
            text += &format!(" | {call:>5} {:>5} {:>+6} {:>5}", cell.tricks, cell.points, cell.total);
        }
        text + "\n"
    }
}

impl Call {
    fn text(&self, bidder: bool) -> String {
        let dashed = matches!(self.kind.as_str(), "dash_call" | "blind_dash");
        let signs = [(bidder, 'b'), (self.with, 'w'), (self.risk, 'r'), (dashed, 'd')];
        let signs = signs.into_iter().filter(|(holds, _)| *holds).map(|(_, sign)| sign);
        format!("{}{}", self.tricks, signs.collect::<String>())
    }
}

impl Penalty {
    fn line(&self) -> String {
        let Penalty { round, seat, card, points } = self;
        format!("{round:>5}      | seat {seat} revoked with {card}: {points:+}\n")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sheet_is_a_table() {
        let call =
            |tricks, with, risk| json!({"kind": "estimate", "tricks": tricks, "with": with, "risk": risk});
        let sheet: Sheet = serde_json::from_value(json!({
            "game": "g", "version": 9, "status": "finished", "totals": [-4, 13], "ranks": [2, 1],
            "penalties": [{"round": 2, "attempt": 1, "seat": 0, "card": "AS", "points": 4}],
            "rounds": [
                {"round": 1, "folded": false, "bidder": 1, "multiplier": 2, "seats": [
                    {"call": call(3, true, true), "tricks": 2, "points": -8, "total": -8, "lines": []},
                    {"call": {"kind": "bid", "tricks": 3, "with": false, "risk": false},
                        "tricks": 3, "points": 13, "total": 13, "lines": []}]},
                {"round": 2, "folded": true, "bidder": null, "multiplier": 1, "seats": [
                    {"call": null, "tricks": 0, "points": 0, "total": -4, "lines": []},
                    {"call": {"kind": "dash_call", "tricks": 0, "with": false, "risk": false},
                        "tricks": 0, "points": 0, "total": 13, "lines": []}]}
            ]
        }))
        .unwrap();
        let table = sheet.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[2], "    1    2 |   3wr     2     -8    -8 |    3b     3    +13    13");
        assert_eq!(lines[3], "    2      | seat 0 revoked with AS: +4");
        assert_eq!(lines[4], "    2    1 |  fold     0     +0    -4 |    0d     0     +0    13");
        assert!(lines[6].starts_with("      rank |                        2 |"));
    }
}
