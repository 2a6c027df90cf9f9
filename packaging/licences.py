"""Prints the licences of all crates in the programs, and of the JavaScript in them: `packaging/licences.py TRIPLE`.

The texts are those in the sources of each crate, each once. A crate without a text is under licences of which another
crate has the text, or this fails.
"""

import json
import pathlib
import re
import subprocess
import sys

PROGRAMS = {"estimation", "estimation-audit"}
NAME = re.compile(r"^(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)
# How the text of a licence is recognised.
MARKS = {
    "MIT": "permission is hereby granted, free of charge",
    "Apache-2.0": "apache license",
    "BSD-3-Clause": "redistributions in binary form",
    "ISC": "permission to use, copy, modify, and/or distribute",
    "Zlib": "altered source versions must be plainly marked",
    "Unicode-3.0": "unicode license v3",
    # These ask for no notice.
    "0BSD": "",
    "MIT-0": "",
}
LINE = "=" * 80


def metadata(triple):
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--all-features", "--filter-platform", triple]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def used(found):
    """The packages that the programs are built of, without those of tests."""
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    packages = {package["id"]: package for package in found["packages"]}
    waiting = [id for id, package in packages.items() if package["name"] in PROGRAMS]
    seen = set()
    while waiting:
        id = waiting.pop()
        if id in seen:
            continue
        seen.add(id)
        for dependency in nodes[id]["deps"]:
            if any(kind["kind"] in (None, "build") for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    return sorted((packages[id] for id in seen), key=lambda package: (package["name"], package["version"]))


def texts(folder):
    files = [file for file in sorted(folder.iterdir()) if NAME.match(file.name)]
    files += [inner for file in files if file.is_dir() for inner in sorted(file.iterdir())]
    return [file.read_text(errors="replace").strip() for file in files if file.is_file()]


def main():
    licences, alone = {}, []
    for package in used(metadata(sys.argv[1])):
        title = f"{package['name']} {package['version']} ({package['license']})"
        found = texts(pathlib.Path(package["manifest_path"]).parent)
        for text in found:
            licences.setdefault(text, []).append(title)
        if not found:
            alone.append((title, package["license"] or ""))
    for file in sorted(pathlib.Path("web/vendor").glob("*/*LICENSE*")):
        licences.setdefault(file.read_text().strip(), []).append(f"{file.parent.name}, in the web app")
    for file in sorted(pathlib.Path("openapi/browser").iterdir()):
        if NAME.match(file.name) or file.name.endswith("LICENSE.txt"):
            licences.setdefault(file.read_text().strip(), []).append("Swagger UI, the API browser")
    everything = "\n".join(licences).lower()
    for title, expression in alone:
        names = re.findall(r"[A-Za-z0-9.-]+", re.sub(r"\b(AND|OR|WITH)\b", " ", expression))
        if not any(MARKS.get(name, "\0") in everything for name in names):
            sys.exit(f"there is no text of a licence of {title}")
    print("The licences of what the programs of Estimation are built of.")
    for text, titles in sorted(licences.items(), key=lambda entry: entry[1]):
        print(f"\n{LINE}\n" + "\n".join(titles) + f"\n\n{text}")
    if alone:
        print(f"\n{LINE}\nWithout a text of their own, under licences printed above:\n" + "\n".join(title for title, _ in alone))


main()
