//! Published vectors.

use estimation_tlog::{Checkpoint, Hash, Note, RightEdge, VerifierKey};

/// The entries and roots of the reference tests of Certificate Transparency.
const CT: [(&str, &str); 8] = [
    ("", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    ("00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
    ("10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
    ("2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
    ("3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
    ("40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
    ("5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
    ("606162636465666768696a6b6c6d6e6f", "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
];

#[test]
fn roots_are_those_of_certificate_transparency() {
    let mut edge = RightEdge::default();
    assert_eq!(
        hex::encode(edge.root().0),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    for (entry, root) in CT {
        edge = edge.append([Hash::leaf(&hex::decode(entry).unwrap())]).edge;
        assert_eq!(hex::encode(edge.root().0), root);
    }
}

/// The example of `c2sp.org/signed-note`.
#[test]
fn the_example_note_verifies() {
    let key = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
    let text = "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
    let key: VerifierKey = key.parse().unwrap();
    let note: Note = text.parse().unwrap();
    assert_eq!(note.verify(&key).unwrap().time, None);
    assert_eq!(note.to_string(), text);
    assert_eq!(key.to_string(), "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k");
}

/// The key and note of the tests of Go's `sumdb/note`.
#[test]
fn the_note_of_peter_neumann_verifies() {
    let key: VerifierKey =
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW".parse().unwrap();
    let text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    assert_eq!(text.parse::<Note>().unwrap().verify(&key).unwrap().time, None);
}

/// The example of `c2sp.org/tlog-cosignature`.
#[test]
fn the_example_checkpoint_is_read() {
    let text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";
    let note: Note = text.parse().unwrap();
    let checkpoint: Checkpoint = note.text().parse().unwrap();
    assert_eq!(checkpoint.size, 20_852_163);
    assert_eq!(checkpoint.to_string(), note.text());
    assert_eq!(note.signatures().len(), 2);
    assert_eq!(note.to_string(), text);
}
