package import Model

/// Markdown with marks around passages, which become highlights in a book.
///
/// ```swift
/// var text = MarkedMarkdown()
/// text.append(Array("A quick fox".utf8), [(2..<7, .init(color: .green, comment: "[G] Why?"))])
/// let book = try await Pandoc().convert(text, to: .epub, title: "Fox", author: "")
/// ```
///
/// A mark is a character for private use of plane 15. It is inside of the markup around the passage,
/// so that the text is parsed as before.
package struct MarkedMarkdown: Sendable {
  package struct Passage: Sendable {
    package var color: HighlightColor
    /// The text of its footnote; nil for none.
    package var comment: String?

    package init(color: HighlightColor, comment: String?) {
      (self.color, self.comment) = (color, comment)
    }
  }

  /// A mark in a text: the start or the end of the passage with an index.
  enum Mark: Hashable {
    case start(Int)
    case end(Int)

    init?(_ scalar: Unicode.Scalar) {
      guard scalar.value >= MarkedMarkdown.first, scalar.value < MarkedMarkdown.first + 0xFFFE
      else {
        return nil
      }
      let number = Int(scalar.value - MarkedMarkdown.first)
      self = number % 2 == 0 ? .start(number / 2) : .end(number / 2)
    }

    var bytes: [UInt8] {
      let number =
        switch self {
        case .start(let index): 2 * index
        case .end(let index): 2 * index + 1
        }
      return Array(String(Unicode.Scalar(MarkedMarkdown.first + UInt32(number))!).utf8)
    }
  }

  private static let first: UInt32 = 0xF0000
  /// The maximum number of passages: each takes two of the characters.
  private static let limit = 0x7FFF

  /// The Markdown with the marks.
  package private(set) var bytes: [UInt8] = []
  private(set) var passages: [Passage] = []

  package init() {}

  /// Appends a document after an empty line, with its passages.
  ///
  /// - Parameter passages: the passages with their bytes of `source`.
  /// - Returns: the number of passages that are not marked, because the document itself uses the
  ///   characters of marks, or because there are too many.
  package mutating func append(
    _ source: [UInt8], _ passages: [(bytes: Range<Int>, passage: Passage)]
  ) -> Int {
    if !bytes.isEmpty { bytes += "\n\n".utf8 }
    let isOccupied = zip(source, source.dropFirst()).contains { $0 == 0xF3 && $1 >= 0xB0 }
    let marked = isOccupied ? [] : passages.prefix(Self.limit - self.passages.count)
    var marks: [(offset: Int, mark: Mark)] = []
    for (index, passage) in marked.enumerated() {
      marks.append((passage.bytes.upperBound, .end(self.passages.count + index)))
    }
    for (index, passage) in marked.enumerated() {
      marks.append((passage.bytes.lowerBound, .start(self.passages.count + index)))
    }
    self.passages += marked.map(\.passage)
    var position = 0
    // At an offset, passages end before others start. The sort is stable.
    for (offset, mark) in marks.sorted(by: { $0.offset < $1.offset }) {
      bytes += source[position..<offset]
      bytes += mark.bytes
      position = offset
    }
    bytes += source[position...]
    return passages.count - marked.count
  }
}
