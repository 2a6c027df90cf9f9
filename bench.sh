#!/usr/bin/env bash
# Measures the service and, beside it, the floor and the peers on the same machine in the same run, and writes
# tables of ratios into docs/performance.md.
#
#   ./bench.sh            everything: some twelve minutes beside the build
#   ./bench.sh short      the same with runs of a few seconds, to see that it works
#
# It needs a C compiler, python3, and PostgreSQL's server and pgbench (.ci/postgres.sh finds the server). The peers
# (benches/peers) need Node.js with npm and its registry; without them they are skipped.
# Figures depend on the machine and on what else it does; the ratios are what counts.
set -euo pipefail
cd "$(dirname "$0")"

seconds=15 warm_up=5
[ "${1:-}" = short ] && seconds=4 warm_up=1
target=${CARGO_TARGET_DIR:-target}
program=$target/dist/estimation
driver=${DRIVER:-$target/drive/dist/drive}
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/estimation-bench.XXXXXX")
results=$work/results.jsonl
# The server runs as a user of its own, and its commits are to be durable here.
chmod 755 "$work"
export ESTIMATION_TEST_FSYNC=on
node=
cleanup() {
    [ -n "$node" ] && kill "$node" 2>/dev/null && wait "$node" 2>/dev/null
    .ci/postgres.sh stop "$work/postgres" >/dev/null 2>&1
    .ci/postgres.sh stop "$work/postgres-slow" >/dev/null 2>&1
    rm -rf "$work"
}
trap cleanup EXIT

. benches/serve.sh

say() { echo "== $*" >&2; }
# built NAME: the newest build of a bench.
built() { find "$target/release/deps" -name "$1-*" -type f -executable -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-; }
# note NAME JSON: one row of the results, which is also printed.
note() {
    echo "{\"name\":\"$1\",\"load\":$(cut -d' ' -f1 /proc/loadavg),\"result\":$2}" >>"$results"
    tail -1 "$results" | python3 .ci/bench_table.py row >&2
}

# fsyncs: how many of them the disk makes in a second just now; with $disk in front as the rows have it.
fsyncs() {
    $disk python3 -c '
import os, sys, time
file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
began, count = time.monotonic(), 0
while time.monotonic() - began < 1:
    os.pwrite(file, bytes(4096), 0)
    os.fdatasync(file)
    count += 1
print(count / (time.monotonic() - began))' "$work/fsyncs"
}

say "building"
if [ -z "${BENCH_SKIP_BUILD:-}" ]; then
    cargo build --profile dist --features estimation/traces --locked --package estimation
    cargo build --profile dist --locked --manifest-path drive/Cargo.toml --target-dir "$target/drive"
    cargo bench --locked --no-run --bench floor --bench engine --bench record --bench parts --bench flat --bench bots
fi

# A disk whose fsync takes a millisecond more, for programs started with $slow_disk in front.
cc -shared -fPIC -O2 -o "$work/slow.so" .ci/slow_fsync.c -ldl
slow_disk="env LD_PRELOAD=$work/slow.so"
disk=

say "PostgreSQL"
server=$(.ci/postgres.sh start "$work/postgres" | tail -1)
psql=$(command -v psql || ls /usr/lib/postgresql/*/bin/psql | tail -1)
pgbench=$(command -v pgbench || ls /usr/lib/postgresql/*/bin/pgbench | tail -1)

# --- the floor --------------------------------------------------------------------------------------------

floor() {
    say "floor"
    note floor "$("$(built floor)" "$work" | tail -1)"
}

# The least that a command has to do with one transaction of its own: lock and read a state of 2 KB, insert an
# event, write the state, commit.
classic() {
    say "pgbench, the classic transaction"
    "$psql" -q "$server/postgres" <<'SQL'
DROP TABLE IF EXISTS bench_state, bench_events;
CREATE TABLE bench_state (id int PRIMARY KEY, version int NOT NULL, body text NOT NULL);
CREATE TABLE bench_events (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, game int NOT NULL, seq int NOT NULL, hash bytea NOT NULL, body text NOT NULL);
CREATE INDEX ON bench_events (game, seq);
INSERT INTO bench_state SELECT n, 0, repeat(md5(n::text), 64) FROM generate_series(0, 63) n;
SQL
    cat >"$work/classic.sql" <<'SQL'
\set game :client_id
BEGIN;
SELECT version, body FROM bench_state WHERE id = :game FOR UPDATE;
INSERT INTO bench_events (game, seq, hash, body) VALUES (:game, 1, '\x00'::bytea, repeat('x', 210));
UPDATE bench_state SET version = version + 1, body = repeat(md5(version::text), 64) WHERE id = :game;
COMMIT;
SQL
    local said synced
    synced=$(fsyncs)
    said=$("$pgbench" -n -M prepared -f "$work/classic.sql" -c 64 -j 2 -T "$seconds" "$server/postgres" 2>&1)
    note "$1" "{\"transactions_per_second\":$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$said"),\"latency_ms\":$(sed -n 's/^latency average = \([0-9.]*\).*/\1/p' <<<"$said"),\"fsyncs_per_second\":$synced}"
}

# --- the service ------------------------------------------------------------------------------------------

stop() {
    kill "$node" 2>/dev/null || true
    wait "$node" || true
    node=
}
# watch_node: notes the processor time of the node, in hundredths of a second, five times a second.
watch_node() {
    exec python3 -c '
import sys, time
while True:
    with open(f"/proc/{sys.argv[1]}/stat") as file:
        busy = file.read().rsplit(")", 1)[1].split()
    print(time.time_ns(), int(busy[11]) + int(busy[12]), flush=True)
    time.sleep(0.2)' "$node"
}

# measure NAME DRIVER…: drives the node and notes what came of it, with the processor time that the node took for
# each command while commands counted.
measure() {
    local name=$1 watching ended said synced
    shift
    say "$name"
    synced=$(fsyncs)
    watch_node >"$work/busy" &
    watching=$!
    said=$("$@" --warm-up "$warm_up" --seconds "$seconds" 2>"$work/drive.err") ||
        { cat "$work/drive.err" >&2; echo "$said" | tail -5 >&2; }
    ended=$(date +%s%N)
    kill "$watching"
    if [ -z "$said" ]; then
        say "$name: NO RESULT"
        return
    fi
    note "$name" "$(python3 -c '
import json, sys
report, ended, length = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
samples = [tuple(map(int, line.split())) for line in open(sys.argv[4]) if len(line.split()) == 2]
samples = [(at, busy) for at, busy in samples if ended - length * 10**9 <= at <= ended]
(first, before), (last, after) = samples[0], samples[-1]
report["server_cpu_share"] = (after - before) / 100 / ((last - first) / 1e9)
report["server_us_per_command"] = report["server_cpu_share"] / max(1e-9, report["commands_per_second"]) * 1e6
report["fsyncs_per_second"] = float(sys.argv[5])
print(json.dumps(report))' "$said" "$ended" "$seconds" "$work/busy" "$synced")"
}

# load NAME FLAGS…: measures the service with `drive`.
load() {
    local name=$1
    shift
    measure "$name" "$driver" --url "$address" --table '{"ruleset":"squares"}' "$@"
}

# at_share SHARE NAME: this share of the rate of a row.
at_share() {
    python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[3])]
print([row["result"]["commands_per_second"] for row in rows if row["name"] == sys.argv[2]][-1] * float(sys.argv[1]))' "$1" "$2" "$results"
}

on() {
    local name=$1 url=$2
    serve "$name" "$url"
    load "$name, 64 tables" --foresee --concurrency 64
    load "$name, 64 tables, open loop at 80 %" --foresee --concurrency 64 --rate "$(at_share 0.8 "$name, 64 tables")"
    load "$name, 64 tables, 10 reads in 100" --foresee --concurrency 64 --reads 10
    load "$name, 64 tables, 4 streams each" --foresee --concurrency 64 --streams 4
    load "$name, one table" --foresee --concurrency 1
    load "$name, 64 tables, four players follow" --follow --concurrency 64
    stop
}

# --- the peers --------------------------------------------------------------------------------------------

# peer NAME CLIENTS ROW: the same load on the server of a peer.
peer() {
    local name=$1 clients=$2
    NODE_ENV=production node "$work/peers/serve-$name.js" >"$work/$name.out" 2>"$work/$name.err" &
    node=$!
    if await_address "$name"; then
        measure "$3" node "$work/peers/load.js" "$name" "$address" --tables 64 --clients "$clients"
    else
        say "$3: SKIPPED, its server does not start"
    fi
    stop
}

# peers: what people would use instead, in the exact versions of benches/peers/package-lock.json.
peers() {
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        say "PEERS SKIPPED: node or npm is not there"
        return
    fi
    mkdir -p "$work/peers"
    cp benches/peers/*.js benches/peers/package*.json "$work/peers"
    # Their installation scripts are not needed, and one retry tells whether the registry is there.
    if ! npm ci --prefix "$work/peers" --ignore-scripts --no-audit --no-fund --fetch-retries 1 \
        --fetch-retry-mintimeout 1000 >"$work/npm.out" 2>&1; then
        say "PEERS SKIPPED: npm did not install them: $(grep 'npm error' "$work/npm.out" | head -1)"
        return
    fi
    peer boardgame.io 1 "boardgame.io, in memory, 64 tables"
    peer boardgame.io 4 "boardgame.io, in memory, 64 tables, pushes to four players"
    peer colyseus 4 "Colyseus, in memory, 64 tables, pushes to four players"
}

idle() {
    say "idle"
    mkdir -p "$work/idle"
    "$program" migrate --data-dir "$work/idle" >/dev/null
    serve idle "sqlite://$work/idle/estimation.db"
    stop
    local best=999999 began
    for _ in 1 2 3 4 5; do
        began=$(date +%s%N)
        "$program" serve --listen 127.0.0.1:18431 --metrics-listen 127.0.0.1:0 --log warn --data-dir "$work/idle" >/dev/null 2>&1 &
        node=$!
        until (exec 3<>/dev/tcp/127.0.0.1/18431) 2>/dev/null; do :; done
        local took=$((($(date +%s%N) - began) / 1000000))
        [ "$took" -lt "$best" ] && best=$took
        sleep 1
        resident=$(awk '/VmRSS/ {print $2}' "/proc/$node/status")
        stop
    done
    note idle "{\"ready_ms\":$best,\"resident_mib\":$((resident / 1024))}"
}

floor
classic classic
on SQLite "sqlite://$work/sqlite.db"
"$psql" -q "$server/postgres" -c "CREATE DATABASE bench"
export ESTIMATION_KEYS_SECRET=a-secret-of-the-bench-that-nobody-else-uses
on PostgreSQL "$server/bench"
peers
idle

say "with a millisecond more for each fsync"
.ci/postgres.sh stop "$work/postgres" >/dev/null
server=$($slow_disk .ci/postgres.sh start "$work/postgres-slow" | tail -1)
disk=$slow_disk
classic "classic, slow disk"
"$psql" -q "$server/postgres" -c "CREATE DATABASE slow"
serve slow-sqlite "sqlite://$work/slow.db" $slow_disk
load "SQLite, slow disk, 64 tables" --foresee --concurrency 64
stop
serve slow-postgres "$server/slow"
load "PostgreSQL, slow disk, 64 tables" --foresee --concurrency 64
stop
.ci/postgres.sh stop "$work/postgres-slow" >/dev/null
disk=

say "engine"
note engine "$("$(built engine)" | python3 -c 'import json,sys; print(json.dumps(sys.stdin.read().strip()))')"
note record "$("$(built record)" write | python3 -c 'import json,sys; print(json.dumps(sys.stdin.read().strip()))')"
note bots "$("$(built bots)" | python3 -c 'import json,sys; print(json.dumps(sys.stdin.read().strip()))')"

# A larger number of games takes its time, and some 20 GB for a million: BENCH_GAMES=1000000.
say "flat"
games=${BENCH_GAMES:-20000}
[ "${1:-}" = short ] && games=2000
note "flat, SQLite" "$(BENCH_DIR=$work "$(built flat)" "$games" 2>/dev/null | python3 -c 'import json,sys; print(json.dumps(sys.stdin.read().strip()))')"
server=$(.ci/postgres.sh start "$work/postgres" | tail -1)
note parts "$(ESTIMATION_TEST_POSTGRES=$server/postgres "$(built parts)" | python3 -c 'import json,sys; print(json.dumps(sys.stdin.read().strip()))')"
note "flat, PostgreSQL" "$(BENCH_DIR=$work ESTIMATION_TEST_POSTGRES=$server "$(built flat)" "$games" postgres 2>/dev/null | python3 -c 'import json,sys; print(json.dumps(sys.stdin.read().strip()))')"

python3 .ci/bench_table.py "$results" docs/performance.md
[ -n "${BENCH_KEEP:-}" ] && cp "$results" "$BENCH_KEEP"
say "written to docs/performance.md"
