#!/usr/bin/env bash
# Makes the root of a container image from the released program and from Debian packages with recorded hashes: no shell, no
# package manager, nothing else that could be run.
#
#   packaging/image.sh PROGRAM FOLDER    PROGRAM is the released `estimation`; the folder must not exist. FOLDER/system is the
#                                        root, FOLDER/volumes has the folders that the program's user owns
#
# `packaging/Containerfile` makes an image of the folder. It needs a system with apt-get.
set -euo pipefail
program=$(realpath "$1")
folder=$(realpath -m "$2")
root=$folder/system
[ ! -e "$folder" ] || { echo "$folder exists" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$root"
while read -r hash package version; do
    (cd "$work" && apt-get download -q "$package=$version" >/dev/null 2>&1) || {
        echo "$package $version is no longer offered: record the hash of the new version in packaging/image.packages" >&2
        exit 1
    }
    file=$(find "$work" -name "${package}_*.deb")
    echo "$hash  $file" | sha256sum --check --quiet || { echo "$package is another file than recorded" >&2; exit 1; }
    dpkg-deb -x "$file" "$work/unpacked"
    rm "$file"
done < <(grep -v '^#' "$(dirname "$0")/image.packages")

# The libraries that the program names, the resolver's, and the certificates.
mkdir -p "$root"/{etc/ssl/certs,tmp,usr/bin,usr/share/doc} "$folder"/volumes/{data,log}
for library in ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 libc.so.6 libm.so.6 libgcc_s.so.1 libpthread.so.0 libdl.so.2 librt.so.1 \
    libresolv.so.2 libnss_dns.so.2 libnss_files.so.2; do
    for file in "$work"/unpacked/lib/*/"$library" "$work"/unpacked/usr/lib/*/"$library" "$work"/unpacked/lib64/"$library"; do
        [ -e "$file" ] || continue
        target=$root/${file#"$work"/unpacked/}
        mkdir -p "$(dirname "$target")"
        cp -L "$file" "$target"
    done
done
find "$work/unpacked/usr/share/ca-certificates/mozilla" -name '*.crt' | sort | xargs cat >"$root/etc/ssl/certs/ca-certificates.crt"
for file in "$work"/unpacked/usr/share/doc/*/copyright; do
    install -D -m 0644 "$file" "$root/usr/share/doc/$(basename "$(dirname "$file")")/copyright"
done
# The archive of the release has the licences beside the program.
if [ -e "$(dirname "$program")/LICENCES.txt" ]; then
    install -D -m 0644 "$(dirname "$program")/LICENCES.txt" "$root/usr/share/doc/estimation/LICENCES.txt"
fi
install -m 0755 "$program" "$root/usr/bin/estimation"
echo "estimation:x:65534:65534::/data:/nonexistent" >"$root/etc/passwd"
echo "hosts: files dns" >"$root/etc/nsswitch.conf"
chmod 1777 "$root/tmp"
find "$folder" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-0}" {} +
echo "$(find "$root" -type f | wc -l) files, $(du -sm "$root" | cut -f1) MiB"
