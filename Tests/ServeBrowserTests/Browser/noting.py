"""Notes are kept until they are saved, and shown as plain text."""

from world import drag_over, equal, expect, prepare, spot

TEXT = """# An essay

The quick brown fox jumps over the lazy dog, and nobody minds.

A second paragraph, in which something else is said.

A third one.
"""

NOTE = "document.querySelector('#note-text').value"
CHIP = "document.querySelector('.unsaved:not([hidden])')"


def _page(world, *marks):
    """Opens a page of the essay with highlights, by the arguments of `diple mark` for each."""
    identifier = world.document("essay.md", TEXT)
    for words in marks:
        world.diple("mark", "essay.md", *words)
    page = world.open(f"/d/{identifier}")
    prepare(page)
    return page


def _write(page, text, tag=""):
    page.until("document.activeElement.id === 'note-text'", "the note to be written")
    page.type(text)
    if tag:
        page.press_on("#note-tags")
        page.type(tag)


def _select(page, first, last):
    drag_over(page, first, last)
    page.until("!document.querySelector('.menu').hidden")


def _asks_before_leaving(page):
    return page.eval(
        "(e => { dispatchEvent(e); return e.defaultPrevented; })(new Event('beforeunload', {cancelable: true}))"
    )


def check_note_kept(world):
    """After Esc, after a reload, and at an existing highlight an unsaved note is offered again."""
    page = _page(world)
    _select(page, "quick", "fox")
    page.key("n")
    expect(not _asks_before_leaving(page), "nothing was written yet")
    _write(page, "A thought", "half a ta")
    expect(_asks_before_leaving(page), "the page may be left with what was written")
    page.key("Escape")
    page.until("!document.querySelector('.editor')")
    page.until(
        f"{CHIP}?.textContent.includes('quick brown fox')", "what is not saved to be offered"
    )
    # The note is offered at the same passage.
    page.until("!document.querySelector('.menu').hidden")
    page.key("n")
    page.until("document.querySelector('.editor')")
    equal(page.eval(NOTE), "A thought", "the note")
    equal(page.eval("document.querySelector('#note-tags').value"), "half a ta", "the tag")
    expect(not page.eval(CHIP), "it is offered while it is written")
    page.reload()
    prepare(page)
    page.until(CHIP, "it to be offered after the page was loaded anew")
    page.press_on(".unsaved button")
    page.until("document.querySelector('.editor')")
    equal(page.eval(NOTE), "A thought", "the note after the page was loaded anew")
    page.key("Enter", control=True)
    page.until("document.querySelector('#text mark')", "the highlight")
    (highlight,) = world.highlights()
    equal(
        (highlight["quote"], highlight["note"], highlight["tags"]),
        ("quick brown fox", "A thought", ["half a ta"]),
        "the highlight",
    )
    expect(not page.eval(CHIP) and not _asks_before_leaving(page), "something is still not saved")

    # An existing note.
    page.click(*spot(page, "brown", 2, "middle"))
    page.key("n")
    _write(page, " and more")
    page.key("Escape")
    page.until(CHIP)
    equal(world.highlights()[0]["note"], "A thought", "the note that was not saved")
    page.press_on(".unsaved button")
    page.until("document.querySelector('.editor')")
    equal(page.eval(NOTE), "A thought and more", "the note")
    page.press_on(".editor .offer button")
    equal(page.eval(NOTE), "A thought", "the note after what was written is thrown away")
    page.key("Escape")
    page.until("!document.querySelector('.editor')")
    expect(not page.eval(CHIP), "what is as before is offered")
    # A discarded note can be restored.
    page.key("n")
    _write(page, "!")
    page.key("Escape")
    page.until(CHIP)
    page.press_on(".unsaved button:last-child")
    page.until(f"!{CHIP}")
    page.press_on(".notice.done button")
    page.until(CHIP, "what was thrown away")


def check_note_refused(world):
    """A rejected note stays in the panel with the reason, also without a server."""
    page = _page(world)
    _select(page, "quick", "fox")
    page.key("n")
    _write(page, "Written before", "tag")
    world.write(
        "essay.md", TEXT.replace("quick brown fox jumps over the lazy dog", "words are others now")
    )
    page.until("!document.querySelector('.chip').hidden")
    page.key("Enter", control=True)
    page.until("document.querySelector('dialog[open]')", "the refusal")
    page.key("Escape")
    page.until("!document.querySelector('dialog[open]')")
    page.until("!document.querySelector('.editor .problem').hidden", "why it was refused")
    equal(page.eval(NOTE), "Written before", "the note after the refusal")
    page.key("Escape")
    page.until(CHIP)

    # The server stops while a note is written, and is restarted.
    page.until("document.querySelector('#text').textContent.includes('others now')")
    _select(page, "something", "said")
    page.key("n")
    _write(page, "Not lost")
    world.stop()
    page.key("Enter", control=True)
    page.until(
        "document.querySelector('.editor .problem')?.textContent.includes('does not answer')",
        "the fault",
    )
    equal(page.eval(NOTE), "Not lost", "the note without a server")
    expect(_asks_before_leaving(page), "the page may be left with what was written")
    world.serve_again()
    page.press_on(".editor button[type=submit]")
    page.until(
        "document.querySelector('.editor .problem')?.textContent.includes('not logged in')",
        "the login to be missed",
    )
    other = page.browser.page()
    other.go(world.address)
    other.close()
    page.press_on(".editor button[type=submit]")
    page.until("!document.querySelector('.editor')")
    page.until("document.querySelector('#text mark')")
    equal(
        [(each["quote"], each["note"]) for each in world.highlights()],
        [("something else is said", "Not lost")],
        "highlights",
    )
    # The browser logs each rejected request too.
    page.faults()


def check_quote_of_note(world):
    """The panel quotes the text without the signs of highlights."""
    page = _page(world, ('"brown"', "--color", "blue", "--note", "why"))
    _select(page, "quick", "fox")
    page.key("n")
    page.until("document.querySelector('.editor .quote')")
    equal(
        page.eval("document.querySelector('.editor .quote').textContent"),
        "quick brown fox",
        "the quote",
    )
    page.key("Escape")
    _select(page, "nobody", "second")
    page.key("n")
    page.until("document.querySelector('.editor .quote')")
    equal(
        page.eval("document.querySelector('.editor .quote').textContent"),
        "nobody minds.\nA second",
        "the quote",
    )


def check_long_notes(world):
    """The beginning of a long note is shown, and the rest on request."""
    words = "a word and then another " * 2000
    page = _page(world, ('"quick brown fox"', "--note", words), ('"lazy dog"', "--note", "short"))
    page.key("H")
    page.until("document.querySelectorAll('.item .note').length === 2")
    lengths = page.eval(
        "[...document.querySelectorAll('.item .note')].map(n => n.textContent.length)"
    )
    expect(lengths[0] < 700 and lengths[1] == 5, f"the notes have {lengths} characters")
    page.press_on(".panel.highlights .fold")
    page.until("document.querySelector('.item .note').textContent.length > 40000", "all of it")
    page.eval("document.querySelector('.panel.highlights .fold').click(), true")
    page.until(
        "document.querySelector('.item .note').textContent.length < 700", "its beginning again"
    )
    page.click(*spot(page, "brown", 2, "middle"))
    page.until("document.querySelector('.menu .about .fold')")
    expect(
        page.eval("document.querySelector('.menu .about .note').textContent.length") < 700,
        "the menu has all of it",
    )
    library = world.open("/#/highlights")
    library.until("document.querySelectorAll('.entry .note').length === 2")
    expect(library.eval("document.body.textContent.length") < 3000, "the list has all of it")
    library.press_on(".list .fold")
    library.until("document.body.textContent.length > 40000")


def check_focus_returns(world):
    """Esc returns the focus to the earlier element."""
    page = _page(world)
    focus = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.id"

    def opened_and_left(label, wait):
        page.eval(f"document.querySelector('.bar [aria-label=\"{label}\"]').focus()")
        page.key("Enter")
        page.until(wait)
        page.key("Escape")
        page.until(f"({focus}) === {label!r}", f"the keyboard to be at {label} again")

    # Without an earlier element the text is focused.
    page.key("/")
    page.key("Escape")
    equal(page.eval("document.activeElement.id"), "text", "where the keyboard is")
    opened_and_left("Find in the text", "document.activeElement.type === 'search'")
    opened_and_left("Appearance", "document.activeElement.closest('.look')")
    opened_and_left("Keys", "document.querySelector('dialog[open]')")
    for label, name, inside in (("Outline", "outline", "a"), ("Highlights", "highlights", "h2")):
        page.eval(f"document.querySelector('.bar [aria-label=\"{label}\"]').focus()")
        page.key("Enter")
        page.until(f"!document.querySelector('.panel.{name}').hidden")
        page.eval(f"document.querySelector('.panel.{name}').focus()")
        page.key("Escape")
        page.until(f"({focus}) === {label!r}", f"the keyboard to be at {label} again")
    # From a link in the text to the menu and back, and to the note and back.
    _select(page, "quick", "fox")
    page.key("1")
    page.until("document.querySelector('#text mark')")
    page.eval("document.querySelector('.bar .back').focus()")
    page.key("]")
    page.until("document.querySelector('#text mark.current')")
    page.key(".")
    page.until("document.activeElement.closest('.menu')")
    page.key("Escape")
    page.until(f"({focus}) === 'Library'", "the keyboard to be where it was before the menu")
    page.key("n")
    page.until("document.activeElement.id === 'note-text'")
    page.key("Escape")
    page.until(f"({focus}) === 'Library'", "the keyboard to be where it was before the note")


def check_directions(world):
    """Direction characters in documents, notes and names do not affect the page around them."""
    evil = "\u202eabc\u2069\u2029\u202edef"
    identifier = world.document(
        "evil.md", f"# {evil}\n\nWords to mark, and {evil} fox.\n\nA fox, and some more words.\n"
    )
    world.diple("color", "label", "yellow", evil)
    # The last letter of a line must be displayed after all others.
    ends = """(element => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      let last = null, most = -Infinity;
      for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        for (let index = 0; index < text.length; index++) {
          if (!/[\\w.,:()]/.test(text.data[index])) continue;
          range.setStart(text, index);
          range.setEnd(text, index + 1);
          last = range.getBoundingClientRect().left;
          most = Math.max(most, last);
        }
      }
      return last !== null && last === most;
    })"""
    library = world.open("/#/search?q=fox")
    library.until("document.querySelector('.results h2')")
    expect(
        library.eval(f"[...document.querySelectorAll('.results h2')].every({ends})"),
        "the count stands before the title",
    )
    page = world.open(f"/d/{identifier}")
    prepare(page)
    _select(page, "A fox", "and")
    page.key("1")
    page.until("document.querySelector('.notice.done')?.textContent.includes('Marked in')")
    expect(
        page.eval(f"{ends}(document.querySelector('.notice.done span'))"),
        "what was marked is told in another order",
    )
    for words in ("Words to", "some more"):
        _select(page, *words.split(" "))
        page.key("n")
        _write(page, words)
        page.key("Escape")
        page.until("!document.querySelector('.editor')")
        page.key("Escape")
    page.until(f"{CHIP}.textContent.includes('1 more')")
    expect(
        page.eval(f"{ends}(document.querySelector('.unsaved span'))"),
        "what is not saved is told in another order",
    )
    expect(
        not page.eval("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.title)"),
        "the title of the window",
    )


def check_note_clash(world):
    """If a note changes elsewhere while it is written, both are shown, and the user chooses."""
    page = _page(world, ('"brown"', "--color", "blue", "--note", "old"))
    identifier = world.highlights()[0]["id"]
    clash = "document.querySelector('.editor .clash:not([hidden])')"

    def begin():
        page.click(*spot(page, "brown", 2, "middle"))
        page.until("!document.querySelector('.menu').hidden")
        page.key("n")

    def elsewhere(note):
        world.diple("highlight", "edit", identifier, "--note", note)

    def save():
        page.key("Enter", control=True)

    def note():
        return world.highlights()[0]["note"]

    begin()
    _write(page, ", and mine")
    elsewhere("theirs")
    save()
    page.until(f"{clash}?.textContent.includes('theirs')", "the note as it is now")
    equal(note(), "theirs", "the note that was written elsewhere")
    equal(page.eval(NOTE), "old, and mine", "what is written here")
    page.until(f"{clash}.contains(document.activeElement)", "the keyboard to be at the choice")
    # After a reload the user is asked again.
    page.key("Escape")
    page.until(CHIP)
    page.reload()
    prepare(page)
    page.until(CHIP)
    page.press_on(".unsaved button")
    page.until(f"{clash}?.textContent.includes('theirs')", "the note as it is now, after a reload")
    equal(page.eval(NOTE), "old, and mine", "what was written before the reload")
    page.press_on(".clash [data-choice=both]")
    page.until(f"!{clash}")
    equal(page.eval(NOTE), "theirs\n\nold, and mine", "both")
    save()
    page.until("!document.querySelector('.editor')")
    equal(note(), "theirs\n\nold, and mine", "both notes")

    begin()
    _write(page, "!")
    elsewhere("theirs again")
    save()
    page.until(clash)
    page.press_on(".clash [data-choice=mine]")
    page.until("!document.querySelector('.editor')")
    equal(note(), "theirs\n\nold, and mine!", "the note that was replaced")

    begin()
    _write(page, "?")
    elsewhere("theirs stays")
    save()
    page.until(clash)
    page.press_on(".clash [data-choice=theirs]")
    page.until("!document.querySelector('.editor')")
    equal(note(), "theirs stays", "the note that was kept")
    expect(not page.eval(CHIP) and not _asks_before_leaving(page), "something is still not saved")
    # The browser logs each rejected request too.
    page.faults()
