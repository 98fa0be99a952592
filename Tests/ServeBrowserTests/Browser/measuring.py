"""Large texts stay usable."""

from world import equal, expect, prepare

WORDS = "The light in the reading room was the colour of weak tea, and the pages took it in without a sound. "


def check_large_text(world):
    """A text of some megabytes is shown soon, and updates do not block the page."""
    paragraphs = "".join(
        f"## Part {n}\n\n" + (WORDS * 4 + f"Number {n}.\n\n") * 4 for n in range(1200)
    )
    identifier = world.document("large.md", "# Large\n\n" + paragraphs)
    page = world.open("/")
    page.eval("1")
    page.send(
        "Page.addScriptToEvaluateOnNewDocument",
        {
            "source": "window.tasks = []; new PerformanceObserver(l => tasks.push(...l.getEntries().map(e => Math.round(e.duration)))).observe({type: 'longtask', buffered: true});"
        },
    )
    page.go(f"{world.base}/d/{identifier}")
    took = page.eval("performance.now()")
    page.until("document.querySelectorAll('#text h2').length === 1200", "the whole text", within=60)
    whole = page.eval("performance.now()")
    page.eval("tasks.length = 0")
    height = page.eval("document.documentElement.scrollHeight")
    for step in range(40):
        page.eval(f"scrollTo(0, {height} * {step} / 40)")
        page.browser.pump(0.03)
    longest = page.eval("Math.max(0, ...tasks)")
    print(
        f"{len(paragraphs) // 1000} KB: readable after {took:.0f} ms, whole after {whole:.0f} ms, longest task while scrolling {longest} ms"
    )
    expect(longest < 500, f"the page stood still for {longest} ms while scrolling")
    prepare(page)
    equal(page.eval("(r => r && r.toString())(null)"), None, "nothing")
    # Marking at the end of the text.
    page.eval("scrollTo(0, document.documentElement.scrollHeight)")
    page.browser.pump(0.3)
    page.eval("getSelection().selectAllChildren([...document.querySelectorAll('#text p')].pop())")
    page.until("!document.querySelector('.menu').hidden")
    page.key("1")
    page.until("document.querySelector('#text mark')", within=30)
    expect(world.highlights()[0]["quote"].endswith("Number 1199."), "the quote")
