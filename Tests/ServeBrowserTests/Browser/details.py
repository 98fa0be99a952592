"""Smaller parts of the pages: printing, headings, keys, and what a second try does."""

import base64
import json
import subprocess

from world import drag_over, equal, expect, prepare, selected, spot


def check_printing(world):
    """A page prints in light colours, with the notes of its highlights."""
    identifier = world.document(
        "print.md", "# Print\n\nThe quick brown fox jumps.\n\nOver a lazy dog, and a cat.\n"
    )
    world.diple("mark", "print.md", '"quick brown"', "--note", "A <b>note</b>\non two lines")
    world.diple("mark", "print.md", '"fox jumps"', "--color", "green")
    world.diple("mark", "print.md", '"lazy dog"', "--tag", "animals")
    page = world.open(f"/d/{identifier}")
    for theme in ("dark", "sepia"):
        page.eval(f"document.documentElement.dataset.theme = '{theme}'")
        dark = page.eval("getComputedStyle(document.body).color")
        page.send("Emulation.setEmulatedMedia", {"media": "print"})
        colors = page.eval(
            "[getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.body).color, "
            "getComputedStyle(document.querySelector('mark.yellow')).backgroundColor]"
        )
        equal(
            colors,
            ["rgb(255, 255, 255)", "rgb(28, 28, 26)", "rgb(255, 235, 148)"],
            f"colours of {theme} on paper",
        )
        page.send("Emulation.setEmulatedMedia", {"media": ""})
        expect(page.eval("getComputedStyle(document.body).color") == dark != colors[1], "screen")
    answer = page.send("Page.printToPDF", {"printBackground": True}, 60)
    file = world.folder / "print.pdf"
    file.write_bytes(base64.b64decode(answer["data"]))
    text = subprocess.run(["pdftotext", "-layout", file, "-"], capture_output=True, text=True).stdout
    for words in ("Notes", "A <b>note</b>", "on two lines", "#animals", "1. ", "2. "):
        expect(words in text, f"{words!r} is not in what was printed: {text}")
    expect("Find" not in text and "Outline" not in text, "controls were printed")
    expect(not page.eval("document.querySelector('.printed')"), "the notes stay on the page")


def check_headings(world):
    """Each page has a heading of level 1."""
    count = "document.querySelectorAll('h1, [role=heading][aria-level=\"1\"]').length"
    for name, text in (
        ("one.md", "# One\n\nWords.\n"),
        ("two.md", "## Two\n\nWords.\n"),
        ("none.md", "Words.\n"),
    ):
        identifier = world.document(name, text)
        page = world.open(f"/d/{identifier}")
        equal(page.eval(count), 1, f"headings of level 1 of {name}")
        page.key("M")
        page.until("document.querySelector('#text .source')")
        equal(page.eval(count), 1, f"headings of level 1 of the source of {name}")
    equal(page.eval("document.querySelector('.bar .title').textContent"), "none", "the title")
    titles = {each["path"]: each["title"] for each in world.json("doc", "list")}
    equal(titles["two.md"], "Two", "the title of a text without a heading of level 1")


def check_filter_stays(world):
    """Back from a document returns to the filtered list of documents."""
    for name in ("fox", "dog", "cat"):
        world.document(f"{name}.md", f"# The {name}\n\nWords.\n")
    page = world.open("/")
    page.press_on("main input[type=search]")
    page.type("dog")
    page.until("document.querySelectorAll('.documents .entry').length === 1")
    page.eval("(s => { s.value = 'title'; s.dispatchEvent(new Event('change')) })(document.querySelector('main select'))")
    page.press_on(".documents .entry")
    page.until("document.documentElement.dataset.ready && document.querySelector('#text h1')")
    page.eval("history.back()")
    page.until("document.querySelector('main input[type=search]')?.value === 'dog'", "the filter")
    equal(page.eval("document.querySelectorAll('.documents .entry').length"), 1, "documents")
    equal(page.eval("document.querySelector('main select').value"), "title", "the order")


FOX = "# Fox\n\nThe quick brown fox jumps over the lazy dog.\n\nAnother paragraph of some words.\n"


def check_clicks_on_a_mark(world):
    """A double and a triple click select over a highlight as elsewhere."""
    identifier = world.document("fox.md", FOX)
    world.diple("mark", "fox.md", '"brown fox"')
    page = world.open(f"/d/{identifier}")
    prepare(page)
    for count, words in ((2, "fox"), (3, "The quick brown fox jumps over the lazy dog.")):
        page.eval("getSelection().removeAllRanges()")
        page.browser.pump(0.4)
        x, y = spot(page, "brown fox", 7, "middle")
        page.hover(x, y)
        # As a hand does: the page has time to react between the clicks.
        for number in range(1, count + 1):
            page.mouse("mousePressed", x, y, number)
            page.mouse("mouseReleased", x, y, number)
            page.browser.pump(0.12)
        page.browser.pump(0.4)
        equal(page.eval("getSelection().toString().trim()"), words, f"{count} clicks")
        page.until(
            "!document.querySelector('.menu').hidden && !document.querySelector('.menu .about, .menu [aria-pressed=true]')",
            "the menu of the selection",
        )


def check_arrows_after_a_click(world):
    """Shift and the arrow keys select from the place of a click."""
    identifier = world.document("fox.md", FOX)
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.click(*spot(page, "brown", 0, "before"))
    for _ in range(5):
        page.key("ArrowRight", shift=True)
    page.until("!document.querySelector('.menu').hidden")
    equal(page.eval("getSelection().toString()"), "brown", "the selection")
    page.key("Escape")
    page.click(*spot(page, "lazy", 0, "before"))
    page.key("ArrowRight", shift=True, control=True)
    page.until("!document.querySelector('.menu').hidden")
    equal(page.eval("getSelection().toString().trim()"), "lazy", "the selected word")


def check_undo_keys(world):
    """Ctrl+Z undoes, and Ctrl+Shift+Z and Ctrl+Y redo, on both pages."""
    identifier = world.document("fox.md", FOX)
    world.diple("mark", "fox.md", '"brown fox"')
    document = world.open(f"/d/{identifier}")
    for page in (document, world.open("/")):
        for redo in ("Z", "z", "y"):
            page.key("z", control=True)
            page.until("document.querySelector('.notice.done')?.textContent.startsWith('Undone')")
            equal(len(world.highlights()), 0, "highlights after undo")
            page.key(redo, control=True, shift=redo != "y")
            page.until("document.querySelector('.notice.done')?.textContent.startsWith('Redone')")
            equal(len(world.highlights()), 1, "highlights after redo")


def check_same_color(world):
    """The colour that a highlight already has is neither a change nor an error."""
    identifier = world.document("fox.md", FOX)
    world.diple("mark", "fox.md", '"brown fox"')
    before = world.json("history")
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.click(*spot(page, "brown fox", 2, "middle"))
    page.until("document.querySelector('#text mark.current')")
    page.key("1")
    page.until("document.querySelector('.notice')?.textContent.includes('already')")
    expect(not page.eval("document.querySelector('.notice button')"), "an undo of nothing is offered")
    page.key("Escape")
    page.until("!document.querySelector('#text mark.current')")
    drag_over(page, "brown fox", "brown fox")
    page.until("!document.querySelector('.menu').hidden")
    page.key("1")
    page.until("document.querySelector('#text mark.current')", "the existing highlight")
    expect(not page.eval("document.querySelector('.notice.problem')"), "an error")
    equal(world.json("history"), before, "steps")


def check_refused_mark(world):
    """A selection is restored after a failure unless the user selected something else meanwhile."""
    identifier = world.document("fox.md", FOX)
    page = world.open(f"/d/{identifier}")
    prepare(page)
    slow = """
      window.answers ??= window.fetch;
      window.fetch = (path, options) => String(path).includes('highlight.mark')
        ? new Promise((_, fail) => setTimeout(fail, 900, new Error())) : answers(path, options);
      true"""
    page.eval(slow)
    drag_over(page, "quick", "brown")
    page.until("!document.querySelector('.menu').hidden")
    page.key("1")
    page.until("document.querySelector('.notice.problem')")
    page.until("getSelection().toString() === 'quick brown'", "the selection to be restored")
    page.press_on(".notice.problem button")
    page.key("1")
    drag_over(page, "Another", "paragraph")
    page.until("document.querySelector('.notice.problem')")
    page.browser.pump(0.3)
    equal(page.eval("getSelection().toString()"), "Another paragraph", "the new selection")
    page.faults()


def check_pen_color(world):
    """While the pen is on, the keys of the colours change its colour."""
    identifier = world.document("fox.md", FOX)
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.key("E")
    page.until("document.documentElement.classList.contains('pen')")
    page.key("3")
    page.until("document.querySelector('.bar button.inked.blue')", "a blue pen")
    drag_over(page, "quick", "brown")
    page.until("document.querySelector('#text mark.blue')", "a blue mark")
    equal([each["color"] for each in world.highlights()], ["blue"], "the colours")


def check_marking_a_match(world):
    """A match can be marked while finding, and Esc selects it."""
    identifier = world.document("fox.md", FOX)
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.key("/")
    page.until("document.activeElement.type === 'search'")
    page.type("paragraph")
    page.until("CSS.highlights.get('found-now')?.size === 1")
    page.key("Escape")
    page.until("!document.querySelector('.menu').hidden", "the menu of the match")
    equal(page.eval("getSelection().toString()"), "paragraph", "the selection")
    expect(page.eval("document.querySelector('.findbar').hidden"), "the bar is still there")
    page.key("2")
    page.until("document.querySelector('#text mark.green')")
    page.key("/")
    page.until("document.activeElement.type === 'search'")
    page.eval("document.activeElement.value = ''; true")
    page.type("lazy")
    page.until("[...CSS.highlights.get('found-now') ?? []][0]?.toString() === 'lazy'")
    page.eval("document.activeElement.blur()")
    page.key("4")
    page.until("document.querySelector('#text mark.pink')", "the marked match")
    equal([each["quote"] for each in world.highlights()], ["lazy", "paragraph"], "the quotes")


def check_deep_texts(world):
    """Deeply nested texts, long labels and long words are not wider than a phone."""
    deep = "".join("  " * level + f"- level {level} of a list that is nested deeply\n" for level in range(40))
    quotes = "> " * 40 + "quoted often\n\n"
    mixed = "".join("> " * (level + 1) + "- > mixed\n" for level in range(12))
    notes = "A note.[^a-long-label-of-a-note]\n\n[^a-long-label-of-a-note]: Its text has several words.\n"
    identifier = world.document("deep.md", f"# Deep\n\n{deep}\n{quotes}\n{mixed}\n{notes}")
    page = world.open(f"/d/{identifier}")
    for width in (390, 1280):
        page.size(width, 800, mobile=width < 500)
        expect(
            page.eval("document.documentElement.scrollWidth <= innerWidth"),
            f"the page is wider than {width} pixels",
        )
        narrow = page.eval(
            "Math.min(...[...document.querySelectorAll('#text p')].map(p => p.getBoundingClientRect().width))"
        )
        expect(narrow >= 150, f"a paragraph is {narrow} pixels wide of {width}")
        wide = page.eval(
            "Math.max(...[...document.querySelectorAll('#text p')].map(p => p.getBoundingClientRect().right)) - innerWidth"
        )
        expect(wide <= 0, f"a paragraph ends {wide} pixels beside the window")
        apart = page.eval("""(() => {
          const note = document.querySelector('.footnote');
          const label = note.querySelector('.label').getBoundingClientRect();
          const range = document.createRange();
          range.selectNodeContents(note.querySelector('p'));
          return [...range.getClientRects()].every(r => r.width === 0 || r.left >= label.right || r.top >= label.bottom - 1 || r.bottom <= label.top + 1);
        })()""")
        expect(apart, "a footnote's label is over its text")


def check_fields_on_touch(world):
    """Fields have letters of at least 16 pixels on touch screens, so that phones do not zoom."""
    identifier = world.document("fox.md", FOX)
    page = world.open("/")
    page.size(390, 800, mobile=True)
    page.send(
        "Emulation.setEmulatedMedia", {"features": [{"name": "pointer", "value": "coarse"}]}
    )
    sizes = "[...document.querySelectorAll('input:not([type=checkbox]):not([type=radio]), select, textarea')].map(e => parseFloat(getComputedStyle(e).fontSize))"
    for path in ("/#/documents", "/#/highlights", "/#/search", f"/d/{identifier}"):
        page.go(world.base + path)
        page.until(f"{sizes}.length > 0")
        found = page.eval(sizes)
        expect(min(found) >= 16, f"{path}: fields of {found} pixels")
