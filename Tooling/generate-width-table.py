#!/usr/bin/env python3
"""Writes Modules/Rendering/WidthTable.swift from Debian's unicode-data package.

usage: Tooling/generate-width-table.py [/usr/share/unicode]
"""
import pathlib
import sys

data = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")
root = pathlib.Path(__file__).resolve().parent.parent


def rows(name):
    for line in (data / name).read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            yield [part.strip() for part in line.split(";")]


def span(text):
    first, _, last = text.partition("..")
    return int(first, 16), int(last or first, 16)


wide, zero = set(), set()
for codes, width in rows("EastAsianWidth.txt"):
    if width in ("W", "F"):
        first, last = span(codes)
        wide.update(range(first, last + 1))
for row in rows("UnicodeData.txt"):
    code = int(row[0], 16)
    if row[2] in ("Mn", "Me") or (row[2] == "Cf" and code not in (0xAD, *range(0x600, 0x606), 0x6DD, 0x70F, 0x8E2)):
        zero.add(code)
zero.update(range(0x1160, 0x1200))  # Hangul vowels and finals join the syllable before.
wide -= zero


def runs(codes):
    result = []
    for code in sorted(codes):
        if result and result[-1][1] == code - 1:
            result[-1][1] = code
        else:
            result.append([code, code])
    return result


def table(name, comment, codes):
    text, line = f"/// {comment}\nlet {name}: [UInt32] = [\n", "  "
    for first, last in runs(codes):
        item = f"0x{first:X}, 0x{last:X}, "
        if len(line) + len(item) > 98:
            text, line = text + line.rstrip() + "\n", "  "
        line += item
    return text + line.rstrip() + "\n]\n"


(root / "Modules/Rendering/WidthTable.swift").write_text(
    table("wideRuns", "Scalars that take two columns: first and last of each run (East Asian Width W and F).", wide)
    + "\n"
    + table("zeroRuns", "Scalars that take no column: first and last of each run (Mn, Me, Cf).", zero)
)
