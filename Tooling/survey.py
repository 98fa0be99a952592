#!/usr/bin/env python3
"""Prints a table of the targets: files, lines, public and package names, fan-in and fan-out.

usage: Tooling/survey.py [FOLDER]     FOLDER is a checkout of Diple; default: this one
"""

import json
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
package = json.loads(
    subprocess.run(
        ["swift", "package", "--package-path", str(root), "dump-package"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
)
targets = {t["name"]: t for t in package["targets"] if t["type"] in ("regular", "executable")}


def uses(target):
    names = [next(iter(d.values()))[0] for d in target["dependencies"]]
    return [n for n in names if n in targets and "path" in targets[n]]


def names(text, access):
    kinds = "struct|class|enum|actor|protocol|func|var|let|init|typealias|case|subscript"
    return len(
        re.findall(rf"^\s*(?:@\w+(?:\([^)]*\))? )*{access} (?:[a-z]+ )*?(?:{kinds})\b", text, re.M)
    )


rows = []
for name, target in targets.items():
    sources = sorted((root / target["path"]).rglob("*.swift"))
    if not sources:
        continue
    texts = [source.read_text() for source in sources]
    lines = [text.count("\n") for text in texts]
    rows.append(
        (
            name,
            len(sources),
            sum(lines),
            max(lines),
            sum(names(t, "public") for t in texts),
            sum(names(t, "package") for t in texts),
            sum(name in uses(other) for other in targets.values()),
            len(uses(target)),
        )
    )

print("| target | files | lines | longest | public | package | fan-in | fan-out |")
print("|---|---|---|---|---|---|---|---|")
for row in rows:
    print("| " + " | ".join(str(cell) for cell in row) + " |")
total = [sum(row[i] for row in rows) for i in (1, 2, 4, 5)]
print(f"| all | {total[0]} | {total[1]} | | {total[2]} | {total[3]} | | |")
