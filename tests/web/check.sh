#!/usr/bin/env bash
# Checks the web app. Each step can be run alone:
#
#   tests/web/check.sh tools      installs what the others need, below target/web; as root also Chromium
#   tests/web/check.sh vendored   the libraries in web/vendor are made of the published ones
#   tests/web/check.sh licences   their licences are among those of deny.toml
#   tests/web/check.sh advisories none of them has a known vulnerability; status 3 if npm's registry does not tell
#   tests/web/check.sh format     the lines are as prettier writes them; `reformat` writes them so
#   tests/web/check.sh unit       what has no pixels, with Node's test runner
#   tests/web/check.sh types      tsc --checkJs --strict, with types generated from the OpenAPI document
#   tests/web/check.sh corpus     the verifier of the app against the corpus of changed histories, and broken files
#   tests/web/check.sh served     what the server sends of each module and style sheet, and at most how many bytes
#   tests/web/check.sh follow     the view that the app keeps from a stream is the one that the server returns
#   tests/web/check.sh play       four pages play a ruleset; ESTIMATION_TEST_LONG=1 plays all five in full length
#   tests/web/check.sh keyboard   a game with the keyboard alone
#   tests/web/check.sh ears       a round by roles, names and keys; the announcer says each card once
#   tests/web/check.sh learn      rules, words and the first games
#   tests/web/check.sh advice     why a card may not be played, and hints
#   tests/web/check.sh records    score sheet, replay, audit page, calculator
#   tests/web/check.sh network    two tabs while the server dies, refused commands, no network, signing out
#   tests/web/check.sh wide       names wider than the page
#   tests/web/check.sh around     the first page, settings, title and notifications, a removed player, profiles
#   tests/web/check.sh told       a push reaches the service worker, and shows that it is one's turn
#   tests/web/check.sh issuers    a player signs in with an issuer, and comes back
#   tests/web/check.sh mail       a player who lost the phone comes back by mail
#   tests/web/check.sh second     setting up a second step, being asked for it, access links and a mailed export
#   tests/web/check.sh people     friends, invitations, reactions, blocking, reports, and an account that is suspended
#   tests/web/check.sh desk       what admins, moderators and auditors do at the desk, each with a second step
#   tests/web/check.sh sizes      hand and trick in all sizes and phases, and how long tricks stand complete
#   tests/web/check.sh faces      all cards differ and can be read, at three sizes, in two modes and in forced colours
#   tests/web/check.sh access     axe-core over every page, in both languages and colour schemes
#   tests/web/check.sh speed      how long a phone waits for the table and for a card
#   tests/web/check.sh insecure   the app at an address without https that is not this machine's own
#   tests/web/check.sh pictures   takes the pictures of docs/pictures, to look at; not among the default steps
#
# Without a step it does all but `pictures`, `reformat` and `advisories`. It needs a built program, target/debug/estimation, or the one that
# ESTIMATION_BINARY names.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/patience.sh

here=$PWD/tests/web
spec=$PWD/openapi/openapi.json
work=$PWD/target/web
binary=${ESTIMATION_BINARY:-$PWD/target/debug/estimation}
# The shell has no window and no notifications, and takes a third less.
whole_browser=${ESTIMATION_TEST_CHROMIUM:-/usr/bin/chromium}
export ESTIMATION_TEST_CHROMIUM=${ESTIMATION_TEST_CHROMIUM:-/usr/bin/chromium-headless-shell}
server=
database=
run=

cleanup() {
    status=$?
    trap - EXIT INT TERM
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    if [ -n "$run" ]; then rm -rf "$run"; fi
    if [ "$status" != 0 ] && [ -n "${step:-}" ]; then echo "the step $step failed" >&2; fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

tools() {
    if ! command -v openssl >/dev/null; then
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
            echo "missing: openssl; install it" >&2
            return 1
        fi
        apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends openssl
    fi
    if [ ! -x "$ESTIMATION_TEST_CHROMIUM" ] || [ ! -x "$whole_browser" ]; then
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
            echo "missing: Chromium; install it (Debian: chromium, chromium-headless-shell), or name it in ESTIMATION_TEST_CHROMIUM" >&2
            return 1
        fi
        apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium chromium-headless-shell
    fi
    mkdir -p "$work/packages"
    cp "$here"/package.json "$here"/package-lock.json "$work/packages/"
    (cd "$work/packages" && npm ci --no-audit --no-fund)
}

# The tests and the app in a folder of this run, with the installed packages. Two runs can go on at the same time.
prepare() {
    [ -n "$run" ] && return
    [ -d "$work/packages/node_modules" ] || tools
    run=$(mktemp -d "$work/run.XXXXXX")
    mkdir -p "$run/tests/fixtures" "$run/tests/web"
    cp -r web "$run/web"
    cp -r "$here"/*.mjs "$here"/unit "$here"/package.json "$here"/tsconfig.json "$run/tests/web/"
    ln -s "$work/packages/node_modules" "$run/tests/web/node_modules"
    ln -s "$work/packages/node_modules" "$run/node_modules"
    ln -s "$PWD/tests/fixtures/tampered" "$run/tests/fixtures/tampered"
    ln -s "$PWD/tests/verifier" "$run/tests/verifier"
    ln -s "$PWD/docs" "$PWD/crates" "$PWD/src" "$run/"
}

vendored() {
    prepare
    local name
    for name in preact noble; do
        (cd "$run/tests/web" && npx esbuild "$name.mjs" --bundle --format=esm --minify --legal-comments=eof --log-level=error --outfile="$name.js")
        cmp "$run/tests/web/$name.js" "web/vendor/$name/$name.js"
    done
}

licences() {
    prepare
    local package licence
    for package in $(jq -r '.dependencies | keys[]' "$here/package.json"); do
        licence=$(jq -r .license "$work/packages/node_modules/$package/package.json")
        echo "$package: $licence"
        if ! sed -n '/^\[licenses\]/,/^\]/p' deny.toml | grep -qF "\"$licence\""; then
            echo "$package is under $licence, which deny.toml does not allow" >&2
            return 1
        fi
    done
}

advisories() {
    prepare
    local told
    told=$(cd "$work/packages" && npm audit --omit=dev --json 2>/dev/null) || true
    if [ "$(jq -r '.metadata.vulnerabilities.total? // "none"' <<<"$told" 2>/dev/null)" = none ]; then
        echo "!!!! NPM'S REGISTRY HAS NO ADVISORIES: KNOWN VULNERABILITIES OF web/vendor WERE NOT LOOKED FOR !!!!" >&2
        return 3
    fi
    jq -r '.vulnerabilities | to_entries[] | "\(.key): \(.value.severity)"' <<<"$told" >&2
    [ "$(jq -r .metadata.vulnerabilities.total <<<"$told")" = 0 ]
}

# The recorded games of the lessons are data, each event in its line.
written() {
    prepare
    "$work/packages/node_modules/.bin/prettier" --config "$here/prettier.json" --log-level warn "$1" \
        'web/**/*.{js,ts,css}' '!web/vendor/**' '!web/learn/texts/games/**'
}
format() { written --check; }
reformat() { written --write; }

unit() {
    prepare
    (cd "$run/tests/web" && node --import ./unit/browser.mjs --test unit/*.test.mjs)
}

types() {
    prepare
    local name
    for name in preact noble; do cp "$here/$name.mjs" "$run/web/vendor/$name/$name.d.ts"; done
    (cd "$run/tests/web" &&
        npx openapi-typescript "$spec" --default-non-nullable=false --output ../../web/schema.d.ts &&
        npx tsc -p .)
}

corpus() {
    prepare
    (cd "$run/tests/web" && node corpus.mjs && node broken.mjs)
}

# serve ADDRESS: starts the server with a database of its own; its URL is in $url.
serve() {
    local folder
    folder=$(mktemp -d "$run/data.XXXXXX")
    database=$folder/data/estimation.db
    touch "$folder/out"
    "$binary" serve --listen "$1" --metrics-listen 127.0.0.1:0 --data-dir "$folder/data" --log error --bot-delay off \
        --limit-accounts off --rate-unauthenticated off --tables-per-host off --opening-seconds 120 \
        >"$folder/out" 2>"$run/server.log" &
    server=$!
    if ! while_alive "$server" grep -q '^docs *http.*/docs/$' "$folder/out"; then
        cat "$run/server.log" >&2
        return 1
    fi
    url=$(sed -n 's|^docs *\(http.*\)/docs/$|\1|p' "$folder/out")
}

# test_in_node PROGRAM ADDRESS: runs a test, and ends it when neither the browser does something nor a game goes on. The last steps
# of the browser are shown when it fails.
test_in_node() {
    local status=0
    : >"$run/browser.log"
    (cd "$run/tests/web" && DEBUG=pw:api DEBUG_FILE=$run/browser.log watched progress node "$1.mjs" "$2") || status=$?
    if [ "$status" != 0 ]; then tail -n 5 "$run/browser.log" | cut -c 1-300 >&2; fi
    return "$status"
}

# What grows during a test: the log of the browser's steps, and the events of the games of a server that this script started.
progress() {
    wc -c <"$run/browser.log"
    if [ -n "$server" ]; then events_of "$database"; fi
}

# A port that is free now.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# drive PROGRAM: runs a test in the browser against a server of its own.
drive() {
    prepare
    serve 127.0.0.1:0
    ESTIMATION_TEST_DATABASE=$database test_in_node "$1" "$url"
    kill "$server"
    wait "$server" || true
    server=
}

# It looks at each version, which is more than the limits allow.
follow() { ESTIMATION_RATE_ADDRESS=off ESTIMATION_RATE_ACCOUNT=off drive follow; }
served() { drive served; }
play() { drive play; }
keyboard() { drive keyboard; }
ears() { drive ears; }
learn() { drive learn; }
advice() { drive advice; }
records() { drive records; }
access() { drive access; }
wide() { drive wide; }
around() { ESTIMATION_TEST_CHROMIUM=$whole_browser drive around; }
sizes() { drive sizes; }
faces() { drive faces; }
speed() { drive speed; }

insecure() {
    local address
    address=$(hostname -I | tr ' ' '\n' | grep -m 1 -v : || true)
    if [ -z "$address" ]; then
        echo "this machine has no address beside 127.0.0.1" >&2
        return 1
    fi
    prepare
    serve "$address:0"
    test_in_node insecure "$url"
    kill "$server"
    wait "$server" || true
    server=
}

network() { with_a_program network; }

told() { ESTIMATION_TEST_CHROMIUM=$whole_browser beside_a_server told; }

issuers() { beside_a_server issuers; }

mail() { beside_a_server mail; }

second() { with_a_program second_step; }

people() { with_a_program people; }

desk() { with_a_program desk; }

# Runs a test that starts the server itself.
with_a_program() {
    prepare
    local port
    port=$(free_port)
    ESTIMATION_BINARY=$binary test_in_node "$1" "http://127.0.0.1:$port"
}

# Drives the app while the server asks another one, which the test is, with a certificate.
beside_a_server() {
    prepare
    local port
    port=$(free_port)
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout "$run/key.pem" \
        -out "$run/cert.pem" -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:localhost 2>/dev/null
    ESTIMATION_BINARY=$binary ESTIMATION_TEST_FOLDER=$run test_in_node "$1" "http://127.0.0.1:$port"
}

pictures() {
    drive pictures
    mkdir -p docs/pictures
    cp "$run"/tests/web/pictures/*.webp docs/pictures/
}

steps=("$@")
if [ "${#steps[@]}" = 0 ]; then steps=(tools vendored licences format types unit corpus served follow play keyboard ears learn advice records network around told issuers mail second people desk access wide faces sizes speed insecure); fi
for step in "${steps[@]}"; do
    case $step in
        tools | vendored | licences | advisories | format | reformat | types | unit | corpus | served | follow | play | keyboard | ears | learn | advice | records | network | around | told | issuers | mail | second | people | desk | access | wide | faces | sizes | speed | insecure | pictures) "$step" ;;
        *) sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2 ;;
    esac
done
