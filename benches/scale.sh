#!/usr/bin/env bash
# Measures what more nodes, tables and streams cost, for docs/capacity.md, and prints one row for each experiment.
#
#   benches/scale.sh            all experiments: some five minutes, after `cargo build --profile dist --workspace`
#   benches/scale.sh nodes      1, 2 and 3 nodes on one PostgreSQL, 63 tables in all
#   benches/scale.sh network    the bytes of commands and of frames, as the loopback interface counts them
#   benches/scale.sh bots       the bytes and requests of a person's move in a game with three bots
#   benches/scale.sh tables     the memory of a node with 64 and with 1,024 tables
#
# The memory of 10,000 streams and of 10,000 waiting games: `cargo bench --bench streams -- 10000` and
# `cargo bench --bench waiting`. Databases of a million games: `cargo bench --bench flat -- 1000000 [postgres]`.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-all}
seconds=${SECONDS_EACH:-10} warm_up=3
target=${CARGO_TARGET_DIR:-target}
program=${PROGRAM:-$target/dist/estimation}
driver=${DRIVER:-$target/drive/dist/drive}
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/estimation-scale.XXXXXX")
chmod 755 "$work"
export ESTIMATION_TEST_FSYNC=on
export ESTIMATION_KEYS_SECRET=a-secret-of-the-bench-that-nobody-else-uses
nodes=()
cleanup() {
    stop
    .ci/postgres.sh stop "$work/postgres" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap cleanup EXIT

. benches/serve.sh

stop() {
    for node in "${nodes[@]}"; do
        kill "$node" 2>/dev/null && wait "$node" || true
    done
    nodes=()
}
# drive URL OUTPUT FLAGS…
drive() {
    local url=$1 output=$2
    shift 2
    "$driver" --url "$url" --table '{"ruleset":"squares"}' --warm-up "$warm_up" --seconds "$seconds" "$@" >"$output"
}
# times PID…: the processor time of processes, in hundredths of a second.
times() {
    local total=0 pid
    for pid in "$@"; do
        total=$((total + $(awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$pid/stat" 2>/dev/null || echo 0)))
    done
    echo "$total"
}
# sum FIELD FILE…: a field of reports, added up. A member of a field is FIELD.MEMBER.
sum() {
    python3 -c '
import functools, json, sys
fields = sys.argv[1].split(".")
print(sum(functools.reduce(lambda part, field: part[field], fields, json.load(open(name))) for name in sys.argv[2:]))' "$@"
}
resident() { awk '/VmRSS/ {printf "%.1f", $2 / 1024}' "/proc/$1/status"; }
loopback() { awk -F'[: ]+' '/ lo:/ {print $3}' /proc/net/dev; }
divided() { python3 -c 'import sys; print(f"{float(sys.argv[1]) / max(1e-9, float(sys.argv[2])):.{sys.argv[3]}f}")' "$@"; }

experiment_nodes() {
    echo "nodes | tables | commands/s | p50 ms | p99 ms | µs of all nodes per command | µs of PostgreSQL per command"
    local server psql number
    server=$(.ci/postgres.sh start "$work/postgres" | tail -1)
    psql=$(command -v psql || ls /usr/lib/postgresql/*/bin/psql | tail -1)
    for number in 1 2 3; do
        "$psql" -q "$server/postgres" -c "CREATE DATABASE scale$number"
        local reports=() drivers=() addresses=() n
        for n in $(seq "$number"); do
            serve "node$number-$n" "$server/scale$number"
            nodes+=("$node")
            addresses+=("$address")
        done
        for n in $(seq "$number"); do
            drive "${addresses[$((n - 1))]}" "$work/report$number-$n" --foresee --concurrency $((63 / number)) --seed "$n" &
            drivers+=($!)
            reports+=("$work/report$number-$n")
        done
        sleep $((warm_up + 2))
        local database before after commands
        database=$(head -1 "$work/postgres/data/postmaster.pid")
        database="$database $(pgrep -P "$database" | tr '\n' ' ')"
        # shellcheck disable=SC2086
        before=("$(times "${nodes[@]}")" "$(times $database)" "$(date +%s%N)")
        sleep $((seconds - 4))
        # shellcheck disable=SC2086
        after=("$(times "${nodes[@]}")" "$(times $database)" "$(date +%s%N)")
        wait "${drivers[@]}"
        commands=$(sum commands_per_second "${reports[@]}")
        local second
        second=$(divided $((after[2] - before[2])) 1000000000 3)
        echo "$number | 63 | $(divided "$commands" 1 0) | $(divided "$(sum latency_ms.p50 "${reports[@]}")" "$number" 2) |" \
            "$(divided "$(sum latency_ms.p99 "${reports[@]}")" "$number" 2) |" \
            "$(divided "$(divided $(((after[0] - before[0]) * 10000)) "$second" 3)" "$commands" 1) |" \
            "$(divided "$(divided $(((after[1] - before[1]) * 10000)) "$second" 3)" "$commands" 1)"
        stop
    done
    .ci/postgres.sh stop "$work/postgres" >/dev/null
}

experiment_network() {
    echo "players | commands/s | bytes on the wire per command, both directions | of them HTTP"
    local number=0 way flags
    for way in "--foresee" "--foresee --streams 4" "--follow"; do
        number=$((number + 1))
        read -ra flags <<<"$way"
        serve "network$number" "sqlite://$work/network$number.db"
        nodes+=("$node")
        drive "$address" "$work/report" --concurrency 64 --rate 2000 "${flags[@]}" &
        local driving=$! before after second
        sleep $((warm_up + 2))
        before=("$(loopback)" "$(date +%s%N)")
        sleep $((seconds - 4))
        after=("$(loopback)" "$(date +%s%N)")
        wait "$driving"
        second=$(divided $((after[1] - before[1])) 1000000000 3)
        echo "$way | $(divided "$(sum commands_per_second "$work/report")" 1 0) |" \
            "$(divided "$(divided $((after[0] - before[0])) "$second" 3)" "$(sum commands_per_second "$work/report")" 0) |" \
            "$(divided "$(sum bytes_per_command "$work/report")" 1 0)"
        stop
    done
}

experiment_bots() {
    echo "a game of nineteen with three bots | own moves | requests per own move | bytes on the wire per own move"
    serve bots "sqlite://$work/bots.db"
    nodes+=("$node")
    "$driver" --url "$address" --table '{"ruleset":"nineteen","players":4}' --bots 3 --follow >"$work/report"
    echo "| $(sum commands "$work/report") | $(divided "$(sum requests_per_command "$work/report")" 1 2) |" \
        "$(divided "$(sum bytes_per_command "$work/report")" 1 0)"
    stop
}

experiment_tables() {
    echo "tables | players | commands/s | resident MiB of the node after that"
    local tables
    for tables in 64 1024; do
        serve "tables$tables" "sqlite://$work/tables$tables.db"
        nodes+=("$node")
        drive "$address" "$work/report" --foresee --concurrency "$tables" --rate 1000
        echo "$tables | $((4 * tables)) | $(divided "$(sum commands_per_second "$work/report")" 1 0) | $(resident "${nodes[0]}")"
        stop
    done
}

case $what in
all) experiment_nodes && experiment_network && experiment_bots && experiment_tables ;;
nodes | network | bots | tables) "experiment_$what" ;;
*) echo "usage: benches/scale.sh [nodes | network | bots | tables]" >&2 && exit 2 ;;
esac
