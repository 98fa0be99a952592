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

  /// Whether what follows a `&` makes it an entity, which would show another character.
  private static func isEntity(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let name = bytes.prefix(33).prefix {
      $0 == UInt8(ascii: "#") || 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 & 0xDF
    }
    return !name.isEmpty && name.endIndex < bytes.endIndex
      && bytes[name.endIndex] == UInt8(ascii: ";")
  }

  /// Whether the bytes before a colon end with words behind which an editor reads variables.
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
  /// Signs of Markdown that editors of notes run: code of Dataview, and chunks that knitr and others
  /// evaluate.
  private static let runningSigns = SignBreaker(
    ["dataviewjs", "`$=", "`=", "```{", "~~~{"] + SignBreaker.editorSigns, breaker: "\u{200B}")

  /// Markdown as its author wrote it, in which nothing is HTML and no link runs a program. O(length).
  public var harmlessMarkdown: String {
    let signs = "<[]:*`~".utf8
    guard utf8.contains(where: signs.contains) else { return self }
    let text = Self.runningSigns.broken(self).escapingSign("<")
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
    // Entities may spell an address; without a bracket it is no link.
    return isSafe && !text.utf8.contains(UInt8(ascii: "&")) ? text : text.escapingSign("[")
  }

  /// With a backslash before each of a sign, also where a combining mark follows it: a parser of
  /// Markdown looks at bytes.
  private func escapingSign(_ sign: Unicode.Scalar) -> String {
    unicodeScalars.reduce(into: "") { result, scalar in
      if scalar == sign { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
  }
}
