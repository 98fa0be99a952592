#!/usr/bin/env python3
"""Measures the time for placing quotes without offsets in many documents.

usage: Tooling/bench-import.py [DOCUMENTS [QUOTES]]   default: 10000 1000; DIPLE is the program"""

import itertools, os, random, resource, subprocess, sys, tempfile, time

documents = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
quotes = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
diple = os.environ.get("DIPLE") or os.path.join(root, ".build/release/diple")
random.seed(20_260_701)

syllables = [
    a + b
    for a in "b d f g k l m n p r s t v z br st tr".split()
    for b in "a e i o u ai on er is".split()
]
words = [
    "".join(random.choices(syllables, k=random.choice([1, 1, 2, 2, 3, 4]))) for _ in range(20_000)
]
weights = list(itertools.accumulate(1 / (n + 5) for n in range(len(words))))


def sentence():
    return (
        " ".join(random.choices(words, cum_weights=weights, k=random.randint(8, 24))).capitalize()
        + "."
    )


def clipping(number, quote):
    return (
        f"Book {number % 37} (Author {number % 37})\r\n- Your Highlight on Location {number * 3}-{number * 3 + 2} "
        f"| Added on Friday, 27 January 2023 05:56:46\r\n\r\n{quote}\r\n==========\r\n"
    )


with tempfile.TemporaryDirectory(prefix="diple-bench-") as folder:
    environment = {
        **os.environ,
        "HOME": folder + "/home",
        "XDG_DATA_HOME": "",
        "XDG_CONFIG_HOME": "",
    }
    os.makedirs(folder + "/home")
    os.makedirs(folder + "/notes")

    def run(*arguments):
        def processor():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        began, used = time.monotonic(), processor()
        done = subprocess.run(
            [diple, *arguments],
            cwd=folder + "/notes",
            env=environment,
            capture_output=True,
            text=True,
        )
        return f"{time.monotonic() - began:.2f} s (CPU {processor() - used:.2f} s)", done

    wanted = []
    for number in range(documents):
        paragraphs = [" ".join(sentence() for _ in range(6)) for _ in range(random.randint(2, 8))]
        with open(f"{folder}/notes/{number}.md", "w") as file:
            file.write(f"# Note {number}\n\n" + "\n\n".join(paragraphs) + "\n")
        if number % max(1, documents // (quotes * 9 // 10)) == 0 and len(wanted) < quotes * 9 // 10:
            wanted.append(random.choice(random.choice(paragraphs).split(". ")).rstrip("."))
    wanted += [sentence() for _ in range(quotes - len(wanted))]
    with open(folder + "/clippings.txt", "w", newline="") as file:
        file.write("".join(clipping(*item) for item in enumerate(wanted)))

    run("init")
    print(f"add {documents} documents: {run('add', '.')[0]}")
    took, done = run("import", "../clippings.txt", "--no-daemon")
    placed = sum("Quotes/" not in line for line in done.stdout.splitlines())
    print(f"import {len(wanted)} quotes: {took}; {placed} placed; {done.stderr.splitlines()[-1]}")
    took, done = run("import", "../clippings.txt", "--no-daemon")
    print(f"import the same quotes again: {took}; {done.stderr.splitlines()[-1]}")
