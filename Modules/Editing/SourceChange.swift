package import MarkdownParse
package import Model

/// The replacement of a range of the Markdown source by other bytes. In a list of edits all ranges
/// are of the source before any of them.
package struct SourceEdit: Hashable, Sendable {
  /// What is replaced, in bytes of the source before any edit.
  package var range: SourceRange
  /// What stands there afterwards. Bytes that were copied from the source are the same, also where
  /// they are not UTF-8.
  package var bytes: [UInt8]

  /// Replaces a range by text.
  package init(range: SourceRange, replacement: String) {
    self.init(range.bytes, bytes: Array(replacement.utf8))
  }

  init(_ range: Range<Int>, bytes: [UInt8]) {
    self.range = SourceRange(bytes: range)
    self.bytes = bytes
  }

  /// What stands there afterwards, as text.
  package var replacement: String { String(decoding: bytes, as: UTF8.self) }

  /// The range as plain numbers of bytes.
  var old: Range<Int> {
    get { range.bytes }
    set { range.bytes = newValue }
  }
}

/// What a formatting command does to a document.
package struct SourceChange: Sendable {
  /// The edits: sorted, disjoint, and no longer than they must be. None when the document already is
  /// as asked.
  package let edits: [SourceEdit]
  /// The document after them, parsed again and checked.
  package let document: ParsedDocument

  /// Whether there is nothing to do.
  package var isEmpty: Bool { edits.isEmpty }
}

extension [SourceEdit] {
  /// The edits without the ends that do not change, sorted, those that touch joined. Edits that
  /// replace bytes by the same ones are left out. A character is replaced as a whole.
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

  /// The source after the edits, which are sorted and disjoint. O(bytes).
  func applied(to source: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(source.count + reduce(0) { $0 + $1.bytes.count })
    var position = 0
    for edit in self {
      result += source[position..<edit.old.lowerBound]
      result += edit.bytes
      position = edit.old.upperBound
    }
    return result + source[position...]
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
