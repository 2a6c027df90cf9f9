//! The documents: every link, name and quote exists, and they name only this project.

use crate::prelude::*;

/// Extensions of files written by hand; the rest is data.
const WRITTEN: [&str; 6] = ["md", "rs", "sh", "sql", "toml", "yml"];

/// Folders without files of the project.
const FOREIGN: [&str; 4] = ["target", "data", ".git", "node_modules"];

/// First folders of paths named in documents.
const TOPS: [&str; 9] =
    [".ci/", "benches/", "clients/", "crates/", "docs/", "locales/", "migrations/", "src/", "tests/"];

/// First parts of paths outside the project. Each is split, so that this file contains none.
const OUTSIDE: [(&str, &str); 5] =
    [("/ho", "me/"), ("/ro", "ot/"), ("/Us", "ers/"), ("/wo", "rk/"), ("sha", "red/")];

pub struct Fence {
    /// The text after the opening fence.
    pub info: String,
    pub lines: Vec<String>,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<Fence> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some(Fence { info: info.trim().to_owned(), lines: Vec::new() }),
            (Some(_), Some(_)) => fences.extend(open.take()),
            (None, Some(fence)) => fence.lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    fences
}

/// The text of a Markdown file without its fenced blocks, with line numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    lines.collect()
}

fn written() -> Vec<(PathBuf, String)> {
    let mut folders = vec![root().to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                if !FOREIGN.contains(&name) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|kind| WRITTEN.iter().any(|written| kind == *written)) {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(root()).unwrap().to_owned(), text));
            }
        }
    }
    files.sort();
    assert!(files.len() > 100, "{} files", files.len());
    files
}

fn documents() -> Vec<(PathBuf, String)> {
    written().into_iter().filter(|(file, _)| file.extension().is_some_and(|kind| kind == "md")).collect()
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).into_iter().filter_map(|(_, line)| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| heading.trim().to_lowercase())
    });
    headings
        .map(|heading| {
            let kept = heading.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut links = 0;
    for (file, text) in documents() {
        for (line, prose) in prose(&text) {
            for target in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                links += 1;
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let folder = root().join(&file).parent().unwrap().to_owned();
                let found = if path.is_empty() { root().join(&file) } else { folder.join(path) };
                let inside =
                    found.canonicalize().is_ok_and(|to| to.starts_with(root().canonicalize().unwrap()));
                let at = |found: &Path| anchors(&fs::read_to_string(found).unwrap()).contains(anchor);
                if !inside || !(anchor.is_empty() || at(&found)) {
                    wrong.push(format!("{}:{line}: {target} leads nowhere", file.display()));
                }
            }
        }
    }
    assert!(links > 20, "{links} links");
    none(&wrong);
}

#[test]
fn every_file_named_in_backticks_is_there() {
    let mut wrong = Vec::new();
    let mut named = 0;
    for (file, text) in written() {
        let is_document = file.extension().is_some_and(|kind| kind == "md");
        let lines: Vec<(usize, &str)> = if is_document {
            prose(&text)
        } else {
            (1..).zip(text.lines()).filter(|(_, line)| line.trim_start().starts_with("//")).collect()
        };
        for (line, text) in lines {
            for name in text.split('`').skip(1).step_by(2) {
                let plain = !name.contains(|c: char| c.is_whitespace() || "<>*{}…$".contains(c));
                if plain && TOPS.iter().any(|top| name.starts_with(top)) {
                    named += 1;
                    let path = name.split(':').next().unwrap();
                    if !root().join(path).exists() {
                        wrong.push(format!("{}:{line}: there is no {name}", file.display()));
                    }
                }
            }
        }
    }
    assert!(named > 40, "{named} names");
    none(&wrong);
}

/// A fence with a file in its info string, as in `rust src/lib.rs`, quotes consecutive lines of that file; a
/// line `…` leaves some out.
#[test]
fn quoted_code_is_todays_code() {
    let mut quotes = 0;
    for (file, text) in documents() {
        for Fence { info, lines } in fences(&text) {
            let Some((_, source)) = info.split_once(' ') else { continue };
            quotes += 1;
            let path = root().join(source);
            let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{info}: {error}"));
            let source: Vec<&str> = source.lines().map(str::trim).collect();
            let mut from = 0;
            for quote in lines.split(|line| line.trim() == "…") {
                let quote: Vec<&str> = quote.iter().map(|line| line.trim()).collect();
                let found = source[from..].windows(quote.len()).position(|lines| lines == quote);
                let Some(at) = found else {
                    panic!("{}: {info} does not say\n{}", file.display(), quote.join("\n"));
                };
                from += at + quote.len();
            }
        }
    }
    assert!(quotes > 10, "{quotes} quotes");
}

#[test]
fn the_map_has_every_folder_with_its_files() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ");
        let (folder, _, files) = (cells.next()?, cells.next()?, cells.next()?);
        let files: BTreeSet<String> =
            files.split(", ").filter(|file| !file.is_empty()).map(str::to_owned).collect();
        Some((PathBuf::from(folder.strip_suffix("/`")?), files))
    };
    let told: BTreeMap<PathBuf, BTreeSet<String>> = map.lines().filter_map(row).collect();
    let mut there: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for (file, _) in written() {
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let (folder, name) = (file.parent().unwrap(), file.file_stem().unwrap().to_str().unwrap());
        let is_source =
            folder.starts_with("src") || folder.components().any(|part| part.as_os_str() == "src");
        let is_named = !["mod", "lib", "main", "tests"].contains(&name) && !folder.ends_with("bin");
        if is_source && !folder.starts_with("tests") && folder != Path::new("src") {
            let files = there.entry(folder.to_owned()).or_default();
            files.extend(is_named.then(|| name.to_owned()));
        }
    }
    there.retain(|folder, files| !files.is_empty() || told.contains_key(folder));
    let all: BTreeSet<&PathBuf> = told.keys().chain(there.keys()).collect();
    let wrong = all.into_iter().filter(|folder| told.get(*folder) != there.get(*folder)).map(|folder| {
        let [told, there] = [&told, &there].map(|files| files.get(folder).cloned().unwrap_or_default());
        format!(
            "ARCHITECTURE.md: `{}/` lacks {:?}, and has no {:?}",
            folder.display(),
            there.difference(&told).collect::<Vec<_>>(),
            told.difference(&there).collect::<Vec<_>>()
        )
    });
    none(&wrong.collect::<Vec<_>>());
}

/// A page that grows beyond its length says something twice, or belongs elsewhere.
#[test]
fn pages_keep_to_their_length() {
    let mut wrong = Vec::new();
    for (file, text) in documents() {
        let name = file.to_str().unwrap();
        let most = match name {
            // Of these some 660 are names of files.
            "ARCHITECTURE.md" => 3_400,
            "docs/auditing.md" => 2_000,
            "docs/specification.md" => 5_000,
            "docs/operations.md" => 5_000,
            "docs/guide.md" => 4_000,
            "docs/performance.md" => 2_000,
            _ if name.starts_with("docs/decisions/") => 300,
            _ => continue,
        };
        let words = text.split_whitespace().count();
        if words > most {
            wrong.push(format!("{name} has {words} words, and at most {most} are allowed"));
        }
    }
    none(&wrong);
}

#[test]
fn a_decision_has_context_decision_and_consequence() {
    let decisions = documents().into_iter().filter(|(file, _)| file.starts_with("docs/decisions"));
    let mut found = 0;
    for (file, text) in decisions {
        found += 1;
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(headings, ["Context", "Decision", "Consequence"], "{}", file.display());
    }
    assert!(found > 10, "{found} decisions");
}

#[test]
fn nothing_outside_the_project_is_named() {
    let mut wrong = Vec::new();
    for (file, text) in written() {
        for (line, text) in (1..).zip(text.lines()) {
            for (head, tail) in OUTSIDE {
                if text.contains(&format!("{head}{tail}")) {
                    wrong.push(format!("{}:{line}: names {head}{tail}…", file.display()));
                }
            }
        }
    }
    none(&wrong);
}

/// Where a ruling rests on another document or on the printed rules, the page says so.
#[test]
fn the_rule_book_names_the_sources_of_its_rulings() {
    let ruling = |page: &str, number: &str| {
        let text = fs::read_to_string(root().join("docs/rules").join(page)).unwrap();
        let start = format!("- **{number}.**");
        let line = text.lines().find(|line| line.starts_with(&start)).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{page} has no {number}"))
    };
    for (page, number) in [("squares.md", "R12"), ("double-risk.md", "R8")] {
        let line = ruling(page, number);
        for words in
            ["2, 3, 4", "the text of `kabooot` alone", "by itself says \"doubled\"", "`carry_ladder: flat`"]
        {
            assert!(line.contains(words), "{page} {number} does not say {words}");
        }
    }
    let revokes = ruling("nineteen.md", "R10");
    for words in [
        "\"failing to follow suit will void a turn; … penalised the maximum number of points possible for that turn\"",
        "That maximum is twice the hand size",
        "by default (`revokes: refuse`)",
    ] {
        assert!(revokes.contains(words), "nineteen.md R10 does not say {words}");
    }
    let highest = ruling("common.md", "C3");
    assert!(highest.contains("\"the highest card\"; it is read as the highest of the led suit"), "{highest}");
    let common = fs::read_to_string(root().join("docs/rules/common.md")).unwrap();
    for word in ["Sans", "overbid round, underbid round", "sa3aydeh", "diffeats"] {
        assert!(common.contains(&format!("| {word} |")), "common.md has no {word}");
    }
}

/// `.ci/parts` is what `./test.sh` and the workflow read; the table of the page says the same.
#[test]
fn the_budgets_of_the_page_are_those_of_the_parts() {
    let parts = fs::read_to_string(root().join(".ci/parts")).unwrap();
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut names = Vec::new();
    for line in parts.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_once(' ').unwrap();
        let (minutes, content) = rest.trim_start().split_once(' ').unwrap();
        let command = if name == "default" { "./test.sh".to_owned() } else { format!("./test.sh {name}") };
        let row = format!("| `{command}` | {} | {minutes} minutes |", content.trim_start());
        assert!(page.contains(&row), "the page lacks: {row}");
        names.push(name);
    }
    assert!(names.len() > 5 && names.contains(&"default") && names.contains(&"all"), "{names:?}");
    let script = fs::read_to_string(root().join("test.sh")).unwrap();
    for name in names {
        assert!(script.contains(&format!("\n{name}() {{")), "test.sh has no part {name}");
    }
    let workflow = fs::read_to_string(root().join(".github/workflows/checks.yml")).unwrap();
    assert!(workflow.contains(".ci/parts") && workflow.contains("./test.sh ${{ matrix.part }}"));
}
