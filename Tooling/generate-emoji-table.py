#!/usr/bin/env python3
"""Writes Modules/MarkdownParse/EmojiTable.swift, the only table of emoji, from GitHub's names.

The source is `pymdownx/gemoji_db.py` of pymdown-extensions (PyPI; Debian python3-pymdownx; MIT), which is
derived from GitHub's gemoji (MIT). It omits pictures that are not characters, such as `shipit`.
A wheel contains it: pip download --no-deps pymdown-extensions && unzip pymdown_extensions-*.whl

usage: Tooling/generate-emoji-table.py pymdownx/gemoji_db.py
"""

import pathlib
import runpy
import sys

data = runpy.run_path(sys.argv[1])
root = pathlib.Path(__file__).resolve().parent.parent
names = {}
for name, entry in data["emoji"].items():
    if "unicode" in entry:
        code = entry.get("unicode_alt") or entry["unicode"]
        names[name.strip(":")] = "".join(chr(int(part, 16)) for part in code.split("-"))
for alias, name in data["aliases"].items():
    if name.strip(":") in names:
        names[alias.strip(":")] = names[name.strip(":")]

lines, line = [], "  "
for name in sorted(names, key=lambda name: name.encode()):
    entry = f"{name} {names[name]};"
    if len(line) + len(entry) > 92:
        lines.append(line + "\\")
        line = "  "
    line += entry
lines.append(line)
text = "\n".join(lines)
(root / "Modules/MarkdownParse/EmojiTable.swift").write_text(
    f'''/// The names of emoji, sorted by their bytes: `name emoji;`. Written by
/// Tooling/generate-emoji-table.py from gemoji's names, version {data["version"]}.
let emojiTable: StaticString = """
{text}
  """
'''
)
print(len(names), "names,", len(lines), "lines")
