import MarkdownParse
import Model

/// Extracts pieces of a document that can be parsed separately, to try replacements in them.
struct ReplacePieces {
  /// A block and the replacements in it.
  struct Piece {
    /// The lines of the block, preceded by the definitions that they refer to.
    var document: ParsedDocument
    /// The offset to add to a position in the piece's text to get the position in the document's
    /// text, in UTF-16 units.
    var shift: Int
    /// The indices of the replacements in the piece.
    var wanted: Range<Int>
  }

  private let document: ParsedDocument
  /// The folded labels of the definitions.
  private let labels: Set<String>

  init(_ document: ParsedDocument) {
    self.document = document
    labels = Set(
      document.parts.lazy.filter { $0.kind == .definitionLabel }
        .map { Self.folded(document.source.bytes[$0.source.bytes]) })
  }

  /// Returns the smallest pieces that parse separately as they do in the document. Leaves without
  /// such a piece are omitted. O(depth · document) at most.
  ///
  /// - Parameter leaves: blocks in ascending order, each with the indices of its replacements.
  func pieces(around leaves: [(block: Int, wanted: Range<Int>)]) -> [Piece] {
    var known: [Int: Int?] = [:]
    var pieces: [Piece] = []
    for (leaf, wanted) in leaves {
      for block in candidates(for: leaf) {
        if known[block] == nil {
          let piece = piece(block, wanted)
          if let piece { pieces.append(piece) }
          known[block] = .some(piece.map { _ in pieces.count - 1 })
        } else if let index = known[block]! {
          pieces[index].wanted =
            min(
              pieces[index].wanted.lowerBound, wanted.lowerBound)..<max(
              pieces[index].wanted.upperBound, wanted.upperBound)
        }
        if known[block]! != nil { break }
      }
    }
    return pieces
  }

  /// Returns the blocks around a leaf to try, innermost first: at most the three innermost ones and
  /// the outermost one, to limit the cost.
  private func candidates(for leaf: Int) -> [Int] {
    var around: [Int] = []
    var block = leaf
    while block > 0 {
      around.append(block)
      block = document.blocks[block].parent
    }
    // Blocks inside HTML can't be parsed separately.
    if let html = document.htmlBlock(around: leaf) {
      around.removeSubrange(..<around.firstIndex(of: html)!)
    }
    // A cell can't be parsed without its row.
    if around.first == leaf, document.blocks[leaf].kind == .tableCell { around.removeFirst() }
    return around.count > 4 ? Array(around.prefix(3)) + [around[around.count - 1]] : around
  }

  private func piece(_ block: Int, _ wanted: Range<Int>) -> Piece? {
    var end = block + 1
    while end < document.blocks.count, document.blocks[end].parent >= block { end += 1 }
    let leaves = (block..<end).filter {
      document.blocks[$0].isLeaf && !document.blocks[$0].text.isEmpty
    }
    guard let first = leaves.first, let last = leaves.last else { return nil }
    let lines = lines(of: block)
    let alone = ParsedDocument(
      parsing: MarkdownSource(preface(lines, block..<end) + lines), options: document.options)

    let text =
      document.blocks[first].text.utf16.lowerBound..<document.blocks[last].text.utf16.upperBound
    let shift = text.upperBound - alone.text.count
    let others = alone.blocks.indices.reversed().lazy.filter {
      alone.blocks[$0].isLeaf && !alone.blocks[$0].text.isEmpty
    }.prefix(leaves.count)
    guard shift <= text.lowerBound, others.count == leaves.count,
      document.text.utf16[text].elementsEqual(alone.text.utf16[(text.lowerBound - shift)...]),
      zip(leaves.reversed(), others).allSatisfy({
        isLike(document.blocks[$0], alone, alone.blocks[$1], shift)
      })
    else { return nil }
    return Piece(document: alone, shift: shift, wanted: wanted)
  }

  /// Returns the lines of a block. For a table row, they follow the lines of the table's header.
  private func lines(of block: Int) -> [UInt8] {
    let bytes = document.source.bytes
    func isLineEnd(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }
    func lines(_ range: Range<Int>) -> Range<Int> {
      let start = bytes[..<range.lowerBound].lastIndex(where: isLineEnd).map { $0 + 1 } ?? 0
      let end = bytes[range.upperBound...].firstIndex(where: isLineEnd) ?? bytes.count
      return start..<max(start, end)
    }
    let rowBytes = document.blocks[block].source.bytes
    guard document.blocks[block].kind == .tableRow else { return Array(bytes[lines(rowBytes)]) }
    let table = document.blocks[block].parent
    let header = document.blocks[document.blocks[table].firstChild].source.bytes
    let delimiters =
      document.parts(of: table).first { $0.kind == .delimiterRow }?.source.bytes ?? header
    let top = Array(bytes[lines(header.lowerBound..<delimiters.upperBound)])
    return rowBytes == header ? top : top + [10] + bytes[lines(rowBytes)]
  }

  private func isLike(_ leaf: Block, _ alone: ParsedDocument, _ other: Block, _ shift: Int) -> Bool
  {
    leaf.kind.isLike(other.kind)
      && leaf.text.utf16.lowerBound == other.text.utf16.lowerBound + shift
      && leaf.text.count == other.text.count
      && document.spanTags(of: leaf).elementsEqual(alone.spanTags(of: other))
  }

  /// Returns the definitions that some lines refer to, and a separator after them.
  private func preface(_ lines: [UInt8], _ blocks: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    if !labels.isEmpty {
      var seen: Set<String> = []
      for label in Self.bracketed(lines) where labels.contains(label) {
        if seen.insert(label).inserted { result += Array("[\(label)]: x\n".utf8) }
      }
    }
    var notes: Set<String> = []
    for block in blocks {
      for span in document.inlines[document.blocks[block].inlines] {
        guard case .footnoteReference(let label) = span.kind else { continue }
        let name = document.source.text(in: label)
        if notes.insert(name).inserted { result += Array("[^\(name)]: x\n".utf8) }
      }
    }
    // The separator also prevents the lines from being parsed as the start of a document, where
    // different rules apply.
    return result + Array("\n<!-- -->\n\n".utf8)
  }

  /// Returns the folded texts between innermost brackets.
  private static func bracketed(_ lines: [UInt8]) -> [String] {
    var result: [String] = []
    var open: Int?
    var index = lines.startIndex
    while index < lines.endIndex {
      switch lines[index] {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "["): open = index + 1
      case UInt8(ascii: "]"):
        if let open { result.append(folded(lines[open..<index])) }
        open = nil
      default: break
      }
      index += 1
    }
    return result
  }

  /// Returns a label in a form for comparison: runs of white space as single spaces, in lower case.
  /// This approximates the case folding of CommonMark.
  static func folded(_ label: ArraySlice<UInt8>) -> String {
    label.split { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ").lowercased()
  }
}
