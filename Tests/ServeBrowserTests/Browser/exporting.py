"""The page that `diple export --to html` writes: notes beside the text."""

from world import equal, expect

WORDS = "The light in the reading room was the colour of weak tea, and the pages took it in. "
NOTE = "A note that is longer than its paragraph, " + "with many words in the margin, " * 12

PARAGRAPHS = [
    "One short line.",
    WORDS * 3,
    "Two short words.",
    "- first item\n- second item",
    "> A quotation of some words.",
    WORDS * 2,
    "The last line.",
]

# The boxes of blocks of the text and of notes, in pixels of the page.
BOXES = """(selector => [...document.querySelectorAll(selector)].map(element => {
  const box = element.getBoundingClientRect();
  return {left: box.left, right: box.right, top: box.top + scrollY, bottom: box.bottom + scrollY};
}))"""
BLOCKS = "article :is(p, li, blockquote):not(aside *):not(header *):not(.list *):not(.facts)"

LEAVES = "article p:not(header *):not(.list *), article li:not(:has(p))"


def _export(world, page, name):
    """Exports the document and opens the page; returns the boxes of its blocks and notes."""
    path = world.folder / name
    world.diple("export", "long.md", "--to", "html", "-o", str(path))
    page.go(f"file://{path}", ready="document.querySelector('article')")
    return _measure(page)


def _measure(page):
    blocks = page.eval(f"{BOXES}({BLOCKS!r})")
    notes = page.eval(f"{BOXES}('aside .note-box')")
    expect(len(blocks) >= len(PARAGRAPHS), f"only {len(blocks)} blocks")
    return blocks, notes


def _place(boxes):
    """Returns the vertical positions relative to the first box."""
    start = boxes[0]["top"]
    return [(round(each["top"] - start), round(each["bottom"] - start)) for each in boxes]


def _expect_apart(boxes, what):
    """Expects boxes below each other, without overlap."""
    ordered = sorted(boxes, key=lambda each: each["top"])
    for above, below in zip(ordered, ordered[1:]):
        expect(above["bottom"] <= below["top"] + 0.5, f"{what} overlap: {above}, {below}")


def check_exported_notes(world):
    """Notes are beside the text, and move neither its paragraphs nor each other's boxes."""
    world.document("long.md", "# Long\n\n" + "\n\n".join(PARAGRAPHS) + "\n")
    for words in ("short line", "reading room", "Two short", "second item", "quotation", "last"):
        world.diple("mark", "long.md", f'"{words}"#1')
    numbers = [each["number"] for each in world.highlights()]
    page = world.open("/", width=1280, height=900)
    plain, none = _export(world, page, "plain.html")
    equal(none, [], "notes before there are any")
    for number in numbers:
        world.diple("note", str(number), NOTE)
    blocks, notes = _export(world, page, "noted.html")
    equal(len(notes), len(numbers), "notes")
    equal(_place(blocks), _place(plain), "the text with notes beside it")
    _expect_apart(notes, "notes")
    right = max(each["right"] for each in blocks)
    for note in notes:
        expect(note["left"] >= right, f"a note is over the text: {note}, {right}")
        expect(note["right"] <= 1280, f"a note is cut: {note}")
    expect(notes[0]["top"] >= blocks[0]["top"] - 1, "the first note is above its paragraph")
    end = page.eval("document.querySelector('article').getBoundingClientRect().bottom + scrollY")
    expect(max(each["bottom"] for each in notes) <= end, "a note is below the end of the article")
    # On a narrow screen the notes are below their paragraphs.
    for width in (360, 700):
        page.size(width, 800)
        blocks, notes = _measure(page)
        _expect_apart(notes, f"notes at {width} pixels")
        expect(
            page.eval("document.documentElement.scrollWidth <= innerWidth"),
            f"the page is wider than {width} pixels",
        )
        leaves = page.eval(f"{BOXES}({LEAVES!r})")
        _expect_apart(leaves, f"paragraphs and notes at {width} pixels")
