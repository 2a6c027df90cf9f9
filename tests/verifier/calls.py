"""Answers many calls of `estimation-verify verify` in one process, for tests.

Each line of the standard input is a JSON list of arguments, or an object with a promise of the corpus (`promise`) and a
file of record keys (`jwks`). For each there is a line of JSON: the exit status and the output, or whether the
signature and the leaf of the promise fit.
"""

import contextlib
import io
import json
import sys

from estimation_verify import proofs
from estimation_verify.keys import Trust
from estimation_verify.log import leaf_hash


def called(arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            status = proofs.main(arguments)
        except SystemExit as error:
            status = error.code
    return {"status": status, "said": said.getvalue()}


def fits(line, jwks):
    trust, log = Trust(), {**line["log"], "origin": line["origin"]}
    trust.add_jwks(jwks)
    is_leaf = leaf_hash(line["entry"].encode()).hex() == log["leaf"]
    return {"sound": proofs.PROMISE(log) and is_leaf and not proofs.promised(trust, log)}


for line in map(json.loads, sys.stdin):
    answer = called(line) if isinstance(line, list) else fits(line["promise"], line["jwks"])
    print(json.dumps(answer), flush=True)
