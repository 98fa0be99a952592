extension StringProtocol {
  /// The line with Markdown's special characters escaped, so that it is rendered literally.
  public var escapedForMarkdown: String {
    var text = String(self)
    return text.withUTF8 { bytes in
      let digits = bytes.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + 8)
      for (index, byte) in bytes.enumerated() {
        let isSpecial: Bool
        switch UnicodeScalar(byte) {
        case "\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "~", "=", "$": isSpecial = true
        // A list marker is special only at the start of a line.
        case "-", "+": isSpecial = index == 0
        // Site generators and note programs evaluate the tags of templates, such as `{{ }}`,
        // `{% %}` and `<% %>`, before they parse Markdown.
        case "{": isSpecial = true
        case "%":
          isSpecial =
            index > 0 && [UInt8(ascii: "{"), UInt8(ascii: "<")].contains(bytes[index - 1])
        case "&": isSpecial = Self.isEntity(bytes[(index + 1)...])
        case ":": isSpecial = Self.beginsVariables(bytes[..<index])
        case ".", ")": isSpecial = digits > 0 && index == digits
        default: isSpecial = false
        }
        if isSpecial { result.append(UInt8(ascii: "\\")) }
        result.append(byte)
      }
      return String(decoding: result, as: UTF8.self)
    }
  }

  /// Whether the bytes after a `&` complete an entity, which would show another character.
  private static func isEntity(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let name = bytes.prefix(33).prefix {
      $0 == UInt8(ascii: "#") || 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 & 0xDF
    }
    return !name.isEmpty && name.endIndex < bytes.endIndex
      && bytes[name.endIndex] == UInt8(ascii: ";")
  }

  /// Whether the bytes before a colon end with words after which an editor reads variables.
  private static func beginsVariables(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    SignBreaker.editorSigns.contains { sign in
      guard sign.utf8.last == UInt8(ascii: ":") else { return false }
      let word = sign.utf8.dropLast()
      return bytes.suffix(word.count).elementsEqual(word) { byte, letter in
        byte == letter || 0x41...0x5A ~= byte && byte + 0x20 == letter
      }
    }
  }
}

extension String {
  /// The starts of code in Markdown that note editors and other programs run: Dataview's code, the
  /// chunks and spans that knitr evaluates, the tags of templates, and pandoc's raw HTML.
  private static let runningSigns = SignBreaker(
    ["dataviewjs", "`$=", "`=", "`{", "~~~{", "`r ", "`r#", "<%", "{%", "{="]
      + SignBreaker.editorSigns, breaker: "\u{200B}")

  /// The Markdown without HTML, code that a program would run, and links that could run a program.
  /// O(length).
  public var harmlessMarkdown: String {
    let markup = "<[]:*`~{=".utf8
    guard utf8.contains(where: markup.contains) else { return self }
    let text = Self.runningSigns.broken(self).breakingEventHandlers.escapingSign("<")
    let isSafe = ["](", "]:"].allSatisfy { mark in
      text.unicodeScalars.split(
        separator: Array(mark.unicodeScalars), omittingEmptySubsequences: false
      )
      .dropFirst().allSatisfy { rest in
        let address = rest.drop { $0.properties.isWhitespace || $0 == "\\" || $0 == "<" }
          .prefix { !$0.properties.isWhitespace && $0 != ")" }
        return !address.contains { ":%\\".unicodeScalars.contains($0) }
          || ["http://", "https://", "mailto:"].contains {
            address.starts(with: $0.unicodeScalars)
          }
      }
    }
    // If the text may contain entities, which can hide the characters of an address, no bracket may
    // begin a link.
    return isSafe && !text.utf8.contains(UInt8(ascii: "&")) ? text : text.escapingSign("[")
  }

  /// The text with an invisible character before each `=` that follows the name of an event handler
  /// (`onclick`). Pandoc and other programs copy such attributes, `{onclick="…"}`, to HTML.
  private var breakingEventHandlers: String {
    var result = String.UnicodeScalarView()
    // The letters before a scalar, in lower case.
    var word: [UInt8] = []
    for scalar in unicodeScalars {
      if scalar == "=", word.count > 2, word.starts(with: "on".utf8) { result.append("\u{200B}") }
      switch scalar.value {
      case 0x41...0x5A: word.append(UInt8(scalar.value) + 0x20)
      case 0x61...0x7A: word.append(UInt8(scalar.value))
      default: word = []
      }
      result.append(scalar)
    }
    return String(result)
  }

  /// Returns the text with a backslash before each occurrence of a scalar, even if a combining mark
  /// follows it, because parsers of Markdown compare bytes.
  private func escapingSign(_ sign: Unicode.Scalar) -> String {
    unicodeScalars.reduce(into: "") { result, scalar in
      if scalar == sign { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
  }
}
