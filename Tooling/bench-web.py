#!/usr/bin/env python3
"""Measures `diple serve` and its pages in headless Chromium, and prints goals and figures.

usage: bench-web.py PROGRAMS [--documents N]
PROGRAMS is the folder of diple and diple-serve; --documents sets the size of the large library
(10,000). All files are in a temporary folder, the server listens on loopback and ends with this
program.
"""

import http.client, json, os, pathlib, random, statistics, sys, tempfile, threading, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests/ServeBrowserTests/Browser"))
sys.dont_write_bytecode = True
from world import World, prepare  # noqa: E402

PROGRAMS = os.path.abspath(sys.argv[1])
DOCUMENTS = (
    int(sys.argv[sys.argv.index("--documents") + 1]) if "--documents" in sys.argv else 10_000
)
WORDS = (
    "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et "
    "dolore magna aliqua"
).split()
PICK = random.Random(1)


def text(size):
    parts, length = ["# A text"], 8
    while length < size:
        words = " ".join(PICK.choice(WORDS) for _ in range(PICK.randint(30, 120)))
        parts.append(
            "## " + words[:30] if PICK.random() < 0.05 else words.replace("dolor", "*dolor*")
        )
        length += len(parts[-1]) + 2
    return "\n\n".join(parts) + "\n"


class Client:
    """A client of the server that logs in without a browser."""

    def __init__(self, address):
        base, code = address.split("/#")
        self.host = base.removeprefix("http://")
        self.connection = http.client.HTTPConnection(self.host)
        self.fields = {"Origin": base, "Content-Type": "application/json", "X-Diple": "1"}
        answer = self.ask("POST", "/api/login", {"code": code})
        self.cookie = answer[1].getheader("Set-Cookie").split(";")[0]

    def ask(self, method, path, body=None):
        fields = dict(self.fields) if method != "GET" else {}
        if hasattr(self, "cookie"):
            fields["Cookie"] = self.cookie
        start = time.monotonic()
        self.connection.request(
            method, path, json.dumps(body) if body is not None else None, fields
        )
        answer = self.connection.getresponse()
        data = answer.read()
        return (time.monotonic() - start) * 1000, answer, data

    def events(self, document):
        connection = http.client.HTTPConnection(self.host)
        connection.request("GET", f"/api/events?doc={document}", headers={"Cookie": self.cookie})
        return connection, connection.getresponse()


def memory(world):
    """Returns the server's resident memory in MB. `diple` replaces itself with `diple-serve`."""
    with open(f"/proc/{world.server.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def say(what, value, goal=None):
    print(f"{what}: {value}" + (f" (goal {goal})" if goal else ""), flush=True)


def first_page(world, client, identifier):
    answer = json.loads(client.ask("GET", f"/api/documents/{identifier}/body")[2])
    length, digest = answer["length"], answer["digest"]
    for number in range(500):
        start = number * (length - 60) // 500
        status = client.ask(
            "POST",
            "/api/actions/highlight.mark",
            {
                "document": identifier,
                "color": ["yellow", "green", "blue", "pink"][number % 4],
                "passage": {"ranges": [{"start": start, "end": start + 40}], "text": digest},
            },
        )
        if status[1].status != 200:
            sys.exit(f"bench-web: marking: {status[1].status} {status[2][:200]}")
    for path in (
        "/d/" + identifier,
        f"/api/documents/{identifier}",
        f"/api/documents/{identifier}/body",
    ):
        times = sorted(client.ask("GET", path)[0] for _ in range(30))
        say(
            f"100 KB, 500 highlights, {path.replace(identifier, 'ID')}: median of 30, longest",
            f"{times[15]:.1f} ms, {times[-1]:.1f} ms",
            "15 ms",
        )
    page = world.open("/")
    times = []
    for _ in range(7):
        page.go(f"{world.base}/d/{identifier}")
        page.until("document.querySelectorAll('#text mark').length >= 500", within=60)
        times.append(page.eval("performance.now()"))
    say(
        "the same page in Chromium, all highlights drawn: median of 7",
        f"{statistics.median(times):.0f} ms",
        "300 ms",
    )
    return page


def marking(world, page, identifier):
    page.go(f"{world.base}/d/{identifier}")
    prepare(page)
    times = []
    for number in range(7):
        page.eval(
            f"getSelection().selectAllChildren(document.querySelectorAll('#text p')[{number * 3 + 2}])"
        )
        page.until("[...document.querySelectorAll('.menu')].some(menu => !menu.hidden)")
        page.eval("""
          window.before = document.querySelectorAll('#text mark').length;
          window.painted = new Promise(done => {
            const start = performance.now();
            const look = () => document.querySelectorAll('#text mark').length > before
              ? requestAnimationFrame(() => done(performance.now() - start)) : requestAnimationFrame(look);
            look();
          }); true""")
        page.key("1")
        times.append(page.eval("painted"))
        page.key("Escape")
    say(
        "from a key to the painted highlight, 100 KB: median of 7, longest",
        f"{statistics.median(times):.0f} ms, {max(times):.0f} ms",
        "100 ms",
    )


def large(world, client):
    identifier = world.document("large.md", text(10_000_000))
    took = client.ask("GET", f"/api/documents/{identifier}/body")
    say("10 MB, first response of the server", f"{took[0]:.0f} ms, {len(took[2]) / 1e6:.1f} MB")
    page = world.open("/")
    page.send(
        "Page.addScriptToEvaluateOnNewDocument",
        {
            "source": "window.tasks = []; new PerformanceObserver(l => tasks.push(...l.getEntries().map(e => e.duration)))"
            ".observe({type: 'longtask', buffered: true});"
        },
    )
    page.go(f"{world.base}/d/{identifier}")
    say(
        "10 MB, first text visible in Chromium",
        f"{page.eval('performance.now()'):.0f} ms",
        "1,500 ms",
    )
    height = 0
    for _ in range(200):
        page.browser.pump(0.25)
        now = page.eval("document.documentElement.scrollHeight")
        if now == height:
            break
        height = now
    say("10 MB, all text in the page", f"{page.eval('performance.now()'):.0f} ms")
    page.eval("tasks.length = 0")
    for step in range(60):
        page.eval(f"scrollTo(0, {height} * {step} / 60)")
        page.browser.pump(0.05)
    say(
        "longest task while scrolling 10 MB",
        f"{page.eval('Math.max(0, ...tasks)'):.0f} ms",
        "50 ms",
    )
    say("memory of the server after the text of 10 MB", f"{memory(world):.0f} MB")
    page.close()


def pages(world, client, identifier, name):
    open_pages = [client.events(identifier) for _ in range(200)]
    told = []

    def wait(answer):
        while line := answer.fp.readline():
            if b"event: text" in line:
                told.append(time.monotonic())
                return

    threads = [
        threading.Thread(target=wait, args=(answer,), daemon=True) for _, answer in open_pages
    ]
    for thread in threads:
        thread.start()
    time.sleep(2)
    start = time.monotonic()
    world.write(name, (world.library / name).read_text() + "\n\nMore of it.\n")
    for thread in threads:
        thread.join(10)
    say(
        "200 open pages that are notified of a change: pages, time to the last one",
        f"{len(told)}, {(max(told, default=start + 99) - start) * 1000:.0f} ms",
        "200, 300 ms",
    )
    for connection, _ in open_pages:
        connection.close()


def many():
    with tempfile.TemporaryDirectory(prefix="diple-web-") as folder:
        world = World(PROGRAMS, folder)
        try:
            for number in range(DOCUMENTS):
                (world.library / f"note {number}.md").write_text(f"# Note {number}\n\n" + text(500))
            world.diple("add", ".")
            world.serve()
            client = Client(world.address)
            say(
                f"memory with {DOCUMENTS} documents, before a request",
                f"{memory(world):.0f} MB",
                "40 MB",
            )
            took = client.ask("GET", "/api/library")
            say(
                f"the library page of {DOCUMENTS} documents",
                f"{took[0]:.0f} ms, {len(took[2]) / 1e6:.1f} MB",
            )
            say("memory after the library page", f"{memory(world):.0f} MB", "40 MB")
        finally:
            world.close()


def main():
    with tempfile.TemporaryDirectory(prefix="diple-web-") as folder:
        world = World(PROGRAMS, folder)
        try:
            identifier = world.document("a.md", text(100_000))
            world.serve()
            client = Client(world.address)
            world.address = world.new_code()
            page = first_page(world, client, identifier)
            marking(world, page, identifier)
            page.close()
            pages(world, client, identifier, "a.md")
            large(world, client)
        finally:
            world.close()
    many()
    print(f"load {os.getloadavg()[0]:.1f}")


main()
