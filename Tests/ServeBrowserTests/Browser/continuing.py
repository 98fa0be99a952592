"""The page continues where the user stopped reading."""

import json

from world import equal, expect

PARAGRAPHS = [
    f"Paragraph {number} says something about the number {number}, at some length and with some care, "
    f"so that it takes two lines of the page or a little more than that."
    for number in range(150)
]


def _text(head="", middle=""):
    text = "\n\n".join(PARAGRAPHS[:80]) + middle + "\n\n" + "\n\n".join(PARAGRAPHS[80:])
    return "# A long text\n\n" + head + text + "\n\nSee [the other](other.md) and [the top](#a-long-text).\n"


TOP = """(() => {
  const bar = document.querySelector(".bar").getBoundingClientRect().bottom;
  const p = [...document.querySelectorAll("#text p")].find(p => p.getBoundingClientRect().bottom > bar + 4);
  return [p.textContent.slice(0, 13), Math.round(p.getBoundingClientRect().top - bar)];
})()"""


def _scroll_to(page, words, by=-70):
    page.eval(
        f"[...document.querySelectorAll('#text p')].find(p => p.textContent.startsWith({words!r})).scrollIntoView()"
    )
    page.eval(f"scrollBy(0, {by})")
    page.browser.pump(0.3)


def _places(world):
    folder = world.folder / "home/.local/state/diple/places"
    return [json.loads(each.read_text()) for each in folder.iterdir()] if folder.exists() else []


def check_continuing(world):
    """The place is kept over reload, Back and reopening, and is that of the terminal reader."""
    world.document("other.md", "# Other\n\nSome words.\n")
    identifier = world.document("long.md", _text())
    page = world.open(f"/d/{identifier}")
    equal(page.eval("scrollY"), 0, "the beginning")
    equal(_places(world), [], "places before anything was read")
    _scroll_to(page, "Paragraph 60 ")
    before = page.eval(TOP)
    equal(before[0], "Paragraph 60 ", "the paragraph at the top")
    page.reload()
    page.until(f"scrollY > 0 && ({TOP})[1] === {before[1]}", "the place after a reload")
    equal(page.eval(TOP), before, "the place after a reload")

    # Back from another document, and from a place in this one.
    page.eval("document.querySelector('#text a[href^=\"/d/\"]').click(); true")
    page.until("document.documentElement.dataset.ready && document.title.startsWith('Other')")
    page.eval("history.back()")
    page.until("document.documentElement.dataset.ready && document.title.startsWith('A long')")
    page.until(f"scrollY > 0 && ({TOP})[1] === {before[1]}", "the place after Back")
    equal(page.eval(TOP), before, "the place after Back")
    page.eval("document.querySelector('#text a[href=\"#t-a-long-text\"]').click(); true")
    page.until("scrollY < 100")
    page.eval("history.back()")
    page.until("scrollY > 100")
    equal(page.eval(TOP), before, "the place after Back in the document")
    # Times have whole seconds.
    page.browser.pump(1.1)

    # The library's list shows how much was read, and the document opens there.
    page.go(world.base + "/")
    facts = page.until(
        "[...document.querySelectorAll('.documents .entry')].find(e => e.textContent.includes('A long text'))"
        "?.querySelector('.facts').textContent.match(/Continue, (\\d+) %/)?.[1]",
        "how much was read",
    )
    expect(35 <= int(facts) <= 50, f"{facts} % of the text was read")
    equal(
        page.eval("document.querySelector('.documents .entry .title').textContent"),
        "A long text",
        "the document that was read last",
    )
    stored = [each for each in _places(world) if each["document"] == identifier]
    equal(len(stored), 1, "places of the document")
    equal(stored[0]["percent"], int(facts), "the percentage for the terminal reader")
    page.eval("history.replaceState(null, '')")
    page.go(f"{world.base}/d/{identifier}")
    page.until("scrollY > 0")
    equal(page.eval(TOP)[0], "Paragraph 60 ", "the place after reopening")
    page.until("document.querySelector('.notice')?.textContent.includes('you stopped reading')")

    # The place is found again in a changed text.
    page.go(world.base + "/")
    world.write("long.md", _text("New lines come before it.\n\n" * 30))
    page.go(f"{world.base}/d/{identifier}")
    page.until("scrollY > 0")
    equal(page.eval(TOP)[0], "Paragraph 60 ", "the place in the changed text")
    page.press_on(".notice button")
    page.until("scrollY === 0")

    # A link leads to its target, and that is not a place where the user stopped.
    page.browser.pump(1.3)
    _scroll_to(page, "Paragraph 90 ")
    page.browser.pump(1.3)
    page.go(world.base + "/")
    page.go(f"{world.base}/d/{identifier}#t-a-long-text")
    page.browser.pump(1.3)
    expect(page.eval("scrollY") < 100, "a link did not lead to its target")
    page.go(world.base + "/")
    page.go(f"{world.base}/d/{identifier}")
    page.until("scrollY > 0")
    equal(page.eval(TOP)[0], "Paragraph 90 ", "the place after following a link")


def check_continuing_is_optional(world):
    """Nothing is stored if the user turned that off."""
    world.diple("config", "set", "reader.remember", "false")
    identifier = world.document("long.md", _text())
    page = world.open(f"/d/{identifier}")
    _scroll_to(page, "Paragraph 60 ")
    page.browser.pump(1.3)
    page.go(world.base + "/")
    page.go(f"{world.base}/d/{identifier}")
    page.browser.pump(0.5)
    equal(page.eval("scrollY"), 0, "the place")
    equal(_places(world), [], "places")
