"""Writes what bench.sh measured into docs/performance.md: the machine, a table, and the targets.

    bench_table.py RESULTS DOCUMENT    writes the section
    bench_table.py row                 prints the row on the standard input
"""

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
        f"Measured on: {machine()}. Load average while measuring: {min(loads):.1f} to {max(loads):.1f}. The disk made"
        f" {floor['fsyncs_per_second']:.0f} fsyncs a second.",
        "",
        "| | per second | of its baseline | p50 ms | p99 ms | p99 corrected | bytes per command | server µs per command |"
        " driver's share |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        f"| baseline: bare SQLite loop, 64 rows a commit | {bare:.0f} | 1 | | | | | | |",
        f"| baseline: pgbench, 64 clients | {classic:.0f} | 1 | {by_name['classic']['latency_ms']:.1f} (mean) | | | | | |",
        f"| baseline: pgbench with a slow disk | {slow_classic:.0f} | 1 |"
        f" {by_name['classic, slow disk']['latency_ms']:.1f} (mean) | | | | | |",
        f"| an actix handler that stores nothing | {handler:.0f} | | | | | | | |",
    ]
    for row in rows:
        result = row["result"]
        if not isinstance(result, dict) or "commands_per_second" not in result:
            continue
        rate = result["commands_per_second"]
        baseline = None
        if row["name"].startswith("SQLite"):
            baseline = bare
        elif row["name"].startswith("PostgreSQL"):
            baseline = slow_classic if "slow" in row["name"] else classic
        ratio = f"{rate / baseline:.2f}" if baseline else ""
        latency, corrected = result["latency_ms"], result["corrected_latency_ms"]
        out.append(
            f"| {row['name']} | {rate:.0f} | {ratio} | {latency['p50']:.2f} | {latency['p99']:.2f} |"
            f" {corrected['p99']:.2f} | {result['bytes_per_command']:.0f} | {result['server_us_per_command']:.0f} |"
            f" {result['driver_cpu_share']:.2f} |"
        )
    if COLYSEUS not in by_name:
        out += ["", "The peers were not measured in this run."]
    get = lambda name, *path: value(by_name.get(name), *path)
    sqlite, postgres = "SQLite, 64 tables", "PostgreSQL, 64 tables"
    streams, followed, open_loop = ", 4 streams each", ", four players follow", ", open loop at 80 %"
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
        ("engine: 150,000 rounds of 13 tricks per second and core", rounds, 150000, True),
        ("idle: under 30 MiB resident", get("idle", "resident_mib"), 30, False),
        ("ready within 150 ms", get("idle", "ready_ms"), 150, False),
    ]
    for backend, name, most_us, most_p99 in (("SQLite", sqlite, 50, 20), ("PostgreSQL", postgres, 42, 15)):
        rate, rate_with_streams, rate_followed = (
            get(row, "commands_per_second") for row in (name, name + streams, name + followed)
        )
        p99 = get(name + open_loop, "corrected_latency_ms", "p99")
        cpu = get(name, "server_us_per_command")
        colyseus = get(COLYSEUS, "commands_per_second")
        targets += [
            (f"{backend}, 64 tables: at most {most_us} µs of the node for a command", cpu, most_us, False),
            (f"{backend}: at most 5 µs of the node for a frame to a viewer", frame(get(name), get(name + streams)), 5, False),
            (f"{backend}: with four streams each, 0.8 of the rate without", div(rate_with_streams, rate), 0.8, True),
            (f"{backend}: with four streams each, ahead of Colyseus", div(rate_with_streams, colyseus), 1, True),
            (f"{backend}: with four players who follow, ahead of Colyseus", div(rate_followed, colyseus), 1, True),
            (f"{backend}: p99 corrected at 80 % of the highest rate, at most {most_p99} ms", p99, most_p99, False),
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
    targets.append(("the search of `sharp`: 200 decisions a second with 1,000 playouts each", slowest, 200, True))
    reached, missed = [], []
    for what, measured, bound, at_least in targets:
        shown = "not measured" if measured is None else f"{measured:.0f}" if measured >= 100 else f"{measured:.2f}"
        well = measured is not None and (measured >= bound if at_least else measured < bound)
        (reached if well else missed).append((what, shown))
    out += ["", "Targets that are reached: " + "; ".join(f"{what} ({shown})" for what, shown in reached) + "."]
    out += ["", "| missed target | measured |", "|---|---:|"] + [f"| {what} | {shown} |" for what, shown in missed]
    out += ["", END]
    text = open(document).read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    open(document, "w").write(before + "\n".join(out) + after)


COLYSEUS = "Colyseus, in memory, 64 tables, pushes to four players"


def frame(without, with_streams):
    """The processor time of the node for a frame of a stream, in µs."""
    if without is None or with_streams is None or not with_streams["stream_frames"]:
        return None
    frames = with_streams["stream_frames"] / with_streams["commands"]
    return (with_streams["server_us_per_command"] - without["server_us_per_command"]) / frames


def described(row):
    """A row of the results for people, in one line."""
    name, result, conditions = row["name"], row["result"], [f"load {row['load']:.1f}"]
    said = []
    if isinstance(result, dict):
        for field, unit in MEASURES.items():
            said += [f"{result[field]:.0f} {unit}"] if field in result else []
        latency = result.get("latency_ms")
        if isinstance(latency, dict):
            said.append(f"p50 {latency['p50']:.2f} ms, p99 {latency['p99']:.2f} ms")
            said.append(f"p99 corrected {result['corrected_latency_ms']['p99']:.2f} ms")
        if "bytes_per_command" in result:
            said.append(f"{result['bytes_per_command']:.0f} bytes for each")
        if "turn_latency_ms" in result:
            said.append(f"the next player has it: p50 {result['turn_latency_ms']['p50']:.2f} ms")
        if "server_us_per_command" in result:
            said.append(f"{result['server_us_per_command']:.0f} µs of the server for each")
            said.append(f"driver's share {result['driver_cpu_share']:.2f}")
        if "fsyncs_per_second" in result:
            conditions.append(f"{result['fsyncs_per_second']:.0f} fsyncs/s")
    return f"   {name}: " + "; ".join(said + conditions)


MEASURES = {
    "commands_per_second": "commands/s",
    "transactions_per_second": "transactions/s",
    "sqlite_rows_per_second": "rows/s of the bare SQLite loop",
    "handler_requests_per_second": "requests/s of the empty handler",
    "ready_ms": "ms until ready",
    "resident_mib": "MiB resident",
}


def value(result, *path):
    for key in path:
        if not isinstance(result, dict):
            return None
        result = result.get(key)
    return result


def text_of(said):
    return said if isinstance(said, str) else ""


def div(a, b):
    return None if a is None or b is None else a / b


def rate_of(text):
    """The rounds per second of a ruleset with 13 tricks in every round, if the engine's bench says them."""
    found = re.search(r"^squares\s+(\d+)", text, re.M) if isinstance(text, str) else None
    return float(found.group(1)) if found else None


if sys.argv[1:] == ["row"]:
    print(described(json.loads(sys.stdin.read())))
else:
    main(*sys.argv[1:])
