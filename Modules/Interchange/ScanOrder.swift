/// What `diple-ocr` is asked to read, as JSON.
package struct ScanOrder: Codable, Hashable, Sendable {
  /// The absolute path of the picture.
  package var path: String
  /// The languages of the text as Tesseract names them: `eng+deu`.
  package var languages: String

  package init(_ path: String, languages: String) {
    (self.path, self.languages) = (path, languages)
  }

  /// The file with the order, in the folder that `diple-ocr` is given.
  package static let fileName = "order.json"
  package static let sizeLimit = 1 << 16
  /// The most bytes of a picture, and the most points.
  package static let pictureLimit = 64 << 20
  package static let mostPoints = 80_000_000
  /// How many seconds it may take.
  package static let seconds = 120
}

/// The words of a picture: what `diple-ocr` answers as JSON, and what is kept beside the picture.
package struct ScannedPage: Codable, Hashable, Sendable {
  /// A word, in the order of reading.
  package struct Word: Codable, Hashable, Sendable {
    package var text: String
    /// How sure it is, in percent.
    package var confidence: Double
    /// Its corners in points of the picture as it is stored, from its upper left one as it is read:
    /// x and y of four.
    package var corners: [Double]
    /// The numbers of its line and its paragraph on the page, from 0.
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
  /// The size of the picture, in points.
  package var width = 0
  package var height = 0
  /// By how many quarters it was turned clockwise to be read, and by how many degrees then.
  package var quarters = 0
  package var angle = 0.0
  package var languages = ""

  package init() {}

  /// How sure the words are, in percent, each by its length.
  package var confidence: Double {
    let letters = words.reduce(0) { $0 + $1.text.count }
    guard letters > 0 else { return 0 }
    return words.reduce(0.0) { $0 + $1.confidence * Double($1.text.count) } / Double(letters)
  }

  /// Why the page was probably not read right; nil where nothing says so. The confidence alone does
  /// not tell: Tesseract is sure of much that is wrong.
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

  /// The words of a range as text: a line feed between paragraphs, words that a line's end divides made
  /// whole.
  ///
  /// - Parameter range: places in `words`.
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

  /// Whether two words at a line's end and start are one: `high-` and `lighter`.
  private static func isDivided(_ first: String, _ second: String) -> Bool {
    guard let hyphen = first.last, "-\u{AD}\u{2010}¬".contains(hyphen),
      first.dropLast().last?.isLetter == true
    else { return false }
    return second.first?.isLowercase == true
  }

  /// The range that a person names: `12..45` by numbers from 1, or the first and the last word, each of
  /// which may be several words: `honest..states`. Upper and lower case and marks around words make no
  /// difference.
  ///
  /// - Returns: nil where there is no such range, or its first words stand there several times.
  package func range(_ text: String) -> Range<Int>? {
    guard let dots = text.firstRange(of: "..") ?? text.firstRange(of: "…") else { return nil }
    let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
    if let start = Int(first), let end = Int(last) {
      let (low, high) = (min(start, end), max(start, end))
      return low >= 1 && high <= words.count ? low - 1..<high : nil
    }
    let folded = words.map { Self.folded($0.text) }
    func places(of text: Substring, from start: Int) -> [Range<Int>] {
      let wanted = text.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
      guard !wanted.isEmpty, wanted.count <= folded.count - start else { return [] }
      return (start...(folded.count - wanted.count)).lazy
        .map { $0..<$0 + wanted.count }.filter { folded[$0].elementsEqual(wanted) }
    }
    let starts = places(of: first, from: 0)
    guard starts.count == 1, let end = places(of: last, from: starts[0].lowerBound).first else {
      return nil
    }
    return starts[0].lowerBound..<end.upperBound
  }

  private static func folded(_ word: String) -> String {
    let inner = word.lowercased().drop { !$0.isLetter && !$0.isNumber }
    return String(inner.reversed().drop { !$0.isLetter && !$0.isNumber }.reversed())
  }
}

/// What `diple-ocr` answers, as JSON.
package struct ScanAnswer: Codable, Hashable, Sendable {
  package var problem: FetchAnswer.Problem?
  package var page: ScannedPage?

  package init(_ page: ScannedPage) { self.page = page }
  package init(problem: FetchAnswer.Problem) { self.problem = problem }

  package static let fileName = "answer.json"
  package static let sizeLimit = 64 << 20
  /// The most words of a page.
  package static let mostWords = 50_000
}
