//! Compares the published rulesets with the table of options in the rule book.

use crate::prelude::*;

struct Row {
    option: String,
    values: Vec<Value>,
    defaults: Vec<(String, Value)>,
}

fn table() -> Vec<Row> {
    let page = include_str!("../../../docs/rules/options.md");
    let mut lines = page.lines().skip_while(|line| !line.starts_with("| option |"));
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect()
    };
    let head = cells(lines.next().expect("a table"));
    let rulesets = &head[2..head.len() - 1];
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let cells = cells(line);
        let default =
            |(ruleset, cell): (&String, &String)| (cell != "–").then(|| (ruleset.clone(), value(cell)));
        Row {
            option: cells[0].clone(),
            values: match cells[1].split_once('‥') {
                Some((from, to)) => {
                    let number = |text: &str| text.parse::<i64>().expect("a number");
                    (number(from)..=number(to)).map(Value::from).collect()
                }
                None => cells[1].split('·').map(|text| value(text.trim())).collect(),
            },
            defaults: rulesets.iter().zip(&cells[2..]).filter_map(default).collect(),
        }
    })
    .collect()
}

fn value(text: &str) -> Value {
    match text {
        "true" | "false" => (text == "true").into(),
        _ => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
    }
}

on_sqlite_first! {
    async fn every_option_of_the_rule_book_is_published_and_no_other(service: Service) {
        let page = service.anonymous().get("/v1/rulesets").await.accepted();
        let rulesets = page["items"].as_array().expect("rulesets");
        let ids: Vec<&Value> = rulesets.iter().map(|ruleset| &ruleset["id"]).collect();
        assert_eq!(ids, ["nineteen", "squares", "kabooot", "plain", "double-risk"]);
        let rows = table();
        assert!(!rows.is_empty());
        for ruleset in rulesets {
            let id = ruleset["id"].as_str().expect("an id");
            let own = service.anonymous().get(&format!("/v1/rulesets/{id}")).await.accepted();
            assert_eq!(own, *ruleset);
            let options = ruleset["options"].as_array().expect("options");
            let mut documented = 0;
            for row in &rows {
                let Some((_, default)) = row.defaults.iter().find(|(name, _)| name == id) else { continue };
                let option = options.iter().find(|option| option["name"] == row.option.as_str());
                let option = option.unwrap_or_else(|| panic!("{id} does not publish {}", row.option));
                let plain = |value: &Value| value.as_object().expect("a value").values().next().expect("one").clone();
                assert_eq!(plain(&option["default"]), *default, "{id}: {}", row.option);
                let values = option["values"].as_array().expect("values");
                let mut values: Vec<Value> = values.iter().map(plain).collect();
                values.sort_by_key(|value| row.values.iter().position(|documented| documented == value));
                assert_eq!(values, row.values, "{id}: {}", row.option);
                let kind = match default {
                    Value::Bool(_) => "boolean",
                    Value::Number(_) => "integer",
                    _ => "string",
                };
                assert_eq!(option["kind"], kind);
                assert!(option["description"].as_str().is_some_and(|text| text.ends_with('.')));
                documented += 1;
            }
            assert_eq!(options.len(), documented, "{id} publishes more than the rule book has");
        }
    }

    async fn rounds_players_and_direction_are_the_rule_books(service: Service) {
        for (id, rounds, min, max, direction) in [
            ("nineteen", 19, 2, 5, "clockwise"), ("squares", 18, 4, 4, "counterclockwise"),
            ("kabooot", 18, 4, 4, "counterclockwise"), ("plain", 18, 4, 4, "counterclockwise"),
            ("double-risk", 18, 4, 4, "counterclockwise"),
        ] {
            let ruleset = service.anonymous().get(&format!("/v1/rulesets/{id}")).await.accepted();
            assert_eq!(ruleset["rounds"], rounds);
            assert_eq!(ruleset["players"], json!({"min": min, "max": max}));
            assert_eq!(ruleset["direction"], direction);
        }
    }

    #[ignore = "all: tries every case; the default tries some"]
    async fn every_default_and_every_value_can_be_agreed_on(service: Service) {
        for row in table() {
            for (ruleset, default) in &row.defaults {
                for value in &row.values {
                    let table = service.table(ruleset).options(json!({ (row.option.as_str()): value })).open().await;
                    assert_eq!(table.view().await["ruleset"]["options"][&row.option], *value);
                }
                let table = service.table(ruleset).open().await;
                assert_eq!(table.view().await["ruleset"]["options"][&row.option], *default);
            }
        }
    }
}
