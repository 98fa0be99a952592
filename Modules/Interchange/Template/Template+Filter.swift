import Model

extension Template {
  /// The conversions that can be applied to a value: `{{quote|yaml}}`.
  enum Filter: String, CaseIterable, Sendable {
    case text, raw, plain, markdown, quote, line, short, yaml, url, html, date, tag

    /// Returns the converted value. O(length).
    func apply(_ value: String) -> String {
      switch self {
      case .text: Self.lines(value).map(\.escapedForMarkdown).joined(separator: "\n")
      case .raw: value
      case .plain: Self.oneLine(value)
      case .markdown: value.harmlessMarkdown
      case .quote: Self.lines(value).map { "> " + $0.escapedForMarkdown }.joined(separator: "\n")
      case .line: Self.oneLine(value).escapedForMarkdown
      case .short:
        (value.count > 60 ? Self.oneLine(value).prefix(59) + "…" : Self.oneLine(value)[...])
          .escapedForMarkdown
      case .yaml: Self.quoted(value)
      case .url: Self.encoded(value)
      case .html: value.escapedForHTML
      case .date: String(value.prefix(10))
      case .tag: Self.word(value)
      }
    }

    private static func lines(_ text: String) -> [Substring] {
      // Most texts contain none of the bytes with which line ends begin, and need not be divided.
      var whole = text
      let mayEndLine = whole.withUTF8 { bytes in
        for byte in bytes where byte &- 0x0A < 4 || byte == 0xC2 || byte == 0xE2 { return true }
        return false
      }
      guard mayEndLine else { return [text[...]] }
      return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    private static func oneLine(_ text: String) -> String {
      text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Returns the text as a YAML scalar in double quotation marks.
    private static func quoted(_ text: String) -> String {
      var result = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\t": result += "\\t"
        case "\r": result += "\\r"
        case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
          let digits = String(scalar.value, radix: 16, uppercase: true)
          result += "\\x" + (digits.count < 2 ? "0" : "") + digits
        case "\u{2028}": result += "\\L"
        case "\u{2029}": result += "\\P"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result + "\""
    }

    /// Percent-encodes a path for use in an address. Letters, digits and `-._~/:` are kept.
    private static func encoded(_ text: String) -> String {
      PercentEncoding.encoded(text) {
        PercentEncoding.isUnreserved($0) || "/:".utf8.contains($0)
      }
    }

    /// Returns the text as a tag: letters, digits, `_`, `-` and `/`, with other characters replaced
    /// by hyphens.
    private static func word(_ text: String) -> String {
      text.split { !($0.isLetter || $0.isNumber || "_-/".contains($0)) }.joined(separator: "-")
    }
  }
}
