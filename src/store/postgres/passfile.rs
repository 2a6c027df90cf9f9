//! Reads passwords from a file like `~/.pgpass`: lines of `host:port:database:user:password`.

use std::fs;
use std::path::Path;

/// The login whose password is looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Login<'a> {
    /// The host's name or address; `localhost` for a socket in the default directory.
    pub host: &'a str,
    pub port: u16,
    pub database: &'a str,
    pub user: &'a str,
}

/// The password of the first matching line; none when the file is missing or other users may read it.
pub(super) fn password(path: &Path, login: Login<'_>) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() {
        tracing::warn!(path = %path.display(), "the password file is not a plain file");
        return None;
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&metadata) & 0o077 != 0 {
        tracing::warn!(
            path = %path.display(),
            "the password file is not read, because its group or others have access: it must have mode 0600"
        );
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| fitting(line, login))
}

fn fitting(line: &str, login: Login<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let port = login.port.to_string();
    let mut rest = line;
    for wanted in [login.host, &port, login.database, login.user] {
        let (field, after) = field(rest);
        // A lone star matches anything; an escaped one matches a star.
        if rest.strip_prefix("*:") != after && field != wanted {
            return None;
        }
        rest = after?;
    }
    Some(field(rest).0).filter(|password| !password.is_empty())
}

/// The unescaped text before the next colon, and the text after it.
fn field(text: &str) -> (String, Option<&str>) {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            ':' => return (value, Some(&text[at + 1..])),
            '\\' => value.extend(letters.next().map(|(_, escaped)| escaped)),
            letter => value.push(letter),
        }
    }
    (value, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOGIN: Login<'_> = Login { host: "db.example", port: 5432, database: "cards", user: "noor" };

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        for (line, password) in [
            ("db.example:5432:cards:noor:secret", Some("secret")),
            ("*:*:*:*:secret", Some("secret")),
            ("*:5432:*:noor:a\\:b\\\\c", Some("a:b\\c")),
            ("db.example:5432:cards:noor:before:after", Some("before")),
            ("db.example:5433:cards:noor:secret", None),
            ("\\*:*:*:*:secret", None),
            ("#*:*:*:*:secret", None),
            ("db.example:5432:cards:noor", None),
            ("db.example:5432:cards:noor:", None),
            ("", None),
        ] {
            assert_eq!(fitting(line, LOGIN).as_deref(), password, "{line}");
        }
    }
}
