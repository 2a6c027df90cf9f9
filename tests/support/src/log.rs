//! A public log in memory, with the keys of the log and of its own witness.

use std::collections::HashMap;

use ed25519_dalek::{Signer, SigningKey};
use estimation_tlog::tree::inclusion_proof;
use estimation_tlog::{
    BundleId, Checkpoint, Hash, KeyName, KeyType, Note, ProofFile, RightEdge, SignatureLine, Tile, TileId,
    TileSource, VerifierKey, encode_entries,
};
use sha2::{Digest, Sha256};

/// A private key with its verifier key.
#[derive(Clone)]
pub struct Signatory {
    pub key: VerifierKey,
    secret: SigningKey,
}

/// A log.
#[derive(Clone)]
pub struct TestLog {
    pub log: Signatory,
    pub own_witness: Signatory,
    entries: Vec<Vec<u8>>,
    tiles: HashMap<(u8, u64), Tile>,
    edge: RightEdge,
}

impl Signatory {
    pub fn new(name: &str, kind: KeyType, seed: u8) -> Signatory {
        let secret = SigningKey::from_bytes(&[seed; 32]);
        let name = KeyName::new(name).unwrap();
        let key = VerifierKey::new(name, kind, secret.verifying_key().as_bytes()).unwrap();
        Signatory { key, secret }
    }

    pub fn witness(name: &str, seed: u8) -> Signatory {
        Signatory::new(name, KeyType::Cosignature, seed)
    }

    pub fn sign(&self, text: &str) -> SignatureLine {
        self.sign_as(&self.key, text)
    }

    pub fn cosign(&self, text: &str, time: u64) -> SignatureLine {
        self.cosign_as(&self.key, text, time)
    }

    /// A signature by this key that claims to be of the given one.
    pub fn sign_as(&self, key: &VerifierKey, text: &str) -> SignatureLine {
        SignatureLine::sign(key, text, |message| self.secret.sign(message).to_bytes())
    }

    /// A cosignature by this key that claims to be of the given one.
    pub fn cosign_as(&self, key: &VerifierKey, text: &str, time: u64) -> SignatureLine {
        SignatureLine::cosign(key, text, time, |message| self.secret.sign(message).to_bytes())
    }
}

impl TestLog {
    /// An empty log. The number determines the keys.
    pub fn new(origin: &str, seed: u8) -> TestLog {
        TestLog {
            log: Signatory::new(origin, KeyType::Ed25519, seed),
            own_witness: Signatory::witness(&format!("{origin}/witness"), seed ^ 0x80),
            entries: Vec::new(),
            tiles: HashMap::new(),
            edge: RightEdge::default(),
        }
    }

    /// Appends an entry, and returns its index.
    pub fn append(&mut self, entry: &[u8]) -> u64 {
        self.extend([entry.to_vec()]);
        self.edge.size() - 1
    }

    /// Appends entries.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Vec<u8>>) {
        let old = self.entries.len();
        self.entries.extend(entries);
        let leaves = self.entries[old..].iter().map(|entry| Hash::leaf(entry));
        let appended = std::mem::take(&mut self.edge).append(leaves);
        self.tiles.extend(appended.tiles.into_iter().map(|tile| ((tile.id.level, tile.id.index), tile)));
        self.edge = appended.edge;
    }

    /// Appends entries of private games until the log has so many. The label distinguishes logs with other entries.
    pub fn grow(&mut self, size: u64, label: &str) {
        self.extend((self.edge.size()..size).map(|index| {
            let hash = hex::encode(Sha256::digest(format!("{label} {index}")));
            format!("{{\"hash\":\"{hash}\",\"type\":\"sealed\"}}").into_bytes()
        }));
    }

    /// Appends entries of no form until the log has so many, as the corpus has them. Proofs do not show them.
    pub fn fill(&mut self, size: u64, label: &str) {
        self.extend((self.edge.size()..size).map(|index| format!("{label} {index}").into_bytes()));
    }

    /// The checkpoint, cosigned at a time in seconds since 1970.
    pub fn checkpoint(&self, time: u64) -> Note {
        let (size, root) = (self.edge.size(), self.edge.root());
        let text = Checkpoint { origin: self.log.key.name().clone(), size, root }.to_string();
        let mut note = Note::new(text.clone()).unwrap();
        note.add(self.log.sign(&text));
        note.add(self.own_witness.cosign(&text, time));
        note
    }

    /// The root of the tree.
    pub fn root(&self) -> Hash {
        self.edge.root()
    }

    /// The keys as the service shows them.
    pub fn keys(&self) -> String {
        format!("{}\n{}\n", self.log.key, self.own_witness.key)
    }

    /// The tiles and entry bundles, by path.
    pub fn files(&self) -> HashMap<String, Vec<u8>> {
        let tiles = self.tiles.values().map(|tile| (tile.id.to_string(), tile.encode()));
        let bundles = self.entries.chunks(256).zip(0..).map(|(entries, index)| {
            let id = BundleId { index, width: entries.len() as u16 };
            (id.to_string(), encode_entries(entries).unwrap())
        });
        tiles.chain(bundles).collect()
    }

    /// The proof of an entry.
    pub fn proof(&mut self, index: u64, extra: &str, checkpoint: Note) -> ProofFile {
        let size = self.edge.size();
        let proof = inclusion_proof(self, index, size).unwrap();
        ProofFile { extra: Some(extra.as_bytes().to_vec()), index, proof, checkpoint }
    }
}

impl TileSource for TestLog {
    type Error = TileId;

    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, TileId> {
        let tile = self.tiles.get(&(id.level, id.index)).ok_or(id)?;
        tile.hashes.get(..usize::from(id.width)).map(<[Hash]>::to_vec).ok_or(id)
    }
}
