import MarkdownParse
package import Model

/// A place that is not replaced.
package struct ReplaceRefusal: Hashable, Sendable {
  /// Where it is, in the rendered text.
  package var range: TextRange
  /// Why.
  package var reason: Reason

  /// What keeps a place from being replaced.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// It begins in one span and ends in another one, or has markup inside.
    case acrossMarkup
    /// It begins in one block or cell and ends in another one.
    case acrossBlocks
    /// Nothing stands there in the source.
    case noPlace
    /// It is the text of a link that is also its name, by which its definition is found.
    case linkName
    /// It is a part of an address.
    case address
    /// It stands in code or mathematics, where nothing can be escaped.
    case code
    /// Nothing would be left of its block.
    case emptyBlock
    /// Nothing would be left of its emphasis, link or other span.
    case emptySpan
    /// The replacement has a line's end in it.
    case lineEnd
    /// Among too many that cannot be made together it was not tried alone.
    case untried
    /// Something else.
    case markup
  }
}

extension ReplaceRefusal.Reason: CustomStringConvertible {
  /// Why the place is not replaced, as part of a sentence.
  package var description: String {
    switch self {
    case .acrossMarkup: "there is markup inside it"
    case .acrossBlocks: "it is in more than one block"
    case .noPlace: "there is no place for text"
    case .linkName: "it is the name of a link"
    case .address: "it is part of an address"
    case .code: "it is in code, where this cannot be written"
    case .emptyBlock: "nothing would be left of its block"
    case .emptySpan: "nothing would be left inside its markup"
    case .lineEnd: "there cannot be a line break here"
    case .untried: "too many others break the markup; replace it alone"
    case .markup: "replacing it would break the markup"
    }
  }

  /// Whether the same words can be replaced in the Markdown itself.
  package var isForSource: Bool {
    switch self {
    case .acrossMarkup, .acrossBlocks, .noPlace, .untried: false
    default: true
    }
  }
}

extension Replacer {
  /// Why a replacement cannot be made, as far as that can be seen. O(spans of the leaf).
  func reason(_ edit: TextEdit, in leaf: Int) -> ReplaceRefusal.Reason {
    let range = edit.range
    if document.places(of: range).isEmpty || leaf < 0 {
      return range.isEmpty
        ? .noPlace : document.hasSeparator(range) ? .acrossBlocks : .acrossMarkup
    }
    let block = document.blocks[leaf]
    for span in document.inlines[block.inlines] where span.text.overlaps(range) {
      switch span.kind {
      case .link, .image:
        if document.isAddress(span) { return .address }
      case .footnoteReference: return .linkName
      case .code, .math:
        if edit.replacement.isEmpty { return .emptySpan }
        return edit.replacement.contains(where: \.isNewline) ? .lineEnd : .code
      default: break
      }
      if edit.replacement.allSatisfy(\.isWhitespace), range == span.text { return .emptySpan }
    }
    if edit.replacement.isEmpty, range == block.text { return .emptyBlock }
    return edit.replacement.contains(where: \.isNewline) ? .lineEnd : .markup
  }
}

extension ParsedDocument {
  /// Whether a link is an address that stands in the text, with or without angle brackets.
  fileprivate func isAddress(_ link: Inline) -> Bool {
    if case .image = link.kind { return showsName(link) }
    return link.open.isEmpty && link.close.count < 2
      || link.open.count == 1 && source.bytes[link.open.bytes.lowerBound] == UInt8(ascii: "<")
  }

  /// Whether a picture without a description shows its file's name, which is a part of its address.
  private func showsName(_ image: Inline) -> Bool {
    let open = source.bytes[image.open.bytes]
    if open.starts(with: "![](".utf8) || open.starts(with: "![][".utf8) { return true }
    guard open.first == UInt8(ascii: "<"), case .image(let link) = image.kind else { return false }
    let address = links[link].destinationSource.bytes
    return address.contains(image.open.bytes.upperBound)
  }

  /// The edits of what pictures without a description show, and of footnotes' marks: they would lead
  /// elsewhere. O(spans + edits).
  func shownNames(changedBy edits: [TextEdit]) -> Set<Int> {
    let names = inlines.filter {
      switch $0.kind {
      case .image: !$0.text.isEmpty && showsName($0)
      case .footnoteReference: true
      default: false
      }
    }
    var result: Set<Int> = []
    var first = 0
    for (index, edit) in edits.enumerated() {
      while first < names.count, names[first].text.upperBound < edit.range.lowerBound { first += 1 }
      if first < names.count, names[first].text.overlaps(edit.range) { result.insert(index) }
    }
    return result
  }

  /// The edits that would give another label to a link or image whose text is its name, `[name]` or
  /// `[name][]`: it would lead elsewhere, or be none. O(spans + edits).
  func linkNames(changedBy edits: [TextEdit]) -> Set<Int> {
    let names = inlines.filter { span in
      switch span.kind {
      case .link, .image:
        let close = source.bytes[span.close.bytes]
        return close.elementsEqual("]".utf8) || close.elementsEqual("][]".utf8)
      default: return false
      }
    }
    var result: Set<Int> = []
    var first = 0
    for (index, edit) in edits.enumerated() where !edit.range.isEmpty {
      while first < names.count, names[first].text.upperBound <= edit.range.lowerBound {
        first += 1
      }
      for name in names[first...].prefix(while: { $0.text.lowerBound < edit.range.upperBound })
      where name.text.overlaps(edit.range) && changesLabel(name, edit) {
        result.insert(index)
      }
    }
    return result
  }

  private func changesLabel(_ name: Inline, _ edit: TextEdit) -> Bool {
    let label = name.open.bytes.upperBound..<name.close.bytes.lowerBound
    guard let place = places(of: edit.range).first?.bytes, label.lowerBound <= place.lowerBound,
      place.upperBound <= label.upperBound
    else { return false }
    let changed =
      source.bytes[label.lowerBound..<place.lowerBound] + Array(edit.replacement.utf8)
      + source.bytes[place.upperBound..<label.upperBound]
    return ReplacePieces.folded(source.bytes[label]) != ReplacePieces.folded(changed)
  }
}
