"""Refuses circles of more than two source files: `circles.py FOLDER …`, each with the sources of one crate.

A file uses another one if it names it by `crate::`, `super::` or `self::`, also through a re-export. That a file uses its
own parent modules, which declare it, is no edge.
"""

import re
import sys
from pathlib import Path

USES = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.MULTILINE)
PATHS = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")


def modules(root):
    """The text of each module, without comments and unit tests, by its path as a tuple."""
    found = {}
    for file in sorted(root.rglob("*.rs")):
        path = list(file.relative_to(root).with_suffix("").parts)
        if path[-1] in ("mod", "lib", "main"):
            path.pop()
        text = re.sub(r"//[^\n]*", "", file.read_text())
        found[tuple(path)] = text.partition("#[cfg(test)]\nmod tests")[0]
    return found


def leaves(use):
    """The single paths of a tree of `use`."""
    head, brace, rest = use.strip().partition("{")
    if not brace:
        return [head.strip()]
    parts, depth, part = [], 0, ""
    for character in rest[: rest.rindex("}")]:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [head + leaf for part in [*parts, part] if part.strip() for leaf in leaves(part)]


def absolute(module, path):
    """A path from the root of the crate; none for a path into another crate."""
    parts, base = path.split("::"), list(module)
    if parts[0] == "crate":
        return parts[1:]
    if parts[0] == "self":
        return base + parts[1:]
    while parts and parts[0] == "super":
        base, parts = base[:-1], parts[1:]
        if parts[:1] != ["super"]:
            return base + parts
    return None


def edges(found):
    """Which modules each module uses."""
    exported, used = {}, {module: set() for module in found}
    paths = {module: [path for path in PATHS.findall(USES.sub("", text))] for module, text in found.items()}
    for module, text in found.items():
        for use in USES.findall(text):
            for leaf in leaves(re.sub(r"\s+", " ", use)):
                path, _, name = leaf.partition(" as ")
                if module + (path.split("::")[0],) in found:
                    path = "self::" + path
                paths[module].append(path)
                target = absolute(module, path)
                if target:
                    exported[module + (name or target[-1],)] = target

    def resolved(path, depth=0):
        for end in range(len(path), -1, -1):
            module = tuple(path[:end])
            if module in found:
                through = exported.get(tuple(path[: end + 1])) if end < len(path) and depth < 8 else None
                other = resolved(through + path[end + 1 :], depth + 1) if through else None
                return module if other in (None, module) else other
        return None

    for module, named in paths.items():
        for path in named:
            target = absolute(module, path)
            other = resolved([part for part in target if part not in ("self", "*")]) if target is not None else None
            if other is not None and module[: len(other)] != other:
                used[module].add(other)
    return used


def circles(used):
    """The sets of modules that use each other, directly or not."""
    def reached(start):
        seen, waiting = set(), [start]
        while waiting:
            for other in used[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        return seen

    reach = {module: reached(module) for module in used}
    return {frozenset(other for other in reach[module] if module in reach[other]) for module in used} - {frozenset()}


def main(folders):
    wrong = 0
    for folder in folders:
        found = modules(Path(folder))
        if len(found) < 3:
            sys.exit(f"circles.py: {folder} has no sources")
        for circle in circles(edges(found)):
            if len(circle) > 2:
                wrong += 1
                print(f"{folder}: a circle of {len(circle)} files: " + ", ".join(sorted("::".join(module) for module in circle)))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
