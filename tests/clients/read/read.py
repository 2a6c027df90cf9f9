"""Reads generated C#, Dart and Swift, for which there is no compiler here, and fails on types that say nothing.

    python read.py csharp|dart|swift FOLDER

A model must have members, no member is a bare array or a list of anything, and the members of what the game is
played with (hands, commands, events, rounds) are not of a type that holds anything.
"""

import re
import sys
from pathlib import Path

LANGUAGES = {
    # The suffix of files, a model's declaration, a member with its type, and types that say nothing.
    "csharp": (
        "*.cs",
        re.compile(r"public partial class (\w+)"),
        re.compile(r"^\s+public (?:new )?([\w<>?,. ]+?) (\w+) \{ get;", re.MULTILINE),
        re.compile(r"\b(?:[Oo]bject|dynamic|JsonElement|Array)\b|List<(?:[Oo]bject|dynamic)\??>"),
    ),
    "dart": (
        "*.dart",
        re.compile(r"^(?:abstract )?class (\w+)", re.MULTILINE),
        re.compile(r"^  (?:final )?([A-Z][\w<>?, ]*|int|bool|num|double|dynamic)\??(?: get)? (\w+);", re.MULTILINE),
        re.compile(r"\b(?:Object|dynamic|JsonObject)\b|^(?:List|BuiltList)\??$"),
    ),
    "swift": (
        "*.swift",
        re.compile(r"public (?:struct|final class|enum|indirect enum) (\w+)"),
        re.compile(r"^\s+(?:public (?:private\(set\) )?var (?P<name>\w+): (?P<type>[^={\n]+)|case (\w+)(?:\((\w+)\)| =))", re.MULTILINE),
        re.compile(r"\b(?:Any|AnyCodable|AnyObject|JSONValue|Array)\b(?!<)"),
    ),
}
PLAYED_WITH = re.compile(r"Hand|Command|Event|Round|GameView|Trick")


def members(language: str, text: str) -> list[tuple[str, str]]:
    """The names and types of a model's members."""
    found = []
    for match in LANGUAGES[language][2].finditer(text):
        if language == "swift":
            found.append((match["name"] or match[3], (match["type"] or match[4] or "").strip()))
        else:
            found.append((match[2], match[1].strip()))
    return [(name, kind) for name, kind in found if name.lower() not in ("additionalproperties", "hashcode")]


def read(language: str, folder: Path) -> list[str]:
    pattern, declaration, _, empty_type = LANGUAGES[language]
    faults, models = [], 0
    for path in sorted(folder.rglob(pattern)):
        text = path.read_text()
        declared = declaration.search(text)
        if declared is None or "/models/" not in str(path).lower().replace("/model/", "/models/"):
            continue
        models += 1
        name, found = declared[1], members(language, text)
        if not found and "enum" not in text and "class " + name + " extends EnumClass" not in text:
            faults.append(f"{name} is empty")
        for member, kind in found:
            if empty_type.search(kind) and (PLAYED_WITH.search(name) or re.search("Array|List", kind)):
                faults.append(f"{name}.{member} is {kind}")
    if models < 50:
        faults.append(f"only {models} models were found in {folder}")
    return faults


faults = read(sys.argv[1], Path(sys.argv[2]))
print(*faults, sep="\n", end="\n" if faults else "")
sys.exit(bool(faults))
