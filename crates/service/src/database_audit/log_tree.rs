//! The public log itself: its entries, tiles, checkpoint and queue, compared with each other and with the games.

use std::collections::{HashMap, HashSet};

use super::{DatabaseAudit, MAX};
use crate::auth::keys::RecordKeys;
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::{LogVerifiers, check_entry, leaf, read, verifiers_of};
use estimation_record::LogEntry;
use estimation_store::adopted_heads;
use estimation_store::public_log::EntryKind;
use estimation_store::public_log::audit_reads::{self, LogGame};
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, public_log};
use estimation_tlog::{Checkpoint, Hash, Note, RightEdge, SignatureLine, Tile};
use uuid::Uuid;

/// Entries per query: those of a tile.
const WIDTH: i64 = 256;

/// The entries that the games have, by the hash of each leaf.
type Expected = HashMap<Hash, ExpectedEntry>;

/// An entry that a game has.
#[derive(Clone, Copy)]
struct ExpectedEntry {
    game: Uuid,
    kind: EntryKind,
    /// The time of the entry, in milliseconds since 1970; none if it cannot be read.
    at: Option<i64>,
    place: EntryLocation,
}

/// Entries of former logs beyond their last checkpoints, by the hash of the leaf: the name of the log, and the position.
type Unsigned = HashMap<Hash, (String, u64)>;

/// A leaf with its entry, and the kind and the place of that.
type Leaf = (Hash, LogEntry, EntryKind, EntryLocation);

/// Where an entry must be.
#[derive(Clone, Copy)]
enum EntryLocation {
    /// At a position of a log.
    At(i32, u64),
    Queued,
}

impl DatabaseAudit<'_> {
    /// Compares the public log with the games, in one snapshot of the database.
    pub(super) fn public_log(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        let mut expected = self.expected_entries(conn)?;
        // Also of sealed entries. A log that continues another one begins with its time.
        let times: HashSet<i64> = expected.values().filter_map(|known| known.at).collect();
        let (mut unsigned, mut former, mut latest) = (Unsigned::new(), None, 0);
        let logs = audit_reads::logs(conn)?;
        let newest = logs.last().map(|tree| tree.id);
        for tree in logs {
            let is_former = Some(tree.id) != newest;
            self.tree(conn, (&tree, is_former), former.as_ref(), &mut expected, &mut unsigned)?;
            latest = tree.entered_at;
            if latest != 0 && !times.contains(&latest) {
                self.find(
                    None,
                    format!("the public log {}: its tree has a time that no entry has", tree.origin),
                );
            }
            // A log that was begun and never signed is passed over.
            if !tree.note.is_empty() {
                former = Some(tree);
            }
        }
        for waiting in public_log::queue(conn)? {
            let is_refused = waiting.is_refused;
            let Ok(queued) = waiting.entry else {
                self.find(None, "a row that waits for the public log is of no game, or no entry");
                continue;
            };
            let game = queued.game.map(|game| game.0);
            let leaf = Hash::leaf(queued.entry.as_bytes());
            unsigned.remove(&leaf);
            match expected.remove(&leaf) {
                Some(ExpectedEntry { game: known, kind, at, place: EntryLocation::Queued })
                    if game == Some(known) =>
                {
                    if (kind, at) != (queued.kind, Some(queued.entered_at)) {
                        self.find(game, "an entry that waits for the public log has another kind or time");
                    }
                    if is_refused {
                        self.find(game, "an entry of the game was refused by the public log");
                    }
                }
                _ => self
                    .find(game, "an entry that waits for the public log is of no game, or is there already"),
            }
            let binding = self.keys.zip(queued.game.zip(queued.binding.as_ref()));
            let binding = binding.map(|(keys, (game, binding))| check_entry(game, &queued, binding, keys));
            self.bound(game, binding, "an entry that waits for the public log");
            if queued.entered_at < latest {
                self.find(game, "an entry that waits for the public log is of a time before its last entry");
            }
        }
        let mut lost: Vec<(String, u64)> = unsigned.into_values().collect();
        lost.sort_unstable();
        for (origin, position) in lost.into_iter().take(MAX as usize) {
            let detail = format!(
                "the public log {origin}: entry {position} is in none of its checkpoints, and the next log lacks it"
            );
            self.find(None, detail);
        }
        let mut missing: Vec<Uuid> = expected.into_values().map(|known| known.game).collect();
        missing.sort_unstable();
        for game in missing.into_iter().take(MAX as usize) {
            self.find(Some(game), "the public log lacks an entry of the game, or has it elsewhere");
        }
        Ok(())
    }

    /// The entries of all games. Damaged ones are findings.
    fn expected_entries(&mut self, conn: &mut Connection) -> Result<Expected, Failure> {
        let (mut expected, mut after) = (Expected::new(), String::new());
        while let Some((last, page)) = audit_reads::page(conn, &after, WIDTH)? {
            after = last;
            for (game, stored) in page {
                let leaves = stored.map_err(Failure::from).and_then(|stored| leaves(&stored));
                let (Ok(game), Ok(leaves)) = (game.parse::<Uuid>(), leaves) else {
                    let detail = format!("what the public log has of the game {game} cannot be read");
                    self.find(game.parse().ok(), detail);
                    continue;
                };
                for (leaf, entry, kind, place) in leaves {
                    self.audit.logged(game, &entry, "");
                    expected.insert(leaf, ExpectedEntry { game, kind, at: time(&entry), place });
                }
            }
        }
        self.expected_adoptions(conn, &mut expected)?;
        Ok(expected)
    }

    /// The entries of adoptions, as the log has them. Damaged ones are findings.
    fn expected_adoptions(&mut self, conn: &mut Connection, expected: &mut Expected) -> Result<(), Failure> {
        let mut after = (String::new(), 0);
        while let Some((last, page)) = adopted_heads::page(conn, &after, WIDTH)? {
            after = last;
            for (id, stored) in page {
                match (id.parse::<Uuid>(), stored) {
                    (Ok(game), Ok(adopted)) => {
                        let (at, place) = (time(&read(&adopted.entry)), place(adopted.position));
                        let known = ExpectedEntry { game, kind: EntryKind::Adopted, at, place };
                        expected.insert(Hash::leaf(adopted.logged.as_bytes()), known);
                    }
                    (game, _) => {
                        self.find(game.ok(), format!("the adopted head of the game {id} cannot be read"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Compares a log's entries with its tiles, its tree and its checkpoint, and takes them out of the expected ones. Those
    /// of a former log beyond its checkpoint must be in a later one.
    fn tree(
        &mut self,
        conn: &mut Connection,
        (tree, is_former): (&Tree, bool),
        former: Option<&Tree>,
        expected: &mut Expected,
        unsigned: &mut Unsigned,
    ) -> Result<(), Failure> {
        let signature_fault = self.keys.and_then(|keys| signature_fault(tree, keys));
        let mut fault = |detail: String| self.find(None, format!("the public log {}: {detail}", tree.origin));
        let (mut edge, mut partial, mut tile_count) = (RightEdge::default(), HashMap::new(), 0);
        let (mut latest, mut foreign, mut signed_root) = (0, 0, None);
        if tree.signed_size == 0 {
            signed_root = Some(Hash::empty_root());
        }
        loop {
            let entries = public_log::entries(conn, tree.id, edge.size(), WIDTH)?;
            if entries.is_empty() {
                break;
            }
            let mut leaves = Vec::with_capacity(entries.len());
            for (entry, position) in entries.iter().zip(edge.size()..) {
                let leaf = Hash::leaf(entry.as_bytes());
                leaves.push(leaf);
                let is_origin = position == 0 && former.is_some_and(|former| continues(entry, former));
                if is_former && position >= tree.signed_size {
                    if !is_origin {
                        unsigned.insert(leaf, (tree.origin.clone(), position));
                    }
                    continue;
                }
                unsigned.remove(&leaf);
                let known = match expected.remove(&leaf).map(|known| known.place) {
                    Some(EntryLocation::At(log, at)) => (log, at) == (tree.id, position),
                    Some(EntryLocation::Queued) => false,
                    None => is_origin,
                };
                foreign += u64::from(!known);
                let Some(at) = time(&read(entry)) else { continue };
                if at < latest {
                    fault(format!("entry {position} is of a time before an earlier entry"));
                }
                latest = latest.max(at);
            }
            // The size of the checkpoint may be inside a tile.
            let inside =
                tree.signed_size.checked_sub(edge.size()).filter(|more| *more <= leaves.len() as u64);
            if let Some(more) = inside.and_then(|more| usize::try_from(more).ok()).filter(|more| *more > 0) {
                signed_root = Some(edge.clone().append(leaves.iter().take(more).copied()).root);
            }
            let grown = edge.append(leaves);
            edge = grown.edge;
            // Full tiles are compared at once, the others when the log ends.
            for tile in grown.tiles {
                let address = (tile.id.level, tile.id.index);
                if tile.id.is_full() {
                    partial.remove(&address);
                    tile_count += 1;
                    tile_fault(conn, tree, &tile)?.into_iter().for_each(&mut fault);
                } else {
                    partial.insert(address, tile);
                }
            }
        }
        tile_count += partial.len() as u64;
        for tile in partial.into_values() {
            tile_fault(conn, tree, &tile)?.into_iter().for_each(&mut fault);
        }
        if audit_reads::count_tiles(conn, tree.id)? != tile_count {
            fault("there are tiles without entries".to_owned());
        }
        if (edge.size(), edge.root()) != (tree.size, Hash(tree.root)) {
            fault(format!(
                "its tree has {} entries and another root than the {} entries",
                tree.size,
                edge.size()
            ));
        }
        if foreign > 0 {
            fault(format!("{foreign} entries are of no game, or not where the game says"));
        }
        if tree.entered_at < latest {
            fault("its last entry is of a later time than its tree says".to_owned());
        }
        if let Some(detail) = checkpoint_fault(tree, signed_root) {
            fault(detail.to_owned());
        } else if let Some(detail) = signature_fault {
            fault(detail.to_owned());
        }
        for cosigned in tree::cosignatures(conn, tree.id)? {
            let line = cosigned.line.parse::<SignatureLine>();
            let is_of = line.is_ok_and(|line| line.name().as_str() == cosigned.witness);
            if !is_of || cosigned.size > tree.signed_size {
                fault(format!("the cosignature of {} is of another witness or size", cosigned.witness));
            }
        }
        Ok(())
    }
}

/// The leaves of a game's start and end.
fn leaves(stored: &LogGame) -> Result<Vec<Leaf>, Failure> {
    let start = stored.start.as_ref().map(|start| (&start.entry, start.salt.as_ref()));
    let end = stored.end.as_ref().map(|(end, salt)| (end, salt.as_ref()));
    let entries =
        [(start, EntryKind::Start, stored.start_position), (end, EntryKind::End, stored.end_position)];
    let entries = entries.into_iter().filter_map(|(entry, kind, at)| Some((entry?, kind, place(at))));
    entries.map(|((entry, salt), kind, place)| Ok((leaf(entry, salt)?, read(entry), kind, place))).collect()
}

fn tile_fault(conn: &mut Connection, tree: &Tree, tile: &Tile) -> Result<Option<String>, Failure> {
    let stored = tree::tile(conn, tree.id, tile.id.level, tile.id.index)?;
    Ok((stored != Some(tile.encode())).then(|| format!("{} is not that of the entries", tile.id)))
}

/// Whether an entry is the first of a log after another one.
fn continues(entry: &str, former: &Tree) -> bool {
    matches!(read(entry), LogEntry::Origin { checkpoint } if checkpoint == former.note)
}

/// The time of an entry, in milliseconds since 1970; none if it is sealed or of no game.
fn time(entry: &LogEntry) -> Option<i64> {
    entry.at().map(|at| milliseconds(at.timestamp()))
}

fn place(position: Option<(i32, u64)>) -> EntryLocation {
    position.map_or(EntryLocation::Queued, |(log, position)| EntryLocation::At(log, position))
}

/// What is wrong with the signatures of a checkpoint that is of the entries, by the keys of the node.
fn signature_fault(tree: &Tree, keys: &RecordKeys) -> Option<&'static str> {
    let Some(LogVerifiers { log, cosigner }) = verifiers_of(tree, keys) else {
        return Some("its key is derived from a record key that was not given");
    };
    let note = tree.note.parse::<Note>().ok()?;
    let signed = note.verify(&log).and(note.verify(&cosigner));
    signed.err().map(|_| "its checkpoint is not signed by the node's keys")
}

fn checkpoint_fault(tree: &Tree, root: Option<Hash>) -> Option<&'static str> {
    if tree.note.is_empty() {
        let unsigned = tree.signed_size == 0 && tree.signed_at == 0;
        return (!unsigned).then_some("its checkpoint is missing");
    }
    let note = tree.note.parse::<Note>().ok();
    let signed = note.as_ref().and_then(|note| note.text().parse::<Checkpoint>().ok());
    let (Some(note), Some(signed)) = (note, signed) else { return Some("its checkpoint is damaged") };
    let origin = signed.origin.as_str() == tree.origin;
    if !origin || signed.size != tree.signed_size || Some(signed.root) != root {
        return Some("its checkpoint is not of its entries");
    }
    // The service's own cosignature has the time.
    let own = format!("{}/witness", tree.origin);
    let time = note.signatures().iter().find(|line| line.name().as_str() == own);
    let time = time.and_then(SignatureLine::claimed_time).and_then(|time| i64::try_from(time).ok());
    (time != Some(tree.signed_at / 1000))
        .then_some("its checkpoint was signed at another time than its tree says")
}
