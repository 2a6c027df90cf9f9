#!/usr/bin/env bash
# Makes a release of the checked-out commit in the folder dist/: archives and Debian packages of the programs for this
# machine's processor, the crates, wheels and npm package of what others build on, a bill of materials, the licences,
# SHA256SUMS and its signature. The same commit gives the same bytes for everybody, anywhere, at any time.
#
#   ./release.sh [FOLDER]      the folder is dist/ if none is named; it must not exist
#   ./release.sh tools         installs the cargo tools that it needs
#
#   ESTIMATION_SIGNING_KEY=…   signs SHA256SUMS with this SSH key. Without it the release is not signed, and says so.
#
# It needs Rust, Python 3 with venv, npm, jq, git and tar, a clean checkout, and half an hour.
set -euo pipefail
cd "$(dirname "$0")"

tools=(cargo-zigbuild cargo-deb cargo-auditable cargo-cyclonedx)
# The oldest glibc that the programs run on.
glibc=2.28
programs=(estimation estimation-audit)
root=$PWD
venv=$root/target/release-venv

tools() {
    local tool
    for tool in "${tools[@]}"; do
        command -v "$tool" >/dev/null || cargo install --locked --debug "$tool"
    done
}

fail() {
    echo "release.sh: $*" >&2
    exit 1
}

# Everything that could differ between two builders, and stand in a file.
same_for_everybody() {
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
    export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC CARGO_INCREMENTAL=0
    umask 022
    local home=${CARGO_HOME:-$HOME/.cargo} sysroot
    sysroot=$(rustc --print sysroot)
    RUSTFLAGS="--remap-path-prefix=$target=/target --remap-path-prefix=$root=/estimation --remap-path-prefix=$home=/cargo"
    RUSTFLAGS+=" --remap-path-prefix=$sysroot=/rust -C link-arg=-Wl,--build-id=none"
    CFLAGS="-ffile-prefix-map=$target=/target -ffile-prefix-map=$root=/estimation -ffile-prefix-map=$home=/cargo"
    export RUSTFLAGS CFLAGS CARGO_TARGET_DIR=$target
    unset RUSTC_WORKSPACE_WRAPPER RUSTC_WRAPPER CARGO_ENCODED_RUSTFLAGS
}

# packed NAME FOLDER: an archive of a folder, without anything of this machine in it.
packed() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar \
        -C "$(dirname "$2")" -cf - "$(basename "$2")" | gzip -9n >"$dist/$1.tar.gz"
}

build() {
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r packaging/requirements.txt
    export PATH=$venv/bin:$PATH
    ESTIMATION_COMMIT=$commit
    ESTIMATION_BUILT_WITH="rustc $(rustc --version | cut -d' ' -f2), zig $(python3 -m ziglang version), $triple"
    export ESTIMATION_COMMIT ESTIMATION_BUILT_WITH
    cargo auditable zigbuild --locked --profile dist --features estimation/traces --target "$triple.$glibc" -p estimation -p estimation-audit --bins
    local program newest
    for program in "${programs[@]}"; do
        newest=$(readelf -V "$bin/$program" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
        [ "$(printf '%s\n' "GLIBC_$glibc" "$newest" | sort -V | tail -1)" = "GLIBC_$glibc" ] ||
            fail "$program needs $newest, newer than $glibc"
    done
}

# The licences of everything in the programs, JavaScript included.
licences() {
    "$venv/bin/python" packaging/licences.py "$triple" >"$stage/LICENCES.txt"
}

pages() {
    mkdir -p "$stage/man" "$stage/completions"
    "$bin/estimation" man "$stage/man"
    find "$stage/man" -name '*.1' -exec gzip -9n {} +
    local shell
    for shell in bash zsh fish; do "$bin/estimation" completions "$shell" >"$stage/completions/estimation.$shell"; done
}

archives() {
    local program folder
    folder=$stage/estimation-$version-$(uname -m)-linux
    mkdir -p "$folder"
    for program in "${programs[@]}"; do install -m 0755 "$bin/$program" "$folder/$program"; done
    cp -r "$stage/man" "$stage/completions" "$stage/LICENCES.txt" README.md CHANGELOG.md LICENSE-* "$folder/"
    cp packaging/estimation.service packaging/estimation.toml "$folder/"
    packed "estimation-$version-$(uname -m)-linux" "$folder"
}

debs() {
    local package
    for package in "${programs[@]}"; do
        cargo deb --locked --profile dist --no-build --no-strip --target "$triple" -p "$package" --output "$dist/" >/dev/null
    done
}

# What others build on.
libraries() {
    local crate packages=()
    for crate in estimation-engine estimation-record estimation-tlog estimation-command estimation-audit; do packages+=(-p "$crate"); done
    cargo package --locked --no-verify --quiet "${packages[@]}"
    cp "$target"/package/estimation-*-"$version".crate "$dist/"
    "$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w "$dist" tests/verifier
    cp -r clients openapi LICENSE-* "$stage/"
    "$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w "$dist" "$stage/clients/python"
    (
        cd "$stage/clients/typescript"
        npm install --silent --no-audit --no-fund --no-package-lock
        npm pack --silent --pack-destination "$dist" >/dev/null
    )
}

# A bill of materials in CycloneDX: the crates, SQLite, and the JavaScript of the web app and of the API browser.
materials() {
    cargo cyclonedx --quiet --all-features --format json --spec-version 1.5 --target "$triple" --manifest-path Cargo.toml \
        --override-filename materials
    local sqlite
    sqlite=$(grep -h -o 'SQLITE_VERSION  *"[0-9.]*"' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/libsqlite3-sys-*/sqlite3/sqlite3.h |
        grep -o '[0-9.]*[0-9]' | sort -V | tail -1)
    jq --sort-keys --arg sqlite "$sqlite" --slurpfile npm tests/web/package.json --slurpfile browser tests/clients/package.json --arg time "$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)" '
        del(.serialNumber) | .metadata.timestamp = $time |
        .components += ([{"type": "library", "name": "sqlite", "version": $sqlite, "purl": "pkg:generic/sqlite@\($sqlite)",
            "licenses": [{"license": {"name": "Public Domain"}}]}] +
            [$npm[0].dependencies + {"swagger-ui-dist": $browser[0].devDependencies["swagger-ui-dist"]} | to_entries[] | {"type": "library", "name": .key, "version": .value,
                "purl": ("pkg:npm/" + (.key | sub("^@"; "%40")) + "@" + .value)}])' materials.json |
        sed "s#file://$root#file:///estimation#g; s#$root#/estimation#g" >"$dist/estimation-$version.cdx.json"
    find . -path ./target -prune -o -name materials.json -print0 | xargs -0 rm -f
}

sums() {
    (cd "$dist" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
    if [ -n "${ESTIMATION_SIGNING_KEY:-}" ]; then
        ssh-keygen -q -Y sign -f "$ESTIMATION_SIGNING_KEY" -n estimation-release "$dist/SHA256SUMS"
    else
        echo "!!!! ESTIMATION_SIGNING_KEY IS NOT SET: THE RELEASE IS NOT SIGNED !!!!" >&2
    fi
}

if [ "${1:-}" = tools ]; then
    tools
    exit
fi
[ -z "$(git status --porcelain)" ] || fail "the checkout has changes: commit them, or clone it anew"
dist=$(realpath -m "${1:-dist}")
[ ! -e "$dist" ] || fail "$dist exists"
for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || fail "missing: $tool (./release.sh tools)"
done
version=$(sed -n '/^version = /{s/.*"\(.*\)"/\1/p;q}' Cargo.toml)
commit=$(git rev-parse HEAD)
triple=$(uname -m)-unknown-linux-gnu
target=$root/target/releases
bin=$target/$triple/dist
stage=$target/stage
grep -q "^## \[$version\]" CHANGELOG.md || fail "the changelog has no section for $version"
rm -rf "$stage"
mkdir -p "$stage" "$dist"
same_for_everybody
build
licences
pages
archives
debs
libraries
materials
sums
(cd "$dist" && ls -l && cat SHA256SUMS)
