import Model

/// A quote or a part of it, with the parts that are code.
package struct Passage: Hashable, Sendable {
  package var text: String
  /// The parts that are code, in bytes of the text, in order.
  package var code: [Range<Int>]

  /// Creates the passage of a quote. Removes blanks at both ends and control characters except
  /// tabs, and joins consecutive line breaks.
  ///
  /// - Parameter code: the parts of the quote that are code, in UTF-16 units, in order. Parts
  ///   outside the quote are ignored.
  init(_ quote: String, code parts: [Range<Int>]) {
    (text, code) = ("", [])
    var parts = parts[...]
    var place = 0
    for character in quote {
      while let first = parts.first, first.upperBound <= place { parts.removeFirst() }
      let isCode = parts.first.map { $0.lowerBound <= place } ?? false
      place += character.utf16.count
      let start = text.utf8.count
      if character.isNewline {
        if text.isEmpty || text.last == "\n" { continue }
        text += "\n"
      } else if text.isEmpty, character.isWhitespace {
        continue
      } else {
        text.unicodeScalars += character.unicodeScalars.filter {
          $0 == "\t" || $0.properties.generalCategory != .control
        }
      }
      guard isCode else { continue }
      let end = text.utf8.count
      if let last = code.last, last.upperBound == start {
        code[code.count - 1] = last.lowerBound..<end
      } else if end > start {
        code.append(start..<end)
      }
    }
    self = part(0..<text.utf8.count)
  }

  private init(text: String, code: [Range<Int>]) { (self.text, self.code) = (text, code) }

  /// Returns a part, without blanks at both ends.
  ///
  /// - Parameter bytes: the part in bytes, between characters.
  func part(_ bytes: Range<Int>) -> Passage {
    let start = text.utf8.index(text.startIndex, offsetBy: bytes.lowerBound)
    let end = text.utf8.index(start, offsetBy: bytes.count)
    let part = text[start..<end]
    let body = part.drop(while: \.isWhitespace)
    let trimmed = String(body).trimmed
    let first = text.utf8.distance(from: text.startIndex, to: body.startIndex)
    let kept = first..<first + trimmed.utf8.count
    return Passage(
      text: trimmed,
      code: code.filter { $0.overlaps(kept) }.map {
        let shown = $0.clamped(to: kept)
        return shown.lowerBound - first..<shown.upperBound - first
      })
  }
}
