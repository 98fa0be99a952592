package import Model

/// Markdown with marks around passages, which become highlights in a book.
///
/// ```swift
/// var text = MarkedMarkdown()
/// text.append(Array("A quick fox".utf8), [(2..<7, .init(color: .green, comment: "[G] Why?"))])
/// let book = try await Pandoc().convert(text, to: .epub, title: "Fox", author: "")
/// ```
///
/// A mark is a ``PassageMark``. It is inside of the markup around the passage, so that the text is
/// parsed as before.
package struct MarkedMarkdown: Sendable {
  package struct Passage: Sendable {
    package var color: HighlightColor
    /// The text of its footnote; nil for none.
    package var comment: String?

    package init(color: HighlightColor, comment: String?) {
      (self.color, self.comment) = (color, comment)
    }
  }

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
    let marked = isOccupied ? [] : passages.prefix(PassageMark.limit - self.passages.count)
    var marks: [(offset: Int, mark: PassageMark)] = []
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
      bytes += String(mark.scalar).utf8
      position = offset
    }
    bytes += source[position...]
    return passages.count - marked.count
  }
}
