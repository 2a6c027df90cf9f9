#!/usr/bin/env bash
# Counts the instructions that the release build needs for a command, with valgrind's callgrind, and compares them with
# the figure in benches/instructions.txt. Instructions do not depend on what else the machine does.
#
#   .ci/instructions.sh          fails if a command needs 10 % more than the figure
#   .ci/instructions.sh record   writes the figure; commit it alone, and say why it changed
set -euo pipefail
cd "$(dirname "$0")/.."

file=benches/instructions.txt
few=200 many=1200

if ! command -v valgrind >/dev/null; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "missing: valgrind" >&2
        exit 1
    fi
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends valgrind libc6-dbg
fi

program=$(cargo bench --locked --no-run --bench instructions --message-format=json |
    python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and message["target"]["name"] == "instructions":
        print(message["executable"])
')

# counted COMMANDS: the instructions of a run with that many commands.
counted() {
    local log
    log=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" 2>&1) || {
        echo "$log" >&2
        return 1
    }
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' <<<"$log"
}

least=$(counted "$few")
most=$(counted "$many")
now=$(((most - least) / (many - few)))
if [ "${1:-}" = record ]; then
    echo "$now" >"$file"
    echo "$now instructions for a command, recorded"
    exit
fi
before=$(cat "$file")
echo "$now instructions for a command, $before in $file"
if [ "$((now * 100))" -gt "$((before * 110))" ]; then
    echo "a command needs more than 10 % more instructions than $file says" >&2
    exit 1
fi
