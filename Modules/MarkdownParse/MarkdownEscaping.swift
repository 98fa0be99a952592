import Model

/// Escapes text so that Markdown renders it literally.
package enum MarkdownEscaping {
  /// The characters that are escaped in addition to those with a meaning in CommonMark or in GFM's
  /// tables.
  package struct Scope: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The marks of addresses, which GFM turns into links.
    package static let addresses = Scope(rawValue: 1)
    /// The marks of other dialects, such as `^`, `{` and `::`.
    package static let dialects = Scope(rawValue: 2)
    /// Only the marks whose effect depends on other blocks, or which begin a block: those at the
    /// start of a line, of comments, expressions and footnotes, and a pipe in a cell. Whether the
    /// others are markup can be found by parsing their block.
    package static let blocks = Scope(rawValue: 4)
  }

  /// Returns a text with a backslash before each character that could be markup at its position.
  ///
  /// - Parameters:
  ///   - before: the UTF-16 unit before the text; a line feed at the start of a line.
  ///   - after: the UTF-16 unit after the text.
  ///   - isCell: whether the text is in a table cell.
  package static func escapingMeaning(
    _ text: String, before: UInt16 = 10, after: UInt16 = 10, isCell: Bool = false,
    for scope: Scope = .addresses
  ) -> String {
    guard text.utf8.contains(where: \.isMarkByte) else { return text }
    let units = Array(text.utf16)
    let number = before == 10 ? listNumberEnd(units, after) : nil
    var result: [UInt16] = []
    for (index, unit) in units.enumerated() {
      let previous = index > 0 ? units[index - 1] : before
      if let byte = UInt8(exactly: unit), byte.isMarkByte,
        index == number
          || hasMeaning(
            byte, previous, index + 1 < units.count ? units[index + 1] : after,
            isFirst: previous == 10, isCell: isCell, for: scope)
      {
        result.append(UInt16(UInt8(ascii: "\\")))
      }
      result.append(unit)
    }
    return result.count == units.count ? text : String(units: result)
  }

  /// Returns the offset of the `.` or `)` after a number at the start of a line; nil if they
  /// couldn't be the marker of a list item.
  private static func listNumberEnd(_ units: [UInt16], _ after: UInt16) -> Int? {
    let digits = units.prefix { (48...57).contains($0) }.count
    guard (1...9).contains(digits), digits < units.count,
      units[digits] == UInt16(UInt8(ascii: ".")) || units[digits] == UInt16(UInt8(ascii: ")"))
    else { return nil }
    let next = digits + 1 < units.count ? units[digits + 1] : after
    return next.isSpaceUnit ? digits : nil
  }

  /// Returns a line with a backslash before every character that may be escaped.
  package static func escapingAll(_ line: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    for byte in line.utf8 {
      if byte.isMarkByte { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a character could be markup between two UTF-16 units. `isFirst` is true at the start
  /// of a line.
  package static func hasMeaning(
    _ byte: UInt8, _ before: UInt16, _ after: UInt16, isFirst: Bool, isCell: Bool,
    for scope: Scope = .addresses
  ) -> Bool {
    if scope.contains(.blocks), !isFirst || byte == UInt8(ascii: "[") {
      return hasMeaningBeyondBlock(byte, before, after, isFirst: isFirst, isCell: isCell)
    }
    if scope.contains(.dialects), hasMeaningInDialects(byte, before, after, isFirst) { return true }
    return switch byte {
    case UInt8(ascii: "*"): !(before.isSpaceUnit && after.isSpaceUnit) || isFirst
    case UInt8(ascii: "_"):
      !(before.isWordUnit && after.isWordUnit) && !(before.isSpaceUnit && after.isSpaceUnit)
    case UInt8(ascii: "`"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "<"),
      UInt8(ascii: "~"), UInt8(ascii: "$"):
      true
    case UInt8(ascii: "\\"): after < 0x80 && UInt8(after).isMarkByte || after == 10
    case UInt8(ascii: "&"): after.isWordUnit || after == UInt16(UInt8(ascii: "#"))
    case UInt8(ascii: "="): before == UInt16(byte) || after == UInt16(byte)
    case UInt8(ascii: "|"): isCell
    case UInt8(ascii: "@"): scope.contains(.addresses) && before.isWordUnit && after.isWordUnit
    case UInt8(ascii: ":"):
      scope.contains(.addresses) && before.isWordUnit && after == UInt16(UInt8(ascii: "/"))
    case UInt8(ascii: "#"), UInt8(ascii: ">"), UInt8(ascii: "+"), UInt8(ascii: "-"): isFirst
    default: false
    }
  }

  private static func hasMeaningBeyondBlock(
    _ byte: UInt8, _ before: UInt16, _ after: UInt16, isFirst: Bool, isCell: Bool
  ) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"): true
    case UInt8(ascii: "%"): before == UInt16(byte) || after == UInt16(byte)
    case UInt8(ascii: "["):
      // A reference to a footnote, the box of a task, or the kind of a callout.
      after == UInt16(UInt8(ascii: "^"))
        || isFirst && (after.isSpaceUnit || [120, 88, 33].contains(after))
    case UInt8(ascii: "<"): !after.isSpaceUnit
    case UInt8(ascii: "\\"): after < 0x80 && UInt8(after).isMarkByte || after == 10
    case UInt8(ascii: "|"): isCell
    default: false
    }
  }

  private static func hasMeaningInDialects(
    _ byte: UInt8, _ before: UInt16, _ after: UInt16, _ isFirst: Bool
  ) -> Bool {
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
    case UInt8(ascii: "&"): after == 10
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "%"):
      isFirst || before == UInt16(byte) || after == UInt16(byte)
    case UInt8(ascii: ":"):
      isFirst || before == UInt16(byte) || after == UInt16(byte)
        || after.isWordUnit && !before.isWordUnit
    case UInt8(ascii: "!"), UInt8(ascii: "|"): isFirst
    default: false
    }
  }
}

/// The delimiters of a code span: backticks, and the spaces that separate them from the text.
package struct CodeFence {
  /// The delimiter before the content.
  package let open: [UInt8]
  /// The delimiter after the content.
  package let close: [UInt8]

  /// Creates delimiters with the shortest run of backticks that the content doesn't contain
  /// (CommonMark 6.1).
  package init(around content: [UInt8]) {
    let backtick = UInt8(ascii: "`")
    let runs = Set(content.split { $0 != backtick }.map(\.count))
    var length = 1
    while runs.contains(length) { length += 1 }
    let blank = UInt8(ascii: " ")
    let isBlank = content.allSatisfy { $0 == blank }
    let needsBlank =
      content.first == backtick || content.last == backtick
      || (!isBlank && content.first == blank && content.last == blank)
    let fence = [UInt8](repeating: backtick, count: length)
    open = needsBlank ? fence + [blank] : fence
    close = needsBlank ? [blank] + fence : fence
  }
}

extension UInt8 {
  /// Whether a backslash can escape the byte (CommonMark 2.4).
  package var isMarkByte: Bool { isPunctuation }

  /// Whether the byte is an ASCII letter or digit.
  package var isWordByte: Bool { isAlphanumeric }
}

extension Unicode.Scalar {
  /// Whether the character counts as punctuation beside delimiters of emphasis (CommonMark 2.1):
  /// punctuation and symbols. O(log runs).
  package var isMarkdownPunctuation: Bool { ScalarClass.isPunctuation(value) }
}

extension UInt16 {
  fileprivate var isWordUnit: Bool { self >= 0x80 || UInt8(self).isWordByte }
}

extension UInt16 {
  /// Whether a UTF-16 unit is whitespace. The inner side of an emphasis delimiter must not be next
  /// to whitespace, so a style may be dropped from whitespace at its ends.
  package var isSpaceUnit: Bool {
    switch self {
    case 9...13, 32, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
