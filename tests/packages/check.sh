#!/usr/bin/env bash
# Packs what people use who do not trust the server, and verifies stored histories with what was packed. Each step can be
# run alone:
#
#   tests/packages/check.sh tools    makes a Python environment with the tool that builds the wheel
#   tests/packages/check.sh crates   packs estimation-engine, -record, -tlog, -command and -audit; builds estimation-audit from the
#                                    packed sources alone, and verifies
#   tests/packages/check.sh wheel    builds the wheel of tests/verifier, installs it into a new environment, and verifies
#
# Without a step it does all of them; `check` does all but the first.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$PWD/target/packages
corpus=$PWD/tests/fixtures/tampered
crates=(estimation-engine estimation-record estimation-tlog estimation-command estimation-audit)
version=$(sed -n '/^version = /{s/.*"\(.*\)"/\1/p;q}' Cargo.toml)

tools() {
    mkdir -p "$work"
    if [ -x "$work/build/bin/pip" ]; then return; fi
    local needs
    needs=$(sed -n 's/^requires = \["\(.*\)"\]/\1/p' tests/verifier/pyproject.toml)
    python3 -m venv "$work/build"
    "$work/build/bin/pip" install --quiet --disable-pip-version-check "$needs"
}

# verifies COMMAND…: accepts a sound history, and refuses one with another card.
verifies() {
    local sound=$corpus/nineteen.ndjson changed=$work/changed.ndjson status=0
    "$@" --jwks "$corpus/jwks.json" "$sound" >"$work/said" || { cat "$work/said"; return 1; }
    sed '0,/\\"card\\":\\"\(..*\)\\"/s/\\"card\\":\\"[^\\]*\\"/\\"card\\":\\"RJ\\"/' "$sound" >"$changed"
    if cmp -s "$sound" "$changed"; then
        echo "no card was changed"
        return 1
    fi
    "$@" --jwks "$corpus/jwks.json" "$changed" >"$work/said" 2>&1 || status=$?
    if [ "$status" != 1 ] || ! grep -q chain "$work/said"; then
        echo "$1 says to a changed history, with status $status:"
        cat "$work/said"
        return 1
    fi
    echo "$(basename "$1") accepts a sound history and refuses a changed one"
    proves "$@"
}

# proves COMMAND…: accepts a history with the proof of its end, and refuses it with that of another.
proves() {
    local key proof=$work/end.tlog-proof status=0
    jq -j 'select(.case == 1).proof' "$corpus/proofs.ndjson" >"$proof"
    key=$(jq -r 'select(.case == 1).log_key' "$corpus/proofs.ndjson")
    "$@" verify --proof "$proof" --log-key "$key" --jwks "$corpus/jwks.json" "$corpus/plain.ndjson" >"$work/said" ||
        { cat "$work/said"; return 1; }
    "$@" verify --proof "$proof" --log-key "$key" "$corpus/kabooot.ndjson" >"$work/said" || status=$?
    if [ "$status" != 1 ]; then
        echo "$1 says to the proof of another game, with status $status:"
        cat "$work/said"
        return 1
    fi
    echo "$(basename "$1") accepts the proof of an end and refuses that of another"
}

crates() {
    local crate packages=() patches=()
    mkdir -p "$work"
    rm -rf "$work/sources" "$work/packing/package"
    mkdir "$work/sources"
    for crate in "${crates[@]}"; do
        packages+=(-p "$crate")
        patches+=(--config "patch.crates-io.$crate.path='$work/sources/$crate-$version'")
    done
    # Packs what git has not committed yet, too.
    cargo package --locked --no-verify --allow-dirty --target-dir "$work/packing" "${packages[@]}" 2>&1 |
        grep -E '^ *Packaged|^error|^ *Caused' || true
    for crate in "${crates[@]}"; do
        tar -xf "$work/packing/package/$crate-$version.crate" -C "$work/sources"
        for file in Cargo.toml README.md LICENSE-MIT LICENSE-APACHE src/lib.rs; do
            test -s "$work/sources/$crate-$version/$file" || { echo "$crate has no $file"; return 1; }
        done
    done
    # The versions of the packed Cargo.lock. No other file of the checkout is read: the folder has its own workspace.
    printf '[workspace]\nmembers = []\n' >"$work/sources/Cargo.toml"
    (
        cd "$work/sources/estimation-audit-$version"
        printf '\n[workspace]\n' >>Cargo.toml
        env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$work/target" CARGO_PROFILE_DEV_DEBUG=0 \
            cargo build --quiet "${patches[@]}"
    )
    verifies "$work/target/debug/estimation-audit"
}

wheel() {
    local build=$work/build/bin/pip venv=$work/installed
    rm -rf "$work/wheels" "$venv"
    "$build" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w "$work/wheels" tests/verifier
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$work/wheels/estimation_verify-$version-py3-none-any.whl"
    verifies "$venv/bin/estimation-verify"
}

case ${1:-all} in
    all) tools && crates && wheel ;;
    check) crates && wheel ;;
    tools | crates | wheel) "$1" ;;
    *) sed -n '2,11p' "$0" >&2; exit 2 ;;
esac
