//! Headers, ends and signatures.

use serde_json::Value;

use super::change::{Base, Case};
use crate::made;

pub fn cases<'a>(base: &'a Base, bases: &'a [Base]) -> Vec<Case<'a>> {
    // The same checks for every history: a few of them are enough.
    if !["cancelled", "clock", "nineteen", "plain"].contains(&base.name) {
        return Vec::new();
    }
    let last = base.last();
    let end = base.line(last as usize + 2);
    let value: Value = serde_json::from_str(end).expect("an end");
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).expect("text").to_owned();
    let (signature, head, kid) =
        (text("/end/signature/value"), text("/end/head"), text("/end/signature/kid"));
    let ended = |kind, what: &str, from: &str, to: &str, seq: Option<u64>, rule| {
        let mut change = base.change();
        change.end(from, to);
        change.found(kind, what, seq, rule)
    };
    let flipped = if signature.starts_with('0') { "1" } else { "0" }.to_owned() + &signature[1..];
    let signed = |bytes: &[u8]| made::signed(bytes).value.to_string();
    let other = bases.iter().find(|other| other.name == "expired-lobby").expect("another history");
    let foreign: Value = serde_json::from_str(other.line(other.last() as usize + 2)).expect("an end");
    let foreign = foreign["end"]["signature"]["value"].as_str().expect("a signature").to_owned();
    let whole = value["end"]["signature"].to_string();
    let both = format!("{{\"kid\":\"{kid}\",\"value\":\"{signature}\"}}");
    assert_eq!(whole.len(), both.len());
    let mut cases = vec![
        ended("signature", "one digit is another", &signature, &flipped, None, "signature"),
        ended("signature", "the signature of another game", &signature, &foreign, None, "signature"),
        ended(
            "signature",
            "the signature over the bare head",
            &signature,
            &signed(head.as_bytes()),
            None,
            "signature",
        ),
        ended("signature", "there is none", &both, "null", None, "signature"),
        ended(
            "signature",
            "an unknown key",
            &kid,
            &kid.replacen(&kid[..1], if kid.starts_with('A') { "B" } else { "A" }, 1),
            None,
            "signature",
        ),
        ended(
            "signature",
            "upper-case digits",
            &signature,
            &signature.to_uppercase(),
            Some(last + 1),
            "form",
        ),
        ended("signature", "a byte is missing", &signature, &signature[2..], Some(last + 1), "form"),
        ended(
            "signature",
            "a space between the digits",
            &signature,
            &format!("{} {}", &signature[..2], &signature[3..]),
            Some(last + 1),
            "form",
        ),
        ended(
            "signature",
            "an unknown member",
            "\"kid\"",
            "\"alg\":\"none\",\"kid\"",
            Some(last + 1),
            "form",
        ),
        ended("head", "the head of another game", &head, &"ab".repeat(32), Some(last), "head"),
        ended("head", "upper-case digits", &head, &head.to_uppercase(), Some(last + 1), "form"),
        ended(
            "head",
            "one event less",
            &format!("\"events\":{last}"),
            &format!("\"events\":{}", last - 1),
            Some(last + 1),
            "head",
        ),
        ended(
            "head",
            "one event more",
            &format!("\"events\":{last}"),
            &format!("\"events\":{}", last + 1),
            Some(last + 1),
            "head",
        ),
        ended(
            "encoding",
            "a fraction",
            &format!("\"events\":{last}"),
            &format!("\"events\":{last}.0"),
            Some(last + 1),
            "form",
        ),
        ended(
            "encoding",
            "an unsafe number",
            &format!("\"events\":{last}"),
            "\"events\":9007199254740992",
            Some(last + 1),
            "form",
        ),
        ended(
            "encoding",
            "an unknown member",
            "{\"events\"",
            "{\"note\":1,\"events\"",
            Some(last + 1),
            "form",
        ),
        ended(
            "encoding",
            "a duplicate key",
            "{\"events\"",
            "{\"events\":1,\"events\"",
            Some(last + 1),
            "form",
        ),
    ];
    let standings = &value["end"]["standings"];
    let mut change = base.change();
    let made_up = serde_json::json!([{"seat": 0, "total": 1, "rank": 1}, {"seat": 1, "total": 0, "rank": 2}]);
    change.standings(if standings.is_null() { &made_up } else { &Value::Null });
    cases.push(change.found(
        "standings",
        "the end has other standings than the last event",
        last,
        "standings",
    ));
    let mut change = base.change();
    change.lines(last as usize + 2, 1, &[]);
    cases.push(change.found("missing", "the end is missing", last + 1, "unfinished"));
    headers(base, &mut cases);
    cases
}

fn headers<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let header: Value = serde_json::from_str(base.line(1)).expect("a header");
    let text = |name: &str| header["header"][name].as_str().expect("text").to_owned();
    let (game, status, ruleset) = (text("game"), text("status"), text("ruleset"));
    let changed = |what: &str, from: &str, to: &str, seq: Option<u64>, rule| {
        let mut change = base.change();
        change.header(from, to);
        change.chain();
        change.found("header", what, seq, rule)
    };
    let other = if status == "finished" { "abandoned" } else { "finished" };
    let last = base.last();
    cases.push(changed(
        "the game has another end",
        &format!("\"{status}\""),
        &format!("\"{other}\""),
        Some(last + 1),
        "unfinished",
    ));
    cases.push(changed(
        "the game still runs",
        &format!("\"{status}\""),
        "\"running\"",
        Some(last + 1),
        "unfinished",
    ));
    let another = if ruleset == "squares" { "kabooot" } else { "squares" };
    cases.push(changed(
        "another ruleset",
        &format!("\"ruleset\":\"{ruleset}\""),
        &format!("\"ruleset\":\"{another}\""),
        Some(1),
        "ruleset",
    ));
    let mut digits = game.clone();
    digits.replace_range(..1, "1");
    cases.push(changed("another game", &game, &digits, Some(1), "order"));
    cases.push(changed("another format", "history/v1", "history/v9", None, "form"));
    let unreadable = |what: &str, from: &str, to: &str| {
        let mut change = base.change();
        change.header(from, to);
        change.found_in(None, "header", what, None, "form")
    };
    cases.push(unreadable("the id of the game in upper case", &game, &game.to_uppercase()));
    cases.push(unreadable("an unknown status", &format!("\"{status}\""), "\"won\""));
    cases.push(unreadable("an unknown ruleset", &format!("\"{ruleset}\""), "\"bridge\""));
    cases.push(unreadable("an unknown member", "{\"format\"", "{\"note\":1,\"format\""));
    let mut change = base.change();
    change.lines(1, 1, &[]);
    cases.push(change.found_in(None, "missing", "the header is missing", 1, "form"));
}

/// A history of a running game has no standings, and its end has the last hash.
pub fn running<'a>(base: &'a Base, _: &'a [Base]) -> Vec<Case<'a>> {
    let last = base.last();
    let end: Value = serde_json::from_str(base.line(last as usize + 2)).expect("an end");
    let head = end["end"]["head"].as_str().expect("a hash");
    let mut change = base.change();
    change.end(head, &"ab".repeat(32));
    let mut cases = vec![change.found("running", "the head of another game", last, "head")];
    let made_up = serde_json::json!([{"seat": 0, "total": 1, "rank": 1}]);
    let mut change = base.change();
    change.standings(&made_up);
    cases.push(change.found("running", "the end has standings", last, "standings"));
    for status in ["finished", "abandoned"] {
        let mut change = base.change();
        change.header("\"running\"", &format!("\"{status}\""));
        cases.push(change.found("running", format!("the header says {status}"), last + 1, "unfinished"));
    }
    cases
}

/// A history as one object whose end comes before its events. The file has no end of these events, and no history of them.
pub fn object(base: &Base) -> Vec<Case<'_>> {
    let line = base.line(1);
    let (events, end) = (line.find(",\"events\"").expect("events"), line.find(",\"end\"").expect("an end"));
    let swapped = format!("{}{}{}}}", &line[..events], &line[end..line.len() - 1], &line[events..end]);
    let game =
        serde_json::from_str::<Value>(line).expect("JSON")["header"]["game"].as_str().map(str::to_owned);
    let mut change = base.change();
    change.lines(1, 1, &[swapped]);
    vec![change.found_in(game, "encoding", "the end comes before the events", 0, "head")]
}
