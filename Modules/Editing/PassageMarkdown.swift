package import MarkdownParse
package import Model

extension ParsedDocument {
  /// Returns a passage as a self-contained Markdown document that renders like the passage, apart
  /// from white space. Spans that the range cuts are closed, and container markers are written if
  /// the passage covers several blocks. A reference to a footnote stays a reference, although its
  /// footnote may not be part of the passage. The result is parsed; if it doesn't render the
  /// passage, all marks are escaped. O(passage).
  package func markdown(of range: TextRange) -> String {
    var writer = PassageMarkdown(self, range)
    let written = writer.write()
    // Without its footnote, a reference would be parsed as words.
    let notes = writer.openReferences.map { "\n\n[^\($0)]: x" }.joined()
    let wanted =
      Self.words(text.substring(range)) + Array(repeating: "x", count: writer.openReferences.count)
    let reading = ParsedDocument(parsing: MarkdownSource(written + notes), options: options)
    if Self.words(reading.text.string) == wanted { return written }
    return leaves(in: range).map { index in
      let part = range.utf16.clamped(to: blocks[index].text.utf16)
      return text.substring(TextRange(utf16: part)).split(separator: "\n").map(Self.escaped)
        .joined(separator: "\\\n")
    }.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private static func words(_ text: String) -> [Substring] {
    text.split(whereSeparator: \.isWhitespace)
  }

  private static func escaped(_ line: Substring) -> String {
    // A number before a full stop would begin a list; this escapes the full stop too.
    MarkdownEscaping.escapingAll(line.drop(while: \.isWhitespace))
  }
}

/// Writes a passage with the author's own delimiters.
private struct PassageMarkdown {
  private let document: ParsedDocument
  private let range: Range<Int>
  private let leaves: [Int]
  /// The containers whose marker has been written.
  private var marked: Set<Int> = []
  private var lines: [String] = []
  /// The labels of the references that were written.
  private var references: [String] = []

  /// The labels of the references that were written, without those whose footnotes were, too.
  var openReferences: [String] {
    var known: Set<String> = []
    for leaf in leaves {
      var container = document.blocks[leaf].parent
      while container > 0 {
        if case .footnoteDefinition(let label) = document.blocks[container].kind {
          known.insert(document.folded(document.source.text(in: label)))
        }
        container = document.blocks[container].parent
      }
    }
    return references.filter { known.insert(document.folded($0)).inserted }
  }

  init(_ document: ParsedDocument, _ range: TextRange) {
    self.document = document
    self.range = range.utf16
    leaves = document.leaves(in: range)
  }

  mutating func write() -> String {
    var index = 0
    while index < leaves.count {
      let block = document.blocks[leaves[index]]
      if case .tableCell = block.kind, leaves.count > 1 {
        let table = document.blocks[block.parent].parent
        var cells: [Int] = []
        while index < leaves.count,
          document.blocks[document.blocks[leaves[index]].parent].parent
            == table, case .tableCell = document.blocks[leaves[index]].kind
        {
          cells.append(leaves[index])
          index += 1
        }
        add(rows(of: cells, table), of: table)
        continue
      }
      add(text(of: leaves[index]), of: leaves[index])
      index += 1
    }
    return lines.joined(separator: "\n")
  }

  private func part(_ leaf: Int) -> Range<Int> {
    range.clamped(to: document.blocks[leaf].text.utf16)
  }

  // MARK: - Leaves

  private mutating func text(of leaf: Int) -> String {
    let block = document.blocks[leaf]
    let part = part(leaf)
    switch block.kind {
    case .codeBlock(let info):
      let code = document.text.substring(TextRange(utf16: part))
      let longest =
        code.split(omittingEmptySubsequences: true) { $0 != "`" }.map(\.count).max() ?? 0
      let fence = String(repeating: "`", count: max(3, longest + 1))
      let language = info.map { document.source.text(in: $0) } ?? ""
      return "\(fence)\(language)\n\(code)\n\(fence)"
    case .heading(let level):
      let isWhole = part == block.text.utf16
      let marker = isWhole || leaves.count > 1 && part.lowerBound == block.text.utf16.lowerBound
      let line = inline(leaf).replacing("\\\n", with: " ")
      return marker ? String(repeating: "#", count: level) + " " + line : line
    // A label that is the callout's type is rendered differently from its source, so use the
    // rendered text.
    case .calloutLabel(let type)
    where
      block.source.bytes.lowerBound <= type.bytes.lowerBound
      && type.bytes.upperBound <= block.source.bytes.upperBound:
      return document.text.substring(TextRange(utf16: part))
    default: return inline(leaf)
    }
  }

  /// Returns the part of a leaf inside the range, with the delimiters of the spans that it touches.
  private mutating func inline(_ leaf: Int) -> String {
    let block = document.blocks[leaf]
    let part = part(leaf)
    let spans = document.inlines[block.inlines].filter { span in
      switch span.kind {
      case .softBreak, .hardBreak, .rawHTML: false
      // A part of a reference is only words.
      case .footnoteReference: !span.text.isEmpty && part.contains(span.text.utf16)
      case .link(let link):
        !span.text.isEmpty && span.text.utf16.overlaps(part)
          && LinkSafety.isSafe(document.links[link].destination)
      case .image(let link):
        !span.text.isEmpty && span.text.utf16.overlaps(part)
          && LinkSafety.isSafePicture(document.links[link].destination)
      default: !span.text.isEmpty && span.text.utf16.overlaps(part)
      }
    }
    let isHTML = document.isHTML(leaf)
    var bytes: [UInt8] = []
    var open: [Inline] = []
    var position = part.lowerBound
    func copy(to end: Int) {
      while position < end {
        // A line feed in the rendered text is a hard break, however it was written.
        let line = document.text.utf16[position..<end].firstIndex(of: 10) ?? end
        for piece in document.map.source(of: TextRange(utf16: position..<line)) {
          let source = unfolded(document.source.bytes[piece.bytes])
          bytes += isHTML && !open.contains(where: \.isImage) ? Self.escaped(source) : source
        }
        if line < end { bytes += Array("\\\n".utf8) }
        position = min(end, line + 1)
      }
    }
    func close(upTo offset: Int) {
      while let last = open.last, last.text.utf16.upperBound <= offset {
        copy(to: min(last.text.utf16.upperBound, part.upperBound))
        bytes += document.source.bytes[last.close.bytes]
        open.removeLast()
      }
    }
    for span in spans {
      let start = max(span.text.utf16.lowerBound, part.lowerBound)
      close(upTo: start)
      copy(to: start)
      if case .footnoteReference(let label) = span.kind {
        bytes += document.source.bytes[span.source.bytes]
        position = span.text.utf16.upperBound
        references.append(document.source.text(in: label))
        continue
      }
      bytes += document.source.bytes[span.open.bytes]
      open.append(span)
    }
    while let last = open.popLast() {
      copy(to: min(last.text.utf16.upperBound, part.upperBound))
      bytes += document.source.bytes[last.close.bytes]
    }
    copy(to: part.upperBound)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns text from HTML with a backslash before each character that Markdown would parse as
  /// markup.
  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { "*_`[]~$\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
  }

  /// Returns source in which each line end, with the white space around it, is a single space.
  private func unfolded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.contains(10) || bytes.contains(13) else { return Array(bytes) }
    var result: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += 1
      guard byte == 10 || byte == 13 else {
        result.append(byte)
        continue
      }
      while result.last == 32 { result.removeLast() }
      result.append(32)
      while index < bytes.endIndex, [9, 10, 13, 32].contains(bytes[index]) { index += 1 }
    }
    return result
  }

  /// Returns table rows with bars. The first row that the passage touches becomes the header.
  private mutating func rows(of cells: [Int], _ table: Int) -> String {
    var rows: [(row: Int, cells: [String])] = []
    for cell in cells {
      let row = document.blocks[cell].parent
      if rows.last?.row != row { rows.append((row, [])) }
      rows[rows.count - 1].cells.append(inline(cell).replacing("\\\n", with: " "))
    }
    let columns = rows.map(\.cells.count).max() ?? 1
    var written = rows.map { row in
      let blanks = Array(repeating: "", count: columns - row.cells.count)
      return "| " + (row.cells + blanks).joined(separator: " | ") + " |"
    }
    written.insert("|" + String(repeating: " --- |", count: columns), at: 1)
    return written.joined(separator: "\n")
  }

  // MARK: - Containers

  /// Appends a block, prefixed with the markers of its containers.
  private mutating func add(_ text: String, of block: Int) {
    guard !text.isEmpty else { return }
    var stack: [Int] = []
    var container = document.blocks[block].parent
    while container > 0, leaves.count > 1 {
      stack.insert(container, at: 0)
      container = document.blocks[container].parent
    }
    let shared = stack.filter { marked.contains($0) }
    if !lines.isEmpty, !isTight(shared.last ?? 0) {
      let rest = shared.map { marker(of: $0, isFirst: false) }.joined()
      lines.append(String(rest.reversed().drop(while: \.isWhitespace).reversed()))
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var prefix = ""
      for container in stack {
        prefix += marker(of: container, isFirst: marked.insert(container).inserted)
      }
      lines.append(prefix + line)
    }
  }

  /// Returns whether a container has no blank lines between its blocks.
  private func isTight(_ container: Int) -> Bool {
    switch document.blocks[container].kind {
    case .list(let style): style.isTight
    case .listItem: isTight(document.blocks[container].parent)
    default: false
    }
  }

  private func marker(of container: Int, isFirst: Bool) -> String {
    let blocks = document.blocks
    switch blocks[container].kind {
    case .blockQuote: return "> "
    case .footnoteDefinition(let label):
      return isFirst ? "[^\(document.source.text(in: label))]: " : "    "
    case .listItem(let task):
      guard case .list(let style) = blocks[blocks[container].parent].kind else { return "" }
      var marker = String(decoding: [style.delimiter], as: UTF8.self)
      if let start = style.start {
        var number = start
        var item = blocks[blocks[container].parent].firstChild
        while item >= 0, item != container {
          number += 1
          item = blocks[item].nextSibling
        }
        marker = "\(number)\(marker)"
      }
      let box = task.map { $0 ? "[x] " : "[ ] " } ?? ""
      return isFirst ? "\(marker) \(box)" : String(repeating: " ", count: marker.utf8.count + 1)
    default: return ""
    }
  }
}

extension Inline {
  fileprivate var isImage: Bool { if case .image = kind { true } else { false } }
}
