"""Every kind of selection in the page maps to the exact range of the rendered text."""

import json

from world import cut, drag_over, equal, expect, prepare, selected, spot, text_of

TEXT = """# A *first* heading

Plain words, then *emphasis*, **strong words** and `code` in one line.

Second paragraph with a [link](https://example.org) in it, and a note.[^n]

- one item
- two items
  with a line

| left | right |
|------|-------|
| cell one | cell two |
| cell three | cell four |

![A picture of nothing](pixel.png) after it.

```swift
let alpha = 1
let omega = "two"
```

العربية من اليمين **إلى** اليسار

日本語の段落です。読むこと。

Emoji 👩‍👩‍👧 and 𝄞 and e\u0301 here.

[^n]: What the note says.
"""

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000040001"
    "f61738550000000049454e44ae426082"
)


def _page(world):
    (world.library / "pixel.png").write_bytes(PIXEL)
    identifier = world.document("text.md", TEXT)
    page = world.open(f"/d/{identifier}", width=1100, height=1400)
    prepare(page)
    page.eval("document.querySelector('img[data-o]')?.setAttribute('width', 60)")
    return page


def _is_selected(page, wanted, what):
    ranges = selected(page)
    equal(len(ranges), 1, f"{what}: ranges")
    text = text_of(page)
    equal(cut(text, *ranges[0]), wanted, what)
    # The server's text has the same characters in this range.
    return ranges[0]


def check_drags(world):
    page = _page(world)
    cases = [
        ("Plain words", "words, then", "Plain words, then"),
        ("then", "emphasis", "then emphasis"),
        ("emphasis", "strong words", "emphasis, strong words"),
        ("words,", "code", "words, then emphasis, strong words and code"),
        ("one line", "Second", "one line.\nSecond"),
        ("heading", "Plain", "heading\nPlain"),
        ("two items", "cell one", "two items with a line\nleft\tright\ncell one"),
        ("cell one", "cell two", "cell one\tcell two"),
        ("cell two", "cell three", "cell two\ncell three"),
        ("note.", "one item", "note.[n]\none item"),
        ("alpha", "omega", "alpha = 1\nlet omega"),
        ("日本語", "読むこと", "日本語の段落です。読むこと"),
        ("من", "اليسار", "من اليمين إلى اليسار"),
        ("Emoji", " here", "Emoji 👩‍👩‍👧 and 𝄞 and e\u0301 here"),
    ]
    for first, last, wanted in cases:
        for backwards in (False, True):
            drag_over(page, first, last, backwards=backwards)
            ranges = selected(page)
            equal(
                len(ranges), 1, f"ranges of {wanted!r}, {'backwards' if backwards else 'forwards'}"
            )
            text = text_of(page)
            found = cut(text, *ranges[0])
            # The text has tabs between cells, which are gaps between runs.
            expect(
                found.replace("\n", "\t").replace(" ", "\t")
                == wanted.replace("\n", "\t").replace(" ", "\t"),
                f"dragging over {wanted!r} gave {found!r}",
            )


def check_clicks(world):
    page = _page(world)
    page.click(*spot(page, "emphasis", 3, "middle"), count=2)
    _is_selected(page, "emphasis", "a double click")
    for words, wanted in (
        ("strong words", "Plain words, then emphasis, strong words and code in one line."),
        ("one item", "one item"),
        ("cell three", "cell three"),
        ("heading", "A first heading"),
        ("日本語", "日本語の段落です。読むこと。"),
        ("Emoji", "Emoji 👩‍👩‍👧 and 𝄞 and e\u0301 here."),
        ("What the note", "What the note says."),
        ("من", "العربية من اليمين إلى اليسار"),
    ):
        page.eval("getSelection().removeAllRanges()")
        page.click(*spot(page, words, 1, "middle"), count=3)
        _is_selected(page, wanted, f"a triple click in {words!r}")
    # A picture is selected as a whole; its text is its description.
    page.press_on("#text img[data-o]")
    page.until("!getSelection().isCollapsed")
    _is_selected(page, "A picture of nothing", "a click on a picture")


def check_selecting_by_keys(world):
    page = _page(world)
    page.click(*spot(page, "Plain", 2, "middle"), count=2)
    for _ in range(3):
        page.key("ArrowRight", shift=True)
    _is_selected(page, "Plain wo", "Shift and arrows")
    page.key("ArrowLeft", shift=True)
    _is_selected(page, "Plain w", "Shift and an arrow back")
    for _ in range(2):
        page.key("ArrowRight", shift=True, control=True)
    text = cut(text_of(page), *selected(page)[0]).strip()
    expect(text.startswith("Plain words,"), f"Shift, Ctrl and arrows gave {text!r}")
    page.key("a", control=True)
    ranges = selected(page)
    whole = text_of(page)
    equal(ranges, [[0, len(whole.encode("utf-16-le")) // 2]], "select all")
    page.eval("getSelection().removeAllRanges()")
    page.key("Escape")
    page.key("p")
    _is_selected(page, "A first heading", "the key p")
    page.key("p")
    _is_selected(
        page, "Plain words, then emphasis, strong words and code in one line.", "the key p again"
    )
    page.key("P")
    _is_selected(page, "A first heading", "the key P")
    page.eval("getSelection().removeAllRanges()")
    page.key("Escape")
    page.until("getSelection().isCollapsed")
    page.key("w")
    _is_selected(page, "A", "the key w")


def check_core_agrees(world):
    """The page and the command line select the same words."""
    page = _page(world)
    for first, last in (
        ("then", "emphasis"),
        ("cell two", "cell three"),
        ("Emoji", " here"),
        ("من", "اليسار"),
        ("日本語", "読むこと"),
        ("alpha", "omega"),
    ):
        drag_over(page, first, last)
        ((start, end),) = selected(page)
        answer = world.json("select", "text.md", f"u16:{start}-{end}")
        expect(
            answer["text"].startswith(first) and answer["text"].endswith(last),
            f"{first!r} to {last!r} is {answer['text']!r} for the command line",
        )


def check_mapping(world, cases):
    """Each run has its part of the text, and boundaries map both ways, in the documents of a file:
    `[{text, parts: [{key, offset, length, html}]}]`."""
    identifier = world.document("host.md", "A document.")
    page = world.open(f"/d/{identifier}")
    with open(cases, encoding="utf-8") as file:
        documents = json.load(file)
    page.eval(_CHECK + "true")
    mismatches = []
    for first in range(0, len(documents), 100):
        mismatches += page.eval(
            f"checkMapping({json.dumps(documents[first : first + 100])}, {first})", wait=300
        )
        expect(
            len(mismatches) < 20,
            lambda: f"{len(mismatches)} mismatches or more: " + " | ".join(mismatches[:5]),
        )
    expect(not mismatches, lambda: f"{len(mismatches)} mismatches: " + " | ".join(mismatches[:5]))
    print(f"{len(documents)} documents, {page.eval('checkedPlaces')} places, 0 mismatches")


_CHECK = """
window.checkedPlaces = 0;
window.checkMapping = async (documents, first) => {
  const { Text } = await import("/static/text.js");
  const { textRange, runRange, textOffset } = await import("/static/mapping.js");
  const faults = [];
  const host = document.querySelector("main");
  const shown = new Text("check");
  shown.element.id = "check";
  document.querySelector("#text").hidden = true;
  host.append(shown.element);
  for (const [index, { text, parts }] of documents.entries()) {
    shown.replaceAll(parts);
    const root = shown.element;
    let fault = "";
    let position = 0;
    const isGap = (from, to) => from <= to && /^[\\n\\t]*$/.test(text.slice(from, to));
    const runs = [...root.querySelectorAll("[data-o]")];
    const select = (a, b, c, d) => {
      const range = document.createRange();
      range.setStart(a, b);
      range.setEnd(c, d);
      checkedPlaces += 1;
      return textRange(root, range);
    };
    const same = (found, from, to, what) => {
      if (!found || found[0] !== from || found[1] !== to) fault ||= `${what} ${from}-${to}: ${JSON.stringify(found)}`;
    };
    for (const run of runs) {
      const [from, to] = runRange(run);
      const isPicture = run.tagName === "IMG";
      const words = isPicture ? run.alt : run.textContent;
      if (words !== text.slice(from, to)) fault ||= `run ${from}: ${JSON.stringify(words)}`;
      if (!isGap(position, from)) fault ||= `gap ${position}-${from}`;
      position = to;
      // From the page to the text: by the run's element, its text, and what is around it.
      const parent = run.parentNode;
      const at = [...parent.childNodes].indexOf(run);
      same(select(parent, at, parent, at + 1), from, to, "element");
      if (!isPicture) {
        const node = run.firstChild;
        same(select(node, 0, run.lastChild, run.lastChild.length), from, to, "text");
        const middle = Math.floor(node.length / 2);
        if (middle > 0) same(select(node, 0, node, middle), from, from + middle, "half");
      }
      // From the text to the page and back.
      const range = shown.range([from, to]);
      same(range && textRange(root, range), from, to, "there and back");
    }
    if (!isGap(position, text.length)) fault ||= `gap at the end, from ${position}`;
    if (runs.length > 0) {
      const [start] = runRange(runs[0]);
      const [, end] = runRange(runs[runs.length - 1]);
      same(select(root, 0, root, root.childNodes.length), start, end, "all");
      same(select(document.body, 0, document.body, document.body.childNodes.length), start, end, "select all");
      // Leaves as a triple click selects them: to the beginning of the next block.
      const leaves = [...root.querySelectorAll("[data-b]")].filter((leaf) => leaf.querySelector("[data-o]"));
      for (const [number, leaf] of leaves.entries()) {
        const own = [...leaf.querySelectorAll("[data-o]")];
        const [from] = runRange(own[0]);
        const [, to] = runRange(own[own.length - 1]);
        const next = leaves[number + 1];
        same(next ? select(leaf, 0, next, 0) : select(leaf, 0, root, root.childNodes.length), from, to, "leaf");
        // An end at the beginning of the next block's text is one behind this block, and so for starts.
        const run = next?.querySelector("[data-o]");
        if (run?.firstChild) same(select(leaf, 0, run.firstChild, 0), from, to, "leaf to text");
        if (number > 0 && own[0].firstChild) {
          const before = [...leaves[number - 1].querySelectorAll("[data-o]")].pop();
          if (before.lastChild) {
            same(select(before.lastChild, before.lastChild.length, leaf, leaf.childNodes.length), from, to, "from behind");
          }
        }
      }
      // Pairs of places.
      let seed = index + first + 1;
      const random = (count) => (seed = (seed * 48271) % 2147483647) % count;
      for (let round = 0; round < 8; round++) {
        const one = runs[random(runs.length)];
        const other = runs[random(runs.length)];
        const [a] = runRange(one);
        const [, b] = runRange(other);
        if (a >= b) continue;
        const range = shown.range([a, b]);
        same(range && textRange(root, range), a, b, "pair");
      }
    }
    if (fault) faults.push(`document ${first + index}: ${fault} in ${JSON.stringify(text.slice(0, 80))}`);
  }
  shown.element.remove();
  document.querySelector("#text").hidden = false;
  return faults;
};
"""
