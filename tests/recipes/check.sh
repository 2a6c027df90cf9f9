#!/usr/bin/env bash
# Follows the recipe "Adding an endpoint" of CONTRIBUTING.md in a copy of the checkout: adds a second score sheet with the
# code that the recipe quotes, under another name, and runs the commands that the page lists. Fails if the recipe needs
# more files than it says, if the operation is not in the document with an example, or if a test of all operations
# fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
work=$root/target/recipes
copy=$work/checkout

# The number of files that the recipe states.
allowed=4

rm -rf "$work"
mkdir -p "$copy" "$work/target/debug"
trap 'rm -rf "$work"' EXIT

# The copy has its own target folder. In a common one, cargo would take programs of the copy for those of the checkout,
# because it gives both the same names. Only the compiled dependencies are linked into it.
export CARGO_TARGET_DIR=$work/target
if [ -d target/debug ]; then
    (
        cd target/debug
        cp -a .fingerprint "$CARGO_TARGET_DIR/debug"
        rm -rf "$CARGO_TARGET_DIR"/debug/.fingerprint/estimation*
        find build deps -path '*estimation*' -prune -o -type f \
            \( -path 'build/*' -o -name '*.rlib' -o -name '*.rmeta' -o -name '*.so' \) -print0 |
            xargs -0 cp -al --parents -t "$CARGO_TARGET_DIR/debug"
    )
fi

git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do if [ -e "$file" ]; then printf '%s\0' "$file"; fi; done |
    xargs -0 cp --parents -t "$copy"
cd "$copy"
git init --quiet
git add --all
git -c user.name=recipes -c user.email=recipes@localhost commit --quiet --message "The checkout"

# renamed FILE: the example under another name.
renamed() { sed -e 's/getScores/getSheet/g; s/get_scores/get_sheet/g; s#/scores"#/sheet"#; s/games\.scores(/games.sheet(/' "$1"; }

# beside LINE FILE: adds the renamed line below a line.
beside() {
    grep -q "^$1\$" "$2" || { echo "$2 has no line \"$1\"" >&2; exit 1; }
    sed -i "s/^$1\$/&\n$(renamed <(echo "$1"))/" "$2"
}

# 1. The use case.
use_case=crates/service/src/games/scores.rs
cat >>"$use_case" <<'RUST'

impl Games {
    pub async fn sheet(&self, caller: &Caller, id: GameId) -> Result<ScoreSheet, Failure> {
        self.scores(caller, id).await
    }
}
RUST

# 2. The endpoint.
renamed src/http/endpoints/get_scores.rs | sed 's#^//! .*#//! `GET /v1/games/{id}/sheet`.#' >src/http/endpoints/get_sheet.rs

# 3. The list.
beside 'mod get_scores;' src/http/endpoints/mod.rs
beside '    get_scores,' src/http/endpoints/mod.rs

# 4. The generated document, with the commands of the page.
sed -n '/^Several recipes end/,/^## /{/^```bash/,/^```/{/^```/!p}}' CONTRIBUTING.md >"$work/generate"
test -s "$work/generate"
source "$work/generate"

git add --all
changed=$(git diff --cached --name-only)
if [ "$(wc -l <<<"$changed")" -gt "$allowed" ]; then
    printf 'the recipe says %s files, and it took these:\n%s\n' "$allowed" "$changed" >&2
    exit 1
fi
jq --exit-status '.paths["/v1/games/{id}/sheet"].get | .operationId == "getSheet"
    and .responses["200"].content["application/json"].examples.recorded.value.game != null' openapi/openapi.json >/dev/null ||
    { echo "the document has no getSheet with an example" >&2; exit 1; }

cargo fmt --all --check
cargo nextest run -p estimation -E '(test(http::examples) or test(http::authorization) or test(http::operations)
    or test(http::published) or test(contract)) and not test(postgres)'
