import Interchange
import Model

/// A quote or a part of it, with the parts that are code.
package struct Passage: Hashable, Sendable {
  package var text: String
  /// The parts that are code, in bytes of the text, in order.
  package var code: [Range<Int>]

  /// Creates the passage of a quote. Removes blanks at both ends and control characters, and joins
  /// consecutive line breaks. Code keeps its lines: only blanks that all lines of a block begin
  /// with are removed, at most one empty line follows another line, and tabs become spaces.
  ///
  /// - Parameter code: the parts of the quote that are code, in UTF-16 units, in order. Parts
  ///   outside the quote are ignored.
  init(_ quote: String, code parts: [Range<Int>]) {
    (text, code) = ("", [])
    var lines = Self.lines(of: quote, code: parts)
    Self.trim(&lines)
    for line in lines.indices {
      if line > 0 {
        let isCode = lines[line].isCode && lines[line - 1].isCode
        append("\n", isCode: isCode)
      }
      for (character, isCode) in lines[line].characters { append(character, isCode: isCode) }
    }
  }

  private init(text: String, code: [Range<Int>]) { (self.text, self.code) = (text, code) }

  private mutating func append(_ character: Character, isCode: Bool) {
    let start = text.utf8.count
    text.append(character)
    guard isCode else { return }
    let end = text.utf8.count
    if let last = code.last, last.upperBound == start {
      code[code.count - 1] = last.lowerBound..<end
    } else if end > start {
      code.append(start..<end)
    }
  }

  // MARK: - Lines

  private struct SourceLine {
    var characters: [(Character, isCode: Bool)] = []
    /// Whether the line break after the line is code.
    var endsInCode = false
    /// Whether the line is a line of code, or an empty line within code.
    var isCode = false

    var isBlank: Bool { characters.allSatisfy(\.0.isWhitespace) }
    var indentation: Int { characters.prefix { $0.0.isWhitespace }.count }
  }

  /// Splits a quote into lines without control characters.
  private static func lines(of quote: String, code parts: [Range<Int>]) -> [SourceLine] {
    var lines = [SourceLine()]
    var parts = parts[...]
    var place = 0
    for character in quote {
      while let first = parts.first, first.upperBound <= place { parts.removeFirst() }
      let isCode = parts.first.map { $0.lowerBound <= place } ?? false
      place += character.utf16.count
      if character.isNewline {
        lines[lines.count - 1].endsInCode = isCode
        lines.append(SourceLine())
      } else if isCode, character == "\t" {
        let column = lines[lines.count - 1].characters.count
        for _ in 0..<tabWidth - column % tabWidth {
          lines[lines.count - 1].characters.append((" ", true))
        }
      } else {
        let kept = character.unicodeScalars.filter {
          $0 == "\t" || $0.properties.generalCategory != .control
        }
        let text = String(String.UnicodeScalarView(kept))
        lines[lines.count - 1].characters += text.map { ($0, isCode) }
      }
    }
    for index in lines.indices {
      let letters = lines[index].characters.filter { !$0.0.isWhitespace }
      lines[index].isCode =
        letters.isEmpty
        ? index > 0 && lines[index - 1].endsInCode && lines[index].endsInCode
        : letters.allSatisfy(\.isCode)
    }
    return lines
  }

  private static let tabWidth = 4

  /// Removes empty lines and blanks that say nothing.
  private static func trim(_ lines: inout [SourceLine]) {
    var kept: [SourceLine] = []
    for line in lines {
      if line.isBlank {
        // An empty line separates two lines of code.
        guard line.isCode, let last = kept.last, last.isCode, !last.isBlank else { continue }
        kept.append(SourceLine(isCode: true))
      } else {
        if !line.isCode, kept.last?.isBlank == true { kept.removeLast() }
        kept.append(line)
      }
    }
    if kept.last?.isBlank == true { kept.removeLast() }
    for index in kept.indices where kept[index].isCode || index == kept.indices.last {
      while kept[index].characters.last?.0.isWhitespace == true {
        kept[index].characters.removeLast()
      }
    }
    if let first = kept.first, !first.isCode { kept[0].characters.removeFirst(first.indentation) }
    // The common indentation of each block of code.
    var index = 0
    while index < kept.count {
      var end = index
      while end < kept.count, kept[end].isCode { end += 1 }
      let common = kept[index..<end].filter { !$0.isBlank }.map(\.indentation).min() ?? 0
      for line in index..<end where !kept[line].isBlank {
        kept[line].characters.removeFirst(common)
      }
      index = max(end, index + 1)
    }
    lines = kept
  }

  // MARK: - Parts

  /// A paragraph or several, or one line of code.
  struct Block {
    /// The part of the text in bytes, without the line break at its end.
    var bytes: Range<Int>
    var isCode: Bool
  }

  /// The blocks of the text in order, without the line breaks between them. O(length).
  var blocks: [Block] {
    var blocks: [Block] = []
    func add(_ line: Range<Int>, hasCode: Bool, hasOther: Bool) {
      let isCode =
        hasCode && !hasOther
        // An empty line remains only within code.
        || line.isEmpty && blocks.last?.isCode == true
      if !isCode, let last = blocks.last, !last.isCode {
        blocks[blocks.count - 1].bytes = last.bytes.lowerBound..<line.upperBound
      } else {
        blocks.append(Block(bytes: line, isCode: isCode))
      }
    }
    var (start, count) = (0, 0)
    var (hasCode, hasOther) = (false, false)
    var parts = code[...]
    for (place, byte) in text.utf8.enumerated() {
      count = place + 1
      if byte == 0x0A {
        add(start..<place, hasCode: hasCode, hasOther: hasOther)
        (start, hasCode, hasOther) = (place + 1, false, false)
      } else if byte > 0x20 {
        while let first = parts.first, first.upperBound <= place { parts.removeFirst() }
        if let first = parts.first, first.lowerBound <= place {
          hasCode = true
        } else {
          hasOther = true
        }
      }
    }
    if start < count || blocks.isEmpty {
      add(start..<count, hasCode: hasCode, hasOther: hasOther)
    }
    return blocks
  }

  /// Whether the paragraphs are lines of verse: at least three short ones without code. A dialogue,
  /// whose paragraphs begin with quotation marks or dashes, is not verse.
  var isVerse: Bool {
    let lines = text.split(separator: "\n")
    guard code.isEmpty, lines.count > 2, lines.count < 200 else { return false }
    let isDense = [.japanese, .chinese].contains(QuoteScript(of: text))
    let speeches = lines.count { $0.first.map { "“„«»\"‘「『”–—-".contains($0) } == true }
    return speeches * 2 < lines.count
      && lines.allSatisfy { $0.count <= (isDense ? 30 : Self.longestVerse) }
  }

  /// The maximum number of characters of a line of verse.
  private static let longestVerse = 90

  /// The first character, if it is a quotation mark that begins the quote, in bytes. The
  /// apostrophes ’ and ' are none.
  var openingMark: Range<Int>? {
    guard code.first?.lowerBound != 0 else { return nil }
    var place = 0
    for scalar in text.unicodeScalars {
      let end = place + UTF8.width(scalar)
      switch scalar.properties.generalCategory {
      case .format: place = end
      case .initialPunctuation: return place..<end
      case .finalPunctuation where scalar != "’": return place..<end
      default: return "\"„‚「『〝＂｢".unicodeScalars.contains(scalar) ? place..<end : nil
      }
    }
    return nil
  }

  /// The quotation mark that begins the quote and the blanks after it, in bytes.
  var opening: Range<Int>? {
    openingMark.map { mark in
      let after = text.utf8.index(text.startIndex, offsetBy: mark.upperBound)
      let blanks = text[after...].prefix { $0.isWhitespace && !$0.isNewline }
      return mark.lowerBound..<mark.upperBound + blanks.utf8.count
    }
  }

  /// Returns the first byte from a place on that is shown at the start of a card: blanks are
  /// skipped, but not the indentation of a line of code.
  func start(from place: Int) -> Int {
    var index = text.utf8.index(text.startIndex, offsetBy: place)
    var lineStart = place == 0 || text[..<index].last?.isNewline == true ? index : nil
    while index < text.endIndex, text[index].isWhitespace {
      let isNewline = text[index].isNewline
      index = text.index(after: index)
      if isNewline { lineStart = index }
    }
    let start = text.utf8.distance(from: text.startIndex, to: index)
    guard let lineStart, code.contains(where: { $0.contains(start) }) else { return start }
    return text.utf8.distance(from: text.startIndex, to: lineStart)
  }

  /// Returns a part, without blanks at both ends, except the indentation of code.
  ///
  /// - Parameter bytes: the part in bytes, between characters.
  func part(_ bytes: Range<Int>) -> Passage {
    let first = min(start(from: bytes.lowerBound), bytes.upperBound)
    let start = text.utf8.index(text.startIndex, offsetBy: first)
    let end = text.utf8.index(text.startIndex, offsetBy: bytes.upperBound)
    var body = text[start..<end]
    while body.last?.isWhitespace == true { body.removeLast() }
    let kept = first..<first + body.utf8.count
    return Passage(
      text: String(body),
      code: code.filter { $0.overlaps(kept) }.map {
        let shown = $0.clamped(to: kept)
        return shown.lowerBound - first..<shown.upperBound - first
      })
  }
}
