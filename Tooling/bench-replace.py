"""Measures `diple replace` for `Tooling/bench replace`: all matches in one long text with
highlights, as one journal entry, compared with `sed -i` and fsync on the same bytes."""

import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import time

diple, place = os.environ["DIPLE"], pathlib.Path(os.environ["PLACE"])
runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
SIZE, MATCHES, HIGHLIGHTS = 10_000_000, 100_000, 200


def text():
    """Returns prose with markup in which each match is a word among others."""
    random.seed(3)
    syllables = [
        a + b + c
        for a in "bdfgklmnprstvw"
        for b in ("a", "e", "i", "o", "u", "ea")
        for c in ("", "n", "r", "s")
    ]
    words = [
        "".join(random.choices(syllables, k=random.choice((1, 2, 2, 3)))) for _ in range(30_000)
    ]
    weights = [1 / (rank + 2.7) for rank in range(len(words))]
    drawn = iter(random.choices(words, weights, k=SIZE // 4))
    parts = []
    for number in range(MATCHES):
        sentence = [f"colour{'' if number % 3 else 's'}"]
        length = len(sentence[0])
        while length < SIZE / MATCHES - 10:
            word = next(drawn)
            if random.random() < 0.03:
                word = random.choice(
                    ("*{}*", "**{}**", "`{}`", "[{}](https://example.org)")
                ).format(word)
            sentence.append(word)
            length += len(word) + 1
        parts.append(" ".join(sentence) + (".\n\n" if number % 6 == 5 else ". "))
    return "".join(parts)


def run(*command, **options):
    """Runs a command; returns wall and CPU time in milliseconds, and its output."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"bench: {command[:3]}: {done.stderr.decode()}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1e3, cpu * 1e3, done.stdout.decode()


def sync(path):
    start = time.perf_counter()
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    return (time.perf_counter() - start) * 1e3


def row(name, times):
    walls, cpus = [t[0] for t in times], [t[1] for t in times]
    print(
        f"| {name} | {statistics.median(walls):.0f} | {min(walls):.0f} | {statistics.median(cpus):.0f} | {min(cpus):.0f} |"
    )


cpu = next(
    (l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?"
)
file, peer = place / "long.md", place / "peer.md"
content = text()
file.write_text(content)
env = dict(os.environ, DIPLE_LIBRARY=str(place / "library"), HOME=str(place), NO_COLOR="1")
run(diple, "add", str(file), env=env)
for number in range(HIGHLIGHTS):
    run(diple, "mark", str(file), f'"colours"#{number * 160 + 1}', env=env)
times = {name: [] for name in ("replace", "regex", "undo", "sed")}
for number in range(runs):
    time.sleep(2.1)  # Diple reads a file again that was changed in the last 2 seconds.
    report = run(diple, "replace", str(file), "colour", "hue", "--all", "--yes", env=env)
    assert f"({MATCHES} places)" in report[2], report[2][-200:]
    times["replace"].append(report)
    time.sleep(2.1)
    times["undo"].append(run(diple, "undo", env=env))
    assert file.read_text() == content
    time.sleep(2.1)
    times["regex"].append(
        run(
            diple,
            "replace",
            str(file),
            "--regex",
            r"\bcolour(s?)\b",
            "hue$1",
            "--all",
            "--yes",
            env=env,
        )
    )
    run(diple, "undo", env=env)
    peer.write_text(content)
    sync(peer)
    wall, used, _ = run("sed", "-i", "s/colour/hue/g", str(peer))
    times["sed"].append((wall + sync(peer), used))
states = run(diple, "list", "--state", "exact", env=env)[2].count("\n")
print(
    f"{time.strftime('%Y-%m-%d')}, {cpu}, {os.cpu_count()} cores (load {os.getloadavg()[0]:.1f}), "
    f"{len(content) / 1e6:.1f} MB, {MATCHES} matches, {states} of {HIGHLIGHTS} highlights exact after {4 * runs} changes\n"
)
print("| whole process, ms | wall p50 | min | CPU p50 | min |\n|---|---|---|---|---|")
row("`replace colour hue --all --yes`, goal 1,000", times["replace"])
row(r"`replace --regex '\bcolour(s?)\b' 'hue$1'`", times["regex"])
row("`undo`", times["undo"])
row("sed -i, and fsync", times["sed"])
