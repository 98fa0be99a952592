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
    if row[2] in ("Mn", "Me") or (
        row[2] == "Cf" and code not in (0xAD, *range(0x600, 0x606), 0x6DD, 0x70F, 0x8E2)
    ):
        zero.add(code)
zero.update(range(0x1160, 0x1200))  # Hangul vowels and finals combine with the preceding syllable.
zero.update((0x3164, 0xFFA0))  # Fillers are invisible.
# Wide since Unicode 16 and 17, which the package may not include yet.
for first, last in (
    (0x2630, 0x2637),
    (0x268A, 0x268F),
    (0x2FFC, 0x2FFF),
    (0x31E4, 0x31E5),
    (0x31EF, 0x31EF),
    (0x4DC0, 0x4DFF),
    (0x16FF2, 0x16FF6),
    (0x187F8, 0x187FF),
    (0x18CFF, 0x18CFF),
    (0x18D09, 0x18D1E),
    (0x18D80, 0x18DF2),
    (0x1D300, 0x1D356),
    (0x1D360, 0x1D376),
    (0x1F6D8, 0x1F6D8),
    (0x1FA89, 0x1FA8A),
    (0x1FA8E, 0x1FA8F),
    (0x1FABE, 0x1FABE),
    (0x1FAC6, 0x1FAC6),
    (0x1FAC8, 0x1FAC8),
    (0x1FACD, 0x1FACD),
    (0x1FADC, 0x1FADC),
    (0x1FADF, 0x1FADF),
    (0x1FAE9, 0x1FAEA),
    (0x1FAEF, 0x1FAEF),
):
    wide.update(range(first, last + 1))
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
    table(
        "wideRuns",
        "Scalars that take two columns: first and last of each run (East Asian Width W and F).",
        wide,
    )
    + "\n"
    + table(
        "zeroRuns", "Scalars that take no column: first and last of each run (Mn, Me, Cf).", zero
    )
)
