"""Measures searches for `Tooling/bench search`: the same queries on the same files, by Diple,
ripgrep and plain SQLite, in one run. The first table has the goals, the others the details."""

import itertools
import json
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

diple, probe, place = os.environ["DIPLE"], os.environ["PROBE"], pathlib.Path(os.environ["PLACE"])
FILES, SIZE = 10_000, 12_000


def corpus():
    """Creates files of prose with words distributed as in natural language (Zipf's law)."""
    random.seed(11)
    syllables = [
        a + b + c
        for a in "bdfgklmnprstvw"
        for b in ("a", "e", "i", "o", "u", "ea", "ou")
        for c in ("", "n", "r", "s", "t", "l")
    ]
    common = (
        "the of and to a in is that it was for on are as with his they be at one have this "
        "from by hot but some what there we can out other were all your when up use word how"
    ).split()
    words, seen = list(common), set(common)
    while len(words) < 40_000:
        word = "".join(random.choice(syllables) for _ in range(random.choice((1, 2, 2, 3, 3, 4))))
        if word not in seen:
            seen.add(word)
            words.append(word)
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    rare = ["semaphore", "synchronization", "CreateFile", "critical section", "größe", "北京大学"]
    folder = place / "files"
    total = 0
    for number in range(FILES):
        drawn = iter(random.choices(words, cum_weights=weights, k=SIZE // 4))
        parts, length = [f"# {next(drawn).capitalize()} {number}\n\n"], 0
        while length < SIZE * (0.4 + number % 7 / 5):
            sentence = [next(drawn, "end") for _ in range(random.randint(6, 22))]
            if random.random() < 0.02:
                sentence[random.randrange(len(sentence))] = f"**{sentence[0]}**"
            if random.random() < 0.02:
                sentence[-1] = f"[{sentence[-1]}](https://example.org/{number})"
            if random.random() < 0.0002:
                sentence.insert(1, random.choice(rare))
            text = (
                " ".join(sentence).capitalize() + ". " + ("\n\n" if random.random() < 0.15 else "")
            )
            parts.append(text)
            length += len(text)
        path = folder / f"{number % 100:02}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(parts) + "\n"
        path.write_text(text)
        total += len(text.encode())
    return folder


def run(*command, timeout=300, **options):
    """Runs a command; returns wall and CPU time in milliseconds, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, **options
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(
            f"bench: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr.decode()}"
        )
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1e3, used * 1e3, done.stdout


def best(*command, count=5, **options):
    """Returns the median wall time and the minimal CPU time, after one run to warm up."""
    runs = [run(*command, **options) for _ in range(count + 1)][1:]
    return statistics.median(r[0] for r in runs), min(r[1] for r in runs)


if not shutil.which("rg"):
    sys.exit("bench: ripgrep (rg) is not installed")
folder = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else corpus()
files = sorted(p for p in folder.rglob("*.md") if p.is_file())
size = sum(p.stat().st_size for p in files)
if not files:
    sys.exit(f"bench: {folder} contains no Markdown files")
cpu = next(
    (l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?"
)
version = run("rg", "--version")[2].decode().splitlines()[0]
print(
    f"{time.strftime('%Y-%m-%d')}, {cpu}, {os.cpu_count()} cores (load {os.getloadavg()[0]:.1f}), "
    f"{len(files)} files, {size / 1e6:.0f} MB, {version} with its default number of threads\n",
    flush=True,
)

library = place / "library"
env = dict(os.environ, DIPLE_LIBRARY=str(library), HOME=str(place), NO_COLOR="1")
added = run(diple, "add", str(folder), env=env, timeout=1200)
database = sqlite3.connect(library / "library.sqlite")
bytes_text = database.execute("SELECT sum(s.size) FROM snapshot s").fetchone()[0]


def table_size(name):
    total = 0
    for (table,) in database.execute(
        "SELECT name FROM sqlite_schema WHERE name LIKE ? ESCAPE '!'", (name + "!_%",)
    ):
        if table.endswith("_data"):
            total += (
                database.execute(f"SELECT sum(length(block) + 8) FROM {table}").fetchone()[0] or 0
            )
        if table.endswith("_docsize"):
            total += database.execute(f"SELECT sum(length(sz) + 8) FROM {table}").fetchone()[0] or 0
    return total


missing = len(files) - database.execute("SELECT count(*) FROM text_index").fetchone()[0]
trigrams, words = table_size("text_trigrams"), table_size("text_words")
database.close()
looked = run(diple, "doctor", env=env, timeout=600)
rebuilt = run(diple, "doctor", "--rebuild-index", env=env, timeout=600)
wall, used = rebuilt[0] - looked[0], rebuilt[1] - looked[1]

raw = sqlite3.connect(place / "raw.sqlite")
raw.execute(
    "CREATE VIRTUAL TABLE t USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2')"
)
start = time.process_time(), time.perf_counter()
raw.executemany("INSERT INTO t VALUES (?)", ((p.read_text(errors="replace"),) for p in files))
raw.commit()
raw_used, raw_wall = time.process_time() - start[0], time.perf_counter() - start[1]
goals = [
    (
        "indexing, MB/s of text, wall time",
        "≥ 20",
        f"{bytes_text / wall / 1e3:.1f}",
        f"FTS5 of SQLite, words only: {size / raw_wall / 1e6:.1f}",
    ),
    (
        "indexing, MB/s of text, CPU time",
        "",
        f"{bytes_text / used / 1e3:.1f}",
        f"{size / raw_used / 1e6:.1f}",
    ),
    ("size of the trigrams / size of the text", "≤ 0.3", f"{trigrams / bytes_text:.3f}", ""),
    (
        "size of all indexes / size of the text",
        "≤ 0.6",
        f"{(trigrams + words) / bytes_text:.3f}",
        "",
    ),
    (
        "`add` of all files, s",
        "",
        f"{added[0] / 1e3:.1f}, CPU {added[1] / 1e3:.1f}",
        f"{missing} not indexed",
    ),
]

time.sleep(2.5)  # Diple reads files again that were changed in the last 2 seconds.
queries = [
    dict(
        name="none: zzqqxxyy",
        text="zzqqxxyy",
        strategy="literal",
        case="smart",
        rg=["-i", "-F"],
        kind="rare",
    ),
    dict(
        name="rare: semaphore",
        text="semaphore",
        strategy="literal",
        case="smart",
        rg=["-i", "-F"],
        kind="rare",
    ),
    dict(
        name="rare: CreateFile, case counts",
        text="CreateFile",
        strategy="literal",
        case="respect",
        rg=["-F"],
        kind="rare",
    ),
    dict(
        name="rare: ritical sect",
        text="ritical sect",
        strategy="literal",
        case="smart",
        rg=["-i", "-F"],
        kind="rare",
    ),
    dict(
        name="rare regex: synch\\w+ation",
        text="synch\\w+ation",
        strategy="regex",
        case="smart",
        rg=["-i"],
        kind="rare",
    ),
    dict(
        name="rare regex: (semaphore|größe)\\b",
        text="(semaphore|größe)\\b",
        strategy="regex",
        case="smart",
        rg=["-i"],
        kind="rare",
    ),
    dict(
        name="common: from",
        text="from",
        strategy="literal",
        case="smart",
        rg=["-i", "-F"],
        kind="common",
    ),
    dict(
        name="common: the, case counts",
        text="the",
        strategy="literal",
        case="respect",
        rg=["-F"],
        kind="common",
    ),
    dict(
        name="common regex: \\bw\\w+ the\\b",
        text="\\bw\\w+ the\\b",
        strategy="regex",
        case="respect",
        rg=[],
        kind="common",
    ),
    dict(
        name="ranked: semaphore", text="semaphore", strategy="text", case="smart", match="semaphore"
    ),
    dict(
        name="ranked: critical section",
        text="critical section",
        strategy="text",
        case="smart",
        match="critical section",
    ),
    dict(
        name="ranked: other word",
        text="other word",
        strategy="text",
        case="smart",
        match="other word",
    ),
    dict(name="fuzzy: synchronisatoin", text="synchronisatoin", strategy="fuzzy", case="smart"),
]
(place / "queries.json").write_text(json.dumps(queries))
ours = {}
for line in (
    run(probe, "search", str(library), str(place / "queries.json"))[2].decode().splitlines()
):
    line = json.loads(line)
    ours[line["name"]] = line
details = [
    "| query | documents, matches | warm: first | all | files read | whole process | files read | peer | ratio: warm, process |",
    "|---|---|---|---|---|---|---|---|---|",
]
ratios = {"rare": [], "common": []}
for query in queries:
    line, ms = ours[query["name"]], ours[query["name"]]["milliseconds"]
    command = [diple, "search", "--case", query["case"], "--strategy", query["strategy"]]
    whole = best(*command, "--as-last-seen", "--", query["text"], env=env, count=3)[0]
    looking = best(*command, "--", query["text"], env=env, count=3)[0]
    peer = ratio = ""
    if "rg" in query:
        theirs = best(
            "rg", "-n", "--column", "--no-heading", *query["rg"], "--", query["text"], str(folder)
        )[0]
        peer, ratio = f"ripgrep {theirs:.0f}", f"{theirs / ms['indexed']:.1f}, {theirs / whole:.1f}"
        ratios[query["kind"]].append((theirs / ms["indexed"], theirs / whole))
    elif "match" in query:
        times = []
        for _ in range(6):
            begin = time.perf_counter()
            raw.execute(
                "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (query["match"],)
            ).fetchall()
            times.append((time.perf_counter() - begin) * 1e3)
        peer = f"SQLite, 10 best {statistics.median(times[1:]):.1f}"
    details.append(
        f"| `{query['name'].replace('|', chr(92) + '|')}` | {line['documents']}, {line['matches']} | {ms['indexed first']:.1f} | {ms['indexed']:.1f} | "
        f"{ms['looking']:.1f} | {whole:.1f} | {looking:.1f} | {peer} | {ratio} |"
    )
firsts = [
    ours[q["name"]]["milliseconds"]["indexed first"] for q in queries if q["strategy"] == "text"
]
goals.append(
    (
        "ranked query, first results, warm, ms",
        "≤ 10",
        f"{max(firsts):.1f} at worst",
        "SQLite's best 10: see below",
    )
)
for kind, goal in (("rare", "≥ 20"), ("common", "≥ 1")):
    for index, what in ((0, "warm in one process"), (1, "whole process")):
        found = [r[index] for r in ratios[kind]]
        goals.append(
            (
                f"{kind}, {what}, speed / speed of ripgrep",
                goal,
                f"{min(found):.1f} to {max(found):.1f}, median {statistics.median(found):.1f}",
                "ripgrep = 1",
            )
        )

big = place / "big.txt"
written = 0
with open(big, "wb") as out:
    for path in itertools.cycle(files):
        written += out.write(path.read_bytes())
        if written >= 10_000_000:
            break
scans = [
    dict(name="literal: zzqqxxyy", text="zzqqxxyy", strategy="literal", case="respect", rg=["-F"]),
    dict(
        name="literal: semaphore", text="semaphore", strategy="literal", case="respect", rg=["-F"]
    ),
    dict(name="literal: the", text="the", strategy="literal", case="respect", rg=["-F"]),
    dict(
        name="any case: semaphore",
        text="semaphore",
        strategy="literal",
        case="ignore",
        rg=["-i", "-F"],
    ),
    dict(name="any case: from", text="from", strategy="literal", case="ignore", rg=["-i", "-F"]),
    dict(name="any case: größe", text="größe", strategy="literal", case="ignore", rg=["-i", "-F"]),
    dict(
        name="regex: synch\\w+ation", text="synch\\w+ation", strategy="regex", case="respect", rg=[]
    ),
    dict(
        name="regex: \\bw\\w+ the\\b",
        text="\\bw\\w+ the\\b",
        strategy="regex",
        case="respect",
        rg=[],
    ),
    dict(name="regex: [a-z]+ing\\.", text="[a-z]+ing\\.", strategy="regex", case="respect", rg=[]),
    dict(name="regex: [a-z]+ore\\.", text="[a-z]+ore\\.", strategy="regex", case="respect", rg=[]),
    dict(
        name="regex: sem.{0,5}ore|gr[oö]ße",
        text="sem.{0,5}ore|gr[oö]ße",
        strategy="regex",
        case="respect",
        rg=[],
    ),
    dict(name="fuzzy: synchronisatoin", text="synchronisatoin", strategy="fuzzy", case="ignore"),
]
(place / "scans.json").write_text(json.dumps(scans))
found = {}
for line in run(probe, "scan", str(big), str(place / "scans.json"))[2].decode().splitlines():
    line = json.loads(line)
    found[line["name"]] = line
lines = [
    f"| one text, {written / 1e6:.0f} MB, one thread, CPU time | matches | MB/s | ripgrep, MB/s | ratio |",
    "|---|---|---|---|---|",
]
# The time in which ripgrep starts is subtracted, since it is not part of the search.
start_up = best("rg", "-j1", "-F", "x", "/dev/null", count=9)[1]
speeds, regexes = {}, []
for scan in scans:
    line = found[scan["name"]]
    speed = written / line["milliseconds"]["scan"] / 1e3
    speeds.setdefault(scan["name"].split(":")[0], []).append(speed)
    peer = ratio = ""
    if "rg" in scan:
        took = best(
            "rg", "-j1", "--count-matches", *scan["rg"], "--", scan["text"], str(big), count=7
        )[1]
        theirs = written / max(0.1, took - start_up) / 1e3
        peer, ratio = f"{theirs:.0f}", f"{speed / theirs:.2f}"
        if scan["strategy"] == "regex":
            regexes.append(speed / theirs)
    lines.append(
        f"| `{scan['name'].replace('|', chr(92) + '|')}` | {line['matches']} | {speed:.0f} | {peer} | {ratio} |"
    )
goals += [
    (
        "literal in one text, MB/s",
        "≥ 2,000",
        f"{min(speeds['literal']):,.0f} at worst",
        "see below",
    ),
    (
        "any case in one text, MB/s",
        "≥ 300",
        f"{min(speeds['any case']):,.0f} at worst",
        "see below",
    ),
    (
        "regex in one text, speed / speed of ripgrep",
        "≥ 0.5",
        f"{min(regexes):.2f} at worst",
        "ripgrep = 1",
    ),
]
print("| | goal | figure | peer |\n|---|---|---|---|")
for row in goals:
    print("| " + " | ".join(row) + " |")
print("\nWall time in milliseconds:\n\n" + "\n".join(details) + "\n\n" + "\n".join(lines))
