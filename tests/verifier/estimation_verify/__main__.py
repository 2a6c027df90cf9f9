"""The command line of the verifier.

    estimation-verify [--jwks FILE] [--key HEX] [--unsigned] [--running] [--separately] FILE...
    estimation-verify verify FILE [OPTION]...

The first form audits histories and prints one JSON object: the games read, and every finding with its game, event and
rule. With --separately each file is an audit of its own, and there is one line for each. The exit status is 0 only if
something was read and nothing is wrong. The second form verifies one history with its proofs.
"""

import json
import sys

from . import proofs
from .history import Audit
from .keys import Trust


class Options:
    def __init__(self, arguments):
        self.trust, self.files, self.separately = Trust(), [], False
        arguments = list(arguments)
        while arguments:
            argument = arguments.pop(0)
            if argument == "--unsigned":
                self.trust.unsigned = True
            elif argument == "--running":
                self.trust.running = True
            elif argument == "--separately":
                self.separately = True
            elif argument == "--key":
                self.trust.add_hex(arguments.pop(0))
            elif argument == "--jwks":
                self.trust.add_jwks(arguments.pop(0))
            else:
                self.files.append(argument)


def passes(trust, files):
    audit = Audit(trust)
    for file in files:
        with open(file, "rb") as stream:
            # Bytes that are not UTF-8 are found where they stand.
            audit.read(stream.read().decode("utf-8", "surrogateescape"))
    report = audit.finish()
    print(json.dumps(report))
    return report["wrong"] == 0 and bool(report["games"])


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["verify"]:
        return proofs.main(arguments[1:])
    options = Options(arguments)
    audits = [[file] for file in options.files] if options.separately else [options.files]
    return 0 if all([passes(options.trust, files) for files in audits]) else 1


if __name__ == "__main__":
    sys.exit(main())
