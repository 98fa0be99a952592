import MarkdownParse
import Model
import RichText

extension HTMLWriter {
  /// A stretch of a leaf with one format.
  struct FormatPiece {
    var range: Range<Int>
    /// What it has of its own, and what the style of its paragraph says.
    var own: AttributeSet<CharacterAttribute>
    var style: AttributeSet<CharacterAttribute>
    /// The style, where no element around it has its class.
    var letters: StyleID?
  }

  /// The stretches of a leaf; none without a format. No character is divided in its halves: it has the
  /// format of the first.
  ///
  /// - Parameter isShaped: whether paragraphs have shapes: not in cells of tables, nor in code.
  func formatPieces(in range: Range<Int>, isShaped: Bool) -> [FormatPiece] {
    guard let format else { return [] }
    let units = document.text.utf16
    var pieces: [FormatPiece] = []
    var start = range.lowerBound
    format.format.forEachStretch(in: range) { part, own, style in
      var end = part.upperBound
      if end < range.upperBound, UTF16.isTrailSurrogate(units[end]) { end += 1 }
      if start < end {
        var piece = FormatPiece(range: start..<end, own: own, style: style)
        if !isShaped { piece.letters = format.format.style(at: part.lowerBound) }
        pieces.append(piece)
      }
      start = max(start, end)
    }
    return pieces
  }

  /// The paragraphs of a leaf that has several, of which some have attributes; none for other leaves.
  func parts(of range: Range<Int>) -> [Range<Int>] {
    guard let format, format.format.hasParagraphs else { return [] }
    var hasShape = false
    format.format.layer.paragraphs.forEach(in: range) { _, set in
      hasShape = hasShape || !set.isEmpty
    }
    guard hasShape else { return [] }
    let units = document.text.utf16
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    for place in range where AttributedText.isTerminator(units[place]) {
      let next = place + 1 < units.count ? units[place + 1] : 0
      if units[place] == 13, next == 10 { continue }
      parts.append(start..<place + 1)
      start = place + 1
    }
    if parts.isEmpty { return [] }
    return start < range.upperBound ? parts + [start..<range.upperBound] : parts
  }

  /// Begins a paragraph of a leaf.
  mutating func beginPart(_ place: Int) {
    let name = format?.partClass() ?? ""
    let names = format?.paragraph(at: place) ?? ""
    piece.write("<span class=\"\(names.isEmpty ? name : name + " " + names)\">")
  }

  /// Attributes with further classes.
  static func adding(_ names: String, to attributes: String) -> String {
    if names.isEmpty { return attributes }
    guard let place = attributes.firstRange(of: " class=\"") else {
      return attributes + " class=\"\(names)\""
    }
    return attributes.inserting(names + " ", at: place.upperBound)
  }
}

extension String {
  /// The string with another one inserted.
  fileprivate func inserting(_ text: String, at place: Index) -> String {
    self[..<place] + text + self[place...]
  }
}
