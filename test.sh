#!/usr/bin/env bash
# The checks. Ends with the last lines of what failed, a summary and the time of each part; the exit status is 0 if nothing
# failed.
#
#   ./test.sh quick   format, lints, and the short tests that need no PostgreSQL
#   ./test.sh         that, PostgreSQL, documentation and dependencies
#   ./test.sh all     that, clients, browsers, the web app, replicas, recipes, games with every option, packages for
#                     auditors, fuzzing, and operations; `.ci/run` calls it
#   ./test.sh long    what takes longer, before a release: the instructions of a command, random faults of replicas, long
#                     kills, long fuzzing, whole games in browsers, two builds of a release, an hour of play on each database
#
# Beside Rust they need a C compiler; the default also a PostgreSQL server, Python and the cargo tools nextest, machete
# and deny. As root, on a system with apt-get, the script installs what is missing; elsewhere it says what that is.
#
#   ESTIMATION_TEST_POSTGRES=postgres://…   use this server instead of making a throw-away cluster
#   ESTIMATION_TEST_PYTHON=…                a Python with `cryptography`, for the second verifier, and `aiosmtpd`, a mail server
#   ESTIMATION_TEST_SKIP_DENY=1             do without cargo-deny, and say so
#   ESTIMATION_TEST_SKIP_CLIENTS=1          do without generated clients and Schemathesis, and say so
set -uo pipefail
cd "$(dirname "$0")"

form=${1:-checks}
case $form in
    quick | checks | all | long) ;;
    *) echo "usage: $0 [quick|all|long]" >&2; exit 2 ;;
esac

# The budget of each part on two quiet cores, in minutes.
declare -A budget=([checks]=12 [clients]=10 [browsers]=7 [web]=7 [replicas]=3 [recipes]=6 [options]=3 [log]=1 [packages]=2 [fuzzing]=2 [operations]=4)
declare -A spent=()
part=checks

began=$SECONDS
summary=()
failures=0
output=$(mktemp -d "${TMPDIR:-/tmp}/estimation-checks.XXXXXX")
declare -A begun
cluster=

cleanup() {
    status=$?
    trap - EXIT INT TERM
    local left
    left=$(jobs -p)
    if [ -n "$left" ]; then kill $left 2>/dev/null || true; fi
    if [ -n "$cluster" ]; then .ci/postgres.sh stop "$cluster" || true; fi
    rm -rf "$output"
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

note() { summary+=("$(printf '%-9s %5ss  %s' "$1" "$2" "$3")"); }

report() {
    local name
    printf '\n== summary\n'
    printf '%s\n' "${summary[@]}"
    for name in checks clients browsers web replicas recipes options log packages fuzzing operations; do
        [ -n "${spent[$name]:-}" ] && printf '%-10s %5d s of %d s\n' "$name" "${spent[$name]}" "$((budget[$name] * 60))"
    done
    printf '%d s in all, ' "$((SECONDS - began))"
    if [ "$failures" = 0 ]; then echo "nothing failed"; else echo "$failures failed"; fi
    # Last, where whoever sees the end of the output alone finds it.
    cat "$output/failed" 2>/dev/null
}

# step NAME COMMAND…: runs a check, prints its time, and goes on even if it fails. A check that could not be
# made sets the verdict itself.
step() {
    local name=$1 started=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    verdict=ok
    "$@" > >(tee "$output/step") 2>&1 || verdict=FAILED
    note "$verdict" "$((SECONDS - started))" "$name"
    spent[$part]=$((${spent[$part]:-0} + SECONDS - started))
    if [ "$verdict" = FAILED ]; then
        failures=$((failures + 1))
        # tee writes the end of it while the step ends.
        sleep 1
        { printf '\n== failed: %s\n' "$name"; tail -n 30 "$output/step"; } >>"$output/failed"
    fi
    printf -- '-- %s: %d s\n' "$name" "$((SECONDS - started))"
}

# need NAME COMMAND…: what has to succeed for anything else to make sense.
need() {
    local before=$failures
    step "$@"
    if [ "$failures" != "$before" ]; then
        report
        exit 1
    fi
}

system_packages() {
    local missing=() program
    for program in cc curl jq python3; do
        command -v "$program" >/dev/null || missing+=("$program")
    done
    [ "${#missing[@]}" = 0 ] && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "missing: ${missing[*]}; install them (Debian: gcc libc6-dev curl jq python3 python3-venv) and try again" >&2
        return 1
    fi
    apt-get update &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
            ca-certificates curl gcc jq libc6-dev python3 python3-venv
}

rust() {
    if ! command -v cargo >/dev/null; then
        echo "missing: cargo; see https://rustup.rs" >&2
        return 1
    fi
    if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
        rustup component add rustfmt clippy || return
    fi
    cargo --version
}

# cargo_tool NAME: builds a cargo tool unless it is there. Unoptimised, which takes a third of the time.
cargo_tool() {
    cargo "$1" --version 2>/dev/null || cargo install --locked --debug "cargo-$1"
}

postgres() {
    if [ -n "${ESTIMATION_TEST_POSTGRES:-}" ]; then
        echo "using the server of ESTIMATION_TEST_POSTGRES"
        return
    fi
    # Each test creates a database of 100 files, which costs most of its time on a disk.
    local folder=${TMPDIR:-/tmp}
    if [ -z "${TMPDIR:-}" ] && [ "$(df --output=avail -B 1M /dev/shm 2>/dev/null | tail -1)" -gt 4000 ] 2>/dev/null; then
        folder=/dev/shm
    fi
    # Set before the start, so that a half-made cluster is removed as well.
    cluster=$folder/estimation-test-postgres-$$
    ESTIMATION_TEST_POSTGRES=$(.ci/postgres.sh start "$cluster") || return
    export ESTIMATION_TEST_POSTGRES
    echo "$ESTIMATION_TEST_POSTGRES"
}

# python: the second verifier needs one package beside the standard library, and the tests of mail a mail server, in an environment
# of their own.
python() {
    local venv=target/verifier-venv
    if [ -n "${ESTIMATION_TEST_PYTHON:-}" ]; then
        echo "using $ESTIMATION_TEST_PYTHON"
    elif python3 -c 'import aiosmtpd, cryptography' 2>/dev/null; then
        # The program itself: `python3` may be a script that looks for it at each start.
        ESTIMATION_TEST_PYTHON=$(python3 -c 'import sys; print(sys.executable)')
        export ESTIMATION_TEST_PYTHON
    else
        python3 -m venv "$venv" && "$venv/bin/pip" install --quiet 'aiosmtpd>=1.4' 'cryptography>=42' || return
        export ESTIMATION_TEST_PYTHON=$PWD/$venv/bin/python
    fi
    "$ESTIMATION_TEST_PYTHON" -c 'import aiosmtpd, cryptography; print("aiosmtpd", aiosmtpd.__version__, "cryptography", cryptography.__version__)'
}

# ahead NAME COMMAND…: begins something that a later step needs, behind everything else in line.
ahead() {
    local name=$1
    shift
    mkdir -p target/ahead
    (renice -n 19 -p "$BASHPID" >/dev/null && "$@") >"target/ahead/$name.log" 2>&1 &
    begun[$name]=$!
}

# done_ahead NAME: waits for it, and shows what it said.
done_ahead() {
    local status=0
    wait "${begun[$1]}" || status=$?
    tail -n 20 "target/ahead/$1.log"
    return "$status"
}

# instructions: what a command and a refused body cost, which does not depend on what else the machine does. The figure is that of x86-64.
instructions() {
    if [ "$(uname -m)" != x86_64 ]; then
        echo "!!!! THE INSTRUCTIONS OF A COMMAND WERE NOT COUNTED: THE FIGURE IS THAT OF x86_64 !!!!" >&2
        verdict=skipped
        return
    fi
    if ! command -v valgrind >/dev/null; then
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
            echo "missing: valgrind; install it and try again" >&2
            return 1
        fi
        apt-get update -q &&
            DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends valgrind || return
    fi
    cargo bench --locked --profile counted --bench instructions
}

documentation() { RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps; }

# specification: with the program that was built for the tests.
specification() { target/debug/estimation openapi | diff - openapi/openapi.json | head -40; }

dependencies() { cargo deny --locked check --hide-inclusion-graph bans licenses sources; }

# advisories: with the copy of the database that is there, if it cannot be fetched. deny.toml says how old that may be.
advisories() {
    # A fetch that failed leaves a lock there, and nothing else.
    if cargo deny --locked fetch db || compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-db*/*/crates" >/dev/null; then
        cargo deny --locked check --disable-fetch advisories
        return
    fi
    echo "!!!! THERE IS NO ADVISORY DATABASE: KNOWN VULNERABILITIES WERE NOT LOOKED FOR !!!!" >&2
    verdict=skipped
}

web_advisories() {
    local status=0
    tests/web/check.sh advisories || status=$?
    if [ "$status" = 3 ]; then verdict=skipped; else return "$status"; fi
}

# Tests open many connections and files.
ulimit -n "$(ulimit -Hn)" 2>/dev/null || true

# A wrong toolchain is named in one line, before Cargo says it for each crate.
toolchain() {
    local least found
    least=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    found=$(rustc --version | cut -d' ' -f2)
    if [ "$(printf '%s\n' "$least" "$found" | sort -V | head -1)" != "$least" ]; then
        echo "rustc $found is too old: Estimation needs $least or newer (rustup update stable)" >&2
        return 1
    fi
}

# The lints run while the tests are compiled, so dependencies are compiled once and not checked beside that.
# Every later cargo command has the same environment, or it would compile the workspace again.
lints() {
    RUSTC_WORKSPACE_WRAPPER=$(rustc --print sysroot)/bin/clippy-driver
    CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
    export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
}

quick() {
    need "rust" rust
    need "toolchain" toolchain
    need "cargo-nextest" cargo_tool nextest
    lints
    step "format" cargo fmt --all --check
    step "lints and test programs" cargo nextest run --locked --workspace --profile quick --no-run
    step "tests" cargo nextest run --locked --workspace --profile quick
}

checks() {
    need "system packages" system_packages
    need "rust" rust
    need "toolchain" toolchain
    need "cargo-nextest" cargo_tool nextest
    need "a PostgreSQL cluster" postgres
    need "Python for the second verifier" python
    lints
    step "format" cargo fmt --all --check
    step "lints and test programs" cargo nextest run --locked --workspace --no-run
    step "benches compile" cargo build --locked --workspace --benches
    # Tests wait more than they compute: what later steps need is fetched and built meanwhile.
    ahead machete cargo_tool machete
    if [ "${ESTIMATION_TEST_SKIP_DENY:-}" != 1 ]; then ahead deny cargo_tool deny; fi
    if [ "$form" = all ]; then
        if [ "${ESTIMATION_TEST_SKIP_CLIENTS:-}" != 1 ]; then ahead clients tests/clients/check.sh tools; fi
        ahead web tests/web/check.sh tools
        ahead log tests/tlog/check.sh tools
        ahead packages tests/packages/check.sh tools
        ahead operations .ci/operations.sh tools
    fi
    step "tests" cargo nextest run --locked --workspace
    step "documentation tests" cargo test --locked --workspace --doc
    step "documentation" documentation
    step "openapi.json is the program's own" specification
    step "cargo-machete" done_ahead machete
    step "unused dependencies" cargo machete
    if [ "${ESTIMATION_TEST_SKIP_DENY:-}" = 1 ]; then
        echo "!!!! ESTIMATION_TEST_SKIP_DENY: LICENCES, SOURCES AND ADVISORIES WERE NOT CHECKED !!!!" >&2
        note skipped 0 "cargo-deny"
    else
        step "cargo-deny" done_ahead deny
        step "bans, licences, sources" dependencies
        step "advisories" advisories
    fi
}

clients() {
    part=clients
    if [ "${ESTIMATION_TEST_SKIP_CLIENTS:-}" = 1 ]; then
        echo "!!!! ESTIMATION_TEST_SKIP_CLIENTS: THE API WAS NOT CHECKED FROM OUTSIDE !!!!" >&2
        note skipped 0 "clients"
        return
    fi
    step "tools for clients" done_ahead clients
    step "the spec passes its linters" tests/clients/check.sh lint
    step "clients are generated" tests/clients/check.sh generate
    step "clients have strict types" tests/clients/check.sh types
    step "packages are installed and play" tests/clients/check.sh packages
    step "clients play a game" tests/clients/check.sh game
    step "clients hold proof" tests/clients/check.sh proof
    step "generated C#, Dart and Swift have types" tests/clients/check.sh read
    step "compiled clients play every ruleset" tests/clients/check.sh play
    step "clients survive new fields and values" tests/clients/check.sh growth
    step "Schemathesis" tests/clients/check.sh fuzz
    part=browsers
    step "the API browser signs in" tests/clients/check.sh browse
}

# The web app.
web() {
    part=web
    step "tools for the web app" done_ahead web
    step "the web app has its libraries, their licences, size and types, and passes its unit tests" tests/web/check.sh vendored licences size types unit
    step "advisories of the web app's libraries" web_advisories
    step "the web app is served whole, and verifies the corpus" tests/web/check.sh served corpus
    step "games, sizes, keyboard, records, plain http, axe-core, speed" browsers
}

# The tests of the web app in browsers wait most of the time, so they run in three lines.
browsers() {
    local play sizes status=0
    tests/web/check.sh sizes second desk >"$output/sizes" 2>&1 &
    sizes=$!
    tests/web/check.sh play follow learn advice access >"$output/play" 2>&1 &
    play=$!
    tests/web/check.sh keyboard ears records network insecure around told issuers mail people wide faces speed || status=$?
    wait "$play" || status=$?
    wait "$sizes" || status=$?
    cat "$output/play" "$output/sizes"
    return "$status"
}

all() {
    checks
    clients
    web
    part=replicas
    step "standbys" cargo nextest run --locked --ignore-default-filter -E 'test(replicas)'
    part=recipes
    step "the recipes of an endpoint, an option and a problem code" tests/recipes/check.sh
    part=options
    step "games with every option and with mixtures" \
        cargo nextest run --locked --workspace --ignore-default-filter -E 'test(drive::options) or test(both_accept)'
    part=log
    step "tools for transparency logs" done_ahead log
    step "verifiers and a witness of others accept the log" tests/tlog/check.sh check
    part=packages
    step "tools for packages" done_ahead packages
    step "what auditors install is packed, built and verifies" tests/packages/check.sh check
    part=fuzzing
    step "fuzzing" env ESTIMATION_TEST_FUZZ=1500 cargo nextest run --locked --workspace -E 'test(fuzz)'
    part=operations
    step "tools for operations" done_ahead operations
    step "proxies, unit, alerts, container" .ci/operations.sh
}

long() {
    need "cargo-nextest" cargo_tool nextest
    need "a PostgreSQL cluster" postgres
    lints
    export ESTIMATION_TEST_LONG=1
    step "the instructions of a command and of refused bodies" instructions
    step "fuzzing" env ESTIMATION_TEST_FUZZ=1000000 ESTIMATION_TEST_SEED=$RANDOM cargo nextest run --locked --workspace -E 'test(fuzz)'
    step "kills, stalls, absences" cargo nextest run --locked --run-ignored all --test-threads 1 \
        -E 'test(nodes::kills) or test(nodes::promise) or test(nodes::absences) or test(nodes::across)'
    step "programs" cargo build --locked --workspace
    step "whole games in the browser" tests/web/check.sh tools play sizes
    step "replicas" .ci/replicas.sh
    step "two builds of a release are the same" .ci/reproducible.sh
    step "release" cargo build --locked --release -p estimation -p estimation-tools
    step "an hour of play" env ESTIMATION_TEST_PROGRAM="$PWD/target/release/estimation" \
        ESTIMATION_TEST_DRIVER="$PWD/target/release/drive" \
        cargo nextest run --locked --run-ignored all --test-threads 1 --no-capture -E 'test(drive::soak)'
}

# Tests open many connections and files.
ulimit -n "$(ulimit -Hn)" 2>/dev/null || true

"$form"
report
[ "$failures" = 0 ]
