"""Changes from elsewhere: the page follows them, but not while the user selects or writes."""

import time

from world import drag_over, equal, expect, prepare, spot

PARAGRAPHS = [
    f"Paragraph {number} says something about the number {number}, at some length and with some care, "
    f"so that it takes two lines of the page or a little more than that."
    for number in range(120)
]


def _long(head=""):
    return "# A long text\n\n" + head + "\n\n".join(PARAGRAPHS) + "\n"


def _top(page, words):
    return page.eval(f"""(() => {{
      const p = [...document.querySelectorAll("#text p")].find(p => p.textContent.startsWith({words!r}));
      return p ? p.getBoundingClientRect().top : null;
    }})()""")


def check_place_stays(world):
    """If the text above changes, the visible text keeps its position."""
    identifier = world.document("long.md", _long())
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.eval(
        "[...document.querySelectorAll('#text p')].find(p => p.textContent.startsWith('Paragraph 60 ')).scrollIntoView()"
    )
    page.eval("scrollBy(0, -80)")
    page.browser.pump(0.3)
    before = _top(page, "Paragraph 60 ")
    page.eval(
        "window.kept = [...document.querySelectorAll('#text p')].find(p => p.textContent.startsWith('Paragraph 60 ')), true"
    )
    start = time.monotonic()
    world.write("long.md", _long("Ten new lines come before it.\n\n" * 10))
    page.until(
        "document.querySelector('#text').textContent.includes('Ten new lines')", "the change"
    )
    took = time.monotonic() - start
    after = _top(page, "Paragraph 60 ")
    expect(abs(after - before) <= 1.5, f"the place moved from {before} to {after}")
    expect(page.eval("window.kept.isConnected"), "a block that did not change was written anew")
    expect(took < 2, f"the change took {took} s")
    # Parts that were not rewritten have their new offsets.
    drag_over(page, "Paragraph 60", "number 60,")
    page.until("!document.querySelector('.menu').hidden")
    page.key("1")
    page.until("document.querySelector('#text mark')")
    equal(
        world.highlights()[0]["quote"],
        "Paragraph 60 says something about the number 60,",
        "what was marked",
    )


def check_chip(world):
    """During a selection changes wait behind a chip; the selection is found in the new text."""
    identifier = world.document("long.md", _long())
    page = world.open(f"/d/{identifier}")
    prepare(page)
    drag_over(page, "Paragraph 3 ", "number 3")
    page.until("!document.querySelector('.menu').hidden")
    world.write("long.md", _long("Something new.\n\n"))
    page.until("!document.querySelector('.chip').hidden", "the chip")
    expect(
        not page.eval("document.querySelector('#text').textContent.includes('Something new')"),
        "the text changed under the hand",
    )
    expect(not page.eval("getSelection().isCollapsed"), "the selection is gone")
    # The passage is marked in the old text, and found in the new one.
    page.key("3")
    page.until("document.querySelector('#text mark.blue')")
    equal(
        page.eval("document.querySelector('#text mark.blue').textContent"),
        "Paragraph 3 says something about the number 3",
        "the mark",
    )
    equal(
        world.highlights()[0]["quote"],
        "Paragraph 3 says something about the number 3",
        "the highlight",
    )
    page.until("document.querySelector('#text').textContent.includes('Something new')")
    page.until("document.querySelector('.chip').hidden")

    # The button of the chip applies the change.
    drag_over(page, "Paragraph 5 ", "number 5")
    page.until("!document.querySelector('.menu').hidden")
    world.write("long.md", _long("Something newer.\n\n"))
    page.until("!document.querySelector('.chip').hidden")
    page.press_on(".chip button")
    page.until("document.querySelector('#text').textContent.includes('Something newer')")

    # Changes also wait while a note is written.
    page.eval("getSelection().removeAllRanges()")
    page.browser.pump(0.4)
    page.click(*spot(page, "Paragraph 3 ", 4, "middle"))
    page.key("n")
    page.until("document.activeElement.id === 'note-text'")
    page.type("half a thou")
    world.write("long.md", _long("Something newest.\n\n"))
    page.until("!document.querySelector('.chip').hidden")
    page.type("ght")
    equal(
        page.eval("document.querySelector('#note-text').value"), "half a thought", "what is typed"
    )
    page.key("Enter", control=True)
    page.until("document.querySelector('#text').textContent.includes('Something newest')")
    page.until("document.querySelector('#text .sign')?.textContent.includes('✎')")
    equal(world.highlights()[0]["note"], "half a thought", "the note")


HERON = "A heron stood in the shallow water, waiting for something that would not come."


def check_refused_with_candidates(world):
    """If the selected words were deleted, nothing is marked. Of two similar passages the user can
    choose one."""
    identifier = world.document("long.md", _long(HERON + "\n\n"))
    page = world.open(f"/d/{identifier}")
    prepare(page)
    drag_over(page, "heron", "would not come")
    page.until("!document.querySelector('.menu').hidden")
    world.write("long.md", _long("Quite another thing stands here now.\n\n"))
    page.until("!document.querySelector('.chip').hidden")
    page.key("1")
    page.until(
        "document.querySelector('dialog[open] h2')?.textContent === 'The text has changed'"
        " || document.querySelector('.notice.problem')",
        "the refusal",
    )
    equal(world.highlights(), [], "highlights")
    page.key("Escape")
    page.until("document.querySelector('#text').textContent.includes('Quite another thing')")
    # The browser logs each unsuccessful response.
    page.faults()


def check_two_pages(world):
    """Two pages and the command line show the same highlights."""
    identifier = world.document("long.md", _long())
    one = world.open(f"/d/{identifier}")
    two = world.open(f"/d/{identifier}")
    prepare(one)
    prepare(two)
    drag_over(one, "Paragraph 2 ", "number 2")
    one.until("!document.querySelector('.menu').hidden")
    one.key("4")
    one.until("document.querySelector('#text mark.pink')")
    two.until("document.querySelector('#text mark.pink')", "the mark in the other page")
    (highlight,) = world.highlights()
    world.diple("hl", "edit", highlight["id"], "--color", "blue", "--note", "from the terminal")
    for page in (one, two):
        page.until("document.querySelector('#text mark.blue')", "the colour from the terminal")
        page.until("document.querySelector('#text .sign').textContent.includes('✎')")
    world.diple("mark", "long.md", '"number 4,"', "--color", "green")
    two.until("document.querySelector('#text mark.green')")
    # One page undoes a removal of the other.
    two.click(*spot(two, "number 4", 3, "middle"))
    two.until("!document.querySelector('.menu').hidden")
    two.key("x")
    for page in (two, one):
        page.until("!document.querySelector('#text mark.green')")
    one.key("u")
    for page in (two, one):
        page.until("document.querySelector('#text mark.green')")
    # The library's page follows too.
    library = world.open("/")
    library.until("document.querySelector('.mark-count')")
    world.diple("mark", "long.md", '"number 9,"', "--color", "yellow")
    library.until(
        "document.querySelectorAll('.mark-count').length === 3", "the counts of the library"
    )


def check_hidden_pages(world):
    """A hidden page has no stream, and catches up when it is visible again."""
    identifier = world.document("long.md", _long())
    page = world.open(f"/d/{identifier}")
    prepare(page)
    # In a headless browser all pages are visible, so the page's state is overridden.
    hide = (
        "(hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});"
        " Object.defineProperty(document, 'visibilityState', {value: hidden ? 'hidden' : 'visible', configurable: true});"
        " document.dispatchEvent(new Event('visibilitychange')); return true; })"
    )
    page.browser.pump(0.3)
    page.eval(f"{hide}(true)")
    world.write("long.md", _long("While nobody looked.\n\n"))
    page.browser.pump(1.2)
    expect(
        not page.eval("document.querySelector('#text').textContent.includes('While nobody')"),
        "a hidden page follows",
    )
    page.eval(f"{hide}(false)")
    page.until(
        "document.querySelector('#text').textContent.includes('While nobody')",
        "the change after it is seen again",
    )
    # A format changes neither the text nor the highlights.
    page.eval(f"{hide}(true)")
    world.diple("format", "size", "20", "long.md", '"Paragraph 1 says"')
    page.browser.pump(0.5)
    page.eval(f"{hide}(false)")
    page.until("document.querySelector('#text [class*=f-]')", "the format after it is seen again")


def check_moved_away(world):
    """A moved file is reported as missing, not as removed; when it returns, the page continues."""
    identifier = world.document("long.md", _long())
    page = world.open(f"/d/{identifier}")
    page.browser.pump(0.3)
    away = world.folder / "away.md"
    (world.library / "long.md").rename(away)
    page.until(
        "document.querySelector('.chip:not([hidden])')?.textContent.includes('missing')",
        "the page to say so",
    )
    text = page.eval("document.querySelector('.chip').textContent")
    expect("removed" not in text and "long.md" in text, f"the page says {text!r}")
    other = world.open(f"/d/{identifier}", ready="document.querySelector('[role=alert]')")
    text = other.eval("document.querySelector('main').textContent")
    expect("is missing" in text and "No such" not in text, f"another page says {text!r}")
    page.faults()
    # The page shows the first of two failed requests, for the document and for its text.
    failed = other.faults()
    for _ in range(100):
        failed += other.faults()
        if len(failed) == 2:
            break
        other.browser.pump(0.05)
    equal(len(failed), 2, f"failed requests: {failed}")
    away.write_text(_long("It is back.\n\n"))
    away.rename(world.library / "long.md")
    page.until(
        "document.querySelector('#text').textContent.includes('It is back')",
        "the file that is back",
    )
    page.until("document.querySelector('.chip').hidden")


def check_removed_document(world):
    identifier = world.document("long.md", _long())
    page = world.open(f"/d/{identifier}")
    page.browser.pump(0.3)
    world.diple("doc", "remove", "long.md", "--yes")
    page.until(
        "document.querySelector('.chip:not([hidden])')?.textContent.includes('removed')",
        "the page to say so",
    )
    page.faults()


def check_mark_while_loading(world):
    """Marking while a large text is loading changes neither the position nor the visible text."""
    world.write(
        "large.md",
        _long()
        + "\n\n".join(
            f"Line {number} of the rest, with some *words* in **it**, so that there are many parts."
            for number in range(16000)
        ),
    )
    world.diple("add", "large.md")
    identifier = next(
        each["id"] for each in world.json("doc", "list") if each["path"] == "large.md"
    )
    page = world.open("/")
    # Requests for the rest of the text wait until they are released.
    page.send(
        "Page.addScriptToEvaluateOnNewDocument",
        {
            "source": """
      const ask = window.fetch;
      window.letGo = () => {};
      const gate = new Promise((resolve) => (window.letGo = resolve));
      window.fetch = async (path, ...rest) => {
        if (String(path).includes("from=")) await gate;
        return ask(path, ...rest);
      };"""
        },
    )
    page.go(world.base + f"/d/{identifier}")
    prepare(page)
    page.eval(
        "[...document.querySelectorAll('#text p')].find(p => p.textContent.startsWith('Paragraph 60 ')).scrollIntoView()"
    )
    page.eval("scrollBy(0, -80)")
    page.browser.pump(0.3)
    page.eval(
        "window.kept = [...document.querySelectorAll('#text p')].find(p => p.textContent.startsWith('Paragraph 61 ')), true"
    )
    drag_over(page, "Paragraph 60 ", "number 60,")
    page.until("!document.querySelector('.menu').hidden")
    before = _top(page, "Paragraph 61 ")
    page.key("1")
    page.until("document.querySelectorAll('.menu:not([hidden])').length === 0")
    for _ in range(50):
        if world.highlights():
            break
        page.browser.pump(0.1)
    page.eval("letGo(), true")
    page.until("document.querySelector('#text mark')", "the mark", within=60)
    page.until(
        "document.querySelector('#text').textContent.includes('Line 15999 ')",
        "all of the text",
        within=60,
    )
    expect(page.eval("window.kept.isConnected"), "what was shown was written anew")
    after = _top(page, "Paragraph 61 ")
    expect(abs(after - before) <= 1.5, f"the place moved from {before} to {after}")


def check_refresh_again(world):
    """A refresh during an earlier one that fails is a separate refresh."""
    identifier = world.document("long.md", _long())
    # A page that does not request documents itself.
    page = world.open("/")
    came = page.eval(f"""(async () => {{
      const {{ Reader }} = await import("/static/reader.js");
      const {{ api }} = await import("/static/api.js");
      const reader = new Reader({identifier!r});
      const ask = api.document;
      let count = 0;
      api.document = async (id) => {{
        count += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
        if (count === 1) throw new Error("the first fails");
        return ask(id);
      }};
      const first = reader.refresh();
      first.catch(() => {{}});
      await new Promise((resolve) => setTimeout(resolve, 20));
      const all = await Promise.allSettled([first, reader.refresh(), reader.refresh()]);
      return JSON.stringify([all.map((each) => each.status), count, reader.info !== null]);
    }})()""")
    equal(came, '[["rejected","fulfilled","fulfilled"],2,true]', "what became of them")
