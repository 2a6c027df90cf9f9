"""The command line of the verifier.

    estimation-verify [--jwks FILE] [--key HEX] [--unsigned] [--running] [--separately] FILE...
    estimation-verify verify FILE [OPTION]...

The first form audits histories and prints one JSON object: the games read, and every finding with its game, event and
rule. With --separately each file is an audit of its own, and there is one line for each. The exit status is 0 only if
something was read and nothing is wrong. The second form verifies one history with its proofs.
"""

import argparse
import json
import sys

from . import proofs
from .history import Audit
from .keys import BadKeys, Trust


def parser():
    flags = argparse.ArgumentParser(
        prog="estimation-verify", allow_abbrev=False,
        epilog="`estimation-verify verify` verifies one history with its proofs.",
    )
    flags.add_argument("files", metavar="FILE", nargs="*", help="a file with histories")
    more = dict(action="append", default=[])
    flags.add_argument("--jwks", metavar="FILE", help="the record keys of the service", **more)
    flags.add_argument("--key", metavar="HEX", help="a record key", **more)
    flags.add_argument("--unsigned", action="store_true", help="check no signatures")
    flags.add_argument("--running", action="store_true", help="accept histories of running games")
    flags.add_argument("--separately", action="store_true", help="each file is an audit of its own")
    return flags


def passes(trust, files):
    audit = Audit(trust)
    for file in files:
        with open(file, "rb") as stream:
            # Bytes that are not UTF-8 are found where they stand.
            audit.read(stream.read().decode("utf-8", "surrogateescape"))
    report = audit.finish()
    print(json.dumps(report))
    return report["wrong"] == 0 and bool(report["games"])


def audit(arguments):
    flags = parser().parse_intermixed_args(arguments)
    trust = Trust()
    trust.unsigned, trust.running = flags.unsigned, flags.running
    for file in flags.jwks:
        trust.add_jwks(file)
    for digits in flags.key:
        trust.add_hex(digits)
    audits = [[file] for file in flags.files] if flags.separately else [flags.files]
    return 0 if all([passes(trust, files) for files in audits]) else 1


def main():
    arguments = sys.argv[1:]
    try:
        return proofs.main(arguments[1:]) if arguments[:1] == ["verify"] else audit(arguments)
    except (BadKeys, OSError) as error:
        print(f"estimation-verify: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
