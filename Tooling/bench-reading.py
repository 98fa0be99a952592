"""Measures the reader for `Tooling/bench reading`. Prints a table with a column for each text."""

import os
import pathlib
import random
import subprocess
import sys

probe, place = os.environ["PROBE"], pathlib.Path(os.environ["PLACE"])
SIZE = 10_000_000
WORDS = (
    "the quick brown fox jumps over a lazy **dog** while [readers](https://example.org) mark it"
).split()


def drawn():
    return " ".join(random.choice(WORDS) for _ in range(random.randint(20, 90)))


def paragraph():
    return drawn() + "\n"


def prose():
    text = drawn()
    return ("## " + text[:40] if random.random() < 0.1 else text) + "\n\n"


def row():
    text = drawn()
    cells = (text[:60].rsplit(" ", 1)[0], text[60:90].split(" ", 1)[-1].rsplit(" ", 1)[0])
    return f"| {random.randrange(SIZE)} | {cells[0]} | {cells[1]} |\n"


def made(name, piece, start=""):
    random.seed(7)
    path, parts, size = place / f"{name}.md", [start], 0
    while size < SIZE:
        parts.append(piece())
        size += len(parts[-1])
    path.write_text("".join(parts))
    return path


files = {path: path for path in sys.argv[1:]} or {
    "prose": made("prose", prose),
    "one table": made("table", row, "| number | text | more |\n|--:|---|---|\n"),
    "one paragraph": made("paragraph", paragraph),
}
goals, figures = {}, {}
for name, path in files.items():
    # Each text has a separate process, so that its memory can be measured.
    answer = subprocess.run(
        [probe, "reading", str(path)], check=True, capture_output=True, text=True
    )
    for line in answer.stdout.splitlines():
        what, goal, figure = line.split("\t")
        goals[what] = goal
        figures[what, name] = figure
print("| CPU time in ms: p50 / p99 / maximum | goal |" + "".join(f" {name} |" for name in files))
print("|---|---|" + "---|" * len(files))
for what, goal in goals.items():
    print(f"| {what} | {goal} |" + "".join(f" {figures[what, name]} |" for name in files))
