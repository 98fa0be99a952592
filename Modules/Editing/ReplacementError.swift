import MarkdownParse
package import Model

/// A match that was not replaced, with the reason.
package struct ReplacementError: Hashable, Sendable {
  /// The range in the rendered text.
  package var range: TextRange
  /// The reason why the range was not replaced.
  package var reason: Reason

  /// The reason why a range can't be replaced.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The range begins and ends in different spans, or contains markup.
    case acrossMarkup
    /// The range begins and ends in different blocks or cells.
    case acrossBlocks
    /// The position has no equivalent in the source.
    case noPlace
    /// The range is in a footnote reference or in the text of a link that is also its label. After
    /// the replacement, its definition would no longer be found.
    case linkName
    /// The range is part of an address.
    case address
    /// The range is in code or mathematics, where nothing can be escaped.
    case code
    /// The block would become empty.
    case emptyBlock
    /// An emphasis, a link or another span would become empty.
    case emptySpan
    /// The replacement contains a line end.
    case lineEnd
    /// Too many replacements failed together, so this one wasn't tried separately.
    case untried
    /// The replacement would change the markup for another reason.
    case markup
  }
}

extension ReplacementError.Reason: CustomStringConvertible {
  /// The reason as part of a sentence.
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

  /// Whether the same words can be replaced directly in the Markdown source.
  package var isForSource: Bool {
    switch self {
    case .acrossMarkup, .acrossBlocks, .noPlace, .untried: false
    default: true
    }
  }
}

extension Replacer {
  /// Returns the likely reason why a replacement can't be made. O(spans of the leaf).
  func reason(_ edit: TextEdit, in leaf: Int) -> ReplacementError.Reason {
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
  /// Returns whether a link is a bare address in the text, with or without angle brackets.
  fileprivate func isAddress(_ link: Inline) -> Bool {
    if case .image = link.kind { return showsName(link) }
    return link.open.isEmpty && link.close.count < 2
      || link.open.count == 1 && source.bytes[link.open.bytes.lowerBound] == UInt8(ascii: "<")
  }

  /// Returns whether an image without a description renders its file name, which is part of its
  /// address.
  private func showsName(_ image: Inline) -> Bool {
    let open = source.bytes[image.open.bytes]
    if open.starts(with: "![](".utf8) || open.starts(with: "![][".utf8) { return true }
    guard open.first == UInt8(ascii: "<"), case .image(let link) = image.kind else { return false }
    let address = links[link].destinationSource.bytes
    return address.contains(image.open.bytes.upperBound)
  }

  /// Returns the indices of the edits in rendered file names of images and in footnote references.
  /// Such an edit would change the target. O(spans + edits).
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

  /// Returns the indices of the edits that would change the label of a link or image whose text is
  /// its label (`[name]` or `[name][]`). It would then refer to another definition or to none.
  /// O(spans + edits).
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
