"""A scenario's library, the program that serves it, and pages that show it."""

import json
import os
import pathlib
import subprocess
import time

from chromium import Chromium, Failure

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


def expect(condition, words):
    """Fails with a message unless the condition is true."""
    if not condition:
        raise Failure(words() if callable(words) else words)


def equal(value, wanted, what):
    expect(value == wanted, f"{what}: {value!r}, not {wanted!r}")


class World:
    def __init__(self, programs, folder):
        self.folder = pathlib.Path(folder)
        self.programs = pathlib.Path(programs)
        self.environment = dict(
            os.environ,
            HOME=str(self.folder / "home"),
            XDG_RUNTIME_DIR=str(self.folder / "run"),
            LC_ALL="C.UTF-8",
        )
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            self.environment.pop(name, None)
        (self.folder / "home").mkdir(exist_ok=True)
        (self.folder / "run").mkdir(mode=0o700, exist_ok=True)
        self.library = self.folder / "library"
        self.library.mkdir(exist_ok=True)
        self.browser = None
        self.server = None
        self.pages = []
        self.diple("init")

    def close(self):
        if self.browser:
            self.browser.close()
        if self.server:
            self.stop()

    # The library

    def diple(self, *words, check=True):
        """Runs a command of `diple`, and returns its output."""
        done = subprocess.run(
            [self.programs / "diple", *words],
            cwd=self.library,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if check and done.returncode != 0:
            raise Failure(f"diple {' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def json(self, *words):
        """Runs a command with `--json`, and returns its data."""
        return json.loads(self.diple(*words, "--json"))["data"]

    def write(self, name, text):
        """Writes a file as editors do: writes a second file, and renames it."""
        beside = self.library / f".{name}.new"
        beside.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.replace(beside, self.library / name)

    def document(self, name, text):
        """Writes a document, adds it to the library, and returns its id."""
        self.write(name, text)
        self.diple("add", name)
        return next(each["id"] for each in self.json("doc", "list") if each["path"] == name)

    def highlights(self):
        # An empty list is not an error.
        return json.loads(self.diple("list", "--json", check=False))["data"]

    # The server and its pages

    def serve(self, *words, port=0):
        """Starts the server; `said` is its output."""
        self.server = subprocess.Popen(
            [self.programs / "diple", "serve", "--port", str(port), "--json", *words],
            cwd=self.library,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self._next_address()
        self.base = self.address.split("/#")[0]

    def stop(self):
        """Stops the server."""
        self.server.terminate()
        try:
            self.server.wait(5)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()

    def serve_again(self):
        """Starts another server on the same port."""
        self.serve(port=self.base.rsplit(":", 1)[1])

    def _next_address(self):
        line = self.server.stdout.readline()
        expect(line, "diple serve ended")
        self.said = json.loads(line)["data"]
        return self.said["address"]

    def new_code(self):
        """Returns a new address for logging in."""
        self.server.stdin.write("\n")
        self.server.stdin.flush()
        return self._next_address()

    def open(self, path="/", width=1280, height=900, **options):
        """Opens a page at an address of the server, logged in."""
        if self.server is None:
            self.serve()
        if self.browser is None:
            self.browser = Chromium()
            page = self.browser.page(width, height)
            page.go(self.address)
        else:
            page = self.browser.page(width, height)
        self.pages.append(page)
        page.go(self.base + path, **options)
        return page

    def check_faults(self):
        faults = [fault for page in self.pages for fault in page.faults()]
        expect(not faults, lambda: "the page told of faults: " + " | ".join(faults[:5]))


# Functions for scripts in the page.

SCRIPT = """
window.t = {
  root: () => document.querySelector("#text"),
  // A place in the window on one side of a character of the nth text that holds some words.
  spot(words, index, side, nth = 0) {
    const walker = document.createTreeWalker(this.root(), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(words);
      if (at < 0 || node.parentElement.closest("[data-x]") || nth-- > 0) continue;
      const range = document.createRange();
      const place = at + (index < 0 ? words.length + index : index);
      range.setStart(node, place);
      range.setEnd(node, place + 1);
      let box = range.getBoundingClientRect();
      if (box.top < 60 || box.bottom > innerHeight - 10) {
        node.parentElement.scrollIntoView({ block: "center", behavior: "instant" });
        box = range.getBoundingClientRect();
      }
      const isRight = getComputedStyle(node.parentElement).direction === "rtl";
      const x = side === "before" ? (isRight ? box.right - 0.6 : box.left + 0.6)
        : side === "after" ? (isRight ? box.left + 0.6 : box.right - 0.6) : box.left + box.width / 2;
      return [x, box.top + box.height / 2];
    }
    return null;
  },
};
"""


def prepare(page):
    page.eval(SCRIPT + "true")


def spot(page, words, index=0, side="before", nth=0):
    place = page.eval(f"t.spot({json.dumps(words)}, {index}, {json.dumps(side)}, {nth})")
    expect(place, f"{words!r} is not in the text")
    return place


def drag_over(page, first, last, *, backwards=False):
    """Drags from the beginning of the first words to the end of the last ones."""
    # The menu of an earlier selection could cover the words.
    page.eval("getSelection().removeAllRanges()")
    page.until("[...document.querySelectorAll('.menu')].every(menu => menu.hidden)")
    spot(page, first)
    start = spot(page, first, 0, "before")
    end = spot(page, last, -1, "after")
    start = spot(page, first, 0, "before") if start[1] < 60 else start
    if backwards:
        start, end = end, start
    page.drag(*start, *end, steps=8)


def selected(page):
    """Returns the page's selection, as ranges of the rendered text."""
    return page.eval(
        "import('/static/mapping.js').then(m => m.selectedRanges(document.querySelector('#text')))"
    )


def text_of(page):
    """Returns the rendered text from the page's runs, with gaps as line feeds."""
    return page.eval("""
      (() => {
        let text = "";
        for (const run of document.querySelectorAll("#text [data-o]")) {
          const start = Number(run.closest("[data-b]").dataset.b) + Number(run.dataset.o);
          text = text.padEnd(start, "\\n") + (run.tagName === "IMG" ? run.alt : run.textContent);
        }
        return text;
      })()""")


def cut(text, start, end):
    """Returns a part of a text; offsets are in UTF-16 units."""
    units = text.encode("utf-16-le")
    return units[start * 2 : end * 2].decode("utf-16-le", "replace")


def measure(page, code, wait=60):
    start = time.monotonic()
    value = page.eval(code, wait)
    return time.monotonic() - start, value
