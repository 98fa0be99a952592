package import MarkdownParse
package import Model

/// The replacement of a range of the Markdown source. In a list of edits, all ranges refer to the
/// source before any of the edits.
package struct SourceEdit: Hashable, Sendable {
  /// The range to replace, in bytes of the source before any edit.
  package var range: SourceRange
  /// The new bytes. Bytes copied from the source are kept exactly, even if they aren't UTF-8.
  package var bytes: [UInt8]

  /// Creates an edit that replaces a range with text.
  package init(range: SourceRange, replacement: String) {
    self.init(range.bytes, bytes: Array(replacement.utf8))
  }

  init(_ range: Range<Int>, bytes: [UInt8]) {
    self.range = SourceRange(bytes: range)
    self.bytes = bytes
  }

  /// The new bytes decoded as UTF-8; invalid bytes are replaced.
  package var replacement: String { String(decoding: bytes, as: UTF8.self) }

  /// The range as byte offsets.
  var old: Range<Int> {
    get { range.bytes }
    set { range.bytes = newValue }
  }
}

/// The result of a formatting command.
package struct SourceChange: Sendable {
  /// The edits: sorted, disjoint and minimal. Empty if the document already has the requested form.
  package let edits: [SourceEdit]
  /// The document after the edits, parsed again and checked. If `expected` isn't nil, the document
  /// before the edits.
  package let document: ParsedDocument
  /// The expected document after the edits; nil if that document was parsed and checked.
  var expected: ExpectedDocument?

  /// Whether there is nothing to change.
  package var isEmpty: Bool { edits.isEmpty }
}

extension [SourceEdit] {
  /// Returns the edits sorted, with adjacent edits joined and unchanged bytes at their ends
  /// removed. Edits that change nothing are omitted. UTF-8 sequences aren't divided.
  func minimal(in source: [UInt8]) -> [SourceEdit] {
    var result: [SourceEdit] = []
    for (_, edit) in enumerated().sorted(by: {
      ($0.element.old.lowerBound, $0.element.old.upperBound, $0.offset)
        < ($1.element.old.lowerBound, $1.element.old.upperBound, $1.offset)
    }) {
      if let last = result.last, last.old.upperBound == edit.old.lowerBound {
        result[result.count - 1].old = last.old.lowerBound..<edit.old.upperBound
        result[result.count - 1].bytes += edit.bytes
      } else {
        result.append(edit)
      }
    }
    return result.compactMap { $0.trimmed(in: source) }
  }

  /// Returns the source after the edits, which must be sorted and disjoint. O(bytes).
  func applied(to source: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(source.count + reduce(0) { $0 + $1.bytes.count })
    var position = 0
    for edit in self {
      result += source[position..<edit.old.lowerBound]
      result += edit.bytes
      position = edit.old.upperBound
    }
    result += source[position...]
    return result
  }
}

extension SourceEdit {
  fileprivate func trimmed(in source: [UInt8]) -> SourceEdit? {
    func continues(_ byte: UInt8?) -> Bool { byte.map { $0 & 0xC0 == 0x80 } ?? false }
    let before = source[old]
    guard !before.elementsEqual(bytes) else { return nil }
    var prefix = 0
    while prefix < before.count, prefix < bytes.count,
      before[old.lowerBound + prefix] == bytes[prefix]
    { prefix += 1 }
    while prefix > 0,
      continues(prefix < bytes.count ? bytes[prefix] : nil)
        || continues(prefix < before.count ? before[old.lowerBound + prefix] : nil)
    { prefix -= 1 }
    var suffix = 0
    let most = Swift.min(before.count, bytes.count) - prefix
    while suffix < most, source[old.upperBound - 1 - suffix] == bytes[bytes.count - 1 - suffix] {
      suffix += 1
    }
    while suffix > 0, continues(bytes[bytes.count - suffix]) { suffix -= 1 }
    return SourceEdit(
      old.lowerBound + prefix..<old.upperBound - suffix,
      bytes: Array(bytes[prefix..<bytes.count - suffix]))
  }
}
