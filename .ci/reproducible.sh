#!/usr/bin/env bash
# Makes a release of the last commit twice, and compares all files: by two users, in folders of different depth, with another
# home, time zone, locale, umask, number of jobs, and sources that are three days older. As root, because it needs a second
# user. (A preloaded clock, as that of faketime, makes rustc hang.)
#
#   .ci/reproducible.sh [FOLDER]    the folder is a new one below TMPDIR if none is named
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=${1:-$(mktemp -d "${TMPDIR:-/tmp}/estimation-releases.XXXXXX")}
[ "$(id -u)" = 0 ] || { echo "missing: a second user; run this as root" >&2; exit 1; }
./release.sh tools

mkdir -p "$work/one" "$work/another/folder/of/builds"
git clone -q "$root" "$work/one/estimation"
git clone -q "$root" "$work/another/folder/of/builds/sources"
(cd "$work/one/estimation" && unset RUSTC_WORKSPACE_WRAPPER && ./release.sh "$work/first")
# Only the outcome of the first is needed.
rm -rf "$work/one"

user=estimation-builder
id "$user" >/dev/null 2>&1 || useradd --create-home "$user"
home=$(getent passwd "$user" | cut -d: -f6)
tools=$(dirname "$(command -v cargo)")
mkdir -p "$home/cargo"
# The registry of the first user, so that nothing is fetched twice.
cp -r "${CARGO_HOME:-$HOME/.cargo}/registry" "$home/cargo/registry" 2>/dev/null || true
cp "${CARGO_HOME:-$HOME/.cargo}"/config* "$home/cargo/" 2>/dev/null || true
chown -R "$user" "$home/cargo" "$work/another"
chmod 777 "$work"
# The second user runs the toolchain of the first.
mode=$(stat -c %a "$HOME")
trap 'chmod "$mode" "$HOME"; userdel --remove "$user" 2>/dev/null || true' EXIT
chmod a+x "$HOME"
find "$work/another" -name .git -prune -o -type f -exec touch -d '3 days ago' {} +
runuser -u "$user" -- env -i HOME="$home" CARGO_HOME="$home/cargo" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" \
    PATH="$tools:/usr/local/bin:/usr/bin:/bin" TZ=Asia/Tokyo LC_ALL=C.UTF-8 CARGO_BUILD_JOBS=3 ${PIP_FIND_LINKS:+"PIP_FIND_LINKS=$PIP_FIND_LINKS"} \
    bash -c 'umask 077; cd "$1" && ./release.sh "$2"' - "$work/another/folder/of/builds/sources" "$work/second"
diff -r "$work/first" "$work/second"
echo "both are the same: $(find "$work/first" -type f | wc -l) files"
