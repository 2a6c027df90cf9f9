//! The layers inside the server and the service, and the purity of the lower crates, which Cargo does not enforce.

use crate::documents::root;
use crate::prelude::*;

const FORBIDDEN: [(&str, &[&str]); 8] = [
    // The proofs of the operator are for the command line.
    (
        "src/http",
        &[
            "estimation_store",
            "estimation_postgres",
            "estimation_bots",
            "estimation_audit",
            "estimation_command",
            "crate::cli",
            "::operator()",
        ],
    ),
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

/// The modules of the service, from the ground up. A module names only itself and those of floors below its own.
const FLOORS: [&[&str]; 11] = [
    &["base", "vocabulary"],
    &["auth", "outbound", "readiness", "rulesets"],
    &["calculator", "public_log"],
    &["games"],
    &["histories", "matchmaking", "monitoring", "nodes", "notifications", "players", "reactions", "timers"],
    &["accounts", "endings", "people", "watch"],
    &["identities", "mail"],
    &["moderation"],
    &["database_audit", "exports"],
    &["services"],
    &["background"],
];

#[test]
fn no_module_of_the_service_names_one_above_it() {
    let service = root().join("crates/service/src");
    let floor_of = |name: &str| FLOORS.iter().position(|floor| floor.contains(&name));
    for file in sources(&service) {
        let module = file.strip_prefix(&service).unwrap().iter().next().unwrap().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let floor = floor_of(module).unwrap_or_else(|| panic!("{module} stands on no floor"));
        let text = fs::read_to_string(&file).unwrap();
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for (at, found) in code.match_indices("crate::") {
            let path = &code[at + found.len()..];
            let named = path.split(|c: char| c != '_' && !c.is_ascii_lowercase()).next().unwrap_or_default();
            let is_below = floor_of(named).is_some_and(|other| other < floor);
            assert!(is_below || named == module, "{} names crate::{named}", file.display());
        }
        // A path of `super` that leaves a module would not be seen.
        let is_face = file.ends_with("mod.rs")
            && file.parent().is_some_and(|folder| folder.parent() == Some(&*service));
        let is_root = file.parent() == Some(&*service);
        let leaves = (is_face || is_root) && text.lines().any(|line| line.starts_with("use super::"));
        assert!(!leaves, "{} names a module by `super`", file.display());
    }
}

/// Who acts for a caller writes by the caller's authority, never by that of the server.
#[test]
fn no_function_for_a_caller_writes_as_the_server() {
    let callers = ["&Caller", "Moderator", "ActingAdmin", "Staff"];
    let mut seen = 0;
    for file in sources(&root().join("crates/service/src")) {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for function in code.split("fn ").skip(1) {
            let (head, body) = function.split_once('{').unwrap_or((function, ""));
            if callers.iter().any(|caller| head.contains(caller)) {
                let name = head.split('(').next().unwrap_or_default();
                assert!(!body.contains("write(Server"), "{}: {name} writes as the server", file.display());
                seen += usize::from(body.contains(".write("));
            }
        }
    }
    assert!(seen > 20, "only {seen} functions for a caller write");
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
