"""Measures commands for `Tooling/bench scale`, in a library of 100,000 documents of 5 KB with
1,000,000 highlights, which is created by `add` and `import` only.

DOCUMENTS and EACH (highlights per document) change the size. With KEEP=DIR the library remains in
DIR, together with the figures of its creation, and the next run uses it instead of a new one."""

import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import threading
import time

diple, dipled, place = os.environ["DIPLE"], os.environ["DIPLED"], pathlib.Path(os.environ["PLACE"])
documents, each = int(os.environ.get("DOCUMENTS", "100000")), int(os.environ.get("EACH", "10"))
total, size = documents * each, 5_000
notes, library, known = place / "notes", place / "library", place / "made.json"
env = dict(os.environ, DIPLE_LIBRARY=str(library), HOME=str(place), NO_COLOR="1")
TOPICS = 20
span_matches = 32_000


def vocabulary():
    """Returns words and their weights, distributed as in natural language (Zipf's law)."""
    syllables = [
        a + b + c
        for a in "bdfgklmnprstvw"
        for b in ("a", "e", "i", "o", "u", "ea")
        for c in ("", "n", "r", "s", "t")
    ]
    words = list(
        dict.fromkeys(
            "".join(random.choices(syllables, k=random.choice((1, 1, 2, 2, 3))))
            for _ in range(60_000)
        )
    )
    return words, [1 / (rank + 2.7) for rank in range(len(words))]


def name_of(number):
    return notes / f"{number // 100:04}" / f"{number}.md"


def make_documents():
    """Writes the documents, and one file of annotations per hundred thousand of them."""
    words, weights = vocabulary()
    drawn = iter(random.choices(words, weights, k=1_200_000))
    sentences = []
    while len(sentences) < 80_000:
        sentences.append(
            " ".join(next(drawn) for _ in range(random.randint(8, 20))).capitalize() + "."
        )
    part, files, count = [], [], 0
    for number in range(documents):
        paragraphs, length = [], 0
        while length < size:
            paragraph = " ".join(random.choices(sentences, k=random.randint(3, 9)))
            paragraphs.append(paragraph)
            length += len(paragraph) + 2
        path = name_of(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        title = f"Note {number} on {random.choice(words)}"
        path.write_text(f"# {title}\n\n" + "\n\n".join(paragraphs) + "\n")
        for _ in range(each):
            paragraph = random.choice(paragraphs)
            length = random.randint(40, 120)
            start = random.randrange(0, max(1, len(paragraph) - length))
            while start and paragraph[start - 1] != " ":
                start -= 1
            end = min(len(paragraph), start + length)
            bodies = []
            if count % 10 == 0:
                bodies.append(
                    {
                        "type": "TextualBody",
                        "purpose": "commenting",
                        "value": f"Compare this with number {count}: "
                        + sentences[count % 1000][:40],
                    }
                )
            if count % 5 == 0:
                bodies.append(
                    {
                        "type": "TextualBody",
                        "purpose": "tagging",
                        "value": f"topic-{count // 5 % TOPICS}",
                    }
                )
            part.append(
                {
                    "type": "Annotation",
                    "id": f"urn:bench:{count}",
                    "created": "2026-01-01T00:00:00Z",
                    "body": bodies,
                    "diple:color": ("yellow", "green", "blue", "pink")[count % 4],
                    "target": {
                        "source": str(path),
                        "selector": {
                            "type": "TextQuoteSelector",
                            "exact": paragraph[start:end],
                            "prefix": paragraph[max(0, start - 32) : start],
                            "suffix": paragraph[end : end + 32],
                        },
                    },
                }
            )
            count += 1
        if len(part) >= 100_000 or number == documents - 1:
            files.append(place / f"annotations-{len(files)}.json")
            files[-1].write_text(json.dumps(part))
            part = []
    return files


def run(*command, check=True, **options):
    """Runs a command; returns wall and CPU time in seconds, peak memory in MB, and its output."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, env=env, stdout=options.get("stdout", subprocess.PIPE), stderr=subprocess.DEVNULL
    )
    first, output = None, b""
    if process.stdout:
        descriptor = process.stdout.fileno()
        kept = options.get("keep", False)
        lines = 0
        while True:
            piece = os.read(descriptor, 1 << 20)
            if not piece:
                break
            first = first or time.perf_counter() - begin
            lines += piece.count(b"\n")
            output = output + piece if kept else b""
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begin
    code = os.waitstatus_to_exitcode(status)
    if check and code != 0:
        sys.exit(f"bench: {' '.join(command[1:4])}: exit code {code}")
    return dict(
        seconds=took,
        processor=usage.ru_utime + usage.ru_stime,
        memory=usage.ru_maxrss / 1024,
        first=first or took,
        output=output,
        lines=lines if process.stdout else 0,
        code=code,
    )


def best(*command, count=7, check=True):
    times = [run(*command, check=check)["seconds"] for _ in range(count)]
    return statistics.median(times) * 1e3


def make():
    random.seed(7)
    print("bench: writing the documents", file=sys.stderr)
    files = make_documents()
    made = {"imports": []}
    print("bench: adding the documents", file=sys.stderr)
    made["add"] = run(diple, "add", str(notes), stdout=subprocess.DEVNULL)["seconds"]
    time.sleep(2.5)  # Diple reads files again that were changed in the last 2 seconds.
    run(diple, "refresh", check=False)
    for path in files:
        print(f"bench: importing {path.name}", file=sys.stderr)
        done = run(diple, "import", str(path), stdout=subprocess.DEVNULL)
        made["imports"].append((done["seconds"], done["memory"]))
        path.unlink()
    known.write_text(json.dumps(made))


rows = []


def row(name, goal, figure, met):
    rows.append((name, goal, figure, "met" if met else "**not met**"))
    print(f"| {name} | {goal} | {figure} | {rows[-1][3]} |", flush=True)


def milliseconds(name, goal, *command, check=True, count=7):
    took = best(*command, check=check, count=count)
    row(name, f"≤ {goal:,} ms", f"{took:,.1f} ms", took <= goal)


def daemon():
    begin = time.perf_counter()
    process = subprocess.Popen(
        [dipled, "--library", str(library)], env=env, stderr=subprocess.PIPE, text=True
    )
    limit = threading.Timer(300, process.kill)
    limit.start()
    try:
        # The daemon logs when it watches all folders.
        if not any(" watching " in line for line in process.stderr):
            sys.exit("bench: the daemon did not report that it watches the folders")
        cold = time.perf_counter() - begin
        time.sleep(5)
        lines = open(f"/proc/{process.pid}/status").read().split("\n")
        resident, peak = (
            int(next(l for l in lines if l.startswith(key)).split()[1]) / 1024
            for key in ("VmRSS", "VmHWM")
        )
    finally:
        limit.cancel()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    row("daemon, cold start", "≤ 3 s", f"{cold:.2f} s", cold <= 3)
    row(
        "daemon, memory five seconds after the start",
        "≤ 60 MB",
        f"{resident:.0f} MB, peak {peak:.0f}",
        resident <= 60,
    )


def spans():
    """Measures spans in a text with very many matches of both ends."""
    text = place / "spans.md"
    text.write_text(
        "# Spans\n\n"
        + "".join(f"alpha {number} " for number in range(span_matches))
        + "\n\n"
        + "".join(f"omega {number} " for number in range(span_matches))
        + "\n"
    )
    run(diple, "add", str(text), check=False)
    done = run(diple, "select", str(text), '"alpha"…"omega"', check=False)
    row(
        f'span `"a"…"b"`, {span_matches:,} matches of each end',
        "≤ 1 s",
        f"{done['seconds']:.2f} s (CPU {done['processor']:.2f})",
        done["seconds"] <= 1,
    )


if not known.exists():
    # In a separate process: the kernel adds the memory of the process that starts a command to the
    # command's peak, so this process must remain small.
    child = os.fork()
    if child == 0:
        make()
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("bench: the library could not be created")
made = json.loads(known.read_text())
cpu = next(
    (l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?"
)
print(
    f"{time.strftime('%Y-%m-%d')}, {cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
    f"{documents:,} documents, {total:,} highlights\n"
)
print("| | goal | figure | |\n|---|---|---|---|")
middle = name_of(documents // 2)
milliseconds("`list --limit 50`", 25, diple, "list", "--limit", "50")
milliseconds("`show DOC`", 25, diple, "show", str(middle))
milliseconds("`at DOC LINE`", 25, diple, "at", str(middle), "3:10", check=False)
# A kept library has the highlights of earlier runs, and each passage can be marked only once.
begin = time.time_ns() // 1_000_000_000 % 20 * 7
numbers = iter(range(begin + 1, begin + 8))
took = statistics.median(
    run(diple, "mark", str(middle), f"words:{5 * n + 1}..{5 * n + 4}")["seconds"] * 1e3
    for n in (next(numbers) for _ in range(7))
)
row("`mark DOC SPEC`", "≤ 25 ms", f"{took:,.1f} ms", took <= 25)
for options, goal in (([], 3), (["--json"], 6)):
    done = run(diple, "list", *options)
    name = " ".join(["list", *options])
    row(
        f"`{name}`, all",
        f"≤ {goal} s, ≤ 150 MB",
        f"{done['seconds']:.2f} s (CPU {done['processor']:.2f}), {done['memory']:.0f} MB; first output after {done['first'] * 1e3:.0f} ms",
        done["seconds"] <= goal and done["memory"] <= 150,
    )
done = run(diple, "list", "--tag", "topic-3")
row(
    f"`list --tag`, {done['lines']:,} highlights",
    "≤ 0.3 s",
    f"{done['seconds']:.2f} s",
    done["seconds"] <= 0.3,
)
for form in ("markdown", "w3c"):
    done = run(diple, "export", "--to", form)
    row(
        f"`export --to {form}`, all",
        "≤ 150 MB",
        f"{done['seconds']:.1f} s (CPU {done['processor']:.1f}), {done['memory']:.0f} MB; "
        f"first output after {done['first'] * 1e3:.0f} ms",
        done["memory"] <= 150,
    )
milliseconds("`history`", 50, diple, "history")
seconds = [s for s, _ in made["imports"]]
if total >= 200_000:
    row(
        "`import` of 100,000 highlights",
        "≤ 20 s, linear",
        f"first {seconds[0]:.1f} s, last {seconds[-1]:.1f} s, {max(m for _, m in made['imports']):.0f} MB",
        max(seconds) <= 20 and seconds[-1] <= 1.5 * seconds[0],
    )
row(
    "`add`, documents per second, with index",
    "≥ 1,000",
    f"{documents / made['add']:,.0f}",
    documents / made["add"] >= 1000,
)
database = sum(
    (library / f"library.sqlite{end}").stat().st_size
    for end in ("", "-wal")
    if (library / f"library.sqlite{end}").exists()
)
row(
    "database",
    f"≤ {total * 1200 / 1e9:.1f} GB",
    f"{database / 1e9:.2f} GB, {database / total:,.0f} bytes per highlight",
    database <= total * 1200,
)
daemon()
done = run(diple, "doctor", check=False)
row(
    "`doctor`",
    "≤ 10 s",
    f"{done['seconds']:.1f} s (CPU {done['processor']:.1f}), {done['memory']:.0f} MB",
    done["seconds"] <= 10,
)
spans()
