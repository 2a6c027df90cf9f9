"""Writes what bench.sh measured into docs/performance.md: one table, the targets, and the machine."""

import json
import os
import platform
import re
import subprocess
import sys

BEGIN, END = "<!-- measured: written by bench.sh -->", "<!-- end of what bench.sh writes -->"


def machine():
    try:
        with open("/proc/cpuinfo") as file:
            cpu = re.search(r"model name\s*: (.*)", file.read()).group(1)
    except (OSError, AttributeError):
        cpu = platform.processor()
    with open("/proc/meminfo") as file:
        memory = int(re.search(r"MemTotal:\s*(\d+)", file.read()).group(1)) // 1024 // 1024
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    return f"{cpu}, {os.cpu_count()} processors, {memory} GiB, {platform.system()} {platform.release()}, commit {commit}"


def main(results, document):
    rows = [json.loads(line) for line in open(results)]
    by_name = {row["name"]: row["result"] for row in rows}
    floor = by_name["floor"]
    bare, handler = floor["sqlite_rows_per_second"], floor["handler_requests_per_second"]
    classic = by_name["classic"]["transactions_per_second"]
    slow_classic = by_name["classic, slow disk"]["transactions_per_second"]
    loads = [row["load"] for row in rows]
    out = [
        BEGIN,
        "",
        f"Measured on: {machine()}. Load average while measuring: {min(loads):.1f} to {max(loads):.1f}.",
        f"fsyncs per second of the disk at first: {floor['fsyncs_per_second']:.0f}; in the table, just before each row.",
        "",
        "| | per second | p50 ms | p99 ms | p99 corrected | of the bare SQLite loop | of pgbench | of the empty handler |"
        " server µs per command | driver's share | fsyncs/s |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        f"| bare SQLite loop, 64 rows a commit | {bare:.0f} | | | | 1 | | | | | {floor['fsyncs_per_second']:.0f} |",
        f"| pgbench, the classic transaction, 64 clients | {classic:.0f} |"
        f" {by_name['classic']['latency_ms']:.1f} (mean) | | | | 1 | | | | |",
        f"| pgbench with a slow disk | {slow_classic:.0f} |"
        f" {by_name['classic, slow disk']['latency_ms']:.1f} (mean) | | | | | | | | |",
        f"| an actix handler that stores nothing | {handler:.0f} | | | | | | 1 | | | |",
    ]
    for row in rows:
        result = row["result"]
        if not isinstance(result, dict) or "commands_per_second" not in result:
            continue
        rate = result["commands_per_second"]
        of_bare = f"{rate / bare:.2f}" if row["name"].startswith("SQLite") else ""
        of_classic = ""
        if row["name"].startswith("PostgreSQL"):
            of_classic = f"{rate / (slow_classic if 'slow' in row['name'] else classic):.2f}"
        cpu = result["server_us_per_command"]
        latency, corrected = result["latency_ms"], result["corrected_latency_ms"]
        out.append(
            f"| {row['name']} | {rate:.0f} | {latency['p50']:.2f} | {latency['p99']:.2f} | {corrected['p99']:.2f} |"
            f" {of_bare} | {of_classic} | {rate / handler:.2f} | {cpu:.0f} | {result['driver_cpu_share']:.2f} |"
            f" {rounded(result.get('fsyncs_per_second'))} |"
        )
    get = lambda name, *path: value(by_name.get(name), *path)
    sqlite, postgres = "SQLite, 64 tables", "PostgreSQL, 64 tables"
    streams = ", 4 streams each"
    rounds = rate_of(by_name.get("engine", ""))
    targets = [
        ("SQLite, 64 tables: 15,000 commands/s", get(sqlite, "commands_per_second"), 15000, True),
        ("SQLite, 64 tables: p99 under 15 ms", get(sqlite, "latency_ms", "p99"), 15, False),
        ("SQLite: 0.4 of the bare loop", div(get(sqlite, "commands_per_second"), bare), 0.4, True),
        ("PostgreSQL, 64 tables: 15,000 commands/s", get(postgres, "commands_per_second"), 15000, True),
        ("PostgreSQL, 64 tables: p99 under 10 ms", get(postgres, "latency_ms", "p99"), 10, False),
        ("PostgreSQL: twice pgbench's classic transaction", div(get(postgres, "commands_per_second"), classic), 2, True),
        ("SQLite with four streams each: 10,000 commands/s", get(sqlite + streams, "commands_per_second"), 10000, True),
        ("PostgreSQL with four streams each: 10,000 commands/s", get(postgres + streams, "commands_per_second"), 10000, True),
        ("SQLite, one table: p50 under 1 ms", get("SQLite, one table", "latency_ms", "p50"), 1, False),
        ("engine: 100,000 rounds of 13 tricks per second and core", rounds, 100000, True),
        ("idle: under 30 MiB resident", get("idle", "resident_mib"), 30, False),
        ("ready within 150 ms", get("idle", "ready_ms"), 150, False),
    ]
    for backend in ("SQLite", "PostgreSQL"):
        said = text_of(by_name.get(f"flat, {backend}"))
        ratio = re.search(r"late with (\d+) games to early with 1000: ([\d.]+)", said)
        what = f"{backend}: late in a long game of {int(ratio.group(1)):,} to early in one of 1,000" if ratio else f"{backend}: flat"
        targets.append((what, float(ratio.group(2)) if ratio else None, 1.2, False))
        sizes = re.findall(r"with all rows and indexes ([\d.]+) KB", said)
        targets.append((f"{backend}: at most 25 KB for a packed game", float(sizes[-1]) if sizes else None, 25, False))
    # A search stops early when one option is far ahead, so decisions times playouts counts.
    search = r"sharp\s+(\d+)\s+[\d.]+ µs\s+[\d.]+ µs\s+(\d+)"
    searched = [float(a) * float(b) / 1000 for a, b in re.findall(search, text_of(by_name.get("bots")))]
    slowest = min(searched) if searched else None
    targets.append(("the search of `sharp`: 100 decisions a second with 1,000 playouts each", slowest, 100, True))
    out += ["", "| target | measured | |", "|---|---:|---|"]
    for what, measured, bound, at_least in targets:
        if measured is None:
            out.append(f"| {what} | | not measured |")
            continue
        reached = measured >= bound if at_least else measured < bound
        shown = f"{measured:.0f}" if measured >= 100 else f"{measured:.2f}"
        out.append(f"| {what} | {shown} | {'reached' if reached else '**not reached**'} |")
    for name in ("engine", "record", "parts", "bots", "flat, SQLite", "flat, PostgreSQL"):
        if isinstance(by_name.get(name), str):
            bench, _, backend = name.partition(", ")
            on = f" on {backend}" if backend else ""
            out += ["", f"`cargo bench --bench {bench}` said{on}:", "", "```text", by_name[name], "```"]
    out += ["", END]
    text = open(document).read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    open(document, "w").write(before + "\n".join(out) + after)


def value(result, *path):
    for key in path:
        if not isinstance(result, dict):
            return None
        result = result.get(key)
    return result


def rounded(number):
    return "" if number is None else f"{number:.0f}"


def text_of(said):
    return said if isinstance(said, str) else ""


def div(a, b):
    return None if a is None else a / b


def rate_of(text):
    """The rounds per second of a ruleset with 13 tricks in every round, if the engine's bench says them."""
    found = re.search(r"^squares\s+(\d+)", text, re.M) if isinstance(text, str) else None
    return float(found.group(1)) if found else None


main(*sys.argv[1:])
