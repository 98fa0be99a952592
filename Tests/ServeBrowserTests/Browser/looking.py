"""The page's appearance and accessibility."""

import os

from world import REPOSITORY, drag_over, equal, expect, prepare, spot, text_of

AXE = REPOSITORY / ".cache/axe/axe.min.js"

TEXT = """# On reading

A *first* paragraph with **strong** words, `code`, a [link](https://example.org) and a note.[^1] It is long enough for
several lines of the page, so that what is measured of it says something about all the other lines that there may be in
a document, whatever language it is written in and whoever wrote it, for the measure of a line is a thing of the eye.

## A part

> A quotation.

| a | b |
|---|---|
| 1 | 2 |

- [x] done
- [ ] to do

```swift
let one = 1  // a number
```

> [!WARNING]
> Careful.

[^1]: The note.
"""


def _page(world, **size):
    identifier = world.document("look.md", TEXT)
    for words, color, note in (
        ("first", "yellow", ""),
        ("strong", "green", "why"),
        ("several lines", "blue", ""),
        ("whoever wrote it", "pink", ""),
        ("let one", "yellow", ""),
        ("quotation", "blue", ""),
    ):
        world.diple(
            "mark",
            "look.md",
            f'"{words}"',
            "--color",
            color,
            *(["--note", note, "--tag", "x"] if note else []),
        )
    page = world.open(f"/d/{identifier}", **size)
    prepare(page)
    return page


def _has_axe():
    """Whether axe-core is available. If tests are required to run, they fail without it."""
    if AXE.exists():
        return True
    expect(not os.environ.get("CI"), f"{AXE} is missing; Tooling/test fetches it")
    print("skipped: axe-core is not in .cache/axe, where Tooling/test puts it")
    return False


def _axe(page, what):
    if not page.eval("typeof axe === 'object'"):
        # The page's policy rejects a script element, so the debugger evaluates the script.
        page.eval(AXE.read_text(encoding="utf-8") + ";true")
    # Wait for elements that fade in.
    page.eval("Promise.all(document.getAnimations().map(a => a.finished)).then(() => true)")
    answer = page.eval(
        """axe.run(document, {
        rules: { region: { enabled: true } }
      }).then(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + " "
        + (n.any[0]?.message ?? n.all[0]?.message ?? "")).join("; ")))""",
        wait=120,
    )
    return [f"{what}: {each}" for each in answer]


def check_accessible_document(world):
    if not _has_axe():
        return
    page = _page(world)
    found = []
    for theme in ("light", "sepia", "dark"):
        page.eval(f"document.documentElement.dataset.theme = '{theme}'")
        found += _axe(page, f"text, {theme}")
        page.click(*spot(page, "strong", 2, "middle"))
        page.until("!document.querySelector('.menu').hidden")
        found += _axe(page, f"menu of a highlight, {theme}")
        page.key("n")
        page.until("document.querySelector('.editor')")
        found += _axe(page, f"note, {theme}")
        page.type("x")
        page.key("Escape")
        page.until("document.querySelector('.unsaved:not([hidden])')")
        found += _axe(page, f"what is not saved, {theme}")
        page.press_on(".unsaved button")
        page.until("document.querySelector('.editor')")
        page.eval(
            "window.answers = window.fetch, window.fetch = () => Promise.reject(new Error()), true"
        )
        page.key("Enter", control=True)
        page.until("!document.querySelector('.editor .problem').hidden")
        found += _axe(page, f"note that is not saved, {theme}")
        page.eval("window.fetch = window.answers, true")
        page.press_on(".editor .offer button")
        page.key("Escape")
        page.key("Escape")
        page.key("o")
        page.key("Escape")
        page.eval(
            "for (const p of document.querySelectorAll('.panel')) if (p.hidden) document.querySelector(p.classList.contains('outline') ? '[aria-label=Outline]' : 'button[aria-label=Highlights]').click()"
        )
        found += _axe(page, f"panels, {theme}")
        page.eval(
            "document.querySelector('button[aria-label=Outline]').click(), document.querySelector('button[aria-label=Highlights]').click()"
        )
        page.key("/")
        page.type("a")
        page.until("/of/.test(document.querySelector('.findbar .count').textContent)")
        found += _axe(page, f"find, {theme}")
        # The first one selects the match, whose menu would cover other words.
        page.key("Escape")
        page.key("Escape")
        page.key("?")
        page.until("document.querySelector('dialog[open]')")
        found += _axe(page, f"keys, {theme}")
        page.key("Escape")
        page.eval("document.querySelector('button[aria-label=Appearance]').click()")
        found += _axe(page, f"appearance, {theme}")
        page.key("Escape")
    expect(not found, lambda: " | ".join(found))


def check_accessible_library(world):
    if not _has_axe():
        return
    _page(world)
    world.write("look.md", TEXT.replace("whoever wrote it", "whoever it was that once wrote them"))
    world.diple("refresh", check=False)
    page = world.open("/")
    found = []
    for theme in ("light", "sepia", "dark"):
        for view in ("documents", "highlights", "search?q=the", "review"):
            page.eval(
                f"location.hash = '/{view}'; document.documentElement.dataset.theme = '{theme}'; true"
            )
            page.until(
                f"document.querySelector('nav a[aria-current]').hash === '#/{view.split('?')[0]}'"
            )
            page.browser.pump(0.5)
            found += _axe(page, f"{view}, {theme}")
    expect(not found, lambda: " | ".join(found))


def check_typography(world):
    page = _page(world)
    style = page.eval(
        "(s => [s.fontSize, parseFloat(s.lineHeight) / parseFloat(s.fontSize)])(getComputedStyle(document.querySelector('#text p')))"
    )
    equal(style, ["18px", 1.5], "size and height of lines")
    lines = page.eval("""(() => {
      // The lengths of all lines but the last of the long paragraph.
      const words = [...document.querySelectorAll("#text p")].find(p => p.textContent.length > 300);
      const walker = document.createTreeWalker(words, NodeFilter.SHOW_TEXT);
      const lines = new Map();
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement.closest("[data-x]")) continue;
        for (let i = 0; i < node.length; i++) {
          const range = document.createRange();
          range.setStart(node, i);
          range.setEnd(node, i + 1);
          const top = Math.round(range.getBoundingClientRect().bottom / 27);
          lines.set(top, (lines.get(top) ?? 0) + 1);
        }
      }
      return [...lines.values()].slice(0, -1);
    })()""")
    average = sum(lines) / len(lines)
    expect(62 <= average <= 76, f"a line has {average} characters: {lines}")
    # A larger size, which is remembered.
    page.key("+")
    page.key("T")
    equal(
        page.eval("getComputedStyle(document.querySelector('#text p')).fontSize"),
        "20px",
        "the size",
    )
    equal(page.eval("document.documentElement.dataset.theme"), "sepia", "the theme")
    page.go(page.eval("location.href"))
    equal(
        page.eval(
            "[getComputedStyle(document.querySelector('#text p')).fontSize, document.documentElement.dataset.theme]"
        ),
        ["20px", "sepia"],
        "what is remembered",
    )
    page.key("=")
    equal(
        page.eval("getComputedStyle(document.querySelector('#text p')).fontSize"),
        "18px",
        "the usual size",
    )
    # The system's theme, if the user chose none.
    page.eval("localStorage.clear()")
    page.media(prefers_color_scheme="dark")
    page.go(page.eval("location.href"))
    equal(page.eval("document.documentElement.dataset.theme"), "dark", "the theme of the system")
    page.eval("localStorage.clear()")


def check_phone(world):
    page = _page(world)
    page.size(360, 740, mobile=True, scale=2)
    for path in (
        page.eval("location.pathname"),
        "/#/documents",
        "/#/highlights",
        "/#/search",
        "/#/review",
    ):
        page.go(world.base + path)
        page.browser.pump(0.3)
        expect(
            page.eval("document.documentElement.scrollWidth <= innerWidth"),
            f"{path} is wider than a phone: {page.eval('document.documentElement.scrollWidth')}",
        )


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000040001"
    "f61738550000000049454e44ae426082"
)


def check_pictures(world):
    """Pictures that cannot be shown are replaced by descriptions and reasons; offsets stay."""
    (world.library / "good.png").write_bytes(PIXEL)
    (world.library / "cut.png").write_bytes(PIXEL[:45])
    (world.library / "fake.png").write_text("no picture")
    (world.folder / "outside.png").write_bytes(PIXEL)
    names = (
        ("good.png", "a good one"),
        ("missing.png", "a lost one"),
        ("fake.png", "a false one"),
        ("../outside.png", "one outside"),
        ("https://example.org/x.png", "one elsewhere"),
        ("cut.png", "a cut one"),
    )
    text = "Before " + " and ".join(f"![{alt}]({name})" for name, alt in names) + " behind it.\n"
    identifier = world.document("pictures.md", text + "\nAnother line.\n")
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.until("document.querySelectorAll('#text img').length === 1", "only one picture to be left")
    why = "[...document.querySelectorAll('#text .why')].map(w => w.textContent.trim())"
    page.until(f"{why}.every(w => w !== '(not shown)')")
    found = page.eval(why)
    equal(
        found[:1] + found[2:4],
        ["(no such picture)", "(outside the library's folder)", "(on the web, not loaded)"],
        "why",
    )
    expect("only pictures in" in found[1] and len(found) == 5, f"why: {found}")
    equal(
        text_of(page).split("\n")[0],
        "Before " + " and ".join(alt for _, alt in names) + " behind it.",
        "the text",
    )
    # All runs map to their offsets, both ways.
    wrong = page.eval("""import('/static/mapping.js').then(m => {
      const root = document.querySelector('#text');
      return [...root.querySelectorAll('[data-o]')].filter(run => {
        const range = document.createRange();
        range.selectNode(run);
        const [from, to] = m.runRange(run);
        const found = m.textRange(root, range);
        const part = run.closest('.part');
        const points = [m.pagePoint(part, from, true), m.pagePoint(part, to, false)];
        range.setStart(points[0].node, points[0].offset);
        range.setEnd(points[1].node, points[1].offset);
        const back = m.textRange(root, range);
        return [found, back].some(r => !r || r[0] !== from || r[1] !== to);
      }).map(run => run.outerHTML);
    })""")
    equal(wrong, [], "runs that are elsewhere")
    drag_over(page, "a lost one", "behind")
    page.until("!document.querySelector('.menu').hidden")
    page.key("2")
    page.until("document.querySelector('#text mark')")
    equal(
        world.highlights()[0]["quote"],
        " and ".join(alt for _, alt in names[1:]) + " behind",
        "the quote",
    )
    # The browser logs the response to the missing picture.
    page.faults()


def check_stacked_marks(world):
    """Of two highlights with the same beginning the shorter one is visible too."""
    identifier = world.document("stack.md", "# One\n\nThe quick brown fox jumps.\n")
    world.diple("mark", "stack.md", '"quick brown"', "--color", "pink")
    world.diple("mark", "stack.md", '"quick brown fox jumps"', "--color", "yellow")
    page = world.open(f"/d/{identifier}")
    equal(
        page.eval(
            "[...document.querySelectorAll('#text mark')].map(m => [m.className, m.textContent])"
        ),
        [["pink", "quick brown"], ["yellow", " fox jumps"]],
        "the marks",
    )


def check_hostile_texts(world):
    """The contents of documents, names and notes are only ever text."""
    evil = '<img src=x onerror="window.evil = 1"><script>window.evil = 1</script><svg onload="window.evil = 1">'
    identifier = world.document(
        "evil.md",
        f"# {evil}\n\n{evil}\n\n[x](javascript:window.evil=1) ![y](https://example.org/t.png)\n\nWords to mark.\n\n<iframe src=//example.org></iframe>\n",
    )
    world.diple("mark", "evil.md", '"Words to mark"', "--note", evil, "--tag", "a<b>")
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.key("H")
    page.key("o")
    page.click(*spot(page, "Words", 2, "middle"))
    page.until("document.querySelector('.menu .about')")
    page.key("n")
    page.until("document.querySelector('.editor')")
    library = world.open("/#/highlights")
    library.until("document.querySelector('.entry .note')")
    library.eval("location.hash = '/search?q=Words'; true")
    library.until("document.querySelector('.results .entry')")
    for each in (page, library):
        each.browser.pump(0.2)
        equal(each.eval("window.evil ?? null"), None, "something ran")
        equal(
            each.eval(
                "document.querySelectorAll('iframe, script:not([src]), [onerror], [onload], a[href^=\"javascript:\" i]').length"
            ),
            0,
            "elements",
        )
        # The policy is effective.
        expect(
            each.eval(
                "(() => { try { document.createElement('div').innerHTML = '<b>'; return false } catch { return true } })()"
            ),
            "HTML was taken without the page's policy",
        )
        # The browser logs the missing picture and the violations of the policy.
        each.faults()
