"""Lets aics-tlog authenticate every tile and every entry of logs in folders against their checkpoints.

    verify.py KEYFILE FOLDER...
"""

import sys
from pathlib import Path

from aics_tlog import FileSystemTileReader, audit_tiles, parse_note, parse_vkey, verify_checkpoint


def main(key_file: str, folders: list[str]) -> None:
    key = parse_vkey(Path(key_file).read_text().strip())
    for folder in folders:
        result = verify_checkpoint(parse_note(Path(folder, "checkpoint").read_text()), key)
        assert result.ok, result
        report = audit_tiles(FileSystemTileReader(folder), result.size, result.root)
        print(f"aics-tlog accepts {report.size} entries: {report.tiles} tiles, {report.bundles} bundles")


main(sys.argv[1], sys.argv[2:])
