import MarkdownParse
import Model

extension DocumentCheck {
  /// Checks that the runs cover the text without gaps, in the order of the source, and that the
  /// bytes of each run decode to its text.
  static func map(_ document: ParsedDocument) throws {
    var text = 0
    var source = 0
    // Pictures without a description are rendered as the names of their files.
    let names = Set(
      document.inlines.lazy.filter { if case .image = $0.kind { true } else { false } }.map(\.text))
    for run in document.map.runs {
      try expect(run.text.utf16.lowerBound == text, "a gap before \(run)")
      try expect(!run.text.isEmpty, "an empty run, \(run)")
      try expect(run.source.bytes.lowerBound >= source, "the source goes back at \(run)")
      text = run.text.utf16.upperBound
      source = run.source.bytes.upperBound
      let slice = Array(document.source.bytes[run.source.bytes])
      let shown = document.text.substring(run.text)
      try expect(
        decodes(slice, to: shown, run.kind)
          || run.kind == .atomic && names.contains(run.text)
            && !shown.unicodeScalars.contains { $0.properties.generalCategory == .control },
        "\(slice) does not render as \(shown.debugDescription)"
      )
    }
    try expect(text == document.text.count, "the runs end before the text")
    try expect(
      document.text.string.utf16.elementsEqual(document.text.utf16), "UTF-8 and UTF-16 differ")
  }

  private static func decodes(_ slice: [UInt8], to text: String, _ kind: SourceMap.Run.Kind) -> Bool
  {
    let decoded = String(decoding: slice, as: UTF8.self)
    switch kind {
    case .verbatim:
      return Array(text.utf8) == slice && !slice.contains(0)
    case .synthetic:
      return slice.isEmpty && (text.utf8.elementsEqual([10]) || text.utf8.elementsEqual([9]))
    case .atomic: return isKnown(slice, decoded, text)
    }
  }

  /// Returns whether bytes are a different spelling of a character, such as an entity or an escape.
  private static func isKnown(_ slice: [UInt8], _ decoded: String, _ text: String) -> Bool {
    if isShifted(decoded, text) { return true }
    switch slice.first {
    case nil: return false
    case UInt8(ascii: "^"), UInt8(ascii: "~"), UInt8(ascii: "`"):
      return slice.count == 1 && ["^(", "_", "_(", ")", " "].contains(text)
    case UInt8(ascii: "{"):
      return slice.last == UInt8(ascii: "`") && ["^", "^(", "_", "_(", " "].contains(text)
    case UInt8(ascii: "\\"):
      // In a table cell, the backslash that escapes a bar may itself be escaped.
      if slice == Array(#"\\|"#.utf8) { return text == "|" }
      return slice.count == 2 && text.utf8.elementsEqual(slice.dropFirst())
    case UInt8(ascii: ":"):
      return decoded.count > 2 && slice.last == 58 && !text.utf8.contains { $0 == 58 }
    case UInt8(ascii: "#"): return slice.count == 1 && text == " > "
    // The type of a callout, which is rendered as its label.
    case let byte? where (65...90).contains(byte) || (97...122).contains(byte):
      return decoded != text
        && decoded.lowercased().replacing("-", with: " ")
          == text.lowercased().replacing("-", with: " ")
    case UInt8(ascii: "&"): return slice.last == UInt8(ascii: ";") && entity(decoded, is: text)
    case 11, 12: return slice.count == 1 && text == " "
    // A tag that separates lines.
    case UInt8(ascii: "<"):
      return ["\n", "^", "^(", "_", "_(", ")", " "].contains(text)
        && slice.dropFirst().contains { $0 == 47 || (65...122).contains($0) }
    case 9:
      return slice.count == 1 && (1...3).contains(text.utf8.count)
        && text.allSatisfy { $0 == " " }
    case 10, 13:
      return [[10], [13], [13, 10]].contains(slice)
        && (text.utf8.elementsEqual([10]) || text.utf8.elementsEqual([32]))
    case 0: return slice.count == 1 && text == "\u{FFFD}"
    // A single ill-formed sequence, as counted by the standard library.
    default: return text == "\u{FFFD}" && decoded == "\u{FFFD}" && slice != [0xEF, 0xBF, 0xBD]
    }
  }

  /// Returns whether bytes are a character and the text is its superscript or subscript form.
  private static func isShifted(_ decoded: String, _ text: String) -> Bool {
    guard text.unicodeScalars.count == 1, let shown = text.unicodeScalars.first else {
      return false
    }
    let plain = decoded.hasPrefix("\\") ? decoded.dropFirst() : decoded[...]
    let scalar =
      plain.hasPrefix("&#")
      ? numeric(decoded)
      : plain.unicodeScalars.count == 1
        ? plain.unicodeScalars.first : nil
    return [ScriptLetters.raised, .lowered].contains { letters in
      scalar.map { letters.form(of: $0) == shown } ?? false
    }
  }

  private static func numeric(_ reference: String) -> Unicode.Scalar {
    let digits = reference.dropFirst(2).dropLast()
    let value =
      digits.first == "x" || digits.first == "X"
      ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) } ?? "\u{FFFD}"
  }

  /// Checks a character reference. A numeric one is computed, a named one must be one or two
  /// scalars.
  private static func entity(_ reference: String, is text: String) -> Bool {
    guard reference.hasPrefix("&#") else { return (1...2).contains(text.unicodeScalars.count) }
    return text.unicodeScalars.elementsEqual([numeric(reference)])
  }

  /// Checks that converting an offset to the source and back returns the same offset. Only offsets
  /// between two characters that are next to a source byte are checked. An offset inside an
  /// indivisible run converts to the run's ends.
  static func boundaries(_ document: ParsedDocument) throws {
    let map = document.map
    for run in map.runs where run.kind != .synthetic {
      for offset in run.text.utf16 {
        let place = TextOffset(utf16: offset)
        if run.kind == .atomic, offset > run.text.utf16.lowerBound {
          try expect(
            map.sourceOffset(of: place, bias: .leading) == run.source.bytes.lowerBound
              && map.sourceOffset(of: place, bias: .trailing) == run.source.bytes.upperBound,
            "\(offset) inside \(run) does not go to its ends")
          continue
        }
        if UTF16.isTrailSurrogate(document.text.utf16[offset]) { continue }
        let byte = map.sourceOffset(of: place, bias: .trailing)
        try expect(run.source.bytes.contains(byte), "\(offset) goes to \(byte) outside \(run)")
        try expect(
          map.textOffset(ofSource: byte, bias: .trailing) == place, "\(offset) does not come back")
      }
      let end = map.sourceOffset(of: run.text.upperBound, bias: .leading)
      try expect(end == run.source.bytes.upperBound, "the end of \(run) goes to \(end)")
      try expect(
        map.textOffset(ofSource: end, bias: .leading) == run.text.upperBound,
        "the end of \(run) does not come back")
      try expect(map.source(of: run.text) == [run.source], "\(run) has other bytes")
    }
  }
}
