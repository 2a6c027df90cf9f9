//! The layers inside the server and the service, and the purity of the lower crates, which Cargo does not enforce.

use std::fs;
use std::path::{Path, PathBuf};

use crate::documents::root;

const FORBIDDEN: [(&str, &[&str]); 8] = [
    ("src/http", &["estimation_store", "crate::cli"]),
    ("crates/service/src", &[]),
    ("crates/store/src", &[]),
    ("crates/postgres/src", &[]),
    ("crates/engine/src", &OUTSIDE),
    ("crates/bots/src", &OUTSIDE),
    ("crates/record/src", &OUTSIDE),
    ("crates/tlog/src", &OUTSIDE),
];

/// The modules of the standard library that reach outside the program.
const OUTSIDE: [&str; 6] = ["std::env", "std::fs", "std::net", "std::process", "std::thread", "std::time"];

#[test]
fn no_layer_names_one_above_it() {
    for (folder, names) in FORBIDDEN {
        let files = sources(&root().join(folder));
        assert!(!files.is_empty(), "{folder} has no file");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                let named = names.iter().find(|name| line.contains(*name));
                assert!(named.is_none(), "{} names {}: {line}", file.display(), named.unwrap());
            }
            assert!(text.starts_with("//!"), "{} does not begin with //!", file.display());
        }
    }
}

/// The modules of the service on which the others stand, and the modules of the crate that each may name.
const FLOORS: [(&str, &[&str]); 2] = [("base", &["base"]), ("auth", &["base", "auth"])];

#[test]
fn the_floors_of_the_service_name_no_service_above_them() {
    for (floor, allowed) in FLOORS {
        for file in sources(&root().join("crates/service/src").join(floor)) {
            let text = fs::read_to_string(&file).unwrap();
            for (at, _) in text.match_indices("crate::") {
                let named = text[at..].split(|c: char| c != ':' && c != '_' && !c.is_alphanumeric()).next();
                let named = named.and_then(|path| path.split("::").nth(1)).unwrap_or_default();
                assert!(allowed.contains(&named), "{} names crate::{named}", file.display());
            }
        }
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            files.push(path);
        }
    }
    files
}
