//! `estimation-audit watch`: compares a service's log with the checkpoint that was kept.

use std::path::PathBuf;
use std::slice;

use clap::Args;
use estimation_record::RecordTime;
use estimation_tlog::checkpoint::{BadCheckpoint, open};
use estimation_tlog::note::BadNote;
use estimation_tlog::{Checkpoint, Note, VerifierKey};
use jiff::Timestamp;

use super::client::Client;
use super::compare::{KeptLog, compare, successor};
use super::games::KnownGames;
use super::outcome::{Findings, Problem};
use super::promise::check_promises;
use super::signatures::{RecordKeyFlags, cosigned_at, log_key, recent, witness_key};
use super::state::{KeySource, State};
use super::times::{DatedSize, check_times};

/// What to watch, and what to demand.
#[derive(Args, Clone, Debug)]
pub struct WatchFlags {
    /// The service.
    #[arg(long)]
    url: String,

    /// The file with the last checkpoint, which the next watch needs. Created if it is missing.
    #[arg(long)]
    state: PathBuf,

    /// A line that an earlier watch printed after `line to keep:`, for comparison as well.
    #[arg(long, value_name = "LINE", value_parser = kept_line)]
    kept: Option<Checkpoint>,

    /// The log's verifier key, such as `cards.example/log+1a2b3c4d+AU…`. Without it, the first watch takes the key
    /// that the service shows, and the following ones keep it.
    #[arg(long, value_name = "VKEY", value_parser = log_key)]
    log_key: Option<VerifierKey>,

    /// The verifier key of a witness that must have cosigned the checkpoint. May be given more than once.
    #[arg(long, value_name = "VKEY", value_parser = witness_key)]
    witness: Vec<VerifierKey>,

    /// The maximum age of the checkpoint in seconds, by the newest cosignature of the witnesses given, or else by the
    /// service's own.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    max_age: u32,

    /// The maximum number of public games, over in the log, whose histories are fetched and compared.
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    histories: usize,

    /// A promise that a player kept: a view of the game, or its member `log`. The log must have its start. Needs `--jwks` or
    /// `--key`. May be given more than once.
    #[arg(long, value_name = "FILE")]
    promise: Vec<PathBuf>,

    #[command(flatten)]
    keys: RecordKeyFlags,
}

/// The keys for a log, and what was kept of it.
struct WatchedLog {
    log: VerifierKey,
    source: KeySource,
    own_witness: VerifierKey,
    checkpoint: Option<(Checkpoint, Note)>,
    games: KnownGames,
}

pub(super) fn watch(flags: &WatchFlags) -> Result<Findings, Problem> {
    let (client, trust) = (Client::new(&flags.url), flags.keys.trust()?);
    // The state before the checkpoint: another watch may write a newer one meanwhile.
    let known = match State::read(&flags.state)? {
        Some(state) => WatchedLog::kept(state, flags)?,
        None => WatchedLog::first_seen(&client, flags)?,
    };
    let (shown, note) = known.open(&client, &client.text("checkpoint")?)?;
    let mut findings = Findings::default();
    known.describe(&shown, &mut findings);
    let kept = known.checkpoint.as_ref();
    let continues = compare(kept.map(|(checkpoint, _)| checkpoint), &shown, &mut &client)
        .and_then(|()| known.check_backdating(&shown, &note));
    let continues = findings.keep(continues).is_some();
    if let (true, Some((before, after))) = (continues, known.dated(&shown, &note)) {
        check_times(&client, before, after, &mut findings);
    }
    let mut games = known.games.clone();
    if continues {
        let cosigned_at = known.cosigned_at(&note);
        let histories = (flags.histories, &trust);
        let advanced = games.advance(&client, (&shown, cosigned_at), histories, &mut findings);
        findings.keep(advanced);
        let promises = (&flags.promise[..], &trust);
        let checked = check_promises(&client, &shown, cosigned_at, promises, &mut findings);
        findings.keep(checked);
    }
    if let (true, Some((_, kept))) = (findings.is_tampered(), kept) {
        // Both are signed by the log, so they prove it to others.
        findings.say(format_args!("kept:\n{kept}\nshown:\n{note}"));
    }
    if let Some(line) = &flags.kept {
        findings.keep(continues_line(line, &shown, &client));
    }
    known.check_cosignatures(&note, flags, &mut findings);
    // What the first watch keeps has passed every check; afterwards, being old or not cosigned breaks no continuity.
    if continues && !findings.is_tampered() && (kept.is_some() || findings.problems.is_empty()) {
        let (log, own_witness) = (known.log.to_string(), known.own_witness.to_string());
        let state = State::new(log, known.source, own_witness, note.to_string(), games);
        findings.keep(state.write(&flags.state));
    }
    Ok(findings)
}

/// Checks that a log continues a line that was kept.
fn continues_line(line: &Checkpoint, shown: &Checkpoint, client: &Client) -> Result<(), Problem> {
    if line.origin != shown.origin {
        return Err(Problem::unchecked(format_args!("the line is of the log {}", line.origin)));
    }
    compare(Some(line), shown, &mut &*client)
}

/// Parses a line with a checkpoint: origin, size and root.
fn kept_line(line: &str) -> Result<Checkpoint, String> {
    let parsed = format!("{}\n", line.trim().replace(' ', "\n")).parse();
    parsed.map_err(|error: BadCheckpoint| format!("{error}: expected origin, size and root"))
}

impl WatchedLog {
    /// Takes what a file has kept.
    fn kept(state: State, flags: &WatchFlags) -> Result<WatchedLog, Problem> {
        let damaged = |what: &str| Problem::unchecked(format_args!("{}: {what}", flags.state.display()));
        let log = log_key(&state.log_key).map_err(|error| damaged(&error))?;
        if flags.log_key.as_ref().is_some_and(|given| *given != log) {
            return Err(damaged("it keeps the checkpoint of another log key"));
        }
        let own_witness = witness_key(&state.own_witness).map_err(|error| damaged(&error))?;
        let checkpoint = open(&state.checkpoint, &log).map_err(|error| damaged(&error.to_string()))?;
        let source = if flags.log_key.is_some() { KeySource::Given } else { state.log_key_from };
        Ok(WatchedLog { log, source, own_witness, checkpoint: Some(checkpoint), games: state.games })
    }

    /// Takes the keys that the service shows, and the given one before its.
    fn first_seen(client: &Client, flags: &WatchFlags) -> Result<WatchedLog, Problem> {
        let text = client.text("key")?;
        let (log, source) = match &flags.log_key {
            Some(given) => (given.clone(), KeySource::Given),
            None => {
                let key = log_key(text.lines().next().unwrap_or_default());
                (key.map_err(|error| Problem::unchecked(format_args!("key: {error}")))?, KeySource::FirstUse)
            }
        };
        let own_name = format!("{}/witness", log.name());
        let mut keys = text.lines().filter_map(|line| witness_key(line).ok());
        // Without it, nothing shows that a later checkpoint is backdated.
        let own_witness = keys.find(|key| key.name().as_str() == own_name).ok_or_else(|| {
            Problem::unchecked(format_args!(
                "key: the service shows no key of its own cosignatures, {own_name}"
            ))
        })?;
        Ok(WatchedLog { log, source, own_witness, checkpoint: None, games: KnownGames::default() })
    }

    /// Opens the checkpoint that the service shows.
    fn open(&self, client: &Client, note: &str) -> Result<(Checkpoint, Note), Problem> {
        open(note, &self.log).map_err(|error| match (error, &self.checkpoint) {
            (BadCheckpoint::Origin { .. }, Some((checkpoint, _))) => {
                successor(client, &KeptLog { key: &self.log, checkpoint }, note)
            }
            (BadCheckpoint::Note(BadNote::Unsigned(_)), _) => Problem::unchecked(format_args!(
                "the checkpoint is not signed with the log's key {}",
                self.log
            )),
            (error, _) => Problem::unchecked(format_args!("the checkpoint is damaged: {error}")),
        })
    }

    fn describe(&self, shown: &Checkpoint, findings: &mut Findings) {
        let Checkpoint { origin, size, root } = shown;
        findings.say(format_args!("{origin}: {size} entries, root {root}"));
        findings.say(format_args!("line to keep: {origin} {size} {root}"));
        findings.say(match self.source {
            KeySource::Given => format!("log key: {}, given with --log-key", self.log),
            KeySource::FirstUse => {
                format!("log key: {}, the service's own, trusted on first use", self.log)
            }
        });
        findings.say(match &self.checkpoint {
            Some((kept, _)) => format!("kept: {} entries, root {}", kept.size, kept.root),
            None => "kept: nothing yet; the next watch compares with this checkpoint".to_owned(),
        });
    }

    /// The time of the service's own cosignature, in seconds since 1970 in UTC.
    fn seconds(&self, note: &Note) -> Option<u64> {
        note.verify(&self.own_witness).ok()?.time
    }

    /// The time of the service's own cosignature.
    fn cosigned_at(&self, note: &Note) -> Option<RecordTime> {
        let time = Timestamp::from_second(self.seconds(note)?.cast_signed()).ok()?;
        Some(RecordTime::of(time, None))
    }

    /// The kept and the shown size with the times of the service's own cosignatures; none at the first watch.
    fn dated(&self, shown: &Checkpoint, note: &Note) -> Option<(DatedSize, DatedSize)> {
        let (kept, kept_note) = self.checkpoint.as_ref()?;
        let before = DatedSize { size: kept.size, time: self.seconds(kept_note) };
        Some((before, DatedSize { size: shown.size, time: self.seconds(note) }))
    }

    /// Checks that the service's own cosignatures, of a log that has grown, do not go back in time. A time says which
    /// size was the largest then.
    fn check_backdating(&self, shown: &Checkpoint, note: &Note) -> Result<(), Problem> {
        match self.dated(shown, note) {
            Some((DatedSize { size: before, time: Some(kept) }, DatedSize { size, time: Some(shown) }))
                if shown < kept && size > before =>
            {
                let ago = kept - shown;
                Err(Problem::tampered(format_args!(
                    "the checkpoint is backdated: {} cosigned {size} entries {ago} s before it cosigned {before}",
                    self.own_witness.name()
                )))
            }
            _ => Ok(()),
        }
    }

    fn check_cosignatures(&self, note: &Note, flags: &WatchFlags, findings: &mut Findings) {
        let own = cosigned_at(note, slice::from_ref(&self.own_witness), findings);
        let newest = if flags.witness.is_empty() { own } else { cosigned_at(note, &flags.witness, findings) };
        if let Some(time) = newest {
            findings.keep(recent(time, crate::now().timestamp(), flags.max_age));
        }
    }
}
