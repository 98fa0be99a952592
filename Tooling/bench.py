"""The measuring part of Tooling/bench: whole processes, in turn with what they are compared with."""
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import time

diple, place, runs = os.environ["DIPLE"], pathlib.Path(os.environ["PLACE"]), int(os.environ["RUNS"])
random.seed(7)
words = "the quick brown fox jumps over a lazy dog while readers mark what is worth keeping in mind".split()


def prose(size):
    parts = ["# Title " + str(random.random()) + "\n\n"]
    length = 0
    while length < size:
        text = " ".join(random.choice(words) for _ in range(random.randint(30, 90)))
        marked = text.replace(" fox ", " **fox** ").replace(" dog ", " [dog](https://example.org/d) ")
        parts.append(marked.capitalize() + ".\n\n")
        length += len(marked)
    return "".join(parts)[:size]


def run(*command, **options):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return (time.perf_counter() - start) * 1e3, done.returncode


def paired(command, other, count, **options):
    a, b = [], []
    for index in range(count + 2):
        first, second = run(*command, **options)[0], run(*other, **options)[0]
        if index >= 2:
            a.append(first)
            b.append(second)
    return statistics.median(a), min(a), statistics.median(b)


def row(name, goal, command, other, other_name, count=runs, **options):
    middle, least, limit = paired(command, other, count, **options)
    print(f"| {name} | {goal} | {middle:.1f} | {least:.1f} | {other_name} {limit:.1f} | {middle / limit:.1f} |")


env = dict(os.environ, DIPLE_LIBRARY=str(place / "library"), HOME=str(place), NO_COLOR="1")
cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?")
print(f"{time.strftime('%Y-%m-%d')}, {cpu}, {os.cpu_count()} cores, {runs} runs each after 2 warm-ups\n")
print("| whole process, ms | goal | p50 | min | compared with, p50 | ratio |")
print("|---|---|---|---|---|---|")

# 1,000 highlights in twenty documents.
small = place / "small"
small.mkdir()
for number in range(20):
    (small / f"{number}.md").write_text(prose(17_000))
subprocess.run([diple, "add", str(small)], env=env, check=True, stdout=subprocess.DEVNULL)
repl_lines = []
for number in range(20):
    for word in range(50):
        subprocess.run([diple, "mark", str(small / f"{number}.md"), f"words:{word * 20 + 1}..{word * 20 + 6}"],
                       env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(2.5)  # Younger files are read again, to be sure.
subprocess.run([diple, "refresh"], env=env, stdout=subprocess.DEVNULL)
database = place / "library" / "library.sqlite"
row("`list`, 1,000 highlights", "≤ 10", [diple, "list"],
    ["sqlite3", str(database), "SELECT h.exact, a.start FROM highlight h JOIN anchor a ON a.highlight = h.key"],
    "sqlite3, the same rows", env=env)
row("`--version`", "", [diple, "--version"], ["/bin/true"], "/bin/true", env=env)

big = place / "big.md"
big.write_text(prose(100_000))
subprocess.run([diple, "add", str(big)], env=env, check=True, stdout=subprocess.DEVNULL)
for word in range(500):
    subprocess.run([diple, "mark", str(big), f"words:{word * 30 + 1}..{word * 30 + 8}"], env=env, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
row("`show`, 100 KB, 500 highlights", "≤ 40", [diple, "show", str(big)], ["fold", "-s", "-w", "80", str(big)],
    "fold -s", env=env)

many = place / "many"
many.mkdir()
for number in range(1_000):
    (many / f"{number}.md").write_text(prose(17_000))
times, copies = [], []
for index in range(5):
    library = place / f"library{index}"
    times.append(run(diple, "add", str(many), env=dict(env, DIPLE_LIBRARY=str(library)))[0])
    copies.append(run("sh", "-c", f"cp -r {many} {place}/copy{index} && sync -f {place}/copy{index}")[0])
print(f"| `add`, 1,000 files of 17 KB | ≤ 4,000 | {statistics.median(times):.0f} | {min(times):.0f} "
      f"| cp -r and sync {statistics.median(copies):.0f} | {statistics.median(times) / statistics.median(copies):.1f} |")

print(f"\nSize of the static binary: {os.path.getsize(diple) / 1e6:.1f} MB\n")
subprocess.run([os.environ["PROBE"], *map(str, sorted(many.glob("*.md"))[:300])], check=True)
