import MarkdownParse
import Model

extension DocumentCheck {
  /// Checks that the parts are in order and inside their blocks, and that their text matches their
  /// kinds.
  static func parts(_ document: ParsedDocument) throws {
    var start = -1
    for part in document.parts {
      let source = part.source.bytes
      try expect(source.lowerBound > start && !source.isEmpty, "parts out of order at \(part)")
      start = source.lowerBound
      let block = document.blocks[part.block]
      try expect(block.source.bytes.contains(all: source), "a part outside its block, \(part)")
      try expect(
        document.parts(of: part.block).contains(part), "block \(part.block) has no \(part)")
      try expect(
        isRight(part.kind, document.slice(part.source), block.kind),
        "\(part) is \(document.slice(part.source).debugDescription) of \(block.kind)")
    }
  }

  private static func isRight(_ kind: BlockPart.Kind, _ text: String, _ block: Block.Kind) -> Bool {
    let bytes = Array(text.utf8)
    func all(_ allowed: String) -> Bool { bytes.allSatisfy { allowed.utf8.contains($0) } }
    switch (kind, block) {
    case (.quoteMarker, .blockQuote): return text == ">"
    case (.listMarker, .listItem):
      return ["-", "+", "*"].contains(text)
        || (Int(text.dropLast()) != nil && [".", ")"].contains(text.last))
    case (.taskMarker, .listItem(let task)): return text == "[ ]" ? task == false : task == true
    case (.headingMarker, .heading(let level)): return all("#") && bytes.count == level
    case (.headingClosing, .heading): return all("#")
    case (.headingAttributes, .heading): return text.hasPrefix("{") && text.hasSuffix("}")
    case (.headingUnderline, .heading(let level)): return all(level == 1 ? "=" : "-")
    case (.fence, .codeBlock) where text.hasPrefix("{{"): return text.hasSuffix("}}")
    case (.closingFence, .codeBlock) where text.hasPrefix("{{"): return text.hasSuffix("}}")
    case (.fence, .codeBlock) where text.hasPrefix("{%"): return text.hasSuffix("%}")
    case (.closingFence, .codeBlock) where text.hasPrefix("{%"): return text.hasSuffix("%}")
    case (.fence, .codeBlock): return bytes.count >= 3 && (all("`") || all("~"))
    case (.closingFence, .codeBlock): return bytes.count >= 3 && (all("`") || all("~"))
    case (.infoString, .codeBlock(let info)): return info != nil
    case (.thematicBreak, .thematicBreak): return all("* \t") || all("- \t") || all("_ \t")
    case (.delimiterRow, .table): return all("|-: \t") && bytes.contains(UInt8(ascii: "-"))
    case (.footnoteMarker, .footnoteDefinition):
      return text.hasPrefix("[^") && text.hasSuffix("]:")
    case (.definitionLabel, .definition), (.definitionDestination, .definition): return true
    // A label may be any line of a tag. The number signs of a heading that is a label belong to the
    // label.
    case (.calloutMarker, .calloutLabel): return !text.isEmpty
    case (.admonitionMarker, .admonition), (.admonitionClosing, .admonition): return true
    case (.descriptionMarker, .description): return text == ":"
    case (.definitionTitle, .definition): return "\"'(".contains(text.first ?? " ")
    default: return false
    }
  }

  /// Checks that each byte has exactly one kind: exactly the rendered bytes are text, delimiters
  /// and parts have their own kinds, and only white space is blank.
  static func segments(_ document: ParsedDocument) throws {
    let bytes = document.source.bytes
    var kinds: [SourceSegment.Kind] = []
    kinds.reserveCapacity(bytes.count)
    for segment in document.sourceSegments() {
      try expect(
        segment.source.bytes.lowerBound == kinds.count && !segment.source.isEmpty
          && segment.kind != kinds.last, "a gap before \(segment)")
      kinds += Array(repeating: segment.kind, count: segment.source.count)
    }
    try expect(kinds.count == bytes.count, "the segments end before the source")

    func holds(_ kind: SourceSegment.Kind, in range: SourceRange) throws {
      for index in range.bytes where kinds[index] != kind {
        throw Fault(description: "byte \(index) is \(kinds[index]), not \(kind)")
      }
    }
    var rendering = 0
    for run in document.map.runs {
      try holds(.text, in: run.source)
      rendering += run.source.count
    }
    let texts = kinds.count { $0 == .text }
    try expect(rendering == texts, "\(rendering) bytes render, \(texts) are text")
    for part in document.parts {
      switch part.kind {
      // These parts may extend over several lines, and so over the markers of other blocks.
      case .definitionLabel, .definitionDestination, .definitionTitle:
        let inside = Set(kinds[part.source.bytes])
        try expect(
          inside.contains(.definition) && inside.isSubset(of: [.definition, .blank, .blockMarker]),
          "\(part) is \(inside)")
      default: try holds(.blockMarker, in: part.source)
      }
    }
    for inline in document.inlines {
      switch inline.kind {
      case .emphasis, .strong, .strikethrough, .mark, .code, .math:
        for delimiter in [inline.open, inline.close] {
          // A tag may extend over several lines.
          let isTag = bytes[delimiter.bytes].first == UInt8(ascii: "<")
          try holds(
            .delimiter, in: isTag ? SourceRange(bytes: delimiter.bytes.prefix(1)) : delimiter)
          try holds(.delimiter, in: SourceRange(bytes: delimiter.bytes.suffix(1)))
        }
      case .footnoteReference:
        try holds(.text, in: SourceRange(bytes: inline.source.bytes.prefix(1)))
        try holds(.delimiter, in: SourceRange(bytes: inline.source.bytes.prefix(2).dropFirst()))
        try holds(.text, in: SourceRange(bytes: inline.source.bytes.dropFirst(2)))
      case .link, .image:
        try holds(.delimiter, in: SourceRange(bytes: inline.open.bytes.prefix(1)))
        try holds(.delimiter, in: SourceRange(bytes: inline.close.bytes.prefix(1)))
        try holds(.delimiter, in: SourceRange(bytes: inline.close.bytes.suffix(1)))
      case .rawHTML, .hidden:
        try holds(.hidden, in: SourceRange(bytes: inline.open.bytes.suffix(1)))
      case .softBreak, .hardBreak: try holds(.text, in: inline.open)
      }
    }
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    for index in bytes.indices.dropFirst(mark) where kinds[index] == .blank {
      let byte = bytes[index]
      try expect(byte == 32 || (9...13).contains(byte), "byte \(index), \(byte), is no blank")
    }
  }
}
