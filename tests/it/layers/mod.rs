//! The shape of `src/`: which layer may name which, how long a file may be, and how it begins.

mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use source::{Place, paths};

/// More than this is two ideas.
const LONGEST_FILE: usize = 450;

/// What each layer may name beside itself.
const ARROWS: [(&str, &[&str]); 5] = [
    ("http", &["application"]),
    ("application", &["engine", "store", "bots"]),
    ("store", &["engine"]),
    ("bots", &["engine"]),
    ("engine", &[]),
];

/// The pure layers with the crates each is made with, and the parts of the standard library that reach
/// outside of them.
const PURE: [(&str, &[&str]); 2] =
    [("engine", &["serde", "thiserror", "arrayvec"]), ("bots", &["arrayvec", "rand_chacha"])];
const OUTSIDE: [&str; 8] = ["env", "fs", "io", "net", "os", "process", "thread", "time"];

#[test]
fn no_layer_names_one_above_it() {
    let dependencies = dependencies(&fs::read_to_string(root().join("Cargo.toml")).unwrap());
    assert!(dependencies.contains("actix_web") && dependencies.contains("proptest"));
    let forbidden: Vec<String> =
        sources().iter().flat_map(|(file, text)| forbidden(file, text, &dependencies)).collect();
    assert!(forbidden.is_empty(), "\n{}", forbidden.join("\n"));
}

#[test]
fn every_file_is_one_idea_and_begins_with_what_it_owns() {
    for (file, text) in sources() {
        assert!(text.starts_with("//!"), "{} does not begin with //!", file.display());
        let lines = text.lines().count();
        assert!(lines <= LONGEST_FILE, "{} has {lines} lines: more than one idea", file.display());
    }
}

/// What a file, given by its path below `src/`, names and may not.
fn forbidden(file: &Path, text: &str, dependencies: &BTreeSet<String>) -> Vec<String> {
    let place = Place::of(file);
    let layer = place.layer();
    if matches!(layer, "" | "cli") {
        return Vec::new();
    }
    let Some((_, may_name)) = ARROWS.iter().find(|(name, _)| *name == layer) else {
        return vec![format!("{}: {layer} is no layer", file.display())];
    };
    let pure = PURE.iter().find(|(name, _)| *name == layer);
    let mut found = Vec::new();
    for path in paths(text, &place) {
        let wrong = match path.within_crate() {
            Some([]) => true,
            Some([top, ..]) => top != layer && !may_name.contains(&top.as_str()),
            None => pure.is_some_and(|(_, crates)| {
                !path.in_tests
                    && (path.imported || path.segments.len() > 1)
                    && !stays_pure(&path.segments, crates, dependencies)
            }),
        };
        if wrong {
            let (line, path) = (path.line, path.segments.join("::"));
            found.push(format!("src/{}:{line}: {layer} may not name {path}", file.display()));
        }
    }
    found
}

fn stays_pure(path: &[String], crates: &[&str], dependencies: &BTreeSet<String>) -> bool {
    match path {
        [first, second, ..] if first == "std" => !OUTSIDE.contains(&second.as_str()),
        [first, ..] => !dependencies.contains(first) || crates.contains(&first.as_str()),
        [] => true,
    }
}

/// The names by which code knows the crates a manifest lists.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut listed = false;
    let mut names = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            listed = line.ends_with("dependencies]");
        } else if listed && let Some((name, _)) = line.split_once('=') {
            names.insert(name.trim().replace('-', "_"));
        }
    }
    names
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `src/`, with its path from there and its text.
fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                walk(&path, files)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
        Ok(())
    }
    let src = root().join("src");
    let mut files = Vec::new();
    walk(&src, &mut files).unwrap();
    files.sort();
    assert!(files.len() > 4, "no sources found below {}", src.display());
    let read =
        |file: PathBuf| (file.strip_prefix(&src).unwrap().to_owned(), fs::read_to_string(&file).unwrap());
    files.into_iter().map(read).collect()
}

/// The first line of a sample in which something forbidden is found.
fn caught(file: &str, text: &str) -> Option<String> {
    let dependencies = ["serde", "diesel", "actix_web"].map(str::to_owned).into();
    forbidden(Path::new(file), text, &dependencies).into_iter().next()
}

#[test]
fn forbidden_arrows_are_found() {
    for (file, text) in [
        ("http/games.rs", "use crate::engine::card::Card;"),
        ("http/games.rs", "use crate::{application, store};"),
        ("http/games.rs", "use crate::{application::{self, x}, store::{A, B}};"),
        ("http/games.rs", "use crate::*;"),
        ("http/games.rs", "use crate as all;"),
        ("http/games/mod.rs", "use super::super::store::A;"),
        ("http/games/mod.rs", "use super::{super::store::A, x};"),
        ("http/games.rs", "mod inner { use super::super::super::engine::A; }"),
        ("http/games.rs", "mod inner { mod a {} use super::super::super::engine::A; }"),
        ("http/games.rs", "fn f(x: Vec<crate::engine::A>) {}"),
        ("http/games.rs", "pub(in crate::http) fn f() -> crate::store::A {}"),
        ("application/x.rs", "use crate::http::A;"),
        ("store/x.rs", "use crate::application::A;"),
        ("store/x.rs", "const C: char = '\"'; use crate::http::A; const S: &str = \"\";"),
        ("store/x.rs", "fn f<'a>(x: &'a str) { crate::cli::run() }"),
        ("bots/x.rs", "use crate::application::A;"),
        ("bots/x.rs", "use diesel::A;"),
        ("bots/x.rs", "use std::time::Instant;"),
        ("engine/x.rs", "use crate::bots::A;"),
        ("engine/x.rs", "use crate::store::A;"),
        ("engine/x.rs", "use super::super::application::A;"),
        ("engine/x.rs", "#[derive(diesel::Queryable)] struct A;"),
        ("engine/x.rs", "use ::diesel::A;"),
        ("engine/x.rs", "use diesel;"),
        ("engine/x.rs", "use std::{fmt, fs};"),
        ("engine/x.rs", "fn f() { std::time::SystemTime::now(); }"),
        ("engine/x.rs", "use {serde::Serialize, diesel::A};"),
        ("helpers/x.rs", "use std::fmt;"),
    ] {
        assert!(caught(file, text).is_some(), "{file}: {text}");
    }
}

#[test]
fn allowed_arrows_are_left_alone() {
    for (file, text) in [
        (
            "http/games.rs",
            "use crate::application::{self, games::{A, B as C}}; use super::problems; use actix_web::A;",
        ),
        ("http/mod.rs", "mod games; use self::games::A; pub(crate) fn f(&self) { self.x() }"),
        ("application/x.rs", "use crate::{engine::A, store::B, bots::D, application::C};"),
        ("bots/x.rs", "use crate::engine::A; use super::B;"),
        ("application/x.rs", "// use crate::http::A;\n/* crate::http /* nested */ crate::http */ fn f() {}"),
        ("application/x.rs", "const S: &str = \"crate::http\"; const R: &str = r#\"crate::\"http\"#;"),
        ("store/x.rs", "use crate::engine::A; use diesel::B; use std::fs;"),
        (
            "engine/x.rs",
            "use super::card::A; use serde::B; use std::fmt; macro_rules! m { () => { $crate::engine::x } }",
        ),
        ("engine/x.rs", "mod tests { use super::*; use diesel::A; }"),
        ("engine/x.rs", "fn f() { <A as B>::serde::x(); let diesel = 1; g(diesel) }"),
        ("engine/x.rs", "mod inner { use super::super::card::A; pub(super) fn f() {} }"),
        ("cli/x.rs", "use crate::{http, store, engine, application};"),
        ("main.rs", "use crate::http;"),
    ] {
        assert_eq!(caught(file, text), None, "{file}: {text}");
    }
}

#[test]
fn what_is_forbidden_is_told_with_its_line() {
    let told = caught("store/x.rs", "//! Doc.\n\nuse crate::http::A;\n");
    assert_eq!(told.as_deref(), Some("src/store/x.rs:3: store may not name crate::http::A"));
}
