#!/usr/bin/env python3
"""Writes Modules/RichTextFormats/CodePageTables.swift from Python's code pages.

usage: Tooling/generate-code-pages.py
"""

import pathlib

root = pathlib.Path(__file__).resolve().parent.parent
WINDOWS = (
    437,
    737,
    775,
    850,
    852,
    855,
    857,
    860,
    861,
    862,
    863,
    864,
    865,
    866,
    869,
    874,
    1250,
    1251,
    1252,
    1253,
    1254,
    1255,
    1256,
    1257,
    1258,
)
NAMES = {number: f"cp{number}" for number in WINDOWS} | {
    10000: "mac_roman",
    10006: "mac_greek",
    10007: "mac_cyrillic",
    10029: "mac_latin2",
    10079: "mac_iceland",
    10081: "mac_turkish",
    28591: "iso8859-1",
    28592: "iso8859-2",
    28595: "iso8859-5",
    28605: "iso8859-15",
}


def meaning(byte, name):
    try:
        return ord(bytes([byte]).decode(name))
    except UnicodeDecodeError:
        # As in Windows: unassigned bytes from 0x80 to 0x9F are control characters.
        return byte if byte < 160 and name.startswith("cp12") else 0xFFFD


lines = [
    "// Made by Tooling/generate-code-pages.py.",
    "",
    "/// The bytes 128 to 255 of single-byte code pages as UTF-16. Each page is its number and a colon,",
    "/// followed by 128 units of four hexadecimal digits.",
    'let singleBytePageTable = """',
]
for number, name in NAMES.items():
    digits = "".join(f"{meaning(byte, name):04x}" for byte in range(128, 256))
    lines.append(f"  {number}:")
    lines += ["  " + digits[at : at + 96] for at in range(0, len(digits), 96)]
lines.append('  """')
(root / "Modules/RichTextFormats/CodePageTables.swift").write_text("\n".join(lines) + "\n")
