package import Model

/// Divides text into words and sentences. Ranges are UTF-16 units and never divide a grapheme.
package protocol TextSegmenter: Sendable {
  /// Returns the words in order, without the characters between them. O(text).
  func words(in text: [UInt16]) -> [TextRange]
  /// Returns the sentences in order, without the white space between them. O(text).
  func sentences(in text: [UInt16]) -> [TextRange]
}

/// Divides text using only the properties of characters, by the default rules of Unicode Annex #29.
///
/// Letters, digits and marks form words, also across an apostrophe, a full stop or a comma inside a
/// word or number. In scripts without spaces between words, each character is a word.
package struct PropertySegmenter: TextSegmenter {
  package init() {}

  private enum Kind { case word, number, single, joiner, space, end, other }

  /// Returns runs of letters, digits and marks. In scripts without spaces, returns single
  /// characters.
  public func words(in text: [UInt16]) -> [TextRange] {
    let graphemes = Self.graphemes(of: text)
    var words: [TextRange] = []
    var index = 0
    while index < graphemes.count {
      let (start, kind) = (graphemes[index].start, graphemes[index].kind)
      guard kind == .word || kind == .number || kind == .single else {
        index += 1
        continue
      }
      var end = index + 1
      if kind != .single {
        while end < graphemes.count {
          let next = graphemes[end].kind
          if next == .word || next == .number {
            end += 1
          } else if next == .joiner || graphemes[end].character == ".", end + 1 < graphemes.count,
            graphemes[end + 1].kind == graphemes[end - 1].kind,
            graphemes[end].joins(graphemes[end - 1].kind)
          {
            end += 2
          } else {
            break
          }
        }
      }
      words.append(TextRange(utf16: start..<graphemes[end - 1].end))
      index = end
    }
    return words
  }

  /// The abbreviations after which a full stop doesn't end a sentence.
  private static let abbreviations: Set<String> = [
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "cf", "no", "vol", "fig",
    "p", "pp", "ca", "bzw", "z.b", "d.h", "usw", "nr", "hr", "fr",
  ]

  /// Divides at full stops, question and exclamation marks, and line ends.
  public func sentences(in text: [UInt16]) -> [TextRange] {
    let graphemes = Self.graphemes(of: text)
    var sentences: [TextRange] = []
    var start: Int?
    var index = 0
    func finish(_ end: Int) {
      if let first = start, end > first {
        sentences.append(TextRange(utf16: graphemes[first].start..<graphemes[end - 1].end))
      }
      start = nil
    }
    while index < graphemes.count {
      let grapheme = graphemes[index]
      if grapheme.character.isNewline {
        var end = index
        while end > 0, graphemes[end - 1].kind == .space { end -= 1 }
        finish(end)
        index += 1
        continue
      }
      if start == nil, grapheme.kind != .space { start = index }
      index += 1
      guard grapheme.kind == .end, !isAbbreviation(graphemes, before: index - 1) else { continue }
      // Closing quotes and further marks belong to the sentence.
      while index < graphemes.count, "\"'”’»)]!?.。！？".contains(graphemes[index].character) {
        index += 1
      }
      // A lower-case letter continues the sentence: "Why?" she asked.
      if graphemes[index...].first(where: { $0.kind != .space })?.character.isLowercase == true {
        continue
      }
      let isWide = "。！？".contains(grapheme.character)
      if isWide || index == graphemes.count || graphemes[index].kind == .space { finish(index) }
    }
    var end = graphemes.count
    while end > 0, graphemes[end - 1].kind == .space { end -= 1 }
    finish(end)
    return sentences
  }

  private func isAbbreviation(_ graphemes: [Grapheme], before stop: Int) -> Bool {
    guard graphemes[stop].character == "." else { return false }
    var word = ""
    var index = stop - 1
    while index >= 0, graphemes[index].kind == .word || graphemes[index].character == "." {
      word.insert(graphemes[index].character, at: word.startIndex)
      index -= 1
    }
    // A single letter is an initial.
    return word.count == 1 && word != "I" || Self.abbreviations.contains(word.lowercased())
  }

  private struct Grapheme {
    var character: Character
    var start: Int
    var end: Int
    var kind: Kind

    func joins(_ side: Kind) -> Bool {
      switch character {
      case "'", "’", "·", ":": side == .word
      case ".": true
      case ",", ";": side == .number
      default: false
      }
    }
  }

  private static func graphemes(of text: [UInt16]) -> [Grapheme] {
    var result: [Grapheme] = []
    result.reserveCapacity(text.count)
    var start = 0
    for character in String(units: text) {
      let end = start + character.utf16.count
      result.append(Grapheme(character: character, start: start, end: end, kind: kind(character)))
      start = end
    }
    return result
  }

  private static func kind(_ character: Character) -> Kind {
    guard let scalar = character.unicodeScalars.first else { return .other }
    switch scalar {
    case "'", "’", "·", ":", ",", ";": return .joiner
    case ".": return .end
    case "!", "?", "。", "！", "？": return .end
    case "_": return .word
    default: break
    }
    if character.isWhitespace { return .space }
    switch scalar.value {
    case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x9FFF,
      0xF900...0xFAFF, 0x20000...0x3FFFF:
      return .single
    default: break
    }
    if character.isNumber { return .number }
    if character.isLetter || scalar.properties.isAlphabetic { return .word }
    // Users select an emoji like a word.
    if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") {
      return .single
    }
    return .other
  }
}
