# How the scripts of the tests wait: for what a process does, as long as it lives; and for a program, as long as it gets on. No
# machine is too slow for that. To be sourced by bash.

# How many seconds a program may make no progress at all. It is more than any wait inside a program.
patience=300

# while_alive PROCESS COMMAND…: repeats a command until it succeeds; fails if the process ends before.
while_alive() {
    local process=$1
    shift
    until "$@"; do
        if ! kill -0 "$process" 2>/dev/null; then
            # It may have done its work in the last moment.
            if "$@"; then return; fi
            echo "the process ended, and this did not happen: $*" >&2
            return 1
        fi
        sleep 0.1
    done
}

# watched PROBE COMMAND…: runs a command without a limit of time. It is ended, with status 124, when PROBE, a command without
# arguments, prints the same again and again for as long as $patience says. To be called in a subshell, which it ends.
watched() {
    # The command may be a function that reads variables of the script, so the names here are of their own.
    local watched_probe=$1 watched_task watched_watch watched_status=0
    shift
    # Both have a process group of their own, so that their children end with them.
    set -m
    "$@" </dev/null &
    watched_task=$!
    end_when_still "$watched_task" "$watched_probe" "$*" </dev/null &
    watched_watch=$!
    set +m
    # shellcheck disable=SC2064
    trap "kill -- -$watched_watch -$watched_task 2>/dev/null || true" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    wait "$watched_task" || watched_status=$?
    # If the watch ended it, this says so.
    if [ "$watched_status" -gt 128 ]; then wait "$watched_watch" || watched_status=$?; fi
    exit "$watched_status"
}

# end_when_still PROCESS PROBE WORDS: ends a process group that makes no progress.
end_when_still() {
    local seen='' now still=0
    # Looks are counted instead of seconds: a machine that stands still for a while looks less often.
    while kill -0 "$1" 2>/dev/null; do
        now=$("$2" 2>&1) || true
        if [ "$now" != "$seen" ]; then still=0; fi
        seen=$now
        if [ "$still" -ge $((patience / 5)) ]; then
            echo "no progress for $patience seconds ($2: $now): $3" >&2
            kill -- "-$1" 2>/dev/null || true
            sleep 5
            kill -KILL -- "-$1" 2>/dev/null || true
            return 124
        fi
        sleep 5
        still=$((still + 1))
    done
}

# events_of DATABASE: how many events of games a database of SQLite has, which grow as a game goes on.
events_of() {
    python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=60) as database:
    print(*database.execute("SELECT (SELECT count(*) FROM game_events), (SELECT count(*) FROM games)").fetchone())' "$1"
}
