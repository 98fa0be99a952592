public import MarkdownParse
public import Model

/// The replacement of a range of the Markdown source by other text.
public struct SourceEdit: Hashable, Sendable {
  /// What is replaced, in bytes of the source before any edit.
  public var range: SourceRange
  /// What stands there afterwards.
  public var replacement: String

  /// Makes an edit of its parts.
  public init(range: SourceRange, replacement: String) {
    self.range = range
    self.replacement = replacement
  }
}

/// What a formatting command does to a document.
public struct SourceChange: Sendable {
  /// The edits: sorted, disjoint, and no longer than they must be. None when the document already is
  /// as asked.
  public let edits: [SourceEdit]
  /// The document after them, parsed again and checked.
  public let document: ParsedDocument

  /// Whether there is nothing to do.
  public var isEmpty: Bool { edits.isEmpty }
}

/// An edit whose replacement is bytes, while a command is being worked out.
struct ByteEdit {
  var range: Range<Int>
  var bytes: [UInt8]
}

extension [ByteEdit] {
  /// The edits without the ends that do not change, sorted, those that touch joined. Edits that
  /// replace bytes by the same ones are left out. A character is replaced as a whole.
  func minimal(in source: [UInt8]) -> [ByteEdit] {
    var result: [ByteEdit] = []
    for (_, edit) in enumerated().sorted(by: {
      ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
        < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
    }) {
      if let last = result.last, last.range.upperBound == edit.range.lowerBound {
        result[result.count - 1].range = last.range.lowerBound..<edit.range.upperBound
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
      result += source[position..<edit.range.lowerBound]
      result += edit.bytes
      position = edit.range.upperBound
    }
    return result + source[position...]
  }
}

extension ByteEdit {
  fileprivate func trimmed(in source: [UInt8]) -> ByteEdit? {
    func continues(_ byte: UInt8?) -> Bool { byte.map { $0 & 0xC0 == 0x80 } ?? false }
    let old = source[range]
    guard !old.elementsEqual(bytes) else { return nil }
    var prefix = 0
    while prefix < old.count, prefix < bytes.count, old[range.lowerBound + prefix] == bytes[prefix]
    { prefix += 1 }
    while prefix > 0,
      continues(prefix < bytes.count ? bytes[prefix] : nil)
        || continues(prefix < old.count ? old[range.lowerBound + prefix] : nil)
    { prefix -= 1 }
    var suffix = 0
    let most = Swift.min(old.count, bytes.count) - prefix
    while suffix < most, source[range.upperBound - 1 - suffix] == bytes[bytes.count - 1 - suffix] {
      suffix += 1
    }
    while suffix > 0, continues(bytes[bytes.count - suffix]) { suffix -= 1 }
    return ByteEdit(
      range: range.lowerBound + prefix..<range.upperBound - suffix,
      bytes: Array(bytes[prefix..<bytes.count - suffix]))
  }
}
