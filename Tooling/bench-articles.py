#!/usr/bin/env python3
"""Compares the articles that Diple finds in web pages with the expected ones, beside two other
extractors in the same run: the mean F1 of the words, pages without an article, and escapes in the
Markdown that change nothing.

DIR contains a folder for each page, with source.html and expected.html, as test/test-pages of the
public repository mozilla/readability. The other extractors and the Markdown renderer are packages
of PyPI: trafilatura, readability-lxml, lxml_html_clean, markdown-it-py.

usage: Tooling/bench-articles.py DIR      DIPLE_FETCH is the program (.build/release/diple-fetch)"""

import collections, json, logging, os, re, subprocess, sys, tempfile, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
try:
    import lxml.html, markdown_it, readability, trafilatura
except ImportError as error:
    sys.exit(f"bench-articles: {error}; see the first lines of this file")
if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
    sys.exit(__doc__.split("\n\n")[-1])

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
program = os.environ.get("DIPLE_FETCH") or os.path.join(root, ".build/release/diple-fetch")
markdown = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# The elements between which words are separate.
blocks = """p div li td th h1 h2 h3 h4 h5 h6 br tr section figure figcaption blockquote pre dt dd ul ol
    header article""".split()


def text_of(html):
    """Returns the text of HTML with a blank at each border of a block."""
    if not html:
        return ""
    try:
        tree = lxml.html.fromstring(html)
    except Exception:
        return ""
    for node in tree.xpath("//script|//style|//noscript"):
        node.drop_tree()
    for node in tree.iter(*blocks):
        node.text = " " + (node.text or "")
        node.tail = " " + (node.tail or "")
    return tree.text_content()


def words(html):
    """Returns how often each word occurs. Each Chinese, Japanese or Korean character is a word."""
    found = re.findall(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|\w+", text_of(html).lower())
    return collections.Counter(found)


def f1(expected, found):
    if not expected:
        return 1.0
    common = sum((expected & found).values())
    return 2 * common / (sum(expected.values()) + sum(found.values()))


def diple(path):
    """Returns the Markdown of a page without its front matter; nothing if Diple refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        order = {
            "place": {"file": {"_0": path}},
            "isWhole": False,
            "allowsPrivate": False,
            "seconds": 20,
        }
        with open(os.path.join(folder, "order.json"), "w") as file:
            json.dump(order, file)
        subprocess.run([program, folder], stderr=subprocess.DEVNULL, check=True)
        with open(os.path.join(folder, "answer.json")) as file:
            texts = json.load(file).get("texts", [])
        result = ""
        for text in texts:
            with open(os.path.join(folder, text["file"])) as file:
                result += file.read()
    return result[result.index("\n---\n", 4) + 5 :] if result.startswith("---\n") else result


def needless(text):
    """Returns the number of backslashes whose removal does not change the rendered block."""
    count = 0
    for block in re.split(r"\n\n", text):
        if "\\" not in block or "```" in block:
            continue
        rendered = markdown.render(block)
        for match in re.finditer(r"\\(?=[!-/:-@\[-`{-~])", block):
            if markdown.render(block[: match.start()] + block[match.end() :]) == rendered:
                count += 1
    return count


pages = sorted(os.listdir(sys.argv[1]))
scores = collections.defaultdict(list)
escapes, empty = [], []
for page in pages:
    folder = os.path.join(os.path.abspath(sys.argv[1]), page)
    with open(os.path.join(folder, "source.html"), encoding="utf8", errors="replace") as file:
        source = file.read()
    with open(os.path.join(folder, "expected.html"), encoding="utf8") as file:
        expected = words(file.read())
    article = diple(os.path.join(folder, "source.html"))
    escapes.append(needless(article))
    if not article:
        empty.append(page)
    # The marks of footnotes are not words of the page.
    shown = markdown.render(re.sub(r"\[\^\w+\]:? ?", " ", article))
    scores["Diple"].append((f1(expected, words(f"<div>{shown}</div>")), page))
    try:
        summary = readability.Document(source).summary()
    except Exception:
        summary = ""
    other = trafilatura.extract(source, include_comments=False, output_format="html")
    scores["readability-lxml"].append((f1(expected, words(summary)), page))
    scores["trafilatura"].append((f1(expected, words(other)), page))

for name, values in scores.items():
    mean = sum(score for score, _ in values) / len(values)
    print(f"{name:17} mean F1 {mean:.4f}, {sum(score < 0.9 for score, _ in values)} below 0.9")
print(f"without an article: {len(empty)} {' '.join(empty)}")
print(f"needless escapes: {sum(escapes)} in {sum(count > 0 for count in escapes)} pages")
print("lowest:", ", ".join(f"{page} {score:.3f}" for score, page in sorted(scores["Diple"])[:8]))
