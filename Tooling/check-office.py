#!/usr/bin/env python3
"""Checks the attributes that LibreOffice reads from the checklist that Diple wrote as RTF.

usage: Tooling/check-office.py FILE.fodt     exits with 1 if fewer than 95 percent are right
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

NAMES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
}


def q(name):
    prefix, local = name.split(":")
    return "{%s}%s" % (NAMES[prefix], local)


def points(text):
    match = re.fullmatch(r"(-?[0-9.]+)(in|cm|mm|pt)", text or "")
    if not match:
        return None
    return float(match[1]) * {"in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4, "pt": 1}[match[2]]


def near(text, wanted):
    found = points(text)
    return found is not None and abs(found - wanted) < 0.3


root = ElementTree.parse(sys.argv[1]).getroot()
styles = {}
for style in root.iter(q("style:style")):
    styles[(style.get(q("style:family")), style.get(q("style:name")))] = style
# The families of the declared font names.
fonts = {
    face.get(q("style:name")): face.get(
        "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}font-family"
    )
    for face in root.iter(q("style:font-face"))
}


def chain(family, name):
    while (family, name) in styles:
        yield styles[(family, name)]
        name = styles[(family, name)].get(q("style:parent-style-name"))


def properties(family, name, kind):
    found = {}
    for style in chain(family, name):
        for element in style.findall(q("style:" + kind)):
            for key, value in element.attrib.items():
                found.setdefault(key, value)
    return found


class Paragraph:
    def __init__(self, element, lists):
        name = element.get(q("text:style-name"))
        self.lists = lists
        self.paragraph = properties("paragraph", name, "paragraph-properties")
        self.parents = [s.get(q("style:name")) for s in chain("paragraph", name)]
        self.tabs = []
        for style in chain("paragraph", name):
            for stops in style.iter(q("style:tab-stops")):
                self.tabs = self.tabs or list(stops)
        self.text = properties("paragraph", name, "text-properties")
        self.link = None
        span = next(
            (s for s in element.iter(q("text:span")) if "".join(s.itertext()).strip()), None
        )
        link = next(element.iter(q("text:a")), None)
        if link is not None:
            self.link = link.get(q("xlink:href"))
        if span is not None:
            self.text = {
                **self.text,
                **properties("text", span.get(q("text:style-name")), "text-properties"),
            }

    def t(self, name):
        return self.text.get(q(name))

    def p(self, name):
        return self.paragraph.get(q(name))

    def stop(self, position, kind, leader=None):
        return any(
            near(stop.get(q("style:position")), position - self.indent())
            and (stop.get(q("style:type")) or "left") == kind
            and (leader is None or stop.get(q("style:leader-text")) == leader)
            for stop in self.tabs
        )

    def indent(self):
        return 0


def walk(element, lists, found):
    for child in element:
        if child.tag in (q("text:p"), q("text:h")):
            match = re.match(r"(\d+)\. item", "".join(child.itertext()))
            if match:
                found[int(match[1])] = Paragraph(child, lists)
        else:
            name = child.get(q("text:style-name"))
            walk(child, lists + ([name] if child.tag == q("text:list") and name else []), found)


found = {}
walk(root.find(q("office:body")), [], found)


def list_level(paragraph, tag, key, value):
    for style in root.iter(q("text:list-style")):
        if style.get(q("style:name")) in paragraph.lists:
            level = style.find(q(tag))
            return level is not None and (value is None or level.get(q(key)) == value)
    return False


CHECKS = [
    ("bold", lambda x: x.t("fo:font-weight") == "bold"),
    ("italic", lambda x: x.t("fo:font-style") == "italic"),
    ("underline", lambda x: x.t("style:text-underline-style") == "solid"),
    ("double underline", lambda x: x.t("style:text-underline-type") == "double"),
    ("underlined words", lambda x: x.t("style:text-underline-mode") == "skip-white-space"),
    ("dotted underline", lambda x: x.t("style:text-underline-style") == "dotted"),
    ("dashed underline", lambda x: x.t("style:text-underline-style") == "dash"),
    ("waved underline", lambda x: x.t("style:text-underline-style") == "wave"),
    ("strikethrough", lambda x: x.t("style:text-line-through-style") == "solid"),
    ("double strikethrough", lambda x: x.t("style:text-line-through-type") == "double"),
    ("family", lambda x: "Liberation Mono" in (fonts.get(x.t("style:font-name")) or "")),
    ("size", lambda x: x.t("fo:font-size") == "9.5pt"),
    ("small capitals", lambda x: x.t("fo:font-variant") == "small-caps"),
    ("capitals", lambda x: x.t("fo:text-transform") == "uppercase"),
    ("superscript", lambda x: (x.t("style:text-position") or "").startswith(("super", "3"))),
    ("subscript", lambda x: (x.t("style:text-position") or "").startswith(("sub", "-"))),
    ("color", lambda x: x.t("fo:color") == "#c01020"),
    ("background", lambda x: x.t("fo:background-color") == "#fff36d"),
    ("link", lambda x: x.link == "https://example.org/a?b=c"),
    (
        "odd link",
        lambda x: x.link and x.link.startswith("https://example.org/") and x.link.endswith("x"),
    ),
    ("left", lambda x: x.p("fo:text-align") in ("start", "left")),
    ("center", lambda x: x.p("fo:text-align") == "center"),
    ("right", lambda x: x.p("fo:text-align") in ("end", "right")),
    ("justified", lambda x: x.p("fo:text-align") == "justify"),
    ("first-line indent", lambda x: near(x.p("fo:text-indent"), 18)),
    ("no first-line indent", lambda x: near(x.p("fo:text-indent"), 0)),
    ("head indent", lambda x: near(x.p("fo:margin-left"), 36)),
    ("tail indent", lambda x: near(x.p("fo:margin-right"), 54)),
    ("line height", lambda x: x.p("fo:line-height") == "150%"),
    ("least line height", lambda x: near(x.p("style:line-height-at-least"), 20)),
    ("exact line height", lambda x: near(x.p("fo:line-height"), 17)),
    ("space before", lambda x: near(x.p("fo:margin-top"), 9)),
    ("space after", lambda x: near(x.p("fo:margin-bottom"), 12)),
    ("tab", lambda x: x.stop(72, "left")),
    ("center tab", lambda x: x.stop(90, "center")),
    ("right tab with dots", lambda x: x.stop(144, "right", ".")),
    ("decimal tab", lambda x: x.stop(100, "char")),
    ("bullet", lambda x: list_level(x, "text:list-level-style-bullet", "", None)),
    (
        "roman number",
        lambda x: list_level(x, "text:list-level-style-number", "style:num-format", "i"),
    ),
    (
        "heading",
        lambda x: (
            any(name == "Heading_20_1" for name in x.parents)
            and x.t("fo:font-weight") == "bold"
            and x.t("fo:font-size") == "20pt"
        ),
    ),
    ("block quote", lambda x: x.t("fo:font-style") == "italic" and near(x.p("fo:margin-left"), 36)),
]
agreed = 0
for number, (name, check) in enumerate(CHECKS, 1):
    paragraph = found.get(number)
    good = paragraph is not None and check(paragraph)
    agreed += bool(good)
    if not good:
        print(f"{number} {name}: {vars(paragraph) if paragraph else 'no such paragraph'}")
print(f"{agreed} of {len(CHECKS)} attributes agree, {100 * agreed / len(CHECKS):.1f} %")
sys.exit(0 if agreed >= 0.95 * len(CHECKS) else 1)
