import MarkdownParse
import Model

extension DocumentCheck {
  /// Checks that blocks are inside their parents, siblings follow each other, and leaves don't
  /// share text.
  static func tree(_ document: ParsedDocument) throws {
    var text = 0
    var inlines = 0
    for (index, block) in document.blocks.enumerated() {
      try expect(
        block.source.bytes.upperBound <= document.source.bytes.count
          && block.text.utf16.upperBound <= document.text.count, "block \(index) is too long")
      try expect(block.inlines.lowerBound == inlines, "spans are left out before block \(index)")
      inlines = block.inlines.upperBound
      guard index > 0 else { continue }
      try expect((0..<index).contains(block.parent), "block \(index) stands before its parent")
      let parent = document.blocks[block.parent]
      try expect(
        parent.source.bytes.contains(all: block.source.bytes)
          && (block.text.isEmpty || parent.text.utf16.contains(all: block.text.utf16)),
        "block \(index) is not inside its parent")
      if block.nextSibling >= 0 {
        let next = document.blocks[block.nextSibling]
        try expect(next.parent == block.parent, "siblings of two parents at block \(index)")
        try expect(
          block.source.bytes.upperBound <= next.source.bytes.lowerBound,
          "block \(index) overlaps the next: \(block.source.bytes), \(next.source.bytes)")
      }
      if block.firstChild < 0, !block.text.isEmpty {
        try expect(block.text.utf16.lowerBound >= text, "block \(index) has another's text")
        text = block.text.utf16.upperBound
        try styles(document, block)
      }
    }
    try expect(inlines == document.inlines.count, "spans are left out at the end")
  }

  private static func styles(_ document: ParsedDocument, _ block: Block) throws {
    var position = block.text.utf16.lowerBound
    for run in document.styleRuns(in: block) {
      try expect(run.text.utf16.lowerBound == position && !run.text.isEmpty, "a gap in the styles")
      position = run.text.utf16.upperBound
    }
    try expect(position == block.text.utf16.upperBound, "the styles end before the block")
  }

  /// Checks that spans are nested in the source and in the text, and that their delimiters match
  /// their kinds.
  static func spans(_ document: ParsedDocument) throws {
    for (index, block) in document.blocks.enumerated() {
      var open: [Inline] = []
      var start = 0
      for inline in document.inlines[block.inlines] {
        let source = inline.source.bytes
        try expect(block.source.bytes.contains(all: source), "a span outside its block, \(inline)")
        try expect(source.lowerBound >= start, "spans out of order at \(inline)")
        start = source.lowerBound
        while let last = open.last, last.source.bytes.upperBound <= source.lowerBound {
          open.removeLast()
        }
        if let outer = open.last {
          try expect(
            outer.open.bytes.upperBound <= source.lowerBound
              && source.upperBound <= outer.close.bytes.lowerBound
              && outer.text.utf16.contains(all: inline.text.utf16),
            "\(inline) is not inside \(outer)")
        } else {
          try expect(
            inline.text.isEmpty || block.text.utf16.contains(all: inline.text.utf16),
            "the text of \(inline) is not its block's")
        }
        open.append(inline)
        try delimiters(document, inline, isHTML: document.isHTML(index))
      }
    }
  }

  private static func delimiters(_ document: ParsedDocument, _ inline: Inline, isHTML: Bool)
    throws
  {
    let open = document.slice(inline.open)
    let close = document.slice(inline.close)
    let holds: Bool
    switch inline.kind {
    case .emphasis where isTag(open, close), .strong where isTag(open, close),
      .strikethrough where isTag(open, close), .mark where isTag(open, close),
      .code where isTag(open, close):
      holds = true
    case .link(let link) where open.count != 1 && isTag(open, close):
      try destination(document, document.links[link])
      holds = true
    case .image(let link) where open.hasPrefix("<"):
      try destination(document, document.links[link])
      holds = close.hasSuffix(">")
    case .hardBreak where open.hasPrefix("<"): holds = true
    case .emphasis: holds = open == close && ["*", "_"].contains(open)
    case .strong: holds = open == close && ["**", "__"].contains(open)
    case .strikethrough: holds = open == close && ["~", "~~"].contains(open)
    case .mark: holds = open == "==" && close == "=="
    case .code where open == "++": holds = close == "++"
    case .code: holds = open == close && !open.isEmpty && open.utf8.allSatisfy { $0 == 96 }
    case .math(let isDisplay):
      let pairs = isDisplay ? ["$$", "\\[\\]"] : ["$", "$``$", "\\(\\)"]
      holds = pairs.contains(open + close) || open == close && pairs.contains(open)
    case .link(let link):
      try destination(document, document.links[link])
      holds =
        open == "[" && close.hasPrefix("]")
        || open.hasPrefix("[[") && close.hasSuffix("]]") || open == "<" && close == ">"
        || open.isEmpty && close.isEmpty
    case .image(let link)
    where document.slice(inline.source).hasPrefix(open) && !open.hasPrefix("!"):
      // The span is a directive, whose argument is the address of the picture.
      try destination(document, document.links[link])
      holds = !inline.text.isEmpty
    case .image(let link):
      try destination(document, document.links[link])
      let isNamed = open.hasPrefix("![](") || open.hasPrefix("![][")
      holds =
        open == "![" && close.hasPrefix("]") || isNamed && !inline.text.isEmpty
        || open.hasPrefix("![[") && close.hasSuffix("]]")
    case .footnoteReference(let label): holds = open == "[^" + document.slice(label) + "]"
    case .rawHTML:
      holds = open.hasPrefix("<") && inline.text.isEmpty && (open.hasSuffix(">") || isHTML)
    case .hidden: holds = !open.isEmpty && close.isEmpty && inline.text.isEmpty
    case .softBreak, .hardBreak: holds = ["\n", "\r", "\r\n"].contains(open)
    }
    try expect(
      holds, "wrong delimiters \(open.debugDescription) and \(close.debugDescription) of \(inline)")
  }

  /// Returns whether the delimiters of a span are tags. A delimiter is empty if the span ends at
  /// another tag.
  private static func isTag(_ open: String, _ close: String) -> Bool {
    (open.isEmpty || open.hasPrefix("<") && open.hasSuffix(">"))
      && (close.isEmpty || close.hasPrefix("</") && close.hasSuffix(">"))
  }

  /// Checks that the source of a destination and a title equals its value if it contains no
  /// escapes.
  private static func destination(_ document: ParsedDocument, _ link: Link) throws {
    func isPlain(_ text: String) -> Bool { !text.utf8.contains { "\\&\r\n\0".utf8.contains($0) } }
    let slice = document.slice(link.destinationSource)
    if isPlain(slice) {
      try expect(
        [slice, "mailto:" + slice, "http://" + slice].contains(link.destination),
        "\(link.destination.debugDescription) is not \(slice.debugDescription)")
    }
    guard let source = link.titleSource else { return }
    let title = document.slice(source)
    if isPlain(title) {
      try expect(
        title.utf8.dropFirst().dropLast().elementsEqual(link.title?.utf8 ?? "".utf8),
        "title \(title)")
    }
  }
}

extension Range<Int> {
  func contains(all other: Range<Int>) -> Bool {
    lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}
