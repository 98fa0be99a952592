#!/usr/bin/env python3
"""Builds a set of highlights in real edits from the history of a git repository, in the form that
`Tooling/bench anchoring` reads.

usage: Tooling/anchor-set.py GIT-DIR OUT [--files N] [--each N] [--steps N] [--seed N]

Random passages of a file's old version are followed to a later version, commit by commit, by two
diffs of tokens (Myers and patience). A passage is kept if both diffs agree on its place, with at
least 70 % of its letters, or on its deletion, with at most 5 % left; all others are left out,
because diffs match the small words of unrelated sentences. The texts belong to the repository, so
don't commit the set.
"""

import argparse
import gzip
import json
import os
import random
import re
import subprocess
import tempfile

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
LONGEST = 120_000
"""Files of more characters are left out."""
LENGTHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 40, 80]
"""The lengths of passages, in tokens."""


class History:
    def __init__(self, git_dir):
        self.git_dir = git_dir

    def git(self, *words):
        done = subprocess.run(
            ["git", "--git-dir", self.git_dir, *words], capture_output=True, check=False
        )
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

    def files(self):
        names = (self.git("ls-tree", "-r", "--name-only", "HEAD") or "").splitlines()
        return [name for name in names if name.endswith((".md", ".markdown", ".mdx"))]

    def versions(self, name, steps):
        """The last different texts of a file, oldest first."""
        commits = (self.git("log", "--format=%H", "--", name) or "").split()
        texts = []
        for commit in reversed(commits[:steps]):
            text = self.git("show", f"{commit}:{name}")
            if text and len(text) <= LONGEST and "\r" not in text and text not in texts[-1:]:
                texts.append(text)
        return texts


def tokens(text):
    return [match.span() for match in TOKEN.finditer(text)]


def diff(old, new, algorithm, folder):
    """For each old token the index of the equal new one, or -1."""
    paths = []
    for name, words in (("a", old), ("b", new)):
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write("".join(word + "\n" for word in words))
    out = subprocess.run(
        ["git", "diff", "--no-index", "-U0", f"--diff-algorithm={algorithm}", *paths],
        capture_output=True,
        check=False,
    ).stdout.decode("utf-8", "replace")
    target = [-1] * len(old)
    i = j = 0
    hunks = re.findall(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", out, re.M)
    for a, count, b, added in [*hunks, (len(old) + 1, "0", len(new) + 1, "0")]:
        count, added = int(count or 1), int(added or 1)
        end = int(a) - 1 if count or not hunks or a == len(old) + 1 else int(a)
        while i < end:
            target[i] = j
            i, j = i + 1, j + 1
        i, j = i + count, j + added
    return target


def composed(texts, algorithm, folder):
    """The map of tokens from the first text to the last one."""
    words = [[text[a:b] for a, b in tokens(text)] for text in texts]
    target = list(range(len(words[0])))
    for old, new in zip(words, words[1:]):
        step = diff(old, new, algorithm, folder)
        target = [step[place] if place >= 0 else -1 for place in target]
    return target


def place(target, first, end, spans, weights):
    """The share of a passage's letters that survive, and the range from the first to the last."""
    kept = [target[index] for index in range(first, end) if target[index] >= 0]
    if not kept:
        return 0, None
    if max(kept) - min(kept) > 3 * (end - first) + 24:
        return None, None
    left = sum(weights[index] for index in range(first, end) if target[index] >= 0)
    return left / sum(weights[first:end]), (spans[min(kept)][0], spans[max(kept)][1])


def overlap(a, b):
    shared = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    return shared / (max(a[1], b[1]) - min(a[0], b[0]))


def units(text, index):
    return len(text[:index].encode("utf-16-le")) // 2


def cases(texts, each, folder, choose):
    """Passages of the first text with their places in the last one."""
    old, new = texts[0], texts[-1]
    maps = [composed(texts, algorithm, folder) for algorithm in ("myers", "patience")]
    spans = (tokens(old), tokens(new))
    if len(spans[0]) < 100 or maps[0] == list(range(len(spans[0]))):
        return
    weights = [b - a if old[a].isalnum() else 0.25 for a, b in spans[0]]
    changed = [index for index, place in enumerate(maps[0]) if place < 0]
    for number in range(each):
        length = choose.choice(LENGTHS)
        # Half of the passages are near a change.
        first = choose.randrange(len(spans[0]))
        if changed and number % 2:
            first = choose.choice(changed) - choose.randrange(2 * length)
        if first < 0 or first + length > len(spans[0]):
            continue
        start, end = spans[0][first][0], spans[0][first + length - 1][1]
        quote = old[start:end]
        if not any(character.isalpha() for character in quote):
            continue
        found = [place(target, first, first + length, spans[1], weights) for target in maps]
        shares = [share for share, _ in found]
        if None in shares:
            continue
        truth = None
        if min(shares) >= 0.7:
            if overlap(found[0][1], found[1][1]) < 0.95:
                continue
            truth = found[0][1]
            kind = "same" if new[truth[0] : truth[1]] == quote else "edited"
        elif max(shares) <= 0.05 and quote not in new:
            kind = "deleted"
        else:
            continue
        yield {
            "old_start16": units(old, start),
            "old_end16": units(old, end),
            "truth": truth and {"start16": units(new, truth[0]), "end16": units(new, truth[1])},
            "kind": "near" if len(texts) == 2 else "far",
            "class": kind,
            "tags": ["short"] if length <= 3 else ["long"] if length >= 24 else [],
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("git_dir")
    parser.add_argument("out")
    parser.add_argument("--files", type=int, default=60, help="maximum number of files")
    parser.add_argument(
        "--each", type=int, default=24, help="number of passages of each pair of versions"
    )
    parser.add_argument(
        "--steps", type=int, default=12, help="maximum number of versions of a file"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    choose = random.Random(options.seed)
    history = History(options.git_dir)
    names = history.files()
    choose.shuffle(names)
    keys, lines = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in names[: options.files]:
            texts = history.versions(name, options.steps)
            if len(texts) < 2:
                continue
            step = choose.randrange(len(texts) - 1)
            for chain in (texts, texts[step : step + 2]):
                for case in cases(chain, options.each, folder, choose):
                    case["old"] = keys.setdefault(chain[0], f"t{len(keys)}")
                    case["new"] = keys.setdefault(chain[-1], f"t{len(keys)}")
                    case["id"] = f"c{len(lines)}"
                    lines.append(case)
    os.makedirs(options.out, exist_ok=True)
    rows = [{"rev": key, "text": text} for text, key in keys.items()]
    for file, entries in (("cases", lines), ("texts", rows)):
        with gzip.open(os.path.join(options.out, f"{file}.jsonl.gz"), "wt") as out:
            out.writelines(json.dumps(entry) + "\n" for entry in entries)
    print(f"{len(lines)} passages in {len(keys)} texts")


main()
