"""Renders pages of prose, distorts them like bad photographs, and measures how diple-ocr recognizes
them: the share of wrong words, and the time per page.

usage: OCR=PROGRAM [PAGES=NUMBER] python3 Tooling/bench-ocr.py
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

OCR = os.environ["OCR"]
PAGES = int(os.environ.get("PAGES", "2"))
FONTS = ["TeX Gyre Pagella 11", "Noto Sans 10", "EB Garamond 12"]

# The distortions, as arguments of ImageMagick.
LIGHT = [
    "(",
    "+clone",
    "-sparse-color",
    "barycentric",
    "0,0 gray(100%) {w},{h} gray(55%)",
    ")",
    "-compose",
    "multiply",
    "-composite",
]
CASES = {
    "clean": [],
    "noise and blur": [
        "-blur",
        "0x1.2",
        "-attenuate",
        "0.4",
        "+noise",
        "gaussian",
        "-quality",
        "70",
    ],
    "dark corner": LIGHT + ["-quality", "70"],
    "1.5°": ["-background", "white", "-rotate", "1.5", "-quality", "80"],
    "-4°, dark, noise": LIGHT
    + ["-background", "gray60", "-rotate", "-4", "-attenuate", "0.3", "+noise", "gaussian"],
    "8°": ["-background", "white", "-rotate", "8", "-quality", "80"],
    "-12°, blur": ["-background", "white", "-rotate", "-12", "-blur", "0x1", "-quality", "80"],
    "15°": ["-background", "white", "-rotate", "15", "-quality", "80"],
    "-15°, dark": LIGHT + ["-background", "white", "-rotate", "-15", "-quality", "80"],
    "perspective 6 %": [
        "-virtual-pixel",
        "white",
        "-distort",
        "perspective",
        "0,0 {x},{y} {w},0 {w},0 {w},{h} {x2},{h} 0,{h} 0,{y2}",
    ],
    "half size, 2°": ["-background", "white", "-rotate", "2", "-resize", "50%", "-quality", "80"],
    "90°": ["-rotate", "90", "-quality", "80"],
    "180°": ["-rotate", "180", "-quality", "80"],
    "270°, 3°": ["-background", "white", "-rotate", "273", "-quality", "80"],
}


def prose():
    """Returns paragraphs of Diple's documents, without Markdown's marks."""
    root = pathlib.Path(__file__).resolve().parent.parent
    paragraphs = []
    for path in [root / "Tooling/article.md", *sorted((root / "Documentation").glob("*.md"))]:
        for block in path.read_text().split("\n\n"):
            text = " ".join(block.split())
            if len(text) > 200 and not re.search(r"[|`\[\]<>#*_=$\\{}~^]|^[-\d]|https?:", text):
                paragraphs.append(text)
    return paragraphs


def errors(wanted, got):
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (word != other))
    return row[-1]


def plain(text):
    for sign, other in {
        "“": '"',
        "”": '"',
        "’": "'",
        "‘": "'",
        "–": "-",
        "—": "-",
        "…": "...",
    }.items():
        text = text.replace(sign, other)
    return text.split()


def main():
    paragraphs = prose()
    place = pathlib.Path(tempfile.mkdtemp())
    totals = {}
    slowest = 0.0
    print(f"| page | wrong words | s | sure |\n|---|--:|--:|--:|")
    for name, steps in CASES.items():
        wrong = count = 0
        times, sure = [], []
        for page in range(PAGES):
            text = "\n\n".join(paragraphs[(page * 3 + k) % len(paragraphs)] for k in range(3))
            (place / "page.txt").write_text(text)
            clean = place / "clean.png"
            subprocess.run(
                [
                    "pango-view",
                    "-q",
                    "--no-display",
                    "--dpi=300",
                    "--width=430",
                    "--margin=90",
                    "--wrap=word",
                    "--font",
                    FONTS[page % len(FONTS)],
                    "--output",
                    clean,
                    place / "page.txt",
                ],
                check=True,
            )
            size = subprocess.run(
                ["identify", "-format", "%w %h", clean], capture_output=True, text=True, check=True
            )
            w, h = map(int, size.stdout.split())
            values = {
                "w": w,
                "h": h,
                "x": int(w * 0.06),
                "y": int(h * 0.03),
                "x2": int(w * 0.96),
                "y2": int(h * 0.97),
            }
            ending = "jpg" if "-quality" in steps else "png"
            photo = place / f"photo.{ending}"
            subprocess.run(
                [
                    "convert",
                    clean,
                    "-colorspace",
                    "Gray",
                    *[step.format(**values) if "{" in step else step for step in steps],
                    photo,
                ],
                check=True,
            )
            folder = place / f"{len(totals)}-{page}"
            folder.mkdir(mode=0o700)
            (folder / "order.json").write_text(json.dumps({"path": str(photo), "languages": "eng"}))
            start = time.monotonic()
            subprocess.run([OCR, folder], check=True)
            times.append(time.monotonic() - start)
            answer = json.loads((folder / "answer.json").read_text())
            words = answer.get("page", {}).get("words", [])
            wanted = plain(text)
            wrong += errors(wanted, plain(" ".join(word["text"] for word in words)))
            count += len(wanted)
            sure.append(sum(word["confidence"] for word in words) / max(len(words), 1))
            if os.environ.get("SHOW"):
                print(
                    answer.get("problem") or (answer["page"]["quarters"], answer["page"]["angle"]),
                    file=sys.stderr,
                )
        totals[name] = wrong / count
        slowest = max(slowest, max(times))
        print(
            f"| {name} | {100 * wrong / count:.1f} % | {sum(times) / len(times):.2f} | {sum(sure) / len(sure):.0f} |",
            flush=True,
        )
    bad = [name for name, share in totals.items() if share > 0.02]
    print(f"\nslowest page {slowest:.2f} s; more than 2 % wrong: {', '.join(bad) or 'none'}")


main()
