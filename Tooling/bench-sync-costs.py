#!/usr/bin/env python3
"""Measures what a sync of a large library costs, in processor time and memory of the real program.

usage: bench-sync-costs.py DIPLE [HIGHLIGHTS] [--operations COUNT] [--devices COUNT]

HIGHLIGHTS (100,000) are imported into documents with 50 each. The costs of setting up, joining and
syncing without changes are always measured.
--operations also measures the sync of a device that receives so many operations at once: the same
  highlights, with tags.
--devices also measures a vault of so many devices: the operations for each document that all of them
  have, the snapshots that they cause, and how often a sync uses the target (needs strace).
All files are in a temporary folder, or in KEEP=DIR, which is kept and used again.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description="Measures what a sync of a large library costs.")
parser.add_argument("diple")
parser.add_argument("highlights", nargs="?", type=int, default=100_000)
parser.add_argument("--operations", type=int)
parser.add_argument("--devices", type=int)
OPTIONS = parser.parse_args()
DIPLE = os.path.abspath(OPTIONS.diple)
HIGHLIGHTS = OPTIONS.highlights
EACH = 50
# The documents that all of many devices have.
SHARED_DOCUMENTS = 100
KEPT = os.environ.get("KEEP")
PLACE = pathlib.Path(KEPT or tempfile.mkdtemp(prefix="diple-sync-costs-"))
WORDS = "a woman must have money and a room of her own if she is to write fiction that leaves the".split()


def run(home, *words, goal=None, title=None, under=()):
    """Runs a command in a home; prints its processor time and peak memory under the title.

    The kernel counts the memory of this process, which starts the command, for the command.
    `under` are the words of a program that runs the command."""
    folder = PLACE / home
    environment = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "DIPLE_SYNC_PASSPHRASE": "correct horse battery",
        "XDG_RUNTIME_DIR": str(folder / "run"),
    }
    with open(PLACE / "output", "w+") as output:
        process = subprocess.Popen(
            [*under, DIPLE, *words],
            cwd=folder / "notes",
            env=environment,
            stdout=output,
            stderr=output,
        )
        _, status, usage = os.wait4(process.pid, 0)
        output.seek(0)
        text = output.read()
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"bench: {home}: {' '.join(words[:3])}: {text}")
    if title:
        took, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        print(
            f"{title}: {took:.2f} s of CPU time, {memory:.0f} MB{f' (goal {goal})' if goal else ''}; "
            f"load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    return text


def make_library(home, operations=None):
    """Makes a library with all highlights, with so many tags that there are `operations`."""
    random.seed(7)
    notes = PLACE / home / "notes"
    notes.mkdir(parents=True)
    # A highlight takes 2.6 operations, a tenth of them one more for the note, a document three.
    tags = max(0, (operations or 0) - HIGHLIGHTS * 27 // 10 - HIGHLIGHTS // EACH * 3)
    annotations = []
    for number in range(HIGHLIGHTS // EACH):
        path = notes / f"{number // 100:03}" / f"{number}.md"
        path.parent.mkdir(exist_ok=True)
        paragraphs = [
            f"Paragraph {number}-{index} says {' '.join(random.choices(WORDS, k=25))}."
            for index in range(EACH)
        ]
        path.write_text(f"# Note {number}\n\n" + "\n\n".join(paragraphs) + "\n")
        for index, paragraph in enumerate(paragraphs):
            body = (
                [{"type": "TextualBody", "purpose": "commenting", "value": f"note {index}"}]
                if index % 10 == 0
                else []
            )
            place = number * EACH + index
            for tag in range(tags * (place + 1) // HIGHLIGHTS - tags * place // HIGHLIGHTS):
                body.append({"type": "TextualBody", "purpose": "tagging", "value": f"tag {tag}"})
            annotations.append(
                {
                    "type": "Annotation",
                    "id": f"urn:bench:{number}-{index}",
                    "created": "2026-01-01T00:00:00Z",
                    "body": body,
                    "diple:color": ("yellow", "green", "blue", "pink")[index % 4],
                    "target": {
                        "source": str(path),
                        "selector": {
                            "type": "TextQuoteSelector",
                            "exact": paragraph[:60],
                            "prefix": "",
                            "suffix": paragraph[60:92],
                        },
                    },
                }
            )
    run(home, "init")
    run(home, "add", ".")
    # A file of annotations may have 64 MiB.
    for first in range(0, len(annotations), 20_000):
        file = PLACE / f"{home}.json"
        file.write_text(json.dumps(annotations[first : first + 20_000]))
        run(home, "import", str(file))


def library(home, operations=None):
    """Makes a library that is not synced yet, or copies the one of an earlier run."""
    base = PLACE / f"{home}-base"
    if not base.exists():
        # In another process, so that this one stays small.
        if os.fork() == 0:
            make_library(home, operations)
            os._exit(0)
        if os.wait()[1]:
            sys.exit("bench: the library could not be created")
        shutil.copytree(PLACE / home, base, symlinks=True)
    else:
        shutil.rmtree(PLACE / home, ignore_errors=True)
        shutil.copytree(base, PLACE / home, symlinks=True)


def make_target(name="shared"):
    shutil.rmtree(PLACE / name, ignore_errors=True)
    (PLACE / name).mkdir()
    return str(PLACE / name)


def make_device(name, with_files=False):
    shutil.rmtree(PLACE / name, ignore_errors=True)
    (PLACE / name / "notes").mkdir(parents=True)
    run(name, "init")
    if with_files:
        subprocess.run(
            [
                "cp",
                "-r",
                *sorted(str(p) for p in (PLACE / "a/notes").glob("0*")),
                str(PLACE / name / "notes"),
            ],
            check=True,
        )


def size_of(pattern, target="shared"):
    files = list((PLACE / target).rglob(pattern))
    return len(files), sum(file.stat().st_size for file in files)


def operations_of(home):
    with sqlite3.connect(PLACE / home / "notes/.diple/library.sqlite") as connection:
        return connection.execute("SELECT count(*) FROM operation").fetchone()[0]


def uses(home, target):
    """Counts how a sync uses a target: the folders that it lists, and the files that it reads and writes."""
    log = PLACE / "trace"
    run(
        home,
        "sync",
        under=[
            "strace",
            "-f",
            "-qq",
            "-y",
            "-e",
            "trace=openat,open,linkat,rename,renameat,renameat2",
            "-o",
            str(log),
        ],
    )
    lists = reads = writes = 0
    for line in log.read_text(errors="replace").splitlines():
        call = re.search(r"(\w+)\((.*)\) += \d", line)
        if not call or str(PLACE / target) not in call[2]:
            continue
        if not call[1].startswith("open"):
            writes += 1
        elif "O_DIRECTORY" in call[2]:
            lists += 1
        elif "O_CREAT" not in call[2] and "O_TMPFILE" not in call[2]:
            reads += 1
    return lists, reads, writes


def measure_operations():
    library("o", OPTIONS.operations)
    count = operations_of("o")
    target = make_target("many")
    make_device("r")
    run("r", "sync", "init", "folder", target, "--device", "r")
    run(
        "o",
        "sync",
        "join",
        "folder",
        target,
        "--device",
        "o",
        title=f"join of a device that sends its {count} operations",
    )
    # Twice: the first one may compact what was sent.
    run("o", "sync")
    run("r", "sync", title=f"sync that receives {count} operations", goal="3 s, 100 MB")
    received = operations_of("r")
    if received < count * 9 // 10:
        sys.exit(f"bench: only {received} of {count} operations were received")
    run("r", "sync")
    run("r", "sync", title="idle sync of the receiving device", goal="0.05 s")
    make_device("n")
    run(
        "n",
        "sync",
        "join",
        "folder",
        target,
        "--device",
        "n",
        title=f"join of an empty device, which receives {count} operations",
    )


def measure_devices():
    names = [f"m{number}" for number in range(OPTIONS.devices)]
    target = make_target("team")
    for number, name in enumerate(names):
        make_device(name)
        for document in range(SHARED_DOCUMENTS):
            text = f"# Note {document}\n\n" + "\n\n".join(
                f"Paragraph {document}-{part} says {' '.join(WORDS)}." for part in range(10)
            )
            (PLACE / name / "notes" / f"{document}.md").write_text(text + "\n")
        run(name, "add", ".")
        run(name, "sync", "join" if number else "init", "folder", target, "--device", name)
        # Until no device has anything new.
        before = None
        while before != (before := [operations_of(one) for one in names[: number + 1]]):
            for one in names[: number + 1]:
                run(one, "sync")
        print(
            f"{number + 1} devices with the same {SHARED_DOCUMENTS} documents: "
            f"{operations_of(name) / SHARED_DOCUMENTS:.1f} operations per document",
            flush=True,
        )
    if shutil.which("strace"):
        run(names[0], "mark", "1.md", '"Paragraph 1-1"', "--note", "a change")
        for name, title in [
            (names[0], "sync that sends a change"),
            (names[1], "sync that receives this change"),
            (names[2], "sync without changes"),
        ]:
            if name == names[2]:
                run(name, "sync")
                run(name, "sync")
            lists, reads, writes = uses(name, "team")
            print(
                f"{len(names)} devices, {title}: {lists} folders opened, {reads} files read, {writes} written",
                flush=True,
            )
    run(names[0], "sync", title=f"idle sync of one of {len(names)} devices", goal="0.05 s")


def main():
    library("a")
    shared = make_target()
    run(
        "a",
        "sync",
        "init",
        "folder",
        shared,
        "--device",
        "a",
        title=f"init with {HIGHLIGHTS} highlights",
        goal="3 s, 100 MB",
    )
    segments, snapshots = size_of("*.seg"), size_of("*.snap")
    print(
        f"at the target: {segments[0]} segments of {segments[1] / 1e6:.1f} MB, "
        f"{snapshots[0]} snapshots of {snapshots[1] / 1e6:.1f} MB"
    )
    run("a", "sync")
    run("a", "sync", title="idle sync of the first device", goal="0.05 s")
    make_device("d1")
    run(
        "d1",
        "sync",
        "join",
        "folder",
        shared,
        "--device",
        "d1",
        title="join without the files",
        goal="2 s, 100 MB",
    )
    run("d1", "sync")
    run("d1", "sync", title="idle sync of the new device", goal="0.05 s")
    make_device("d2", with_files=True)
    run(
        "d2",
        "sync",
        "join",
        "folder",
        shared,
        "--device",
        "d2",
        title="join with the files, which are not in the library yet",
    )
    joined = 2
    while joined < (OPTIONS.devices or 0) - 1:
        joined += 1
        make_device(f"d{joined}")
        run(f"d{joined}", "sync", "join", "folder", shared, "--device", f"d{joined}")
    print(
        f"snapshots after {joined} devices joined: {size_of('*.snap')[0]}, {size_of('*.snap')[1] / 1e6:.1f} MB"
    )
    if OPTIONS.operations:
        measure_operations()
    if OPTIONS.devices:
        measure_devices()


try:
    main()
finally:
    if not KEPT:
        shutil.rmtree(PLACE, ignore_errors=True)
