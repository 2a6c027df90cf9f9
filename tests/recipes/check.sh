#!/usr/bin/env bash
# Follows the recipes of CONTRIBUTING.md for an endpoint, an option and a problem code in a copy of the checkout: adds the
# code that each recipe quotes once more, under another name, and runs the commands that the page lists. Fails if a recipe
# needs more files than it says, if the document lacks what was added, or if a test of all operations, options or codes
# fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
work=$root/target/recipes
copy=$work/checkout

rm -rf "$work"
mkdir -p "$copy" "$work/target/debug"
trap 'rm -rf "$work"' EXIT

# The copy has its own target folder. In a common one, cargo would take programs of the copy for those of the checkout,
# because it gives both the same names. Only the compiled dependencies are linked into it.
export CARGO_TARGET_DIR=$work/target
# The workspace is compiled three times with few changes, and its lints are looked at elsewhere.
export CARGO_INCREMENTAL=1
unset RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
# With other features, dependencies would be compiled again.
cargo() { if [ "$1" = test ]; then command cargo test ${ESTIMATION_TEST_FEATURES:-} "${@:2}"; else command cargo "$@"; fi; }
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

# line_of TEXT FILE FIRST: the number of the first line with the text, from the line FIRST on. Reads the whole file: in a pipe, a
# reader that ends early ends the writer too, if that is slower.
line_of() { TEXT=$1 awk -v first="$3" 'NR >= first && !found && index($0, ENVIRON["TEXT"]) { found = NR } END { if (found) print found }' "$2"; }

# twin FILE FROM TO EXPRESSION…: writes the lines from the one with FROM to the one with TO once more below them, changed by
# sed.
twin() {
    local file=$1 from=$2 to=$3 first last
    shift 3
    first=$(line_of "$from" "$file" 1)
    last=$(line_of "$to" "$file" "${first:-1}")
    [ -n "$first" ] && [ -n "$last" ] || { echo "$file has no lines from \"$from\" to \"$to\"" >&2; exit 1; }
    sed -n "$first,${last}p" "$file" | sed "$@" >"$work/twin"
    sed -i "${last}r $work/twin" "$file"
}

# instead FILE FROM TO: replaces a text that has to be there.
instead() {
    grep -qF -- "$2" "$1" || { echo "$1 does not say \"$2\"" >&2; exit 1; }
    python3 - "$@" <<'PYTHON'
import pathlib, sys
file, old, new = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
file.write_text(file.read_text().replace(old, new))
PYTHON
}

# step: the files that changed since the last step.
step() {
    git add --all
    git diff --cached --name-only
    git -c user.name=recipes -c user.email=recipes@localhost commit --quiet --message "A step"
}

# at_most NUMBER RECIPE FILES: the recipe takes no more files than it says.
at_most() {
    local files
    files=$(sort -u <<<"$3")
    if [ "$(wc -l <<<"$files")" -gt "$1" ]; then
        printf 'the recipe of %s says %s files, and it took these:\n%s\n' "$2" "$1" "$files" >&2
        exit 1
    fi
}

# An endpoint.
cat >>crates/service/src/games/scores.rs <<'RUST'

impl Games {
    pub async fn sheet(&self, caller: &Caller, id: GameId) -> Result<ScoreSheet, Failure> {
        self.scores(caller, id).await
    }
}
RUST
renamed=(-e 's/get_scores/get_scoresheet/g; s#/scores"#/sheet"#; s/games\.scores(/games.sheet(/')
# The last line of the handler ends the twin, so the handler needs another.
twin src/http/endpoints/play.rs '/// Show the score sheet' 'versioned(&request, sheet.version' "${renamed[@]}" -e '1i}\n'
twin src/http/endpoints/mod.rs '    get_scores: ' '    get_scores: ' "${renamed[@]}"
endpoint=$(step)

# An option.
twin crates/engine/src/ruleset/table.rs 'Option `minimum_bid`' 'أقل طلب' \
    -e 's/minimum_bid/lowest_bid/; s/= 4$/= 1/; s/Minimum bid/Lowest bid/; s/أقل طلب/أدنى طلب/; 1i\\'
instead crates/engine/src/legal.rs 'from: rules.minimum_bid,' 'from: rules.minimum_bid.max(rules.lowest_bid),'
instead tests/verifier/estimation_verify/game.py 'is_number(event["tricks"], rules["minimum_bid"], highest)' \
    'is_number(event["tricks"], max(rules["minimum_bid"], rules["lowest_bid"]), highest)'
twin docs/rules/options.md '- **`minimum_bid`.**' '- **`minimum_bid`.**' -e 's/minimum_bid/lowest_bid/'
option=$(step)

# A problem code.
twin crates/service/src/base/failure/table.rs '403 RoleRequired' 'الدور {role}' \
    -e 's/RoleRequired/OtherRoleRequired/; s/role-required/other-role-required/'
problem=$(step)

# What is generated, with the commands of the page.
sed -n '/^Several recipes end/,/^## /{/^```bash/,/^```/{/^```/!p}}' CONTRIBUTING.md >"$work/generate"
test -s "$work/generate"
source "$work/generate"
generated=$(step)
document=openapi/openapi.json

at_most 4 "an endpoint" "$endpoint"$'\n'"$document"
at_most 5 "an option" "$option"$'\n'"$generated"
at_most 2 "a problem code" "$problem"$'\n'"$document"
jq --exit-status '.paths["/v1/games/{id}/sheet"].get | .operationId == "getScoresheet"
    and .responses["200"].content["application/json"].examples.recorded.value.game != null' "$document" >/dev/null ||
    { echo "the document has no getScoresheet with an example" >&2; exit 1; }
grep -q '"lowest_bid"' "$document" && grep -q '`lowest_bid` | 1‥7' docs/rules/options.md &&
    grep -q '"lowest_bid": (\[1' tests/verifier/estimation_verify/game.py ||
    { echo "the document, the tables or the second verifier do not have lowest_bid" >&2; exit 1; }
jq --exit-status '.components.schemas.ProblemCode["x-problems"]["other-role-required"].members == ["role"]' "$document" >/dev/null ||
    { echo "the document has no other-role-required" >&2; exit 1; }

cargo fmt --all --check
cargo test -p estimation --test it -- --skip postgres http::examples http::authorization http::operations http::published \
    http::problems http::rulesets contract rule_tables locales
