//! What the pages of the web app load, read from the sources of its modules. The page of a path names all of it in its head,
//! so that a browser asks for everything at once instead of one import after another.
//!
//! It reads static imports, the paths of `router.js`, and the calls `loadArea("…")` and `loadStyle("…")` that a module awaits
//! before it exports anything: in statements that begin a line with `await`. It never runs a module.

use std::collections::{BTreeMap, BTreeSet};

/// The module that has the paths, each with its page.
const ROUTER: &str = "router.js";

/// The module that every page starts with.
const START: &str = "main.js";

/// A module does not fit the others: the build is wrong.
type Malformed = Box<dyn std::error::Error + Send + Sync>;

/// The modules, by name.
pub(super) struct Modules<'a>(BTreeMap<&'a str, Module<'a>>);

struct Module<'a> {
    source: &'a str,
    /// The specifiers of its static imports.
    imports: Vec<&'a str>,
    areas: Vec<&'a str>,
    styles: Vec<&'a str>,
}

/// What a page loads.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Needs {
    pub modules: BTreeSet<String>,
    /// The areas of texts, each a module in every language.
    pub areas: BTreeSet<String>,
    /// The style sheets, beside the one of every page.
    pub styles: BTreeSet<String>,
}

impl<'a> Modules<'a> {
    /// From the sources, by name.
    pub fn new(sources: BTreeMap<&'a str, &'a str>) -> Modules<'a> {
        Modules(sources.into_iter().map(|(name, source)| (name, Module::new(source))).collect())
    }

    /// The path patterns, each with the module of its page.
    ///
    /// # Errors
    /// If there is no router, or a path without a page.
    pub fn pages(&self) -> Result<Vec<(&'a str, &'a str)>, Malformed> {
        let router = self.0.get(ROUTER).ok_or("the web app has no router")?;
        let routes = router.source.lines().map(str::trim_start).filter(|line| line.starts_with("[\"/"));
        routes
            .map(|line| {
                let path = between(line, "[\"", "\"").next();
                let page = between(line, "import(\"./", "\"").next();
                path.zip(page).ok_or_else(|| format!("a path without a page: {line}").into())
            })
            .collect()
    }

    /// What a page loads before it is drawn.
    ///
    /// # Errors
    /// If a module is missing.
    pub fn needs(&self, page: &str) -> Result<Needs, Malformed> {
        let mut needs = Needs::default();
        let mut open = vec![START.to_owned(), page.to_owned()];
        while let Some(name) = open.pop() {
            let module = self.0.get(name.as_str()).ok_or_else(|| format!("there is no module {name}"))?;
            if !needs.modules.insert(name.clone()) {
                continue;
            }
            needs.areas.extend(module.areas.iter().map(|&area| area.to_owned()));
            needs.styles.extend(module.styles.iter().map(|&style| style.to_owned()));
            for specifier in &module.imports {
                open.push(resolve(&name, specifier)?);
            }
        }
        Ok(needs)
    }
}

impl<'a> Module<'a> {
    fn new(source: &'a str) -> Module<'a> {
        let loaded =
            |call| awaited(source).flat_map(move |statement| between(statement, call, "\"")).collect();
        Module {
            source,
            imports: specifiers(source).collect(),
            areas: loaded("loadArea(\""),
            styles: loaded("loadStyle(\""),
        }
    }
}

/// The name of the module that another one imports.
fn resolve(from: &str, specifier: &str) -> Result<String, Malformed> {
    let mut folder: Vec<&str> = from.split('/').collect();
    folder.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => {
                folder.pop().ok_or_else(|| format!("{from} imports {specifier}"))?;
            }
            part => folder.push(part),
        }
    }
    Ok(folder.join("/"))
}

/// The specifiers of the static imports of a module.
fn specifiers(source: &str) -> impl Iterator<Item = &str> {
    let statements = source.lines().filter(|line| {
        line.starts_with("import") || line.starts_with("export") || line.starts_with("} from")
    });
    statements.flat_map(|line| {
        between(line, " from \"", "\"")
            .chain(line.strip_prefix("import \"").and_then(|rest| rest.split('"').next()))
    })
}

/// What a module awaits before it exports anything: statements that begin a line.
fn awaited(source: &str) -> impl Iterator<Item = &str> {
    source.split("\nawait ").skip(1).filter_map(|rest| rest.split(";\n").next())
}

/// A module or a style sheet without its comments that have lines of their own. They are for those who read the folder, and a
/// quarter of what a browser would load. No text of a module has a line that begins like a comment.
pub(super) fn without_comments(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut is_comment = false;
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        let begins = !is_comment && text.starts_with("/*");
        if is_comment || begins {
            let rest = text.split_once("*/").map(|(_, rest)| rest);
            is_comment = rest.is_none();
            // Code after a comment stays.
            if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
                kept.push_str(rest.trim_start());
                kept.push('\n');
            }
        } else if !text.starts_with("//") {
            kept.push_str(line);
        }
    }
    kept
}

/// The texts between `start` and the next `end`.
fn between<'a>(text: &'a str, start: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(start).skip(1).filter_map(move |rest| Some(rest.split_once(end)?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_page_needs_what_its_modules_import() {
        let sources = BTreeMap::from([
            (
                "main.js",
                "// Starts the app.\nimport { t } from \"./i18n/index.js\";\nconst later = import(\"./late.js\");\n",
            ),
            (
                "i18n/index.js",
                "/** @type {import(\"./types.js\").One} */\nimport {\n  one,\n} from \"../view.js\";\n",
            ),
            ("view.js", "import { h } from \"./vendor/preact.js\";\nexport { h };\n"),
            ("vendor/preact.js", "export const h = 1;"),
            (
                "pages/table.js",
                "import \"../verify/index.js\";\nawait Promise.all([\n  loadArea(\"table\"),\n  loadStyle(\"cards\"),\n]);\n",
            ),
            ("verify/index.js", "export { a } from \"./a.js\";"),
            ("verify/a.js", "\nawait loadArea(\"records\");\nconst open = () => loadStyle(\"late\");\n"),
        ]);
        let modules = Modules::new(sources);
        let needs = modules.needs("pages/table.js").unwrap();
        let expected = Needs {
            modules: set(&[
                "i18n/index.js",
                "main.js",
                "pages/table.js",
                "vendor/preact.js",
                "verify/a.js",
                "verify/index.js",
                "view.js",
            ]),
            areas: set(&["records", "table"]),
            styles: set(&["cards"]),
        };
        assert_eq!(needs, expected);
    }

    #[test]
    fn comments_are_not_served() {
        let source = "// What it is.\n\n/**\n * One.\n * @returns {number}\n */\nconst one = 1; // here\n  /** @type {One} */\n  /* a\n b */ two();\nconst site = \"https://x\";\n";
        let expected = "\n\nconst one = 1; // here\ntwo();\nconst site = \"https://x\";\n";
        assert_eq!(without_comments(source), expected.replacen('\n', "", 1));
    }

    #[test]
    fn a_missing_module_is_an_error() {
        let sources = BTreeMap::from([("main.js", "import \"./nothing.js\";"), ("page.js", "")]);
        let modules = Modules::new(sources);
        assert_eq!(modules.needs("page.js").unwrap_err().to_string(), "there is no module nothing.js");
    }

    #[test]
    fn the_router_has_the_pages() {
        let router = "const PAGES = [\n  [\"/\", () => import(\"./pages/home.js\")],\n  [\"/games/{id}\", () => import(\"./pages/table.js\")],\n];\n";
        let modules = Modules::new(BTreeMap::from([("router.js", router)]));
        assert_eq!(modules.pages().unwrap(), [("/", "pages/home.js"), ("/games/{id}", "pages/table.js")]);
        let broken = Modules::new(BTreeMap::from([("router.js", "  [\"/\", home],\n")]));
        assert!(broken.pages().is_err());
    }
}
