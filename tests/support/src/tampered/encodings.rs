//! Texts that are not canonical JSON, and numbers in other forms.

use super::change::Cases;

pub fn cases(cases: &mut Cases<'_>) {
    let base = cases.base;
    let seq = base.last() / 2;
    if seq < 2 {
        return;
    }
    let mut text = |what: &str, rule: &'static str, edit: &dyn Fn(String) -> String| {
        cases.changed("encoding", format!("event {seq}: {what}"), seq, rule, |change| {
            change.text(seq, edit);
            change.chain();
        });
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
    text("a space", "canonical", &|text| text.replace("\"game\":", "\"game\": "));
    text("a line break at the end", "canonical", &|text| text + "\n");
    text("a space at the beginning", "canonical", &|text| format!(" {text}"));
    text("members in another order", "canonical", &|text| {
        let (front, back) = text.rsplit_once(",\"game\":").expect("a game");
        let (game, number) = back.split_once(',').expect("a number");
        format!("{front},{},\"game\":{game}}}", number.trim_end_matches('}'))
    });
    text("an escaped letter", "canonical", &|text| {
        kind(text, &|letter| format!("\\u{:04x}", letter.as_bytes()[0]))
    });
    text("a fraction", "canonical", &number(format!("{seq}.0")));
    text("an exponent", "canonical", &number(format!("{seq}e0")));
    text("minus zero", "canonical", &number("-0".to_owned()));
    text("a number beyond 2^53", "canonical", &number("9007199254740993".to_owned()));
    text("a number beyond 2^64", "canonical", &number("18446744073709551617".to_owned()));
    text("a number beyond all numbers", "form", &number("1e999".to_owned()));
    text("a leading zero", "form", &number(format!("0{seq}")));
    text("a plus sign", "form", &number(format!("+{seq}")));
    text("digits that are not ASCII", "form", &number(arabic.clone()));
    text("NaN", "form", &number("NaN".to_owned()));
    text("a number as text", "form", &number(format!("\"{seq}\"")));
    text("a duplicate key", "canonical", &number(format!("{seq},\"seq\":{seq}")));
    text("a key that is not ASCII", "canonical", &number(format!("{seq},\"é\":1")));
    text("an unknown member", "form", &number(format!("{seq},\"sequel\":1")));
    text("half a character", "form", &|text| kind(text, &|_| "\\ud800".to_owned()));
    text("a byte order mark", "form", &|text| format!("\u{feff}{text}"));
    text("a second value", "form", &|text| text.clone() + &text);
    text("a list", "form", &|_| "[]".to_owned());
    text("no JSON", "form", &|_| String::new());
    text("a member is missing", "form", &|text| text.replace(&format!(",\"seq\":{seq}"), ""));
    text("the game in upper case", "form", &|text| {
        let game = base.body(1)["game"].as_str().expect("an id");
        text.replace(game, &game.to_uppercase())
    });
}
