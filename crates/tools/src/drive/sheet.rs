//! The score sheet of a game as a text table.

use serde_json::Value;

/// The sheet as text for a terminal.
pub(super) fn table(sheet: &Value) -> String {
    let seats = items(&sheet["totals"]).len();
    let mut text = format!("{:>5} {:>4}", "", "");
    for seat in 0..seats {
        text += &format!(" | {:^24}", format!("seat {seat}"));
    }
    text += &format!("\n{:>5} {:>4}", "round", "x");
    text += &format!(" | {:>5} {:>5} {:>6} {:>5}", "call", "took", "points", "total").repeat(seats);
    text += "\n";
    for round in items(&sheet["rounds"]) {
        for penalty in items(&sheet["penalties"]).iter().filter(|penalty| penalty["round"] == round["round"])
        {
            let [number, seat, points] = ["round", "seat", "points"].map(|name| number(&penalty[name]));
            let card = penalty["card"].as_str().unwrap_or_default();
            text += &format!("{number:>5}      | seat {seat} revoked with {card}: {points:+}\n");
        }
        text += &format!("{:>5} {:>4}", number(&round["round"]), number(&round["multiplier"]));
        for (seat, cell) in items(&round["seats"]).iter().enumerate() {
            let [tricks, points, total] = ["tricks", "points", "total"].map(|name| number(&cell[name]));
            let call = called(round, seat, &cell["call"]);
            text += &format!(" | {call:>5} {tricks:>5} {points:>+6} {total:>5}");
        }
        text += "\n";
    }
    for (name, values) in [("total", &sheet["totals"]), ("rank", &sheet["ranks"])] {
        if !values.is_null() {
            text += &format!("{name:>10}");
            items(values).iter().for_each(|value| text += &format!(" | {:>24}", number(value)));
            text += "\n";
        }
    }
    text + "b bidder, w With, r Risk, d dash call\n"
}

/// A call with its signs.
fn called(round: &Value, seat: usize, call: &Value) -> String {
    if call.is_null() {
        return if round["folded"] == true { "fold" } else { "-" }.to_owned();
    }
    let signs = [
        (round["bidder"] == seat, 'b'),
        (call["with"] == true, 'w'),
        (call["risk"] == true, 'r'),
        (call["kind"] == "dash_call" || call["kind"] == "blind_dash", 'd'),
    ];
    let signs = signs.into_iter().filter(|(holds, _)| *holds).map(|(_, sign)| sign);
    format!("{}{}", number(&call["tricks"]), signs.collect::<String>())
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sheet_is_a_table() {
        let call =
            |tricks, with, risk| json!({"kind": "estimate", "tricks": tricks, "with": with, "risk": risk});
        let table = table(&json!({
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
        }));
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[2], "    1    2 |   3wr     2     -8    -8 |    3b     3    +13    13");
        assert_eq!(lines[3], "    2      | seat 0 revoked with AS: +4");
        assert_eq!(lines[4], "    2    1 |  fold     0     +0    -4 |    0d     0     +0    13");
        assert!(lines[6].starts_with("      rank |                        2 |"));
    }
}
