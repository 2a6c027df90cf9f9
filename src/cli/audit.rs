//! `estimation audit`: `estimation-audit`, and in addition databases: logs, snapshots, rows, seeds and the transparency log.

use clap::Args;
use estimation_audit::AuditFlags;
use estimation_audit::terminal::progress;

use super::Failed;
use crate::app::clock::{Clock, SystemClock};
use crate::app::games::snapshot_complaint;
use crate::app::transparency_log::published;
use crate::cli::database::read_url;
use crate::engine::chance::Hex;
use crate::engine::game::{Ending, Stage};
use crate::store::games::GameRow;
use crate::store::{Connection, GameId, ended_games, event_reads, games, seeds, snapshots};
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::verify::{
    Audit, End, FORMAT, Header, Piece, Report, Rule, SignatureLine, Status, Trust, Verifier,
};

/// Rows per query.
const PAGE: i64 = 200;

/// What to verify.
#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    #[command(flatten)]
    outside: AuditFlags,

    /// Verify a database, `sqlite://PATH` or `postgres://…`: logs, snapshots, rows and the transparency log.
    #[arg(long, conflicts_with_all = ["files", "url"])]
    database: Option<String>,
}

pub(super) fn run(flags: &Flags) -> Result<(), Failed> {
    let Some(url) = &flags.database else { return estimation_audit::run(&flags.outside) };
    let (trust, has_keys) = flags.outside.trust()?;
    flags.outside.finish(&audit(url, trust, has_keys)?)
}

fn audit(url: &str, mut trust: Trust, has_keys: bool) -> Result<Report, Failed> {
    let url = read_url(url)?;
    if !has_keys && !trust.unsigned {
        return Err("give --jwks or --key to check signatures, or --unsigned to skip them".into());
    }
    // Running games are verified up to their last event.
    trust.running = true;
    let mut conn = Connection::inspect(&url).map_err(|error| format!("{url}: {error}"))?;
    let mut audit = Audit::new(&trust);
    // The transparency log comes first, so a game that ends meanwhile is newer than the part that was read.
    let mut position = 0;
    loop {
        let page = ended_games::after(&mut conn, position, PAGE)?;
        let Some(last) = page.last() else { break };
        position = last.position;
        for line in page {
            audit.piece(Piece::Listed(published(line)?));
        }
    }
    audit.close_list(RecordTime::of(SystemClock.now(), None));
    audit.whole = true;
    let bar = progress(games::number(&mut conn)?.unsigned_abs());
    let mut after = GameId::default();
    loop {
        let rows = games::in_order(&mut conn, after, PAGE)?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        for row in &rows {
            conn.in_snapshot(|conn| game(conn, row.id, &trust, &mut audit))?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(audit.finish())
}

/// Verifies a game: its log, snapshot, row and seed.
fn game(conn: &mut Connection, id: GameId, trust: &Trust, audit: &mut Audit<'_>) -> Result<(), Failed> {
    let Some(row) = &games::find(conn, id)? else { return Ok(()) };
    let status = match row.status.as_str() {
        "finished" => Status::Finished,
        "abandoned" => Status::Abandoned,
        _ => Status::Running,
    };
    let header = Header { format: FORMAT.to_owned(), game: id.0, ruleset: row.ruleset.parse()?, status };
    let mut verifier = Verifier::new(trust, header);
    let snapshot = snapshots::latest(conn, id)?;
    let (mut told, mut head) = (0, [0; 32]);
    loop {
        let page = event_reads::after(conn, id, told, PAGE)?;
        let Some(last) = page.last() else { break };
        (told, head) = (last.seq, last.hash);
        for event in page {
            let seq = event.seq;
            verifier.event(&event.into());
            if let Some(snapshot) = snapshot.as_ref().filter(|snapshot| snapshot.seq == seq)
                && let (hash, Some(at)) = verifier.position()
                && let Some(complaint) =
                    verifier.state().and_then(|game| snapshot_complaint(snapshot, &hash, at, game))
            {
                verifier.find(Some(seq), Rule::State, complaint);
            }
        }
    }
    if snapshot.as_ref().is_some_and(|snapshot| snapshot.seq > told) {
        verifier.find(Some(told.saturating_add(1)), Rule::State, "the snapshot is newer than the last event");
    }
    rows(conn, row, &mut verifier)?;
    let standings = match verifier.state().map(|game| &game.stage) {
        Some(Stage::Over(Ending::Finished { standings, .. })) => Some(standings.clone()),
        _ => None,
    };
    let listed = ended_games::find(conn, id)?;
    // A game that has just ended has no signature until it is in the transparency log, whose own check finds missing ones.
    let signature = listed.map(|ended| SignatureLine { kid: ended.kid, value: Hex(ended.signature) });
    let mut unsigned = trust.clone();
    unsigned.unsigned = true;
    let end = End { events: told, head: Hex(head), standings, signature };
    let verifier = if end.signature.is_none() { verifier.trusting(&unsigned) } else { verifier };
    audit.verified(verifier.end(&end));
    Ok(())
}

/// Compares the row and the seed of a game with its log.
fn rows(conn: &mut Connection, row: &GameRow, verifier: &mut Verifier<'_>) -> Result<(), Failed> {
    let seed = seeds::find(conn, row.id)?.map(|seed| ServerSeed::from_bytes(*seed.expose()));
    let Some(game) = verifier.state() else { return Ok(()) };
    let mut wrong = Vec::new();
    if !seed.is_some_and(|seed| seed.opens(&game.table.commitment)) {
        wrong.push((Rule::Commitment, "the stored seed does not match the commitment"));
    }
    let taken = game.table.places.values().flatten().count();
    if game.status().as_str() != row.status
        || game.table.host != row.host
        || game.rules().id.as_str() != row.ruleset
        || game.table.visibility.as_str() != row.visibility
        || usize::try_from(row.taken) != Ok(taken)
        || game.is_over() != row.ended_at.is_some()
    {
        wrong.push((Rule::State, "the game's row does not match its log"));
    }
    wrong.into_iter().for_each(|(rule, detail)| verifier.find(None, rule, detail));
    Ok(())
}
