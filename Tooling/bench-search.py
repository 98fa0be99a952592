"""The measuring part of `Tooling/bench search`: the same queries on the same files by Diple, by
ripgrep and by SQLite alone, in one run."""
import json
import os
import pathlib
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import time

diple, probe, place = os.environ["DIPLE"], os.environ["PROBE"], pathlib.Path(os.environ["PLACE"])
FILES, SIZE = 10_000, 12_000


def corpus():
    """Makes files of prose whose words are as frequent as in any language (Zipf's law)."""
    random.seed(11)
    syllables = [a + b + c for a in "bdfgklmnprstvw" for b in ("a", "e", "i", "o", "u", "ea", "ou")
                 for c in ("", "n", "r", "s", "t", "l")]
    common = ("the of and to a in is that it was for on are as with his they be at one have this "
              "from by hot but some what there we can out other were all your when up use word how").split()
    words, seen = list(common), set(common)
    while len(words) < 40_000:
        word = "".join(random.choice(syllables) for _ in range(random.choice((1, 2, 2, 3, 3, 4))))
        if word not in seen:
            seen.add(word)
            words.append(word)
    weights = [1 / (rank + 2.7) for rank in range(len(words))]
    rare = ["semaphore", "synchronization", "CreateFile", "critical section", "größe", "北京大学"]
    folder = place / "files"
    total = 0
    for number in range(FILES):
        drawn = iter(random.choices(words, weights, k=SIZE // 4))
        parts, length = [f"# {next(drawn).capitalize()} {number}\n\n"], 0
        while length < SIZE * (0.4 + number % 7 / 5):
            sentence = [next(drawn, "end") for _ in range(random.randint(6, 22))]
            if random.random() < 0.02:
                sentence[random.randrange(len(sentence))] = f"**{sentence[0]}**"
            if random.random() < 0.02:
                sentence[-1] = f"[{sentence[-1]}](https://example.org/{number})"
            if random.random() < 0.0002:
                sentence.insert(1, random.choice(rare))
            text = " ".join(sentence).capitalize() + ". " + ("\n\n" if random.random() < 0.15 else "")
            parts.append(text)
            length += len(text)
        path = folder / f"{number % 100:02}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(parts) + "\n"
        path.write_text(text)
        total += len(text.encode())
    return folder


def run(*command, **options):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)
    return (time.perf_counter() - start) * 1e3, done.stdout


def best(*command, count=5, **options):
    runs = [run(*command, **options) for _ in range(count + 1)][1:]
    return statistics.median(r[0] for r in runs), runs[0][1]


folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else corpus()
files = sorted(p for p in folder.rglob("*.md"))
size = sum(p.stat().st_size for p in files)
cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?")
load = os.getloadavg()[0]
print(f"{time.strftime('%Y-%m-%d')}, {cpu}, {os.cpu_count()} cores (load {load:.1f}), {len(files)} files, "
      f"{size / 1e6:.0f} MB, {run('rg', '--version')[1].decode().splitlines()[0]}\n")

library = place / "library"
env = dict(os.environ, DIPLE_LIBRARY=str(library), HOME=str(place), NO_COLOR="1")
took = run(diple, "add", str(folder), env=env)[0]
database = sqlite3.connect(library / "library.sqlite")
bytes_text = database.execute("SELECT sum(s.size) FROM snapshot s").fetchone()[0]


def table_size(name):
    total = 0
    for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE name LIKE ? ESCAPE '!'", (name + "!_%",)):
        if table.endswith("_data"):
            total += database.execute(f"SELECT sum(length(block) + 8) FROM {table}").fetchone()[0] or 0
        if table.endswith("_docsize"):
            total += database.execute(f"SELECT sum(length(sz) + 8) FROM {table}").fetchone()[0] or 0
    return total


trigrams, words = table_size("text_trigrams"), table_size("text_words")
database.close()
rebuild = run(diple, "doctor", "--rebuild-index", env=env)[0] - run(diple, "doctor", env=env)[0]
print(f"`add` {took / 1e3:.1f} s; index made anew in {rebuild / 1e3:.1f} s = {bytes_text / rebuild / 1e3:.0f} MB/s of "
      f"{bytes_text / 1e6:.0f} MB rendered text")
print(f"trigrams {trigrams / bytes_text:.3f} of the text, words {words / bytes_text:.3f}, together "
      f"{(trigrams + words) / bytes_text:.3f}\n")

raw = sqlite3.connect(place / "raw.sqlite")
raw.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')")
start = time.perf_counter()
raw.executemany("INSERT INTO t VALUES (?)", ((p.read_text(errors="replace"),) for p in files))
raw.commit()
print(f"SQLite alone, unicode61 with its texts: {size / (time.perf_counter() - start) / 1e6:.0f} MB/s, "
      f"{os.path.getsize(place / 'raw.sqlite') / size:.2f} of the files\n")

time.sleep(2.5)  # Younger files are read again, to be sure.
queries = [
    dict(name="none: zzqqxxyy", text="zzqqxxyy", strategy="literal", case="smart", rg=["-i", "-F"]),
    dict(name="rare: semaphore", text="semaphore", strategy="literal", case="smart", rg=["-i", "-F"]),
    dict(name="rare: CreateFile, case counts", text="CreateFile", strategy="literal", case="respect", rg=["-F"]),
    dict(name="rare: ritical sect", text="ritical sect", strategy="literal", case="smart", rg=["-i", "-F"]),
    dict(name="rare regex: synch\\w+ation", text="synch\\w+ation", strategy="regex", case="smart", rg=["-i"]),
    dict(name="rare regex: (semaphore|größe)\\b", text="(semaphore|größe)\\b", strategy="regex", case="smart", rg=["-i"]),
    dict(name="common: from", text="from", strategy="literal", case="smart", rg=["-i", "-F"]),
    dict(name="common: the, case counts", text="the", strategy="literal", case="respect", rg=["-F"]),
    dict(name="common regex: \\bw\\w+ the\\b", text="\\bw\\w+ the\\b", strategy="regex", case="respect", rg=[]),
    dict(name="ranked: semaphore", text="semaphore", strategy="text", case="smart", match="semaphore"),
    dict(name="ranked: critical section", text="critical section", strategy="text", case="smart", match="critical section"),
    dict(name="ranked: other word", text="other word", strategy="text", case="smart", match="other word"),
    dict(name="fuzzy: synchronisatoin", text="synchronisatoin", strategy="fuzzy", case="smart"),
]
(place / "queries.json").write_text(json.dumps(queries))
ours = {}
for line in run(probe, "search", str(library), str(place / "queries.json"))[1].decode().splitlines():
    line = json.loads(line)
    ours[line["name"]] = line
print("| query | documents, matches | first | all | files looked at | documents only | whole process | ripgrep -n --column | ripgrep -l | ratio n, l |")
print("|---|---|---|---|---|---|---|---|---|---|")
for query in queries:
    line = ours.get(query["name"])
    if line is None:
        print(f"| {query['name']} | failed |")
        continue
    ms = line["milliseconds"]
    case = {"smart": "smart", "respect": "respect"}[query["case"]]
    whole, _ = best(diple, "search", "--as-last-seen", "--case", case, "--strategy", query["strategy"], "--", query["text"], env=env, count=3)
    if "rg" in query:
        numbered, _ = best("rg", "-n", "--column", "--no-heading", *query["rg"], "--", query["text"], str(folder))
        listed, output = best("rg", "-l", *query["rg"], "--", query["text"], str(folder))
        other = f"{numbered:.1f} | {listed:.1f} | {numbered / ms['indexed']:.1f}, {listed / ms['documents']:.1f}"
    elif "match" in query:
        times = []
        for _ in range(6):
            start = time.perf_counter()
            raw.execute("SELECT rowid, snippet(t, 0, '', '', '…', 8) FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (query["match"],)).fetchall()
            times.append((time.perf_counter() - start) * 1e3)
        other = f"SQLite, 10 best {statistics.median(times[1:]):.1f} | |"
    else:
        other = "| |"
    print(f"| {query['name']} | {line['documents']}, {line['matches']} | {ms['indexed first']:.1f} | {ms['indexed']:.1f} | "
          f"{ms['looking']:.1f} | {ms['documents']:.1f} | {whole:.1f} | {other} |")

big = place / "big.txt"
with open(big, "wb") as out:
    written = 0
    for path in files:
        data = path.read_bytes()
        out.write(data)
        written += len(data)
        if written >= 10_000_000:
            break
scans = [
    dict(name="literal: zzqqxxyy", text="zzqqxxyy", strategy="literal", case="respect", rg=["-F"]),
    dict(name="literal: synchronization", text="synchronization", strategy="literal", case="respect", rg=["-F"]),
    dict(name="literal: the", text="the", strategy="literal", case="respect", rg=["-F"]),
    dict(name="any case: semaphore", text="semaphore", strategy="literal", case="ignore", rg=["-i", "-F"]),
    dict(name="any case: from", text="from", strategy="literal", case="ignore", rg=["-i", "-F"]),
    dict(name="regex: synch\\w+ation", text="synch\\w+ation", strategy="regex", case="respect", rg=[]),
    dict(name="regex: \\bw\\w+ the\\b", text="\\bw\\w+ the\\b", strategy="regex", case="respect", rg=[]),
    dict(name="regex: [a-z]+ing\\.", text="[a-z]+ing\\.", strategy="regex", case="respect", rg=[]),
    dict(name="regex: sem.{0,5}ore|gr[oö]ße", text="sem.{0,5}ore|gr[oö]ße", strategy="regex", case="respect", rg=[]),
    dict(name="fuzzy: synchronisatoin", text="synchronisatoin", strategy="fuzzy", case="ignore"),
]
(place / "scans.json").write_text(json.dumps(scans))
found = {}
for line in run(probe, "scan", str(big), str(place / "scans.json"))[1].decode().splitlines():
    line = json.loads(line)
    found[line["name"]] = line
print(f"\n| one text, {written / 1e6:.0f} MB | matches | MB/s | ripgrep --count-matches, one thread, MB/s | ratio |")
print("|---|---|---|---|---|")
# What a start of ripgrep takes is not its searching.
start_up, _ = best("rg", "-j1", "-F", "x", "/dev/null", count=9)
for scan in scans:
    line = found[scan["name"]]
    speed = written / line["milliseconds"]["scan"] / 1e3
    other = ""
    if "rg" in scan:
        took, _ = best("rg", "-j1", "--count-matches", *scan["rg"], "--", scan["text"], str(big), count=7)
        theirs = written / max(0.1, took - start_up) / 1e3
        other = f"{theirs:.0f} | {speed / theirs:.2f}"
    print(f"| {scan['name']} | {line['matches']} | {speed:.0f} | {other} |")
