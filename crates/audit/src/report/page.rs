//! The report as a page that can be archived: one file of HTML, without scripts and without references.

use std::fmt::{self, Display, Write};

use estimation_record::verify::Finding;

use super::{AuditReport, text};
use crate::Outcome;

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2em .5em;text-align:left;vertical-align:top;\
overflow-wrap:anywhere}.tampered{color:#a00}.unchecked{color:#850}.sound{color:#060}";

pub(super) fn page(report: &AuditReport) -> String {
    let mut page = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut page, report);
    page
}

fn write(page: &mut String, report: &AuditReport) -> fmt::Result {
    let AuditReport { report: found, outcome, .. } = report;
    let class = match outcome {
        Outcome::Sound | Outcome::SoundByOwnKeys => "sound",
        Outcome::Tampered => "tampered",
        Outcome::Unchecked | Outcome::Uncosigned => "unchecked",
    };
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Audit of {source}</title><style>{STYLE}</style></head>\n<body><h1>Audit of {source}</h1>\n\
         <p class=\"{class}\"><strong>Result: {outcome}.</strong></p>\n<table>\n",
        source = Escaped(&report.source),
        outcome = outcome.in_words(),
    )?;
    let mut row = |name: &str, value: &dyn Display| {
        writeln!(page, "<tr><th>{name}</th><td>{}</td></tr>", Escaped(value))
    };
    row("Began", &report.began)?;
    row("Ended", &report.ended)?;
    row("Program", &report.program)?;
    row("Games checked", &found.games)?;
    row("Games not checked", &found.skipped)?;
    row("Events", &found.events)?;
    row("Deals", &found.deals)?;
    row("Client seeds", &text::client_seeds(&found.client_seeds))?;
    if let Some(log) = &report.log {
        row("Public log", &log.origin)?;
        row("Entries of the public log", &log.size)?;
        row("Root of the public log", &log.root)?;
        row("Key of the public log", &log.key)?;
        if let Some(at) = log.cosigned_at {
            row("Time of the public log", &at)?;
        }
        row("Games that are over in the public log", &log.games)?;
        row("Entries of private games that were not opened", &log.sealed)?;
    }
    row("Findings", &found.wrong)?;
    page.push_str("</table>\n");
    keys(page, report)?;
    for note in &report.notes {
        writeln!(page, "<p>{}</p>", Escaped(note))?;
    }
    findings(page, report)?;
    unchecked(page, report)?;
    page.push_str("</body></html>\n");
    Ok(())
}

fn keys(page: &mut String, report: &AuditReport) -> fmt::Result {
    page.push_str("<h2>Keys</h2>\n");
    if report.unsigned {
        page.push_str("<p>Signatures were not checked.</p>\n");
    }
    let rows = report.keys.iter().map(|key| {
        let pinned = if key.pinned {
            "chosen by the auditor"
        } else {
            "the service's own: it proves only that the service agrees with itself"
        };
        [&key.kid as &dyn Display, &key.from, &pinned].map(|cell| Escaped(cell).to_string())
    });
    table(page, ["Key", "From", "Trust"], rows)
}

fn findings(page: &mut String, report: &AuditReport) -> fmt::Result {
    page.push_str("<h2>Findings</h2>\n");
    let rows = report.report.findings.iter().map(|finding| {
        let Finding { game, seq, rule, detail, .. } = finding;
        let game = game.map(|game| game.to_string()).unwrap_or_default();
        let place = seq.map(|seq| format!("event {seq}")).unwrap_or_default();
        [&game as &dyn Display, &place, rule, detail].map(|cell| Escaped(cell).to_string())
    });
    table(page, ["Game", "Where", "Rule", "What is wrong"], rows)?;
    more(page, report.report.wrong, report.report.findings.len())
}

fn unchecked(page: &mut String, report: &AuditReport) -> fmt::Result {
    if report.report.skipped == 0 {
        return Ok(());
    }
    page.push_str("<h2>Games that were not checked</h2>\n");
    let games = &report.report.unchecked;
    let rows = games
        .iter()
        .map(|unchecked| [Escaped(unchecked.game).to_string(), Escaped(&unchecked.reason).to_string()]);
    table(page, ["Game", "Reason"], rows)?;
    more(page, report.report.skipped, games.len())
}

/// A table of cells that are escaped already.
fn table<const N: usize>(
    page: &mut String,
    heads: [&str; N],
    rows: impl ExactSizeIterator<Item = [String; N]>,
) -> fmt::Result {
    if rows.len() == 0 {
        page.push_str("<p>None.</p>\n");
        return Ok(());
    }
    writeln!(page, "<table>\n<tr><th>{}</th></tr>", heads.join("</th><th>"))?;
    for row in rows {
        writeln!(page, "<tr><td>{}</td></tr>", row.join("</td><td>"))?;
    }
    page.push_str("</table>\n");
    Ok(())
}

fn more(page: &mut String, all: u64, told: usize) -> fmt::Result {
    match all.saturating_sub(told as u64) {
        0 => Ok(()),
        more => writeln!(page, "<p>… and {more} more.</p>"),
    }
}

/// A text as the content of an element or a quoted attribute. Names of files and texts of histories are hostile.
struct Escaped<T>(T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.to_string().chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // Control characters, and those that change the direction of the text around them.
                '\u{0}'..='\u{1f}'
                | '\u{7f}'..='\u{9f}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' => write!(f, "&#xfffd;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}
