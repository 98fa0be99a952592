"""The library's page."""

from world import equal, expect, prepare


def _library(world):
    world.document(
        "foxes.md",
        "# Foxes\n\nThe quick brown fox jumps over the lazy dog.\n\nA line about rivers and their banks.\n",
    )
    world.document(
        "dogs.md", "# Dogs\n\nNo dog is as lazy as they say. See [foxes](foxes.md#foxes).\n"
    )
    world.diple(
        "mark",
        "foxes.md",
        '"quick brown fox"',
        "--color",
        "green",
        "--tag",
        "animals",
        "--note",
        "fast",
    )
    world.diple("mark", "foxes.md", '"rivers and their banks"', "--color", "pink")
    world.diple("mark", "dogs.md", '"No dog"', "--color", "yellow", "--tag", "animals")


def check_documents(world):
    _library(world)
    page = world.open("/")
    page.until("document.querySelectorAll('.documents .entry').length === 2")
    text = page.eval(
        "[...document.querySelectorAll('.documents .entry')].find(e => e.textContent.includes('Foxes')).textContent"
    )
    expect(
        "foxes.md" in text and "1 green" in text and "1 pink" in text, f"the entry says {text!r}"
    )
    page.press_on("main input[type=search]")
    page.type("dog")
    page.until("document.querySelectorAll('.documents .entry').length === 1")
    page.key("Escape")
    page.press_on(".documents .entry")
    page.until(
        "document.documentElement.dataset.ready && document.querySelector('#text h1')?.textContent === 'Dogs'"
    )
    # A link between documents opens the other document's page at the linked heading.
    page.press_on("#text a[href^='/d/']")
    page.until(
        "document.documentElement.dataset.ready && document.querySelector('#text h1')?.textContent === 'Foxes'"
    )


def check_highlights(world):
    _library(world)
    page = world.open("/#/highlights")
    page.until("document.querySelectorAll('.highlights .entry').length === 3")

    def choose(name, value, count):
        page.eval(
            f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')) }})(document.querySelector('[data-name={name}]'))"
        )
        page.until(
            f"document.querySelectorAll('.highlights .entry').length === {count}",
            f"{count} with {name} {value}",
        )

    choose("tag", "animals", 2)
    choose("color", "green", 1)
    expect("color=green" in page.eval("location.hash"), "the address does not say what is shown")
    choose("color", "", 2)
    choose("tag", "", 3)
    page.press_on("[data-name=text]")
    page.type("banks")
    page.until("document.querySelectorAll('.highlights .entry').length === 1")
    choose("since", "2099-01-01", 0)
    choose("since", "", 1)
    page.press_on(".highlights .entry")
    page.until("document.querySelector('#text mark.pink.current')", "the highlight in its document")
    # A missing highlight is reported, with a link to the library.
    page.go(world.base + "/h/1-0000000000000001", ready="document.querySelector('[role=alert]')")
    equal(page.eval("document.querySelector('main a').pathname"), "/", "the way on")
    page.faults()


def check_search(world):
    _library(world)
    page = world.open("/#/search")
    page.until("document.activeElement.type === 'search'")
    page.type("lazy")
    page.until("document.querySelectorAll('.results .entry').length === 2")
    equal(
        page.eval("[...document.querySelectorAll('.snippet mark')].map(m => m.textContent)"),
        ["lazy", "lazy"],
        "the matches",
    )
    page.press_on(".results .entry")
    page.until(
        "document.documentElement.dataset.ready && CSS.highlights.has('found-now')",
        "the match in its document",
    )
    equal(page.eval("[...CSS.highlights.get('found-now')][0].toString()"), "lazy", "the match")


def check_many_matches(world):
    """All matches are counted, and all can be shown."""
    world.document("many.md", "# Many\n\n" + "A fox, another fox. " * 150 + "\n")
    world.document("few.md", "# Few\n\nOne fox.\n")
    page = world.open("/#/search?q=fox")
    page.until(
        "document.querySelector('main [role=status]').textContent === '301 matches in 2 documents'",
        "the count",
    )
    article = "[...document.querySelectorAll('.results article')].find(a => a.textContent.includes('Many'))"
    shown = f"{article}.querySelectorAll('.entry').length"
    equal(page.eval(shown), 6, "matches that are shown at first")
    equal(
        page.eval(f"{article}.querySelector('button').textContent"),
        "294 more matches",
        "the others",
    )
    page.eval(f"{article}.querySelector('button').click(), true")
    page.until(f"{shown} === 206")
    page.eval(f"{article}.querySelector('button').click(), true")
    page.until(f"{shown} === 300", "all of them")
    expect(page.eval(f"{article}.querySelector('button').hidden"), "there is still more to ask for")
    # All places differ.
    equal(
        page.eval(f"new Set([...{article}.querySelectorAll('.entry')].map(e => e.hash)).size"),
        300,
        "places",
    )


def check_logout(world):
    """The session ends, and the page explains how to log in again."""
    world.document("one.md", "# One\n\nSome words.\n")
    page = world.open("/")
    page.until("document.querySelector('.documents .entry')")
    page.press_on("header button:not(.icon-only)")
    page.until(
        "document.querySelector('[role=alert]')?.textContent.includes('diple serve')",
        "the way back",
    )
    page.go(world.base + "/nope", ready="document.querySelector('h1')")
    equal(page.eval("document.querySelector('h1').textContent"), "No such page", "the page")
    page.press_on("main a")
    page.until(
        "document.querySelector('[role=alert]')?.textContent.includes('not logged in')",
        "the library without a login",
    )
    page.go("about:blank", ready=None)
    page.go(world.new_code())
    page.until("document.querySelector('.documents .entry')")
    # The browser logs each unsuccessful response.
    page.faults()


def check_review(world):
    _library(world)
    world.diple("mark", "foxes.md", '"quick brown fox jumps over the lazy dog"')
    world.write(
        "foxes.md",
        "# Foxes\n\nNothing as before. Something quick and brown, a fox perhaps, jumps over one lazy dog by "
        "the sea.\n\nOther things altogether stand in this place now.\n\nA quick brown hare jumps over the sleeping "
        "dog in town.\n",
    )
    world.diple("refresh")
    waiting = [each for each in world.highlights() if each["state"] in ("doubtful", "orphaned")]
    expect(waiting, "nothing is to be reviewed")
    page = world.open("/#/review")
    page.until(f"document.querySelectorAll('.reviews > li').length === {len(waiting)}")
    equal(
        page.eval("document.querySelector('nav .badge').textContent"),
        str(len(waiting)),
        "the badge",
    )
    buttons = page.eval("document.querySelectorAll('.reviews .candidate button').length")
    expect(buttons > 0, "no place is offered for any of them")
    expect(
        "Foxes" in page.eval("document.querySelector('.reviews h2').textContent"),
        "the document is not named",
    )
    expect(
        page.eval("document.querySelector('.candidate ins') !== null"),
        "the words that differ are not emphasized",
    )
    expect(
        page.eval("document.querySelector('.reviews .passage mark').textContent")
        in [each["quote"] for each in waiting],
        "the quote",
    )
    for left in range(len(waiting) - 1, -1, -1):
        if page.eval("document.querySelector('.reviews .candidate button') !== null"):
            page.press_on(".reviews .candidate button")
        else:
            page.press_on(".reviews button.danger")
        page.until(
            f"document.querySelectorAll('.reviews > li:not(.nothing)').length === {left}",
            f"{left} left",
        )
    page.until("document.querySelector('.nothing')")
    expect(not page.eval("document.querySelector('nav .badge')"), "the badge is still there")
    # Accepted places are not doubtful any more; highlights that were marked as gone stay so.
    states = {each["state"] for each in world.highlights()}
    expect("doubtful" not in states, f"states after the review: {states}")
    print(f"{len(waiting)} reviewed, {buttons} places offered")


NOTICE = "[...document.querySelectorAll('.notice')].map(n => n.textContent).join('|')"


def check_library_notices(world):
    """The library's page shows and announces what it did, and that the server does not answer."""
    _library(world)
    page = world.open("/")
    page.until("document.querySelectorAll('.documents .entry').length === 2")
    page.key("u")
    page.until(f"{NOTICE}.startsWith('Undone: ')", "a notice of what was undone")
    page.until(
        "document.querySelector('main [role=status][aria-live]')?.textContent.startsWith('Undone: ')",
        "the notice to be announced",
    )
    equal(len(world.highlights()), 2, "highlights after undo")
    # Other views keep the notices.
    page.eval("location.hash = '/highlights'; true")
    page.until("document.querySelectorAll('.highlights .entry').length === 2")
    page.key("U")
    page.until(f"{NOTICE}.startsWith('Redone: ')", "a notice of what was redone")
    page.until("document.querySelectorAll('.highlights .entry').length === 3")


def check_lost_server(world):
    """Pages report that the server does not answer, and continue when it does again."""
    identifier = world.document("one.md", "# One\n\nSome words.\n")
    library = world.open("/")
    library.until("document.querySelector('.documents .entry')")
    document = world.open(f"/d/{identifier}")
    world.stop()
    for page in (library, document):
        page.until(
            "document.querySelector('.lost')?.textContent.includes('does not answer')",
            "a dead server to be reported",
        )
        equal(page.eval("document.querySelector('.lost').getAttribute('role')"), "status", "role")
    world.serve_again()
    for page in (library, document):
        page.until(
            "document.querySelector('.lost')?.textContent.includes('not logged in')",
            "the way to log in again",
        )
        page.faults()
    library.go("about:blank", ready=None)
    library.go(world.address)
    # The other page has the new session, too.
    document.until("!document.querySelector('.lost')", "the report to disappear")
    world.write("one.md", "# One\n\nSome other words.\n")
    document.until("document.querySelector('#text').textContent.includes('Some other words')")
    document.faults()


def check_login(world):
    """A page without a session explains how to log in; a code works once."""
    world.document("one.md", "# One\n")
    world.serve()
    address = world.address
    page = world.open("/")
    stranger = page.browser.page(
        context=page.browser.send("Target.createBrowserContext")["browserContextId"]
    )
    stranger.go(world.base + "/", ready=None)
    stranger.until("document.querySelector('[role=alert]')?.textContent.includes('diple serve')")
    stranger.go("about:blank", ready=None)
    stranger.go(address, ready=None)
    stranger.until(
        "document.querySelector('[role=alert]')?.textContent.includes('used before')",
        "a used code to be refused",
    )
    expect("#" not in stranger.eval("location.href"), "the code is still in the address")
    stranger.faults()
    stranger.go("about:blank", ready=None)
    stranger.go(world.new_code())
    stranger.until("document.querySelectorAll('.documents .entry').length === 1")
    expect("#" not in stranger.eval("location.href"), "the code is still in the address")
