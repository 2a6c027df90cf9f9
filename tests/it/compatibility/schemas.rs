//! Breaking changes between two schemas. Answers may lose nothing. Requests may require nothing new, and must
//! still accept everything.

use super::breaks::resolved;
use crate::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Sent,
    /// The service: present before, so present now.
    Answered,
}

pub struct Walk<'a> {
    old: &'a Value,
    new: &'a Value,
    side: Side,
    /// The pairs of references under comparison: schemas may be recursive.
    open: BTreeSet<(String, String)>,
    found: Vec<(String, String)>,
}

impl<'a> Walk<'a> {
    pub fn new(old: &'a Value, new: &'a Value, side: Side) -> Walk<'a> {
        Walk { old, new, side, open: BTreeSet::new(), found: Vec::new() }
    }

    pub fn compare(mut self, old: &Value, new: &Value) -> Vec<(String, String)> {
        self.step("", old, new);
        self.found
    }

    fn add(&mut self, at: &str, what: impl Into<String>) {
        self.found.push((at.to_owned(), what.into()));
    }

    fn step(&mut self, at: &str, old: &Value, new: &Value) {
        let key = (old["$ref"].to_string(), new["$ref"].to_string());
        let refers = !old["$ref"].is_null() || !new["$ref"].is_null();
        if refers && !self.open.insert(key) {
            return;
        }
        let (then, now) = (resolved(self.old, old).clone(), resolved(self.new, new).clone());
        self.types(at, &then, &now);
        self.names(at, &then, &now);
        self.limits(at, &then, &now);
        self.fields(at, &then, &now);
        self.variants(at, &then, &now);
        for part in ["items", "additionalProperties"] {
            if then[part].is_object() {
                self.step(&format!("{at}[]"), &then[part], &now[part]);
            }
        }
    }

    fn types(&mut self, at: &str, old: &Value, new: &Value) {
        let types = |schema: &Value| -> Option<BTreeSet<String>> {
            match &schema["type"] {
                Value::String(name) => Some([name.clone()].into_iter().collect()),
                Value::Array(names) => {
                    Some(names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
                }
                _ => None,
            }
        };
        let (Some(then), Some(now)) = (types(old), types(new)) else {
            if types(old).is_some() != types(new).is_some() {
                self.add(at, "has another type");
            }
            return;
        };
        let kept = match self.side {
            Side::Sent => then.is_subset(&now),
            Side::Answered => now.is_subset(&then),
        };
        if !kept {
            self.add(at, format!("was {then:?} and is {now:?}"));
        }
        let format_changed = old["format"] != new["format"];
        let said = match self.side {
            Side::Sent => !new["format"].is_null(),
            Side::Answered => !old["format"].is_null(),
        };
        if format_changed && said {
            self.add(at, format!("had the format {} and has {}", old["format"], new["format"]));
        }
    }

    /// No side loses names. Answers may gain names, because clients expect unknown ones.
    fn names(&mut self, at: &str, old: &Value, new: &Value) {
        let names = |schema: &Value| -> Option<BTreeSet<String>> {
            schema["enum"].as_array().map(|names| names.iter().map(Value::to_string).collect())
        };
        match (names(old), names(new)) {
            (Some(then), Some(now)) => {
                for gone in then.difference(&now) {
                    self.add(at, format!("knows {gone} no more"));
                }
            }
            (None, Some(_)) if self.side == Side::Sent => self.add(at, "takes a list of names only"),
            (Some(_), None) if self.side == Side::Answered => self.add(at, "is any text now"),
            _ => {}
        }
    }

    /// Limits on requests may not become narrower. Limits on answers may change within the type.
    fn limits(&mut self, at: &str, old: &Value, new: &Value) {
        if self.side == Side::Answered {
            return;
        }
        for (limit, least) in [
            ("maximum", false),
            ("maxLength", false),
            ("maxItems", false),
            ("minimum", true),
            ("minLength", true),
            ("minItems", true),
        ] {
            let (then, now) = (old[limit].as_f64(), new[limit].as_f64());
            let narrower = match (then, now) {
                (_, None) => false,
                (None, Some(now)) => !(least && now <= 0.0),
                (Some(then), Some(now)) => {
                    if least {
                        now > then
                    } else {
                        now < then
                    }
                }
            };
            if narrower {
                self.add(at, format!("{limit} was {} and is {}", old[limit], new[limit]));
            }
        }
        if !new["pattern"].is_null() && old["pattern"] != new["pattern"] {
            self.add(at, format!("has the pattern {} now", new["pattern"]));
        }
    }

    fn fields(&mut self, at: &str, old: &Value, new: &Value) {
        let required = |schema: &Value, name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name))
        };
        for (name, field) in old["properties"].as_object().into_iter().flatten() {
            let place = format!("{at}.{name}");
            match new["properties"].get(name) {
                None => self.add(&place, "is gone"),
                Some(now) => {
                    if self.side == Side::Answered && required(old, name) && !required(new, name) {
                        self.add(&place, "may be absent now");
                    }
                    self.step(&place, field, now);
                }
            }
        }
        if self.side == Side::Sent {
            for (name, _) in new["properties"].as_object().into_iter().flatten() {
                if required(new, name) && !required(old, name) {
                    self.add(&format!("{at}.{name}"), "has to be sent now");
                }
            }
        }
    }

    /// No side loses variants. The remaining ones are compared by name.
    fn variants(&mut self, at: &str, old: &Value, new: &Value) {
        let list = |schema: &Value| schema["oneOf"].as_array().cloned();
        let (Some(then), Some(now)) = (list(old), list(new)) else {
            if list(old).is_some() != list(new).is_some() {
                self.add(at, "is a choice of schemas, or is none any more");
            }
            return;
        };
        for variant in then {
            let same = |other: &&Value| match variant["$ref"].as_str() {
                Some(location) => other["$ref"] == location,
                None => other["type"] == variant["type"],
            };
            match now.iter().find(same) {
                None => self.add(at, format!("has lost {variant}")),
                Some(other) => self.step(at, &variant, other),
            }
        }
    }
}
