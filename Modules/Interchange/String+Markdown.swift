import Model

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
        case "\\", "`", "*", "_", "[", "]", ">", "#", "|", "~", "=", "$": isSpecial = true
        // Programs that are older than CommonMark know no backslash before `<`.
        case "<" where !Self.isPlain(bytes[(index + 1)...].first):
          result += "&lt;".utf8
          continue
        // A list marker is special only at the start of a line.
        case "-", "+": isSpecial = index == 0
        // Site generators and note programs evaluate the tags of templates, such as `{{ }}`,
        // `{% %}` and `{! !}`, before they parse Markdown.
        case "{": isSpecial = true
        case "%", "!": isSpecial = index > 0 && bytes[index - 1] == UInt8(ascii: "{")
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

  /// Whether a `<` before a byte is text in each kind of Markdown. Nil is the end of the text,
  /// which may be followed by another one.
  fileprivate static func isPlain(_ next: UInt8?) -> Bool {
    next.map { [0x20, UInt8(ascii: "=")].contains($0) || 0x30...0x39 ~= $0 } ?? false
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
  /// The starts of code in Markdown that note editors and other programs run or replace by a file:
  /// Dataview's code, the spans that knitr evaluates, the tags of templates, MyST's roles, pandoc's
  /// raw HTML, and imports. Some programs make links of addresses without markup.
  private static let runningSigns = SignBreaker(
    [
      "dataviewjs", "`$=", "`=", "`r ", "`r#", "{{", "{%", "{!", "{=", "}`", "@import",
      "javascript:", "vbscript:",
    ] + SignBreaker.editorSigns, breaker: "\u{200B}")
  private static let commandsOfTeX = SignBreaker(
    SignBreaker.commandsOfTeX, breaker: "\u{200B}", breaksAfterFirst: true)

  /// The author's Markdown without HTML, code that a program would run, metadata, and links that
  /// could run a program or open a file of the user. O(length).
  public var harmlessMarkdown: String {
    let markup = "<[]:*`~{=\\^-@".utf8
    guard utf8.contains(where: markup.contains) else { return self }
    let text = Self.commandsOfTeX.broken(Self.runningSigns.broken(self)).breakingChunks
      .breakingAttributes.breakingMetadata.escapingTags
    let hasPicture = zip(text.unicodeScalars, text.unicodeScalars.dropFirst())
      .contains { $0 == "!" && $1 == "[" }
    let isSafe = ["](", "]:"].allSatisfy { mark in
      text.unicodeScalars.split(
        separator: Array(mark.unicodeScalars), omittingEmptySubsequences: false
      )
      .dropFirst().allSatisfy { rest in
        // The address may be on the next line of a block quote.
        let address = rest.drop { $0.properties.isWhitespace || "\\<>".unicodeScalars.contains($0) }
          .prefix { !$0.properties.isWhitespace && $0 != ")" }
        let whole = String(String.UnicodeScalarView(address))
        if hasPicture, !LinkSafety.isSafePicture(whole) { return false }
        return !address.contains { ":%\\".unicodeScalars.contains($0) } && address.first != "/"
          || ["http://", "https://", "mailto:"].contains {
            address.starts(with: $0.unicodeScalars)
          }
      }
    }
    // If the text may contain entities, which can hide the characters of an address, no bracket may
    // begin a link.
    let hidesAddress = text.replacing("&lt;", with: "").utf8.contains(UInt8(ascii: "&"))
    return isSafe && !hidesAddress ? text : text.escapingBrackets
  }

  /// The text with an invisible character between the fence of code or of a directive, blanks, and
  /// a `{`: knitr evaluates such code, and MyST includes files.
  private var breakingChunks: String {
    var result = String.UnicodeScalarView()
    // The last sign of a fence, and how often it was repeated.
    var fence: (sign: Unicode.Scalar, count: Int) = (" ", 0)
    for scalar in unicodeScalars {
      switch scalar {
      case "{" where fence.sign == "`" || fence.count >= 3:
        result.append("\u{200B}")
        fence.count = 0
      case "`", "~", ":": fence = (scalar, scalar == fence.sign ? fence.count + 1 : 1)
      case " ", "\t": break
      default: fence = (scalar, 0)
      }
      result.append(scalar)
    }
    return String(result)
  }

  /// The text with an invisible character before each `=` that, behind a brace, follows the name of
  /// an event handler (`onclick`) or of an attribute with an address. Pandoc and other programs
  /// copy such attributes, `{onclick="…"}`, to HTML.
  private var breakingAttributes: String {
    let names = ["href", "src", "srcset", "style", "background"]
    var result = String.UnicodeScalarView()
    // The last word before a scalar, in lower case. Blanks may follow it.
    var word = ""
    var (isInWord, isBehindBrace) = (false, false)
    for scalar in unicodeScalars {
      let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
      if isLetter {
        word = (isInWord ? word : "") + scalar.properties.lowercaseMapping
      } else if scalar == "=", isBehindBrace,
        word.count > 2 && word.hasPrefix("on") || names.contains(word)
      {
        result.append("\u{200B}")
      } else if !scalar.properties.isWhitespace {
        word = ""
      }
      isInWord = isLetter
      if scalar == "{" { isBehindBrace = true }
      result.append(scalar)
    }
    return String(result)
  }

  /// The text with a fourth hyphen in each line that ends with three. Between such lines pandoc
  /// reads metadata, which can contain HTML; otherwise three and four have the same meaning.
  private var breakingMetadata: String {
    guard contains("---") else { return self }
    return split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let text = line.unicodeScalars.reversed().drop { $0.properties.isWhitespace }
      let hyphens = text.prefix { $0 == "-" }
      let before = text.dropFirst(hyphens.count).first
      guard hyphens.count == 3, before?.properties.isAlphabetic != true else { return String(line) }
      return String(String.UnicodeScalarView(text.reversed())) + "-"
    }.joined(separator: "\n")
  }

  /// The text with an entity in place of each `<` that may begin a tag. Programs that are older
  /// than CommonMark know no backslash before it.
  private var escapingTags: String {
    var result = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      let next = rest.first.map { $0.isASCII ? UInt8($0.value) : 0 }
      if scalar == "<", !Self.isPlain(next) {
        result += "&lt;".unicodeScalars
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// The text with a backslash before each `[`, even if a combining mark follows it, because
  /// parsers of Markdown compare bytes.
  private var escapingBrackets: String {
    unicodeScalars.reduce(into: "") { result, scalar in
      if scalar == "[" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
  }
}
