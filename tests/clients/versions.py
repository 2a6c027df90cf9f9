"""The packages of `clients/` and the second verifier have the version of the server, and the tools that `tests/clients` installs."""

import json
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
server = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
npm = json.loads((ROOT / "clients/typescript/package.json").read_text())
installed = json.loads((ROOT / "tests/clients/package.json").read_text())
pypi = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())
verifier = tomllib.loads((ROOT / "tests/verifier/pyproject.toml").read_text())
requirements = (ROOT / "tests/clients/requirements.txt").read_text().split()

wrong = [
    f"{name} has version {version}, and the server {server}"
    for name, version in [
        ("clients/typescript", npm["version"]),
        ("clients/python", pypi["project"]["version"]),
        ("tests/verifier", verifier["project"]["version"]),
    ]
    if version != server
]
tools = installed["dependencies"] | installed["devDependencies"]
for name, version in (npm["dependencies"] | npm["devDependencies"]).items():
    if tools[name] != version.lstrip("^"):
        wrong.append(f"clients/typescript has {name} {version}, and tests/clients {tools[name]}")
for requirement in pypi["build-system"]["requires"]:
    if requirement not in requirements:
        wrong.append(f"clients/python needs {requirement}, which tests/clients/requirements.txt does not have")
if wrong:
    sys.exit("\n".join(wrong))
print(f"packages: version {server}")
