/// The input of `diple-ocr`, which recognizes the text of a picture, as JSON.
package struct ScanOrder: Codable, Hashable, Sendable {
  /// The absolute path of the picture.
  package var path: String
  /// The languages of the text by their Tesseract names, joined by `+`: `eng+deu`.
  package var languages: String

  package init(_ path: String, languages: String) {
    (self.path, self.languages) = (path, languages)
  }

  /// The name of the order's file in the folder that is passed to `diple-ocr`, and its largest size
  /// in bytes.
  package static let fileName = "order.json"
  package static let sizeLimit = 1 << 16
  /// The maximum size of a picture in bytes, and its maximum number of pixels.
  package static let pictureLimit = 64 << 20
  package static let mostPoints = 80_000_000
  /// The maximum time of recognition, in seconds.
  package static let seconds = 120
}

/// The recognized words of a picture. `diple-ocr` returns them as JSON, and they are stored beside
/// the picture.
///
/// ```swift
/// let words = page.range("honest..states")  // from the word “honest” to the word “states”
/// words.map { page.text(of: $0) }
/// ```
package struct ScannedPage: Codable, Hashable, Sendable {
  /// A recognized word. Words are in reading order.
  package struct Word: Codable, Hashable, Sendable {
    package var text: String
    /// The confidence in percent.
    package var confidence: Double
    /// The four corners as x and y in pixels of the stored picture, starting with the corner that
    /// is upper left when the text is upright.
    package var corners: [Double]
    /// The indexes of the word's line and paragraph on the page, from 0.
    package var line: Int
    package var paragraph: Int

    package init(
      _ text: String, confidence: Double, corners: [Double] = [], line: Int, paragraph: Int
    ) {
      (self.text, self.confidence, self.corners) = (text, confidence, corners)
      (self.line, self.paragraph) = (line, paragraph)
    }
  }

  package var words: [Word] = []
  /// The size of the picture in pixels.
  package var width = 0
  package var height = 0
  /// The rotation that made the text upright: clockwise quarter turns, and then an angle in
  /// degrees.
  package var quarters = 0
  package var angle = 0.0
  package var languages = ""

  package init() {}

  /// The average confidence of the words in percent, weighted by their lengths; 0 without words.
  package var confidence: Double {
    let letters = words.reduce(0) { $0 + $1.text.count }
    guard letters > 0 else { return 0 }
    return words.reduce(0.0) { $0 + $1.confidence * Double($1.text.count) } / Double(letters)
  }

  /// The reason why the page was probably misread; nil if nothing indicates that. Confidence alone
  /// does not show it, because Tesseract is confident about many wrong words.
  package var doubt: String? {
    let sure = confidence
    if sure < 65 { return "the words are doubtful (\(Int(sure.rounded())) %)" }
    let telling = words.filter { $0.text.contains { $0.isLetter || $0.isNumber } }
    if telling.count * 4 < words.count * 3 { return "much of it is signs and not words" }
    if angle.magnitude > 18 { return "it is turned by \(Int(angle.magnitude.rounded()))°" }
    let single = telling.count { $0.text.count { $0.isLetter || $0.isNumber } == 1 }
    if telling.count >= 20, single * 3 > telling.count { return "much of it is single letters" }
    return nil
  }

  /// Returns the text of some words, with a line feed between paragraphs. Words that are hyphenated
  /// at the end of a line are joined.
  ///
  /// - Parameter range: indexes in `words`.
  package func text(of range: Range<Int>) -> String {
    var text = ""
    for index in range {
      let word = words[index]
      guard index > range.lowerBound else {
        text = word.text
        continue
      }
      let before = words[index - 1]
      if word.paragraph != before.paragraph {
        text += "\n" + word.text
      } else if word.line != before.line, Self.isDivided(before.text, word.text) {
        text.removeLast()
        text += word.text
      } else {
        text += " " + word.text
      }
    }
    return text
  }

  /// Returns whether the last word of a line and the first of the next are one word: `high-` and
  /// `lighter`.
  private static func isDivided(_ first: String, _ second: String) -> Bool {
    guard let hyphen = first.last, "-\u{AD}\u{2010}¬".contains(hyphen),
      first.dropLast().last?.isLetter == true
    else { return false }
    return second.first?.isLowercase == true
  }

  /// Returns the range that the user names: by word numbers from 1 (`12..45`), or by its first and
  /// last words (`honest..states`), each of which may be several words. Case and punctuation around
  /// words are ignored.
  ///
  /// - Returns: nil if there is no such range, or its first words occur more than once.
  package func range(_ text: String) -> Range<Int>? {
    guard let (first, last) = Self.ends(of: text) else { return nil }
    if let start = Int(first), let end = Int(last) {
      let (low, high) = (min(start, end), max(start, end))
      return low >= 1 && high <= words.count ? low - 1..<high : nil
    }
    let starts = occurrences(of: first)
    guard starts.count == 1, let end = occurrences(of: last, from: starts[0].lowerBound).first
    else {
      return nil
    }
    return starts[0].lowerBound..<end.upperBound
  }

  /// Returns the numbers, from 1, of the words at which the first words of a range occur; nil if
  /// the text has no dots.
  package func numbers(ofStart text: String) -> [Int]? {
    guard let (first, _) = Self.ends(of: text) else { return nil }
    return occurrences(of: first).map { $0.lowerBound + 1 }
  }

  /// Returns the parts of a range's text before and after its dots; nil without dots.
  private static func ends(of text: String) -> (first: Substring, last: Substring)? {
    guard let dots = text.firstRange(of: "..") ?? text.firstRange(of: "…") else { return nil }
    return (text[..<dots.lowerBound], text[dots.upperBound...])
  }

  /// Returns the ranges of words that match one or several words, from the index `start`.
  private func occurrences(of text: Substring, from start: Int = 0) -> [Range<Int>] {
    let folded = words.map { Self.folded($0.text) }
    let wanted = text.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
    guard !wanted.isEmpty, wanted.count <= folded.count - start else { return [] }
    return (start...(folded.count - wanted.count)).lazy
      .map { $0..<$0 + wanted.count }.filter { folded[$0].elementsEqual(wanted) }
  }

  private static func folded(_ word: String) -> String {
    let inner = word.lowercased().drop { !$0.isLetter && !$0.isNumber }
    return String(inner.reversed().drop { !$0.isLetter && !$0.isNumber }.reversed())
  }
}

/// The output of `diple-ocr`, as JSON.
package struct ScanAnswer: Codable, Hashable, Sendable {
  package var problem: FetchAnswer.Problem?
  package var page: ScannedPage?

  package init(_ page: ScannedPage) { self.page = page }
  package init(problem: FetchAnswer.Problem) { self.problem = problem }

  package static let fileName = "answer.json"
  package static let sizeLimit = 64 << 20
  /// The maximum number of words of a page.
  package static let mostWords = 50_000
}
