#!/usr/bin/env bash
# A PostgreSQL cluster under Patroni on three machines, and the long form of the tests in tests/it/replicas.
#
#   .ci/replicas.sh                   installs what is missing, and runs the long form
#   .ci/replicas.sh tools             installs etcd and Patroni below target/replicas
#   .ci/replicas.sh start   DIR       makes the machines and the cluster, prints the prefix of their addresses
#   .ci/replicas.sh etcd    DIR N     starts etcd on machine N, where it was killed
#   .ci/replicas.sh patroni DIR N     starts Patroni on machine N, where it was killed
#   .ci/replicas.sh list    DIR       prints the members of the cluster
#   .ci/replicas.sh switchover DIR N  makes machine N the primary, as planned
#   .ci/replicas.sh stop    DIR       stops everything, and removes it
#
# A machine is a network namespace with an etcd, a Patroni and a PostgreSQL, which run as the user postgres. They
# share a bridge, 10.213.X.0/24: machine N has the address 10.213.X.N, this side 10.213.X.254. Root is needed for the
# namespaces alone. ESTIMATION_TEST_SEED repeats a run, ESTIMATION_TEST_FAULTS (50) says how many faults there are.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tools_dir=$root/target/replicas
patroni_version=4.1.5

action=${1:-run}
dir=${2:-}
number=${3:-}

fail() {
    echo "replicas.sh: $*" >&2
    exit 1
}

as_server() {
    (cd / && setpriv --reuid=postgres --regid=postgres --init-groups -- "$@")
}

# needs PROGRAM PACKAGE: checks for a program, and installs it with apt-get where possible.
needs() {
    command -v "$1" >/dev/null && return
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "$1 is missing: install the package '$2'"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2"; } >&2 ||
        fail "$1 is missing, and the package '$2' could not be installed"
}

postgres_bin() {
    local found
    found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
    [ -n "$found" ] && [ -x "$found/initdb" ] && echo "$found"
}

tools() {
    [ "$(id -u)" = 0 ] || fail "root is needed for network namespaces"
    needs ip iproute2
    needs setpriv util-linux
    needs curl curl
    postgres_bin >/dev/null || needs initdb postgresql
    postgres_bin >/dev/null || fail "the PostgreSQL server is missing: install the package 'postgresql'"
    id postgres >/dev/null 2>&1 || fail "the user 'postgres' is missing: the package 'postgresql' brings it"
    as_server test -x "$root" || fail "the user postgres cannot enter $root"
    mkdir -p "$tools_dir"
    if [ ! -x "$tools_dir/etcd" ]; then
        # Unpacked instead of installed, because the package would start a server.
        local work
        work=$(mktemp -d)
        (cd "$work" && chmod 755 . && { apt-get download -qq etcd-server || { apt-get update -qq && apt-get download -qq etcd-server; }; } &&
            dpkg-deb -x etcd-server*.deb .) >&2 || fail "the package 'etcd-server' could not be fetched"
        cp "$work/usr/bin/etcd" "$tools_dir/etcd"
        rm -rf "$work"
    fi
    if ! "$tools_dir/venv/bin/patroni" --version 2>/dev/null | grep -qF "$patroni_version"; then
        # The system's Python, because the user postgres must be able to run it.
        [ -x /usr/bin/python3 ] && /usr/bin/python3 -m venv --help >/dev/null 2>&1 || needs /usr/bin/python3 python3-venv
        rm -rf "$tools_dir/venv"
        /usr/bin/python3 -m venv "$tools_dir/venv" || fail "no Python environment: install the package 'python3-venv'"
        "$tools_dir/venv/bin/pip" install --quiet --disable-pip-version-check \
            "patroni[etcd3]==$patroni_version" 'psycopg[binary]>=3.2,<4' >&2 || fail "Patroni could not be installed from PyPI"
    fi
}

address() { echo "10.213.$network.$1"; }
namespace() { echo "cards-$network-$1"; }

# inside N COMMAND…: runs a command on machine N as the user postgres.
inside() {
    local machine=$1
    shift
    ip netns exec "$(namespace "$machine")" setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"
}

# service N NAME COMMAND…: starts a server on machine N that outlives this script.
service() {
    local machine=$1 name=$2
    shift 2
    # Its processes must not keep this script's output open.
    (cd "$dir/$machine" && inside "$machine" setsid "$@") </dev/null >>"$dir/$machine/$name.log" 2>&1 &
    disown
}

etcd() {
    local machine=$1 here members="" other
    here=$(address "$machine")
    for other in 1 2 3; do members="$members,machine$other=http://$(address "$other"):2380"; done
    service "$machine" etcd "$tools_dir/etcd" --name "machine$machine" --data-dir "$dir/$machine/etcd" --log-level warn \
        --listen-peer-urls "http://$here:2380" --initial-advertise-peer-urls "http://$here:2380" \
        --listen-client-urls "http://$here:2379" --advertise-client-urls "http://$here:2379" \
        --initial-cluster "${members#,}" --initial-cluster-state new --initial-cluster-token cards
}

patroni() { service "$1" patroni "$tools_dir/venv/bin/patroni" "$dir/$1/patroni.yml"; }

configure() {
    local machine=$1 here
    here=$(address "$machine")
    cat >"$dir/$machine/patroni.yml" <<YAML
scope: cards
name: machine$machine
restapi:
  listen: $here:8008
  connect_address: $here:8008
etcd3:
  hosts: $(address 1):2379,$(address 2):2379,$(address 3):2379
$(sed -n '/^bootstrap:/,/^postgresql:/{/^postgresql:/d;p}' "$root/docs/operations/patroni.yml")
  initdb:
    - encoding: UTF8
    - data-checksums
postgresql:
  listen: $here:5432
  connect_address: $here:5432
  data_dir: $dir/$machine/data
  bin_dir: $(postgres_bin)
  pgpass: $dir/$machine/pgpass
$(sed '1,/^postgresql:/d' "$root/docs/operations/patroni.yml")
  authentication:
    superuser: {username: postgres, password: cards}
    replication: {username: replicator, password: cards}
  parameters:
    unix_socket_directories: $dir/$machine
    shared_buffers: 64MB
  pg_hba:
    - local all all trust
    - host all all 10.213.$network.0/24 scram-sha-256
    - host replication replicator 10.213.$network.0/24 scram-sha-256
YAML
}

start() {
    [ -e "$dir" ] && fail "$dir is there already; '.ci/replicas.sh stop $dir' removes it"
    tools
    mkdir -p "$dir"
    local machine
    # The network belongs to the process that creates the bridge.
    for _ in $(seq 20); do
        network=$((RANDOM % 250 + 1))
        if ip link add "cards-$network" type bridge 2>/dev/null; then break; fi
        network=
    done
    [ -n "$network" ] || fail "no bridge: network namespaces need the capability CAP_NET_ADMIN"
    echo "$network" >"$dir/network"
    ip addr add "$(address 254)/24" dev "cards-$network"
    ip link set "cards-$network" up
    for machine in 1 2 3; do
        ip netns add "$(namespace "$machine")" || fail "no network namespace: CAP_SYS_ADMIN is needed"
        ip link add "$(namespace "$machine")" type veth peer name eth0 netns "$(namespace "$machine")"
        ip link set "$(namespace "$machine")" master "cards-$network" up
        ip -n "$(namespace "$machine")" addr add "$(address "$machine")/24" dev eth0
        ip -n "$(namespace "$machine")" link set eth0 up
        ip -n "$(namespace "$machine")" link set lo up
        mkdir -p "$dir/$machine"
        configure "$machine"
        chown -R postgres "$dir/$machine"
    done
    for machine in 1 2 3; do etcd "$machine"; done
    for machine in 1 2 3; do patroni "$machine"; done
    for _ in $(seq 240); do
        if [ "$(list 2>/dev/null | grep -cE 'Sync Standby +\| streaming|Replica +\| streaming')" = 2 ]; then
            echo "10.213.$network."
            return
        fi
        sleep 0.5
    done
    tail -n 5 "$dir"/*/*.log >&2
    fail "the cluster is not whole after two minutes"
}

ctl() { "$tools_dir/venv/bin/patronictl" -c "$dir/1/patroni.yml" "$@"; }
list() { ctl list; }
switchover() { ctl switchover cards --force --candidate "machine$1"; }

stop() {
    [ -e "$dir" ] || return 0
    local machine process
    if [ -n "$network" ]; then
        for machine in 1 2 3; do
            # SIGKILL also ends a stopped process. PostgreSQL's processes may fork until their parent is dead.
            for _ in $(seq 50); do
                process=$(ip netns pids "$(namespace "$machine")" 2>/dev/null) || true
                [ -n "$process" ] || break
                kill -KILL $process 2>/dev/null || true
                sleep 0.1
            done
            ip link del "$(namespace "$machine")" 2>/dev/null || true
            ip netns del "$(namespace "$machine")" 2>/dev/null || true
        done
        ip link del "cards-$network" 2>/dev/null || true
    fi
    rm -rf "$dir"
}

# The test removes its cluster itself, unless it is killed.
run() {
    tools
    work=$(mktemp -d)
    chmod 755 "$work"
    trap 'for left in "$work"/estimation-replicas-*; do "$0" stop "$left"; done; rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    (cd "$root" && TMPDIR=$work cargo test --locked --test it -- replicas::random --ignored --nocapture)
}

network=
if [ "$action" != run ] && [ "$action" != tools ]; then
    [ -n "$dir" ] || fail "usage: $0 [tools | start|stop|list DIR | etcd|patroni|switchover DIR N]"
    if [ -e "$dir/network" ]; then network=$(cat "$dir/network"); fi
fi

case $action in
    run | tools | start | list | stop) "$action" ;;
    etcd | patroni | switchover) "$action" "${number:?a machine}" ;;
    *) fail "no such action: $action" ;;
esac
