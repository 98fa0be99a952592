"""Reads randomly changed pages and books with diple-fetch, which must respond within limits.

usage: FETCH=PROGRAM RUNS=NUMBER [SEED=NUMBER] python3 Tooling/fuzz-pages.py [PAGE...]
Failing inputs are kept in .cache/.
"""

import io
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile

FETCH = os.environ["FETCH"]
RUNS = int(os.environ.get("RUNS", "10000"))
SEED = int(os.environ.get("SEED", str(random.randrange(1 << 32))))
# CPU time, since other work on the machine prolongs the wall time.
SECONDS = 20
MEGABYTES = 512

TOKENS = [
    b"<p>",
    b"</p>",
    b"<div>",
    b"<table><tr><td>",
    b"<td rowspan=9999 colspan=9999>",
    b"<ul><li>",
    b"<pre>",
    b"<a href='#n'>1</a>",
    b"<li id=n class=footnote>",
    b"<b><i><u>",
    b"</b>",
    b"<svg><math>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"&#xD800;",
    b"&nbsp",
    b"&#0;",
    b"<script>",
    b"</script>",
    b"<template>",
    b"<plaintext>",
    b"\x00",
    b"\xff\xfe",
    b"<base href='//x/..'>",
    b"<meta charset=utf-7>",
    b"<meta charset=shift_jis>",
    b"<select><frameset>",
    b"<ol start=-999999999999999999999>",
    b"<math alttext='$$'>",
    b"<img srcset=,,, src=data:>",
    b"<dl><dt><dd>",
    b"```",
    b"$$",
    b"[^1]:",
    b"<figure><figcaption>",
    b"<sup><a href='#n'>",
    b"<br>",
    b"<h1>",
    b"</html>",
    b"/>",
    b'<script type=\'application/ld+json\'>{"@type":"Article","author":[[[[',
    b"<time datetime='9999999'>",
]

PAGE = b"""<!DOCTYPE html><html lang="en"><head><title>A page | Site</title><meta charset="utf-8">
<meta property="og:title" content="A page"><link rel="canonical" href="https://example.org/a"></head><body>
<nav><ul><li><a href="/">Home</a></li></ul></nav><article><h1>A page</h1><p>Some <em>words</em>, and <strong>more</strong>,
of <a href="b.html">an article</a><sup><a href="#fn1">1</a></sup>, with commas, so that it counts. Some words more.</p>
<ul><li>one</li><li>two<ol><li>three</li></ol></li></ul><pre><code class="language-c">int a;</code></pre>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><blockquote><p>A quote, long, longer.</p></blockquote>
<figure><img src="a.png" alt="A"><figcaption>Caption</figcaption></figure><dl><dt>T</dt><dd>D</dd></dl>
<p>Some words, and more, of an article, with commas, so that it counts, and is long enough to be found at all.</p>
<ol class="footnotes"><li id="fn1">A note. <a href="#r">back</a></li></ol></article><footer>End</footer></body></html>"""


def book(chapter, package=None):
    files = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": b'<container><rootfiles><rootfile full-path="o/b.opf"/></rootfiles></container>',
        "o/b.opf": package
        or b"<package><metadata><dc:title>B</dc:title><dc:creator>C</dc:creator></metadata><manifest>"
        b'<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        b'<item id="n" href="n.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest>'
        b'<spine><itemref idref="a"/></spine></package>',
        "o/n.xhtml": b'<html><body><nav epub:type="toc"><ol><li><a href="a.xhtml">A</a><ol><li><a href="a.xhtml#b">B</a>'
        b"</li></ol></li></ol></nav></body></html>",
        "o/a.xhtml": chapter,
        "o/a.png": b"\x89PNG\r\n\x1a\n",
    }
    return files


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def changed(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(7)
        if kind == 0 and data:
            data[place % len(data)] = rng.randrange(256)
        elif kind == 1:
            data[place:place] = rng.choice(TOKENS)
        elif kind == 2:
            del data[place : place + rng.choice([1, 3, 20, 200])]
        elif kind == 3:
            other = rng.randrange(len(data) + 1)
            data[place:place] = data[other : other + rng.choice([5, 50, 500])]
        elif kind == 4:
            data[place:place] = rng.choice(TOKENS) * rng.choice([2, 30, 1000])
        elif kind == 5 and rng.randrange(20) == 0:
            data[place:place] = (rng.choice(TOKENS) + rng.choice(TOKENS)) * 20000
        else:
            data[place : place + 2] = bytes(rng.randrange(256) for _ in range(2))
    return bytes(data)


def own_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    rng = random.Random(SEED)
    pages = [PAGE] + [pathlib.Path(name).read_bytes()[: 1 << 18] for name in sys.argv[1:]]
    place = pathlib.Path(tempfile.mkdtemp())
    slowest, answers = 0.0, {}
    try:
        for run in range(RUNS):
            kind = rng.randrange(8)
            if kind < 5:
                data = changed(rng.choice(pages), rng)
            elif kind == 5:
                data = packed(book(changed(PAGE, rng)))
            elif kind == 6:
                files = book(PAGE)
                name = rng.choice(["o/b.opf", "o/n.xhtml", "META-INF/container.xml"])
                files[name] = changed(files[name], rng)
                data = packed(files)
            else:
                data = changed(packed(book(PAGE)), rng)
            folder = place / str(run)
            folder.mkdir(mode=0o700)
            (folder / "input").write_bytes(data)
            order = {
                "place": {"file": {"_0": str(folder / "input")}},
                "isWhole": rng.random() < 0.5,
                "allowsPrivate": False,
                "seconds": 1,
            }
            (folder / "order.json").write_text(json.dumps(order))
            before = own_time()
            try:
                done = subprocess.run(
                    [FETCH, str(folder)], capture_output=True, timeout=6 * SECONDS
                )
                code, said = done.returncode, done.stderr
            except subprocess.TimeoutExpired:
                code, said = "hang", b""
            took = own_time() - before
            slowest = max(slowest, took)
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
            answer = folder / "answer.json"
            if code != 0 or said or not answer.exists() or memory > MEGABYTES or took > SECONDS:
                kept = pathlib.Path(".cache") / f"fetch-{SEED}-{run}"
                kept.parent.mkdir(exist_ok=True)
                kept.write_bytes(data)
                sys.exit(
                    f"seed {SEED}, run {run}: code {code}, {took:.1f} s, {memory} MB, {said[:300]}; kept {kept}"
                )
            problem = json.loads(answer.read_text()).get("problem")
            what = problem["code"] if problem else "made"
            answers[what] = answers.get(what, 0) + 1
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(
        f"seed {SEED}: {RUNS} pages and books, {answers}; slowest {slowest:.2f} s, most memory {memory} MB"
    )


main()
