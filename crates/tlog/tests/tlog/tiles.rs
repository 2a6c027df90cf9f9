//! Paths, tiles and entry bundles.

use estimation_tlog::{
    BadBundle, BundleId, Hash, MAX_ENTRY, Resource, Tile, TileId, decode_entries, encode_entries,
};

use crate::support::leaves;

#[test]
fn paths_have_one_form() {
    for (path, level, index, width) in [
        ("tile/0/x001/x234/067", 0, 1_234_067, 256),
        ("tile/0/x001/x234/067.p/8", 0, 1_234_067, 8),
        ("tile/63/000", 63, 0, 256),
        ("tile/1/999.p/255", 1, 999, 255),
        ("tile/1/x001/000.p/1", 1, 1_000, 1),
        ("tile/7/x018/x446/x744/x073/x709/x551/615", 7, u64::MAX, 256),
    ] {
        let id = TileId { level, index, width };
        assert_eq!(path.parse(), Ok(id));
        assert_eq!(id.to_string(), path);
    }
    let bundle = BundleId { index: 1_234_067, width: 3 };
    assert_eq!("tile/entries/x001/x234/067.p/3".parse(), Ok(Resource::Entries(bundle)));
    assert_eq!(bundle.to_string(), "tile/entries/x001/x234/067.p/3");
}

#[test]
fn other_paths_are_refused() {
    for path in [
        "",
        "tile",
        "tile/",
        "tile/0",
        "tile/0/",
        "/tile/0/000",
        "tile/0/0",
        "tile/0/00",
        "tile/0/0000",
        "tile/00/000",
        "tile/64/000",
        "tile/256/000",
        "tile/-1/000",
        "tile/+1/000",
        "tile/8/0/000",
        "tile/0/001/000",
        "tile/0/x001",
        "tile/0/x000/001",
        "tile/0/x001/x000",
        "tile/0/000.p",
        "tile/0/000.p/",
        "tile/0/000.p/0",
        "tile/0/000.p/256",
        "tile/0/000.p/257",
        "tile/0/000.p/01",
        "tile/0/000.p/65537",
        "tile/0/000.p/8.p/8",
        "tile/0/000/",
        "tile/0/000.p/8/",
        "tile/0/x018/x446/x744/x073/x709/x551/616",
        "tile/0/x999/x018/x446/x744/x073/x709/x551/615",
        "tile/0/٠٠٠",
        "tile/data/000",
        "tile/entries/",
        "tile/entries/0",
        "tile/entries/000.p/256",
        "tile/Entries/000",
        "tile/0/000 ",
        "tile/0/000\n",
    ] {
        assert!(path.parse::<Resource>().is_err(), "{path:?}");
    }
    assert!("tile/entries/000".parse::<TileId>().is_err());
}

#[test]
fn a_tile_has_exactly_its_hashes() {
    let tile = Tile { id: "tile/0/000.p/3".parse().unwrap(), hashes: leaves(3) };
    let bytes = tile.encode();
    assert_eq!(tile.id.decode(&bytes), Ok(tile.hashes.clone()));
    for wrong in
        [&bytes[..0], &bytes[..32], &bytes[..95], &[bytes.clone(), vec![0]].concat(), &bytes.repeat(2)]
    {
        assert!(tile.id.decode(wrong).is_err());
    }
}

#[test]
fn a_bundle_has_exactly_its_entries() {
    let entries = [b"".to_vec(), b"one".to_vec(), vec![7; MAX_ENTRY]];
    let bytes = encode_entries(&entries).unwrap();
    assert_eq!(bytes[..7], [0, 0, 0, 3, b'o', b'n', b'e']);
    assert_eq!(decode_entries(&bytes).unwrap(), entries);
    let hashes: Vec<Hash> = entries.iter().map(|entry| Hash::leaf(entry)).collect();
    let id = BundleId { index: 0, width: 3 };
    assert_eq!(id.open(&bytes, &hashes).unwrap(), entries);
    assert_eq!(id.open(&bytes[..5], &hashes), Err(BadBundle::Truncated(1)));
    assert_eq!(id.open(&bytes[..3], &hashes), Err(BadBundle::Truncated(1)));
    let too_many = [&bytes[..], &[0, 0]].concat();
    assert_eq!(id.open(&too_many, &hashes), Err(BadBundle::Width { width: 3, found: 4 }));
    assert_eq!(id.open(&bytes, &hashes[..2]), Err(BadBundle::Width { width: 3, found: 3 }));
    assert_eq!(encode_entries([vec![0; MAX_ENTRY + 1]]), Err(BadBundle::TooLong(MAX_ENTRY + 1)));
}
