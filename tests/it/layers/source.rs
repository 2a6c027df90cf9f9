//! Just enough of Rust to find every path a file names: its tokens, its inline modules, its `use` trees.

use std::path::Path;

/// What may stand before a path that begins with `::`.
const KEYWORDS: [&str; 13] =
    ["as", "dyn", "else", "for", "if", "impl", "in", "let", "match", "mut", "return", "use", "where"];

/// Where a file's code stands: the module it is.
pub struct Place {
    module: Vec<String>,
}

impl Place {
    /// The module a file below `src/` is.
    pub fn of(file: &Path) -> Place {
        let mut module: Vec<String> =
            file.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
            module.pop();
        }
        Place { module }
    }

    /// The module below the crate's root; nothing for the root itself.
    pub fn layer(&self) -> &str {
        self.module.first().map_or("", String::as_str)
    }
}

/// A path as it is named somewhere in a file, its `use` tree multiplied out.
pub struct Named {
    pub line: usize,
    pub segments: Vec<String>,
    /// Whether it stands in a module named `tests`.
    pub in_tests: bool,
    /// Whether a `use` names it.
    pub imported: bool,
    /// The same path from the crate's root, if it is one of the crate's own.
    own: Option<Vec<String>>,
}

impl Named {
    /// The path from the crate's root, for one that begins with `crate`, `self` or `super`.
    pub fn within_crate(&self) -> Option<&[String]> {
        self.own.as_deref()
    }
}

/// Every path in a text.
pub fn paths(text: &str, place: &Place) -> Vec<Named> {
    let tokens = tokens(text);
    let mut module = place.module.clone();
    // How many braces were open outside each inline module.
    let mut inline: Vec<usize> = Vec::new();
    let mut open = 0;
    let mut importing = false;
    let mut named = Vec::new();
    let mut i = 0;
    while let Some((line, token)) = tokens.get(i) {
        match token.as_str() {
            "use" => importing = true,
            ";" => importing = false,
            "{" => open += 1,
            "}" => {
                open -= 1;
                if inline.last() == Some(&open) {
                    inline.pop();
                    module.pop();
                }
            }
            "pub" if is(&tokens, i + 1, "(") => {
                while !is(&tokens, i, ")") {
                    i += 1;
                }
            }
            "mod" if is(&tokens, i + 2, "{") => {
                module.push(tokens[i + 1].1.clone());
                inline.push(open);
                open += 1;
                i += 2;
            }
            _ if is_name(token) && !KEYWORDS.contains(&token.as_str()) => {
                let mut found = Vec::new();
                i = expand(&tokens, i, Vec::new(), &mut found) - 1;
                named.extend(found.into_iter().map(|segments| Named {
                    line: *line,
                    imported: importing,
                    in_tests: module.iter().any(|name| name == "tests"),
                    own: resolve(&segments, &module),
                    segments,
                }));
            }
            // What belongs to a type, as in `<A>::b`, is no path of its own.
            "::" if i > 0 && is(&tokens, i - 1, ">") => i += 1,
            _ => {}
        }
        i += 1;
    }
    named
}

/// Follows one path, or tree of paths, and says where it ends.
fn expand(
    tokens: &[(usize, String)],
    mut i: usize,
    mut path: Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> usize {
    loop {
        let Some((_, token)) = tokens.get(i) else { return i };
        if token == "{" {
            i += 1;
            while !is(tokens, i, "}") && i < tokens.len() {
                i = expand(tokens, i, path.clone(), found);
                if is(tokens, i, "as") {
                    i += 2;
                }
                if is(tokens, i, ",") {
                    i += 1;
                }
            }
            return i + 1;
        }
        path.push(token.clone());
        let goes_on = is(tokens, i + 1, "::")
            && tokens.get(i + 2).is_some_and(|(_, next)| is_name(next) || next == "{" || next == "*");
        if !goes_on {
            found.push(path);
            return i + 1;
        }
        i += 2;
    }
}

/// The path from the crate's root that a path stands for in a module.
fn resolve(path: &[String], module: &[String]) -> Option<Vec<String>> {
    let mut base = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => module.to_vec(),
        _ => return None,
    };
    for segment in path {
        match segment.as_str() {
            "crate" | "self" => {}
            "super" => drop(base.pop()),
            name => base.push(name.to_owned()),
        }
    }
    Some(base)
}

fn is(tokens: &[(usize, String)], i: usize, token: &str) -> bool {
    tokens.get(i).is_some_and(|(_, other)| other == token)
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The names and signs of a text with their lines; comments, literals and lifetimes are left out.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let (mut i, mut line) = (0, 1);
    while i < chars.len() {
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
            }
            '"' => i = end_of_string(&chars, i),
            '\'' if at(i + 1) == '\\' || at(i + 2) == '\'' => {
                i += if at(i + 1) == '\\' { 3 } else { 2 };
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            '\'' => {
                i += 1;
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
            }
            c if c.is_alphanumeric() || c == '_' => {
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
                let word: String = chars[start..i].iter().collect();
                let hashes = chars[i..].iter().take_while(|&&c| c == '#').count();
                match word.as_str() {
                    "r" | "br" | "cr" if at(i + hashes) == '"' => {
                        i = end_of_raw_string(&chars, i + hashes + 1, hashes);
                    }
                    _ => tokens.push((line, word)),
                }
            }
            ':' if at(i + 1) == ':' => {
                tokens.push((line, "::".to_owned()));
                i += 2;
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push((line, c.to_string()));
                }
                i += 1;
            }
        }
        line += chars[start..i.min(chars.len())].iter().filter(|&&c| c == '\n').count();
    }
    tokens
}

fn end_of_string(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

fn end_of_raw_string(chars: &[char], mut i: usize, hashes: usize) -> usize {
    while i < chars.len()
        && !(chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes)
    {
        i += 1;
    }
    i + 1 + hashes
}
