import Model

/// A text without its diacritics, for patterns that leave them out of account, and where each of its
/// places stands in the text with them. Letters that are composed with marks stand there as letters,
/// and marks of their own do not (`TextFolding.base`).
public struct UnmarkedText: Sendable {
  /// The text.
  public private(set) var utf8: [UInt8] = []
  /// From each of these on, the two texts go on at the same pace; in order, from both starts.
  private var steps: [(unmarked: Int, marked: Int)] = [(0, 0)]

  /// Takes the diacritics out of valid UTF-8. O(bytes).
  public init(_ text: UnsafeBufferPointer<UInt8>) {
    utf8.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if text[index] < 0x80 {
        utf8.append(text[index])
        index += 1
        continue
      }
      let (scalar, end) = WordBorder.scalar(index, text)
      let base = Self.base(of: scalar)
      if base == scalar {
        utf8.append(contentsOf: text[index..<end])
      } else {
        if let base, let letter = Unicode.Scalar(base) {
          utf8.append(contentsOf: UTF8.encode(letter)!)
        }
        if steps[steps.count - 1].unmarked == utf8.count { steps.removeLast() }
        steps.append((utf8.count, end))
      }
      index = end
    }
  }

  /// A text without its diacritics.
  public static func string(_ text: String) -> String {
    var text = text
    return text.withUTF8 { String(decoding: UnmarkedText($0).utf8, as: UTF8.self) }
  }

  /// Whether a text surely has no diacritics: it is of ASCII alone. O(bytes), eight at a time.
  public static func isSame(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var index = 0
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      index += 8
    }
    return bytes[index...].allSatisfy { $0 < 0x80 }
  }

  /// The scalar without its diacritics; nil for a mark.
  private static func base(of scalar: UInt32) -> UInt32? {
    switch scalar {
    // Neither marks nor marked, and most of the texts in which they stand.
    case 0x3400...0xD7A3: scalar
    default: TextFolding.fold(scalar).kind == .mark ? nil : TextFolding.base(of: scalar)
    }
  }

  /// A range of the text with its diacritics, those on the last letter included. O(log marks).
  public func range(_ range: Range<Int>) -> Range<Int> {
    let start = place(ofOffset: range.lowerBound)
    return start..<max(start, place(ofOffset: range.upperBound))
  }

  /// Where a place of the text with diacritics stands in this one; of a mark, what follows it.
  public func offset(ofPlace place: Int) -> Int {
    let index = lastStep { $0.marked <= place }
    let step = steps[index]
    let end = index + 1 < steps.count ? steps[index + 1].unmarked : utf8.count
    return min(step.unmarked + max(0, place - step.marked), end)
  }

  private func place(ofOffset offset: Int) -> Int {
    let step = steps[lastStep { $0.unmarked <= offset }]
    return step.marked + offset - step.unmarked
  }

  private func lastStep(_ holds: ((unmarked: Int, marked: Int)) -> Bool) -> Int {
    var low = 0
    var high = steps.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if holds(steps[middle]) { low = middle } else { high = middle }
    }
    return low
  }
}
