import Editing
import MarkdownParse
import Model

/// The format of each unit of a document's text, taken from its style runs.
private struct Looks: Equatable {
  struct Look: Hashable {
    var style: TextStyle = []
    var destination: String?
  }

  var units: [Look]

  init(_ document: ParsedDocument) {
    units = Array(repeating: Look(), count: document.text.count)
    for block in document.blocks {
      switch block.kind {
      case .paragraph, .heading, .tableCell: break
      default: continue
      }
      for run in document.styleRuns(in: block) {
        let link = run.link.map { document.links[$0] }
        for unit in run.text.utf16 {
          units[unit] = Look(
            style: run.style, destination: link.map { "\($0.destination) \($0.title ?? "-")" })
        }
      }
    }
  }
}

/// The kind of a leaf block and its containers.
struct LeafBlock: Equatable {
  var text: TextRange
  /// A heading's level, 0 for a paragraph, nil for blocks that can be neither.
  var level: Int?
  var quotes = 0
  /// The enclosing items, tables and footnotes.
  var containers: [String] = []
  /// The first enclosing list or table inside the innermost quote. It is quoted or unquoted as a
  /// whole.
  var unit: Int?

  static func isLeaf(_ block: Block) -> Bool {
    switch block.kind {
    case .paragraph, .heading, .codeBlock, .tableCell: true
    default: false
    }
  }

  static func all(in document: ParsedDocument) -> [LeafBlock] {
    document.blocks.compactMap { block in
      var leaf = LeafBlock(text: block.text)
      switch block.kind {
      case .paragraph: leaf.level = 0
      case .heading(let level): leaf.level = level
      case .codeBlock, .tableCell: leaf.level = nil
      default: return nil
      }
      var parent = block.parent
      while parent >= 0 {
        switch document.blocks[parent].kind {
        case .blockQuote: leaf.quotes += 1
        case .list(let style):
          leaf.containers.append("list \(style.delimiter)")
          if leaf.quotes == 0 { leaf.unit = parent }
        case .listItem(let task): leaf.containers.append("item \(String(describing: task))")
        case .table:
          leaf.containers.append("table")
          if leaf.quotes == 0 { leaf.unit = parent }
        case .footnoteDefinition: leaf.containers.append("footnote")
        default: break
        }
        parent = document.blocks[parent].parent
      }
      return leaf
    }
  }
}

/// Returns whether a unit is Unicode white space.
func isSpace(_ unit: UInt16) -> Bool {
  Unicode.Scalar(unit)?.properties.isWhitespace ?? false
}

/// A random request.
enum FormattingRequest: CustomStringConvertible {
  case style(InlineStyle, isOn: Bool)
  case link(String?)
  case heading(Int?)
  case quote(isOn: Bool)

  var description: String {
    switch self {
    case .style(let style, let isOn): "\(isOn ? "wrap" : "unwrap") \(style)"
    case .link(let destination): destination.map { "link \($0)" } ?? "unlink"
    case .heading(let level): "heading \(level ?? 0)"
    case .quote(let isOn): isOn ? "quote" : "unquote"
    }
  }

  func change(_ builder: EditBuilder, _ range: TextRange) throws(FormattingError) -> SourceChange {
    switch self {
    case .style(let style, isOn: true): try builder.wrap(style, range)
    case .style(let style, isOn: false): try builder.unwrap(style, range)
    case .link(let destination?): try builder.link(range, to: destination)
    case .link(nil): try builder.unlink(range)
    case .heading(let level): try builder.setHeading(level, range)
    case .quote(isOn: true): try builder.wrapQuote(range)
    case .quote(isOn: false): try builder.unwrapQuote(range)
    }
  }

  /// Returns the kind that a block in the range must have after the change.
  func applied(to leaf: LeafBlock) -> LeafBlock {
    var leaf = leaf
    switch self {
    case .heading(let level): if leaf.level != nil { leaf.level = level ?? 0 }
    case .quote(isOn: true): leaf.quotes = max(1, leaf.quotes)
    case .quote(isOn: false): leaf.quotes = max(0, leaf.quotes - 1)
    case .style, .link: break
    }
    return leaf
  }

  fileprivate func applied(to look: Looks.Look) -> Looks.Look {
    var look = look
    switch self {
    case .style(let style, isOn: true): look.style.insert(style.textStyle)
    case .style(let style, isOn: false): look.style.remove(style.textStyle)
    case .link(let destination):
      if !look.style.contains(.image) { look.destination = destination.map { "\($0) -" } }
      if destination == nil { look.style.remove(.link) } else { look.style.insert(.link) }
    case .heading, .quote: break
    }
    return look
  }
}

extension FormattingRequest {
  /// Returns a description of the fault of a change, or nil if it is correct.
  func fault(in change: SourceChange, of old: ParsedDocument, _ range: TextRange) -> String? {
    let new = change.document
    var bytes = old.source.bytes
    var end = bytes.count
    for edit in change.edits.reversed() {
      if edit.range.bytes.upperBound > end { return "the edits overlap or are not sorted" }
      end = edit.range.bytes.lowerBound
      bytes.replaceSubrange(edit.range.bytes, with: Array(edit.replacement.utf8))
    }
    switch self {
    case .style, .link:
      let leaves = old.blocks.filter { block in
        block.text.overlaps(range) && LeafBlock.isLeaf(block)
      }
      let isInside = change.edits.allSatisfy { edit in
        leaves.contains {
          $0.source.bytes.lowerBound <= edit.range.bytes.lowerBound
            && edit.range.bytes.upperBound <= $0.source.bytes.upperBound
        }
      }
      if !isInside { return "an edit lies outside the blocks of the range" }
    case .heading, .quote: break
    }
    if bytes != new.source.bytes { return "the edits do not produce the new document" }
    if new.text != old.text { return "the text changed" }
    func silent(_ document: ParsedDocument) -> Int {
      document.inlines.count {
        switch $0.kind {
        case .rawHTML, .footnoteReference: true
        case .link, .image: $0.text.isEmpty
        default: false
        }
      }
    }
    if silent(old) != silent(new) {
      return "the number of tags, footnote references or empty links has changed"
    }
    return blockFault(old, new, range)
      ?? lookFault(old, Looks(old).units, Looks(new).units, range)
  }

  private func blockFault(
    _ old: ParsedDocument, _ new: ParsedDocument, _ range: TextRange
  ) -> String? {
    let (before, after) = (LeafBlock.all(in: old), LeafBlock.all(in: new))
    if before.count != after.count { return "the number of leaves has changed to \(after.count)" }
    let touched = before.filter { $0.text.overlaps(range) && !$0.text.isEmpty }
    for (leaf, result) in zip(before, after) {
      let isTouched = touched.contains(leaf)
      var expected = isTouched ? applied(to: leaf) : leaf
      if !isTouched, leaf.unit != nil, touched.contains(where: { $0.unit == leaf.unit }) {
        expected.quotes = result.quotes
      }
      // A block without text may be quoted together with its neighbours.
      if leaf.text.isEmpty { expected.quotes = result.quotes }
      expected.unit = result.unit
      if expected != result { return "the block \(leaf.text) is \(result) instead of \(expected)" }
    }
    return nil
  }

  /// Returns the punctuation and blanks at the ends of a styled range, which may lack the style.
  private func edges(of range: TextRange, in document: ParsedDocument) -> [Int] {
    guard case .style(let style, isOn: true) = self, style != .code else { return [] }
    // Mathematics and similar spans are styled as a whole, whatever characters they show.
    let wholes = document.inlines.filter {
      switch $0.kind {
      case .math, .image, .footnoteReference: true
      default: false
      }
    }.map(\.text.utf16)
    return document.blocks.filter(LeafBlock.isLeaf).flatMap { block -> [Int] in
      let part = block.text.utf16.clamped(to: range.utf16)
      let isWord = part.map { unit in
        if wholes.contains(where: { $0.contains(unit) }) { return true }
        guard let scalar = Unicode.Scalar(document.text.utf16[unit]) else { return true }
        let isMark: Bool =
          switch scalar.properties.generalCategory {
          case .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation:
            true
          default: false
          }
        return !isMark && !isSpace(document.text.utf16[unit])
      }
      guard let first = isWord.firstIndex(of: true), let last = isWord.lastIndex(of: true) else {
        return []
      }
      return part.filter { $0 < part.lowerBound + first || $0 > part.lowerBound + last }
    }
  }

  private func lookFault(
    _ old: ParsedDocument, _ before: [Looks.Look], _ after: [Looks.Look], _ range: TextRange
  ) -> String? {
    var asked = before.indices.map {
      range.utf16.contains($0) ? applied(to: before[$0]) : before[$0]
    }
    for unit in edges(of: range, in: old) where after[unit] == before[unit] {
      asked[unit] = before[unit]
    }
    let isSpaces = old.text.utf16.map(isSpace)
    for unit in before.indices where after[unit] != asked[unit] {
      guard isSpaces[unit] else { return "unit \(unit) has the wrong format" }
      if !after[unit].style.subtracting(before[unit].style.union(asked[unit].style)).isEmpty {
        return "the blank at \(unit) has a new style"
      }
      // An unformatted blank has the format of its neighbours if these are equal.
      guard unit > 0, unit + 1 < before.count, !isSpaces[unit - 1], !isSpaces[unit + 1],
        old.text.utf16[unit] == 32, asked[unit - 1] == asked[unit], asked[unit] == asked[unit + 1],
        !old.inlines.contains(where: {
          unit...unit + 1 ~= $0.text.utf16.lowerBound || unit...unit + 1 ~= $0.text.utf16.upperBound
        })
      else { continue }
      return "the blank at \(unit) lost its style"
    }
    return nil
  }
}
