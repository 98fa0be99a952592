#!/usr/bin/env python3
"""Writes Modules/Model/LetterVariants.swift from Python's Unicode data.

usage: Tooling/generate-letter-variants.py
"""

import pathlib
import unicodedata

root = pathlib.Path(__file__).resolve().parent.parent
groups = {}
for code in range(0x80, 0x3000):
    letter = chr(code)
    whole = unicodedata.normalize("NFD", letter)
    marks = whole[1:]
    if marks and whole[0].isalpha() and all(unicodedata.category(mark) == "Mn" for mark in marks):
        groups.setdefault(whole[0], []).append(letter)

# Superscript and subscript letters and digits.
for code in range(0x80, 0x3000):
    form, _, base = unicodedata.decomposition(chr(code)).partition(" ")
    if form in ("<super>", "<sub>") and len(base) == 4 and chr(int(base, 16)).isalnum():
        letter = chr(int(base, 16))
        if letter.isascii() or letter.islower():
            groups.setdefault(letter, []).append(chr(code))

lines = []
for base in sorted(groups):
    variants = groups[base]
    for start in range(0, len(variants), 60):
        lines.append("  " + base + "".join(variants[start : start + 60]))
text = "\n".join(lines)
(root / "Modules/Model/LetterVariants.swift").write_text(
    f"""/// Each letter with those that decompose canonically to it and nonspacing marks, and its raised and
/// lowered forms (Unicode {unicodedata.unidata_version}). Written by Tooling/generate-letter-variants.py.
let letterVariants = #\"\"\"
{text}
  \"\"\"#
"""
)
