"""Finding in a document's page."""

import re
from pathlib import Path

from world import equal, expect, measure, prepare


def check_find(world):
    identifier = world.document(
        "fox.md", "# Foxes\n\n" + "The fox sees a Fox, and the foxes see it.\n\n" * 40
    )
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.key("/")
    page.type("fox")
    page.until("document.querySelector('.findbar .count').textContent === '1 of 121'")
    expect(page.eval("CSS.highlights.get('found').size") == 120, "not all matches are drawn")
    equal(page.eval("CSS.highlights.get('found-now').size"), 1, "the current match")
    page.key("Enter")
    page.until("document.querySelector('.findbar .count').textContent === '2 of 121'")
    page.key("Enter", shift=True)
    page.key("Enter", shift=True)
    page.until("document.querySelector('.findbar .count').textContent === '121 of 121'")
    # The last one is in view.
    page.until(
        "(b => b.top > 50 && b.bottom < innerHeight)([...CSS.highlights.get('found-now')][0].getBoundingClientRect())"
    )
    equal(page.eval("[...CSS.highlights.get('found-now')][0].toString()"), "fox", "the match")
    # Case, and another strategy.
    page.press_on(".findbar button[aria-label='Match case']")
    page.until("/ of 80$/.test(document.querySelector('.findbar .count').textContent)")
    page.eval(
        "(s => { s.value = 'regex'; s.dispatchEvent(new Event('change')) })(document.querySelector('.findbar select'))"
    )
    page.press_on(".findbar input")
    page.eval("document.querySelector('.findbar input').select()")
    page.type("fox(es)? s")
    page.until("/ of 80$/.test(document.querySelector('.findbar .count').textContent)")
    page.eval("document.querySelector('.findbar input').select()")
    page.type("fox(")
    page.until(
        "document.querySelector('.findbar').classList.contains('refused')",
        "a bad pattern to be told of",
    )
    page.eval("document.querySelector('.findbar input').select()")
    page.type("xyzzy")
    page.until("document.querySelector('.findbar .count').textContent === 'No match'")
    page.key("Escape")
    page.until("document.querySelector('.findbar').hidden && !CSS.highlights.has('found')")
    # The browser logs the server's response to the invalid pattern.
    page.faults()


def check_keys_while_finding(world):
    """n and N go through the matches until Esc ends finding; then n writes a note."""
    identifier = world.document("fox.md", "# Foxes\n\n" + "The fox sees it.\n\n" * 9)
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.key("/")
    page.type("fox")
    count = "document.querySelector('.findbar .count').textContent"
    page.until(f"{count} === '1 of 10'")
    page.eval("document.activeElement.blur()")
    page.key("n")
    page.until(f"{count} === '2 of 10'")
    page.key("N")
    page.key("N")
    page.until(f"{count} === '10 of 10'")
    page.key("w")
    page.until("!document.querySelector('.menu').hidden")
    page.key("Escape")
    page.until("document.querySelector('.findbar').hidden")
    expect(page.eval("!getSelection().isCollapsed"), "the selection is kept")
    page.key("n")
    page.until("document.activeElement.id === 'note-text'")


def _table_of_keys():
    """Returns the rows of Documentation/keys.md that have keys of the browser."""
    text = (Path(__file__).parents[3] / "Documentation" / "keys.md").read_text()
    rows = []
    group = ""
    for line in text.splitlines():
        if line.startswith("## "):
            group = line[3:]
        cells = [cell.strip() for cell in line.split(" | ")]
        keys = re.findall("`([^`]+)`", cells[1]) if len(cells) == 3 else []
        if line.startswith("|") and keys:
            rows.append([group, keys, cells[2].removesuffix("|").strip()])
    return rows


def check_table_of_keys(world):
    """The page has the keys of the table in the documentation, and no others."""
    identifier = world.document("fox.md", "# Foxes\n\nThe fox sees it.\n")
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.key("?")
    page.until("document.querySelector('dialog[open] .sheet')")
    shown = page.eval("""[...document.querySelectorAll('.sheet section')].flatMap((section) =>
      [...section.querySelectorAll('tr')].map((row) => [
        section.querySelector('h3').textContent,
        [...row.querySelectorAll('kbd')].map((key) => key.textContent),
        row.querySelector('td').textContent,
      ]))""")
    table = _table_of_keys()
    expect(len(table) > 20, f"the table has {len(table)} rows")
    equal(sorted(shown), sorted(table), "the keys")


def check_keys_of_the_text(world):
    """The keys that move and select have the effect that the table describes."""
    identifier = world.document(
        "long.md",
        "# One\n\nSome short words here.\n\n" + "A line.\n\n" * 80 + "## Two\n\nThe end.\n",
    )
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.key("G")
    page.until("scrollY > 0 && scrollY + innerHeight > document.documentElement.scrollHeight - 5")
    page.key("g")
    page.until("scrollY === 0")
    page.key("j")
    page.until("scrollY > 10")
    page.key("k")
    page.until("scrollY === 0")
    page.key("}")
    page.until("scrollY > 500")
    page.key("{")
    page.until("scrollY < 100")
    page.key("g")
    page.key("p")
    page.key("p")
    page.until("getSelection().toString().trim() === 'Some short words here.'")
    page.key("-")
    page.key("-")
    page.until("getSelection().toString().trim() === 'Some short words'")
    page.key("+")
    page.until("getSelection().toString().trim() === 'Some short words here'")
    page.key("w")
    page.until("getSelection().toString().trim().split(' ').length === 1")
    page.key("e")
    page.until("getSelection().toString().trim().split('\\n').length === 1")
    page.key("e")
    page.until("getSelection().toString().includes('The end.')")
    page.key("Escape")
    page.until("getSelection().isCollapsed")
    page.key("a")
    page.until("getSelection().toString().includes('The end.')")
    page.key("Escape")
    page.key("O")
    page.until("location.pathname === '/'")


def check_slow_pattern(world):
    """A pattern that takes too many steps is reported in one line, at the field."""
    identifier = world.document("slow.md", "# Slow\n\n" + "a" * 60 + "c b\n")
    page = world.open(f"/d/{identifier}")
    page.key("/")
    page.until("document.querySelectorAll('.findbar option').length > 1")
    page.eval(
        "(s => { s.value = 'regex'; s.dispatchEvent(new Event('change')) })(document.querySelector('.findbar select'))"
    )
    page.type("(a+)+b")
    page.until(
        "document.querySelector('.findbar').classList.contains('refused')",
        "the pattern to be told of",
    )
    text = page.eval("document.querySelector('.findbar .count').textContent")
    expect("too many steps" in text and "\n" not in text, f"the bar says {text!r}")
    page.eval("document.querySelector('.findbar input').select()")
    page.type("c b")
    page.until("document.querySelector('.findbar .count').textContent === '1 of 1'")
    library = world.open("/#/search?q=(a%2B)%2Bb&strategy=regex")
    library.until(
        "document.querySelector('main .problem:not([hidden])')?.textContent.includes('too many steps')"
    )
    # The browser logs the rejected request too.
    page.faults()


def check_thousands_of_matches(world):
    identifier = world.document(
        "many.md", "# Many\n\n" + "a b a c a d a e a f a g a h a i a j\n\n" * 900
    )
    page = world.open(f"/d/{identifier}")
    page.eval(
        "window.tasks = []; new PerformanceObserver(l => tasks.push(...l.getEntries().map(e => e.duration))).observe({type: 'longtask'}), true"
    )
    page.key("/")
    page.type("a")
    page.until("/^1 of [0-9,]+/.test(document.querySelector('.findbar .count').textContent)")
    expect(
        page.eval("document.querySelector('.findbar .count').textContent.includes(',')"),
        "thousands of matches",
    )
    for _ in range(5):
        page.key("Enter")
    page.eval("scrollTo(0, document.documentElement.scrollHeight / 2)")
    page.browser.pump(0.4)
    page.until(
        "(b => b.length && b.some(r => { const x = r.getBoundingClientRect(); return x.top > 0 && x.top < innerHeight; }))([...CSS.highlights.get('found')])"
    )
    longest = page.eval("Math.max(0, ...tasks)")
    expect(longest < 400, f"the page stood still for {longest} ms")
    took, _ = measure(page, "document.querySelector('.findbar .steps button').click(), true")
    expect(took < 0.5, f"the next match took {took} s")
