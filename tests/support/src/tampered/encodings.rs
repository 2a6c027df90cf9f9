//! Texts that are not canonical JSON, and values in other forms.

use serde_json::json;

use super::change::{Base, Case};

pub fn cases(base: &Base) -> Vec<Case<'_>> {
    if !["cancelled", "clock", "double-risk"].contains(&base.name) {
        return Vec::new();
    }
    let seq = base.last() / 2;
    let text = |what: &str, rule: &'static str, edit: &dyn Fn(String) -> String| {
        let mut change = base.change();
        change.text(seq, edit);
        change.chain();
        change.found("encoding", format!("event {seq}: {what}"), seq, rule)
    };
    let number =
        |to: String| move |text: String| text.replace(&format!("\"seq\":{seq}"), &format!("\"seq\":{to}"));
    let arabic: String = seq
        .to_string()
        .chars()
        .map(|digit| char::from_u32(0x660 + digit as u32 - 0x30).expect("a digit"))
        .collect();
    let kind = |text: String, to: &dyn Fn(&str) -> String| {
        let from = text.find("\"type\":\"").expect("a type") + 8;
        format!("{}{}{}", &text[..from], to(&text[from..=from]), &text[from + 1..])
    };
    let mut cases = vec![
        text("a space", "canonical", &|text| text.replace("\"game\":", "\"game\": ")),
        text("a line break at the end", "canonical", &|text| text + "\n"),
        text("a space at the beginning", "canonical", &|text| format!(" {text}")),
        text("members in another order", "canonical", &|text| {
            let (front, back) = text.rsplit_once(",\"game\":").expect("a game");
            let (game, number) = back.split_once(',').expect("a number");
            format!("{front},{},\"game\":{game}}}", number.trim_end_matches('}'))
        }),
        text("an escaped letter", "canonical", &|text| {
            kind(text, &|letter| format!("\\u{:04x}", letter.as_bytes()[0]))
        }),
        text("a fraction", "canonical", &number(format!("{seq}.0"))),
        text("an exponent", "canonical", &number(format!("{seq}e0"))),
        text("minus zero", "canonical", &number("-0".to_owned())),
        text("a number beyond 2^53", "canonical", &number("9007199254740993".to_owned())),
        text("a number beyond 2^64", "canonical", &number("18446744073709551617".to_owned())),
        text("a number beyond all numbers", "form", &number("1e999".to_owned())),
        text("a leading zero", "form", &number(format!("0{seq}"))),
        text("a plus sign", "form", &number(format!("+{seq}"))),
        text("digits that are not ASCII", "form", &number(arabic.clone())),
        text("NaN", "form", &number("NaN".to_owned())),
        text("a number as text", "form", &number(format!("\"{seq}\""))),
        text("a duplicate key", "canonical", &number(format!("{seq},\"seq\":{seq}"))),
        text("a key that is not ASCII", "canonical", &number(format!("{seq},\"é\":1"))),
        text("an unknown member", "form", &number(format!("{seq},\"sequel\":1"))),
        text("half a character", "form", &|text| kind(text, &|_| "\\ud800".to_owned())),
        text("a byte order mark", "form", &|text| format!("\u{feff}{text}")),
        text("a second value", "form", &|text| text.clone() + &text),
        text("a list", "form", &|_| "[]".to_owned()),
        text("no JSON", "form", &|_| String::new()),
        text("a member is missing", "form", &|text| text.replace(&format!(",\"seq\":{seq}"), "")),
        text("the game in upper case", "form", &|text| {
            let game = base.body(1)["game"].as_str().expect("an id");
            text.replace(game, &game.to_uppercase())
        }),
    ];
    let at = base.body(seq)["at"].as_str().expect("a time").to_owned();
    let (date, clock) = at.split_once('T').expect("a time");
    for (what, time) in [
        ("no decimals", at.replace(".000Z", "Z")),
        ("six decimals", at.replace(".000Z", ".000000Z")),
        ("an offset", at.replace('Z', "+00:00")),
        ("a small z", at.replace('Z', "z")),
        ("a space", format!("{date} {clock}")),
        ("the year 0000", at.replacen("2026", "0000", 1)),
        ("the year 9999", at.replacen("2026", "9999", 1)),
        ("a year of five digits", at.replacen("2026", "12026", 1)),
        ("a thirteenth month", at.replacen("2026-01", "2026-13", 1)),
        ("a thirtieth of February", format!("2026-02-30T{clock}")),
        ("a leap second", format!("{date}T23:59:60.000Z")),
        ("hour 24", format!("{date}T24:00:00.000Z")),
        ("digits that are not ASCII", at.replacen("2026", "٢٠٢٦", 1)),
        ("full-width digits", at.replacen("2026", "２０２６", 1)),
        ("a number", "0".to_owned()),
    ] {
        let value = if what == "a number" { json!(0) } else { json!(time) };
        cases.push(
            base.forged(seq, "encoding", format!("a time with {what}"), "form", |body| body["at"] = value),
        );
    }
    let actors = [
        ("nobody", json!({})),
        ("null", json!(null)),
        ("a client", json!("client")),
        ("place and seat", json!({"place": 0, "seat": 0})),
        ("a seat beyond all tables", json!({"seat": 5})),
        ("an unknown member", json!({"seat": 0, "note": 1})),
        ("text for a seat", json!({"seat": "0"})),
    ];
    for (what, actor) in actors {
        cases.push(
            base.forged(seq, "encoding", format!("the actor is {what}"), "form", |body| {
                body["actor"] = actor
            }),
        );
    }
    cases
}
