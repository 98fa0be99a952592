"""Finding in a document's page."""

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
