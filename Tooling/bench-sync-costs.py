#!/usr/bin/env python3
"""Measures what a sync of a large library costs, in processor time and memory of the real program.

usage: bench-sync-costs.py DIPLE [HIGHLIGHTS]
HIGHLIGHTS (100,000) are imported into documents with 50 each.
All files are in a temporary folder, or in KEEP=DIR, which is kept and used again.
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

DIPLE = os.path.abspath(sys.argv[1])
HIGHLIGHTS = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
EACH = 50
KEPT = os.environ.get("KEEP")
PLACE = pathlib.Path(KEPT or tempfile.mkdtemp(prefix="diple-sync-costs-"))
WORDS = "a woman must have money and a room of her own if she is to write fiction that leaves the".split()


def run(home, *words, goal=None, title=None):
    """Runs a command in a home; prints its processor time and peak memory under the title.

    The kernel counts the memory of this process, which starts the command, for the command."""
    folder = PLACE / home
    environment = {
        "HOME": str(folder), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
        "DIPLE_SYNC_PASSPHRASE": "correct horse battery", "XDG_RUNTIME_DIR": str(folder / "run")}
    with open(PLACE / "output", "w+") as output:
        process = subprocess.Popen(
            [DIPLE, *words], cwd=folder / "notes", env=environment, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        output.seek(0)
        text = output.read()
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"bench: {home}: {' '.join(words[:3])}: {text}")
    if title:
        took, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        print(f"{title}: {took:.2f} s of processor, {memory:.0f} MB{f' (goal {goal})' if goal else ''}; "
              f"load {os.getloadavg()[0]:.1f}", flush=True)
    return text


def make_library():
    random.seed(7)
    notes = PLACE / "a/notes"
    notes.mkdir(parents=True)
    annotations = []
    for number in range(HIGHLIGHTS // EACH):
        path = notes / f"{number // 100:03}" / f"{number}.md"
        path.parent.mkdir(exist_ok=True)
        paragraphs = [
            f"Paragraph {number}-{index} says {' '.join(random.choices(WORDS, k=25))}." for index in range(EACH)]
        path.write_text(f"# Note {number}\n\n" + "\n\n".join(paragraphs) + "\n")
        for index, paragraph in enumerate(paragraphs):
            body = [{"type": "TextualBody", "purpose": "commenting", "value": f"note {index}"}] if index % 10 == 0 else []
            annotations.append({
                "type": "Annotation", "id": f"urn:bench:{number}-{index}", "created": "2026-01-01T00:00:00Z",
                "body": body, "diple:color": ("yellow", "green", "blue", "pink")[index % 4],
                "target": {"source": str(path), "selector": {
                    "type": "TextQuoteSelector", "exact": paragraph[:60], "prefix": "", "suffix": paragraph[60:92]}}})
    file = PLACE / "annotations.json"
    file.write_text(json.dumps(annotations))
    run("a", "init")
    run("a", "add", ".")
    run("a", "import", str(file))


def homes():
    """Copies the library of the home, before it is synced, for further measurements."""
    if not (PLACE / "a/notes/.diple").exists():
        # In another process, so that this one stays small.
        if os.fork() == 0:
            make_library()
            os._exit(0)
        if os.wait()[1]:
            sys.exit("bench: the library could not be made")
        shutil.copytree(PLACE / "a", PLACE / "base", symlinks=True)
    else:
        shutil.rmtree(PLACE / "a")
        shutil.copytree(PLACE / "base", PLACE / "a", symlinks=True)
    for name in os.listdir(PLACE):
        if re.fullmatch(r"shared|d\d+", name):
            shutil.rmtree(PLACE / name)
    (PLACE / "shared").mkdir()


def make_device(name, with_files=False):
    (PLACE / name / "notes").mkdir(parents=True)
    run(name, "init")
    if with_files:
        subprocess.run(["cp", "-r", *sorted(str(p) for p in (PLACE / "a/notes").glob("0*")), str(PLACE / name / "notes")],
                       check=True)


def size_of(pattern):
    files = list((PLACE / "shared").rglob(pattern))
    return len(files), sum(file.stat().st_size for file in files)


def main():
    homes()
    shared = str(PLACE / "shared")
    run("a", "sync", "init", "folder", shared, "--device", "a", title=f"init with {HIGHLIGHTS} highlights",
        goal="3 s, 100 MB")
    segments, snapshots = size_of("*.seg"), size_of("*.snap")
    print(f"at the target: {segments[0]} segments of {segments[1] / 1e6:.1f} MB, "
          f"{snapshots[0]} snapshots of {snapshots[1] / 1e6:.1f} MB")
    run("a", "sync")
    run("a", "sync", title="idle sync of that device", goal="0.05 s")
    make_device("d1")
    run("d1", "sync", "join", "folder", shared, "--device", "d1", title="join without the files",
        goal="2 s, 100 MB")
    run("d1", "sync")
    run("d1", "sync", title="idle sync of the new device", goal="0.05 s")
    make_device("d2", with_files=True)
    run("d2", "sync", "join", "folder", shared, "--device", "d2", title="join with the files, not added yet")
    print(f"snapshots after two devices joined: {size_of('*.snap')[0]}, {size_of('*.snap')[1] / 1e6:.1f} MB")


try:
    main()
finally:
    if not KEPT:
        shutil.rmtree(PLACE, ignore_errors=True)
