"""Marking, notes, tags, colours, removal and undo, by mouse, pen, touch and keyboard."""

from world import drag_over, equal, expect, prepare, spot

TEXT = """# An essay

The quick brown fox jumps over the lazy dog, and nobody minds.

A second paragraph, in which something else is said.

## A part

The last words of it.
"""


def _page(world, **size):
    identifier = world.document("essay.md", TEXT)
    page = world.open(f"/d/{identifier}", **size)
    prepare(page)
    return page


def _until(world, page, condition, what):
    """Waits until the library's highlights meet a condition."""
    import time

    end = time.monotonic() + 10
    while True:
        highlights = world.highlights()
        if condition(highlights):
            return highlights
        expect(time.monotonic() < end, lambda: f"{what}: {highlights}")
        page.browser.pump(0.05)


def check_marking(world):
    page = _page(world)
    drag_over(page, "quick", "fox")
    page.press_on(".menu button.color:nth-child(2)")
    page.until("document.querySelector('#text mark.green')")
    equal(
        page.eval("document.querySelector('#text mark.green').textContent"),
        "quick brown fox",
        "the mark",
    )
    expect(page.eval("getSelection().isCollapsed"), "the selection is still there")
    (highlight,) = world.highlights()
    equal((highlight["quote"], highlight["color"]), ("quick brown fox", "green"), "the highlight")
    # The page reports the action, also to screen readers.
    page.until("document.querySelector('[role=status].unseen').textContent.includes('Marked')")
    # The colour's letter is shown, with hints for screen readers.
    equal(page.eval("document.querySelector('#text .sign').textContent"), "G", "the letter")
    expect(
        page.eval("document.querySelector('#text .hint').textContent").startswith(
            "[green highlight start"
        ),
        "the hint",
    )

    # Change the colour, with the highlight's menu.
    page.click(*spot(page, "brown", 2, "middle"))
    page.press_on(".menu button.color:nth-child(4)")
    page.until("document.querySelector('#text mark.pink')")
    equal(world.highlights()[0]["color"], "pink", "the colour")

    # A note with tags.
    page.key("n")
    page.until("document.activeElement.id === 'note-text'")
    page.type("Why a fox?\nNot a cat?")
    page.press_on("#note-tags")
    page.type("animals")
    page.key("Enter")
    page.type("speed")
    page.press_on(".editor button[type=submit]")
    highlights = _until(world, page, lambda all: all and all[0]["note"], "the note")
    equal(highlights[0]["note"], "Why a fox?\nNot a cat?", "the note")
    equal(sorted(highlights[0]["tags"]), ["animals", "speed"], "the tags")
    page.until(
        "document.querySelector('#text .sign').textContent.includes('✎')", "the sign of the note"
    )

    # Removed, undone, redone.
    page.key("Escape")
    page.click(*spot(page, "brown", 2, "middle"))
    page.until("!document.querySelector('.menu').hidden")
    page.key("Delete")
    page.until("!document.querySelector('#text mark')")
    equal(world.highlights(), [], "after the removal")
    page.key("u")
    page.until("document.querySelector('#text mark.pink')")
    page.until(
        "/^Und/.test(document.querySelector('.notice')?.textContent ?? '')", "what was undone"
    )
    equal(len(world.highlights()), 1, "highlights after undo")
    page.key("U")
    page.until("!document.querySelector('#text mark')")
    page.key("u")
    page.until("document.querySelector('#text mark.pink')")


def check_pen(world):
    page = _page(world)
    page.key("E")
    drag_over(page, "lazy", "dog")
    page.until("document.querySelector('#text mark')")
    drag_over(page, "something", "said")
    page.until("document.querySelectorAll('#text mark').length === 2")
    equal(
        [each["quote"] for each in world.highlights()],
        ["lazy dog", "something else is said"],
        "the highlights",
    )
    page.key("E")
    drag_over(page, "last", "words")
    page.until("!document.querySelector('.menu').hidden")
    equal(len(world.highlights()), 2, "highlights when the pen is down")


def check_marks_over_borders(world):
    """Marking across blocks, overlapping, and together with a note."""
    page = _page(world)
    drag_over(page, "nobody", "second")
    page.until("!document.querySelector('.menu').hidden")
    page.key("1")
    page.until("document.querySelectorAll('#text mark.yellow').length >= 2")
    drag_over(page, "minds", "paragraph")
    page.until("!document.querySelector('.menu').hidden")
    page.key("n")
    page.until("document.activeElement.id === 'note-text'")
    # The selection stays visible while the keyboard is elsewhere.
    expect(
        page.eval("CSS.highlights.has('pending')"),
        "the selection is not shown while the note is written",
    )
    page.type("Both")
    page.key("Enter", control=True)
    highlights = _until(world, page, lambda all: len(all) == 2, "two highlights")
    equal(
        sorted(each["quote"] for each in highlights),
        ["minds.\nA second paragraph", "nobody minds.\nA second"],
        "the quotes",
    )
    equal([each["note"] for each in highlights if each["note"]], ["Both"], "the note")
    # Where highlights overlap, the menu has a button for the one below.
    page.until("[...document.querySelectorAll('#text mark')].some(m => m.dataset.h.includes(' '))")
    page.click(*spot(page, "minds", 2, "middle"))
    page.until("document.querySelector('.menu').textContent.includes('1 of 2')")
    page.press_on(".menu button[aria-label*='below']")
    page.until("document.querySelector('.menu').textContent.includes('2 of 2')")


def check_copying(world):
    page = _page(world)
    page.browser.send(
        "Browser.grantPermissions",
        {"origin": world.base, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    page.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
    drag_over(page, "quick", "fox")
    page.until("!document.querySelector('.menu').hidden")
    page.key("c")
    page.until(
        "navigator.clipboard.readText().then(t => t === 'quick brown fox')",
        "the text on the clipboard",
    )
    equal(
        page.eval(
            "navigator.clipboard.read().then(([item]) => item.getType('text/html'))"
            ".then(blob => blob.text()).then(html => html.includes('quick brown fox'))"
        ),
        True,
        "the HTML on the clipboard",
    )
    page.key("C")
    page.until(
        "navigator.clipboard.readText().then(t => t.includes('quick brown fox') && t.includes('An essay'))",
        "the citation on the clipboard",
    )


SOURCE = """---
title: Signs & wonders
---

# Signs

A **bold** word &amp; a [link](https://example.org/x).

""" + "".join(f"Paragraph *{number}* of the text.\n\n" for number in range(200))


def check_source(world):
    """The Markdown source has the same highlights and place, and words in it can be marked."""
    identifier = world.document("source.md", SOURCE)
    world.diple("mark", "source.md", '"bold word"', "--color", "green")
    page = world.open(f"/d/{identifier}")
    prepare(page)
    page.key("M")
    page.until("document.querySelector('#text .source')")
    lines = "[...document.querySelectorAll('#text .line')]"
    equal(
        page.eval(f"{lines}.slice(0, 5).map(l => l.textContent)"),
        ["---\n", "title: Signs & wonders\n", "---\n", "\n", "# Signs\n"],
        "the lines",
    )
    equal(
        page.eval("document.querySelector('[aria-pressed=true]').ariaLabel"),
        "Markdown source",
        "the button",
    )
    marks = "[...document.querySelectorAll('#text mark.green')]"
    equal(page.eval(f"{marks}.map(m => m.textContent).join('')"), "bold** word", "the highlight")
    shown = "getComputedStyle(document.querySelector('[data-shown]'), '::before').content"
    equal(page.eval(shown), '"&amp;"', "the reference")
    equal(page.eval("scrollY"), 0, "the front matter is shown")
    drag_over(page, "Paragraph", "Paragraph")
    page.until("!document.querySelector('.menu').hidden")
    page.key("3")
    page.until("document.querySelector('#text .source mark.blue')")
    equal(sorted(h["quote"] for h in world.highlights()), ["Paragraph", "bold word"], "the quotes")
    # The first words on the screen stay there.
    page.eval("scrollTo(0, document.body.scrollHeight / 2)")
    leaf = "document.elementFromPoint(400, 120)?.closest('[data-b]')"
    top = f"{leaf}?.textContent.match(/\\d+/)?.[0]"
    page.until(f"{top} !== undefined")
    number = int(page.eval(top))
    page.key("M")
    page.until("!document.querySelector('#text .source')")
    page.until(f"{top} !== undefined")
    now = int(page.eval(top))
    expect(abs(now - number) <= 2, f"the place: {now}, not {number}")
    page.key("M")
    page.until("document.querySelector('#text .source')")
    world.write("source.md", SOURCE.replace("wonders", "miracles"))
    page.until(f"{lines}[1].textContent.includes('miracles')")


def check_keyboard_alone(world):
    """Typical work without a mouse."""
    page = _page(world)
    page.eval("document.activeElement.blur()")
    # The first element that Tab focuses is the link to the text.
    page.key("Tab")
    equal(page.eval("document.activeElement.className"), "skip", "the first stop")
    page.key("Enter")
    page.key("p")
    page.key("p")
    page.until("!document.querySelector('.menu').hidden")
    page.key("2")
    page.until("document.querySelector('#text mark.green')")
    equal(
        world.highlights()[0]["quote"],
        "The quick brown fox jumps over the lazy dog, and nobody minds.",
        "the quote",
    )
    page.key("]")
    page.until("document.querySelector('#text mark.current')")
    page.key("3")
    page.until("document.querySelector('#text mark.blue.current')")
    page.key("n")
    page.until("document.activeElement.id === 'note-text'")
    page.type("by keys")
    page.key("Enter", control=True)
    _until(world, page, lambda all: all[0]["note"] == "by keys", "the note")
    page.until("!document.querySelector('.editor')")
    page.key("t")
    page.until("document.activeElement.id === 'note-tags'")
    page.type("hands")
    page.key("Enter", control=True)
    _until(world, page, lambda all: all[0]["tags"] == ["hands"], "the tag")
    page.until("!document.querySelector('.editor')")
    # The menu with arrow keys.
    page.key("Escape")
    page.key("]")
    page.key(".")
    page.until("document.activeElement.closest('.menu')")
    before = page.eval("document.activeElement.getAttribute('aria-label')")
    page.key("ArrowRight")
    expect(
        page.eval("document.activeElement.getAttribute('aria-label')") != before,
        "the arrow did nothing",
    )
    page.key("Escape")
    page.until("document.querySelector('.menu').hidden")
    equal(page.eval("document.activeElement.id"), "text", "where the keyboard is after the menu")
    # Panels, the find bar, the list of keys.
    page.key("H")
    page.until("document.activeElement.classList.contains('item')")
    page.key("Escape")
    page.key("o")
    page.until("document.activeElement.closest('.outline')")
    page.key("Escape")
    page.key("?")
    page.until("document.querySelector('dialog[open]')")
    page.key("Escape")
    page.until("!document.querySelector('dialog[open]')")
    page.key("/")
    page.until("document.activeElement.type === 'search'")
    page.type("last")
    page.until("document.querySelector('.findbar .count').textContent === '1 of 1'")
    page.key("Escape")
    page.until("document.querySelector('.findbar').hidden")
    page.key("]")
    page.until("document.querySelector('#text mark.current')")
    page.key("x")
    page.until("!document.querySelector('#text mark')")
    page.key("u")
    page.until("document.querySelector('#text mark')")


def check_touch(world):
    page = _page(world)
    page.size(390, 844, mobile=True, scale=2)
    # A long press does not select in a headless browser, so a script does.
    page.eval(
        "t.root(), getSelection().selectAllChildren(document.querySelectorAll('#text [data-b]')[1])"
    )
    page.until("document.querySelector('.menu.docked:not([hidden])')")
    box = page.eval(
        "(b => [b.left, b.right, b.bottom, innerWidth, innerHeight])(document.querySelector('.menu').getBoundingClientRect())"
    )
    expect(
        box[0] <= 1 and abs(box[1] - box[3]) <= 1 and abs(box[2] - box[4]) <= 1,
        f"the bar is not at the bottom: {box}",
    )
    small = page.eval(
        "[...document.querySelectorAll('.menu button, .bar button, .bar a')].filter(b => b.offsetParent && b.getBoundingClientRect().height < 35).map(b => b.ariaLabel)"
    )
    equal(small, [], "targets that are too small for fingers")
    x, y = page.box(".menu button.color:nth-child(3)")
    page.tap(x, y)
    page.until("document.querySelector('#text mark.blue')")
    expect(
        page.eval("document.documentElement.scrollWidth <= innerWidth"),
        "the page is wider than the window",
    )
    page.tap(*page.eval("t.spot('brown', 2, 'middle')"))
    page.until("document.querySelector('.menu.docked:not([hidden])')")


def check_cards(world):
    page = _page(world)
    drag_over(page, "quick", "fox")
    page.until("!document.querySelector('.menu').hidden")
    page.key("1")
    page.until("document.querySelector('#text mark')")
    page.click(*spot(page, "brown", 2, "middle"))
    page.key("s")
    page.until("document.querySelector('dialog img.card')?.naturalWidth > 100", "the card")
    first = page.eval("document.querySelector('dialog img.card').src")
    page.press_on("dialog .choice:nth-of-type(2) input")
    page.until(f"document.querySelector('dialog img.card').src !== {first!r}")
    # The choices of the mark are those of the command, after the style's own one.
    values = page.eval(
        "[...document.querySelectorAll('[data-part=mark] input')].map(input => input.value)"
    )
    equal(values, ["", "bar", "underline", "box", "sign"], "the marks")
    pictures = set()
    for mark in values[1:]:
        page.press_on(f"[data-part=mark] input[value={mark}]")
        page.until(
            f"new URL(document.querySelector('img.card').src).searchParams.get('mark') === '{mark}'"
            " && !document.querySelector('img.card.waiting')"
        )
        pictures.add(
            page.eval(
                "fetch(document.querySelector('img.card').src).then(a => a.arrayBuffer())"
                ".then(a => crypto.subtle.digest('SHA-256', a))"
                ".then(a => [...new Uint8Array(a)].join())"
            )
        )
    equal(len(pictures), 4, "different cards")
    address = page.eval("document.querySelector('img.card').src").replace("=sign", "=none")
    equal(page.faults(), [], "faults")
    equal(page.eval(f"fetch({address!r}).then(answer => answer.status)"), 400, "an unknown mark")
    # The browser reports the refused request.
    page.browser.pump(0.2)
    equal(len(page.faults()), 1, "faults of the refused request")
    wanted = page.eval("new URL(document.querySelector('img.card').src).searchParams.get('style')")
    expect(wanted != "paper", "the mark keeps the style")
    page.press_on("[data-part=mark] input[value='']")
    page.until("!new URL(document.querySelector('img.card').src).searchParams.has('mark')")
    expect(
        page.eval("document.querySelector('a.download').download.endsWith('.png')"),
        "there is nothing to download",
    )
    page.key("Escape")
    page.until("!document.querySelector('dialog[open]')")


def check_formats(world):
    """The palette has the same effect as `diple format`, and shows the selection's formats."""
    page = _page(world)
    drag_over(page, "quick", "fox")
    page.until("!document.querySelector('.menu').hidden")
    page.key("F")
    page.until("document.querySelector('.palette [role=tab]')")

    def choose(command):
        page.press_on(f".palette [data-command='{command}']")

    choose("underline")
    page.until("document.querySelector('.palette [data-command=underline]').ariaPressed === 'true'")
    choose("size 18")
    page.until(
        "document.querySelector('.palette [data-command=\"size 18\"]').ariaPressed === 'true'"
    )
    page.until(
        "(s => s && s.textDecorationLine.includes('underline'))("
        "getComputedStyle([...document.querySelectorAll('#text [data-o]')].find(r => r.textContent.startsWith('quick')).parentElement))"
        " || [...document.querySelectorAll('#text [data-o]')].some(r => r.textContent.startsWith('quick')"
        " && getComputedStyle(r).textDecorationLine.includes('underline'))",
        "the line below the words",
    )
    page.press_on(".palette #tab-Spacing")
    choose("spacing line 2")
    page.until(
        "document.querySelector('.palette [data-command=\"spacing line 2\"]').ariaPressed === 'true'"
    )
    page.press_on(".palette #tab-Indents")
    choose("indent first 36")
    page.until(
        "document.querySelector('.palette [data-command=\"indent first 36\"]').ariaPressed === 'true'"
    )
    shown = world.diple("format", "show", "essay.md", '"quick brown fox"')
    for words in ("underline", "18", "36"):
        expect(words in shown, f"'format show' says nothing of {words}: {shown}")
    page.key("Escape")
    page.until("!document.querySelector('.palette')")
    expect(page.eval("getSelection().toString()") == "quick brown fox", "the selection is gone")
    equal(world.library.joinpath("essay.md").read_text(), TEXT, "the file")
