#!/usr/bin/env bash
# A throw-away PostgreSQL cluster for the tests.
#
#   .ci/postgres.sh start [DIR]   makes and starts it, prints its URL (for ESTIMATION_TEST_POSTGRES)
#   .ci/postgres.sh stop  [DIR]   stops and removes it
#   .ci/postgres.sh crash [DIR]   ends it as a power cut would
#   .ci/postgres.sh again [DIR]   starts it again on the same port
#   .ci/postgres.sh follow [DIR] PRIMARY   makes and starts a standby of the cluster in PRIMARY, prints its URL
#   .ci/postgres.sh promote [DIR]   makes a standby the primary
#   .ci/postgres.sh rejoin [DIR] PRIMARY   makes an old primary a standby of the cluster in PRIMARY, from a new copy
#   .ci/postgres.sh synchronous [DIR] NAMES   sets synchronous_standby_names, and waits for a synchronous standby
#
# Run by root, the server runs as the user postgres, or nobody. Durability is off, because nothing in it is
# worth keeping; ESTIMATION_TEST_FSYNC=on turns it on, for measurements and crash tests. ESTIMATION_TEST_TLS names
# a folder with server.crt and server.key: with it, TCP connections without TLS are refused. ESTIMATION_TEST_LISTEN
# names an address to listen on beside 127.0.0.1.
set -euo pipefail

action=${1:-}
dir=${2:-${TMPDIR:-/tmp}/estimation-test-postgres-$(id -u)}

fail() {
    echo "postgres.sh: $*" >&2
    exit 1
}

# The programs of the newest installed server.
binaries() {
    if command -v pg_config >/dev/null && [ -x "$(pg_config --bindir)/initdb" ]; then
        pg_config --bindir
        return
    fi
    local found
    found=$(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null | sort -V | tail -1)
    [ -n "$found" ] && [ -x "$found/initdb" ] && echo "$found"
}

install_server() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null \
        || fail "the PostgreSQL server (13 or newer) is missing: install the package 'postgresql'"
    echo "postgres.sh: installing the package 'postgresql'" >&2
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql; } >&2 \
        || fail "the package 'postgresql' could not be installed"
}

# Runs a command as the server's user.
as_server() {
    if [ "$(id -u)" != 0 ]; then
        "$@"
    elif command -v runuser >/dev/null; then
        (cd / && runuser -u "$server_user" -- "$@")
    else
        fail "root needs 'runuser' (package util-linux) to start a server as another user"
    fi
}

server_user=$(id -un)
if [ "$(id -u)" = 0 ]; then
    server_user=nobody
    if id postgres >/dev/null 2>&1; then server_user=postgres; fi
fi

# A free port. Another process may take it meanwhile; the caller then tries again.
free_port() {
    local port
    for _ in $(seq 100); do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
    fail "no free port found"
}

start() {
    [ -e "$dir" ] && fail "$dir is there already; '.ci/postgres.sh stop $dir' removes it"
    bin=$(binaries) || { install_server; bin=$(binaries) || fail "no initdb found after installing"; }
    mkdir -p "$dir"
    # Installing the package may have created the user.
    if [ "$(id -u)" = 0 ]; then
        if id postgres >/dev/null 2>&1; then server_user=postgres; fi
        chown "$server_user" "$dir"
    fi
    as_server "$bin/initdb" --pgdata="$dir/data" --username=postgres --auth=trust --encoding=UTF8 --no-sync \
        >"$dir.log" 2>&1 || { cat "$dir.log" >&2; fail "initdb failed"; }
    set_options
    if [ -n "${ESTIMATION_TEST_TLS:-}" ]; then
        use_tls "$ESTIMATION_TEST_TLS"
        options="$options -c ssl=on"
    fi
    run_on_free_port
}

set_options() {
    local fsync=${ESTIMATION_TEST_FSYNC:-off}
    options="-k $dir -c listen_addresses=127.0.0.1${ESTIMATION_TEST_LISTEN:+,$ESTIMATION_TEST_LISTEN} -c fsync=$fsync -c full_page_writes=$fsync \
-c max_connections=400 -c shared_buffers=64MB -c log_min_messages=warning -c wal_keep_size=256MB"
}

run_on_free_port() {
    local port
    for _ in 1 2 3 4 5; do
        port=$(free_port)
        echo "-p $port $options" >"$dir/options"
        if run_server; then
            echo "postgres://postgres@127.0.0.1:$port"
            return
        fi
    done
    cat "$dir/server.log" "$dir.log" >&2
    fail "the server does not start"
}

run_server() {
    as_server "$bin/pg_ctl" --pgdata="$dir/data" --log="$dir/server.log" --wait --silent \
        --options="$(cat "$dir/options")" start >>"$dir.log" 2>&1 || still_starts
}

# After the minute that pg_ctl waits, a slow server may still start: waits as long as its process lives.
still_starts() {
    tail -n 3 "$dir.log" | grep -q 'did not start in time' || return 1
    until as_server "$bin/pg_isready" --quiet --host=127.0.0.1 --port="$(port_of "$dir")"; do
        runs || return 1
        sleep 0.5
    done
    # Another server may answer at this port.
    runs
}

# Whether the process of the server lives.
runs() { as_server "$bin/pg_ctl" --pgdata="$dir/data" status >/dev/null 2>&1; }

# The server requires that it owns the key and that no other user can read it.
use_tls() {
    local name
    for name in server.crt server.key; do
        as_server tee "$dir/data/$name" <"$1/$name" >/dev/null
        as_server chmod 600 "$dir/data/$name"
    done
    printf 'local all all trust\nhostssl all all 127.0.0.1/32 trust\n' |
        as_server tee "$dir/data/pg_hba.conf" >/dev/null
}

# port_of DIR: the port of a cluster's server.
port_of() {
    sed -n 's/^-p \([0-9]*\) .*/\1/p' "$1/options"
}

# Copies a running cluster into this folder, as its standby.
copy_of() {
    as_server "$bin/pg_basebackup" --host="$1" --port="$(port_of "$1")" --username=postgres --pgdata="$dir/data" \
        --write-recovery-conf --wal-method=stream --checkpoint=fast --no-sync >"$dir.log" 2>&1 ||
        { cat "$dir.log" >&2; fail "pg_basebackup failed"; }
}

follow() {
    [ -e "$dir" ] && fail "$dir is there already; '.ci/postgres.sh stop $dir' removes it"
    bin=$(binaries) || fail "no PostgreSQL server found"
    mkdir -p "$dir"
    if [ "$(id -u)" = 0 ]; then chown "$server_user" "$dir"; fi
    copy_of "$1"
    set_options
    run_on_free_port
}

# The old primary may hold commits that the new one lacks, so its data is removed.
rejoin() {
    bin=$(binaries) || fail "no PostgreSQL server found"
    as_server "$bin/pg_ctl" --pgdata="$dir/data" --mode=immediate --silent stop >/dev/null 2>&1 || true
    rm -rf "${dir:?}/data"
    copy_of "$1"
    again
}

synchronous() {
    local names=$1 sql
    bin=$(binaries) || fail "no PostgreSQL server found"
    sql=("$bin/psql" --no-psqlrc --quiet --tuples-only --no-align --host="$dir" --port="$(port_of "$dir")"
        --username=postgres)
    as_server "${sql[@]}" --command="ALTER SYSTEM SET synchronous_standby_names = '$names'" \
        --command='SELECT pg_reload_conf()' >>"$dir.log" 2>&1 || fail "the server of $dir takes no settings"
    [ -z "$names" ] && return
    while runs; do
        if [ -n "$(as_server "${sql[@]}" --command="SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')")" ]; then
            return
        fi
        sleep 0.1
    done
    fail "the server of $dir ended before it had a synchronous standby"
}

promote() {
    bin=$(binaries) || fail "no PostgreSQL server found"
    as_server "$bin/pg_ctl" --pgdata="$dir/data" --wait --silent promote >>"$dir.log" 2>&1 ||
        fail "the server of $dir is not promoted"
}

crash() {
    bin=$(binaries) || fail "no PostgreSQL server found"
    as_server "$bin/pg_ctl" --pgdata="$dir/data" --mode=immediate --silent stop >>"$dir.log" 2>&1 ||
        fail "the server of $dir does not run"
}

again() {
    bin=$(binaries) || fail "no PostgreSQL server found"
    run_server || { cat "$dir/server.log" >&2; fail "the server of $dir does not start again"; }
}

stop() {
    [ -e "$dir" ] || return 0
    if bin=$(binaries); then
        as_server "$bin/pg_ctl" --pgdata="$dir/data" --mode=immediate --silent stop >/dev/null 2>&1 || true
    fi
    rm -rf "$dir" "$dir.log"
}

case $action in
    start) start ;;
    stop) stop ;;
    crash) crash ;;
    again) again ;;
    follow) follow "${3:?PRIMARY}" ;;
    promote) promote ;;
    rejoin) rejoin "${3:?PRIMARY}" ;;
    synchronous) synchronous "${3-}" ;;
    *) fail "usage: $0 start|stop|crash|again|follow|promote|rejoin|synchronous [DIR]" ;;
esac
