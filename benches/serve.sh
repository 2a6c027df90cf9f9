# For bench.sh and scale.sh: starts servers. They set `program` and `work`.
# shellcheck shell=bash disable=SC2154

# serve NAME URL [PREFIX…]: starts a node on a database, with PREFIX in front of the program. Sets `node` to its process and
# `address` to its URL. Its own limits are off: all the load comes from one address.
serve() {
    local name=$1 url=$2
    shift 2
    mkdir -p "$work/$name"
    "$@" "$program" serve --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 --log warn --data-dir "$work/$name" \
        --log-state "$work/$name/log-state" --database-url "$url" --workers "${WORKERS:-2}" --bot-delay off --limit-accounts off \
        --limit-login-address off --limit-refresh off --rate-address off --rate-account off --rate-commands off \
        --max-connections-per-address off >"$work/$name.out" 2>"$work/$name.err" &
    node=$!
    await_address "$name"
}

# await_address NAME: waits until the server with this output says where it listens.
await_address() {
    for _ in $(seq 200); do
        address=$(sed -n -e 's/^.* listens on //p' -e 's|^docs *\(http.*\)/docs/$|\1|p' "$work/$1.out" 2>/dev/null || true)
        [ -n "$address" ] && return
        sleep 0.1
    done
    cat "$work/$1.err" >&2
    return 1
}
