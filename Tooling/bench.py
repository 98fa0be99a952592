"""Measures processes for Tooling/bench, alternating with a peer, and counts instructions.

Comparisons use CPU time, which depends least on other work on the machine, as a ratio to the
peer's, which depends on it likewise. Instructions hardly vary."""

import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

import bench_figures

diple, place = os.environ["DIPLE"], pathlib.Path(os.environ["PLACE"])
task = os.environ["TASK"]  # table, record or compare
runs = int(os.environ["RUNS"])
KEPT = pathlib.Path(__file__).resolve().parent / "bench-figures.json"
WORDS = "the quick brown fox jumps over a lazy dog while readers mark what is worth keeping in mind".split()
random.seed(7)

env = dict(
    os.environ,
    DIPLE_LIBRARY=str(place / "library"),
    HOME=str(place),
    NO_COLOR="1",
    LC_ALL="C.UTF-8",
    SWIFT_DETERMINISTIC_HASHING="1",
)
cpu = next(
    (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
    "?",
)
machine = f"{cpu}, {os.cpu_count()} cores"
figures, missing = [], []


def prose(size):
    """Returns Markdown of about `size` bytes, and its rendered paragraphs."""
    title = f"Title {random.random()}"
    parts, paragraphs, length = [f"# {title}\n\n"], [], 0
    while length < size:
        text = (
            " ".join(random.choice(WORDS) for _ in range(random.randint(30, 90))).capitalize() + "."
        )
        marked = text.replace(" fox ", " **fox** ").replace(
            " dog ", " [dog](https://example.org/d) "
        )
        parts.append(marked + "\n\n")
        paragraphs.append(text)
        length += len(marked)
    return "".join(parts), paragraphs


def annotations(path, paragraphs, count):
    """Writes W3C annotations of `count` passages, spread evenly, with 40 characters around each."""
    found = []
    for number in range(count):
        text = paragraphs[number % len(paragraphs)]
        words = text.split(" ")
        first = 2 + number // len(paragraphs) * 7 % (len(words) - 10)
        start = len(" ".join(words[:first])) + 1
        end = start + len(" ".join(words[first : first + 6]))
        found.append(
            {
                "type": "Annotation",
                "id": f"urn:bench:{path.name}:{number}",
                "created": "2026-01-01T00:00:00Z",
                "body": [
                    {"type": "TextualBody", "purpose": "tagging", "value": f"topic-{number % 10}"}
                ],
                "target": {
                    "source": str(path),
                    "selector": {
                        "type": "TextQuoteSelector",
                        "exact": text[start:end],
                        "prefix": text[max(0, start - 40) : start],
                        "suffix": text[end : end + 40],
                    },
                },
            }
        )
    return found


def call(*words, **options):
    """Runs a command; returns wall and CPU time in milliseconds."""
    began = time.perf_counter()
    process = subprocess.Popen(
        words,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **options,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (time.perf_counter() - began) * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def prepare(*words):
    done = subprocess.run(
        [diple, *words], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    # Exit code 1: nothing to do.
    if done.returncode > 1:
        sys.exit(
            f"bench: diple {' '.join(words)[:80]}: exit code {done.returncode}: {done.stderr.strip()[-200:]}"
        )
    return done.stdout


def keep(name, unit, figure, peer=None, peer_figure=None):
    figures.append(
        {
            "name": name,
            "unit": unit,
            "figure": round(figure, 3),
            "peer": peer,
            "peer_figure": peer_figure and round(peer_figure, 3),
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine,
        }
    )


def timed(name, goal, command, peer, peer_name, count=None, before=lambda: None):
    """Times a command and a peer alternately, after one run of each to warm up."""
    if not shutil.which(peer[0]):
        missing.append(f"{name}: the peer {peer[0]} is not installed")
        return
    own, other = [], []
    for index in range((count or runs) + 1):
        before()
        pair = call(*command), call(*peer)
        if index > 0:
            own.append(pair[0])
            other.append(pair[1])
    if task == "table":
        clock, peer_clock = (statistics.median(each[0] for each in times) for times in (own, other))
        print(
            f"| {name} | {goal} | {clock:.1f} | {min(own)[0]:.1f} | {peer_name} {peer_clock:.1f} | "
            f"{clock / peer_clock:.1f} |",
            flush=True,
        )
    # The minimal CPU time, because other work can only increase it.
    keep(
        name,
        "ms of CPU time",
        min(each[1] for each in own),
        peer_name,
        min(each[1] for each in other),
    )


def counted(name, *words):
    """Counts the instructions of a command, if valgrind is installed."""
    if shutil.which("valgrind"):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", diple, *words],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        if not found or done.returncode != 0:
            sys.exit(f"bench: {name}: exit code {done.returncode}: {done.stderr[-300:]}")
        keep(name, "million instructions", int(found[1]) / 1e6)


# A peer of a few milliseconds repeats its work; otherwise its start-up would dominate the ratio.
often = 1 if task == "table" else 20

# 1,000 highlights in twenty documents, and 500 in one of 100 KB.
small = place / "small"
small.mkdir()
imported = []
for number in range(20):
    path = small / f"{number}.md"
    text, paragraphs = prose(17_000)
    path.write_text(text)
    imported += annotations(path, paragraphs, 50)
(small / "7.md").write_text((small / "7.md").read_text() + "A semaphore is rare.\n")
big = place / "big.md"
text, paragraphs = prose(100_000)
big.write_text(text)
prepare("add", str(small), str(big))
(place / "w3c.json").write_text(json.dumps(imported))
prepare("import", str(place / "w3c.json"))
if task == "table":
    print(f"{time.strftime('%Y-%m-%d')}, {machine}, {runs} runs each after one to warm up\n")
    print("| whole process, ms | goal | p50 | min | compared with, p50 | ratio |")
    print("|---|---|---|---|---|---|")
time.sleep(2.5)  # Diple reads files again that were changed in the last 2 seconds.
prepare("refresh")
database = place / "library" / "library.sqlite"
timed(
    "`list`, 1,000 highlights",
    "≤ 6",
    [diple, "list"],
    [
        "sqlite3",
        str(database),
        "SELECT h.exact, a.start FROM highlight h JOIN anchor a ON a.highlight = h.key;" * often,
    ],
    f"sqlite3, the same rows × {often}",
)
if task != "table":
    counted("`list`, 1,000 highlights", "list")
    counted("`list --json`, 1,000 highlights", "list", "--json")
    counted("`--version`", "--version")
    counted("`tags`", "tags")
    counted("`status`", "status")
    counted("`search`, a rare word", "search", "semaphore")
    counted("`at`", "at", str(small / "3.md"), "9:40")
    counted("`select`", "select", str(small / "3.md"), "words:40..60")
    counted("`mark`", "mark", str(small / "3.md"), "words:43..47")
else:
    timed("`--version`", "", [diple, "--version"], ["true"], "true")

(place / "w3c.json").write_text(json.dumps(annotations(big, paragraphs, 500)))
prepare("import", str(place / "w3c.json"))
timed(
    "`show`, 100 KB, 500 highlights",
    "≤ 25",
    [diple, "show", str(big)],
    ["fold", "-s", "-w", "80"] + [str(big)] * often,
    f"fold -s × {often}",
)
if task != "table":
    counted("`show`, 100 KB, 500 highlights", "show", str(big))

# Parsing and storing, and re-anchoring 1,001 highlights in a text with 500 edits.
long = place / "long.md"
text, paragraphs = prose(3_900_000)
(place / "old.md").write_text(text)
(place / "new.md").write_text(text.replace(" over ", " under ", 500))
library = place / "parsed"
env["DIPLE_LIBRARY"] = str(library)


def renew():
    shutil.rmtree(library, ignore_errors=True)


timed(
    "`add`, one text of 3.9 MB",
    "",
    [diple, "add", str(place / "old.md")],
    ["cmark-gfm", str(place / "old.md")],
    "cmark-gfm, to HTML",
    5,
    before=renew,
)
renew()
shutil.copy(place / "old.md", long)
prepare("add", str(long))
(place / "w3c.json").write_text(json.dumps(annotations(long, paragraphs, 1_001)))
prepare("import", str(place / "w3c.json"))
env["DIPLE_LIBRARY"] = str(place / "edited")


def revert():
    shutil.rmtree(place / "edited", ignore_errors=True)
    shutil.copytree(library, place / "edited")
    shutil.copy(place / "new.md", long)


timed(
    "`refresh`, 1,001 highlights, 3.9 MB, 500 edits",
    "",
    [diple, "refresh"],
    ["cmark-gfm", str(place / "old.md")],
    "cmark-gfm, to HTML",
    5,
    before=revert,
)
if task != "table":
    revert()
    counted("`refresh`, 1,001 highlights, 3.9 MB, 500 edits", "refresh")

many = place / "many"
many.mkdir()
for number in range(1_000):
    (many / f"{number}.md").write_text(prose(17_000)[0])
copy = place / "copy"
env["DIPLE_LIBRARY"] = str(library)


def forget():
    renew()
    shutil.rmtree(copy, ignore_errors=True)


# The CPU time of copying depends on other writes at the time, so comparisons need a different peer.
timed(
    "`add`, 1,000 files of 17 KB",
    "≤ 4,000",
    [diple, "add", str(many)],
    *(
        (["cp", "-r", str(many), str(copy)], "cp -r")
        if task == "table"
        else (["cmark-gfm", *map(str, many.iterdir())], "cmark-gfm, to HTML")
    ),
    5,
    before=forget,
)

if task == "table":
    print(f"\nSize of the static binary: {os.path.getsize(diple) / 1e6:.1f} MB\n", flush=True)
    subprocess.run([os.environ["PROBE"], *map(str, sorted(many.glob("*.md"))[:300])], check=True)
    sys.exit()
keep("size of `diple` as released", "MB", os.path.getsize(diple) / 1e6)
if not shutil.which("valgrind"):
    missing.append("the instructions of short commands: valgrind is not installed")
for each in missing:
    print(f"bench: not measured: {each}", file=sys.stderr)
if task == "compare":
    bench_figures.judge(figures, bench_figures.read(KEPT))
else:
    bench_figures.write(KEPT, figures)
    print(f"bench: {len(figures)} figures are in {KEPT}")
