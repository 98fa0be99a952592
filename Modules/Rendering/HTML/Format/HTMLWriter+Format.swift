import MarkdownParse
import Model
import RichText

extension HTMLWriter {
  /// A range of a leaf with one format.
  struct FormatPiece {
    var range: Range<Int>
    /// The attributes of the text itself.
    var direct: AttributeSet<CharacterAttribute>
    /// The attributes of the paragraph's style.
    var style: AttributeSet<CharacterAttribute>
    /// The paragraph's style, if its character attributes must be set on this piece; nil if an
    /// enclosing element has the class of the style.
    var letters: StyleID?
  }

  /// Divides a leaf into ranges of constant format. Empty if the document has no format. A
  /// surrogate pair isn't divided; it has the format of its first unit.
  ///
  /// - Parameter isShaped: whether the paragraphs of the leaf have a layout. Paragraphs in table
  ///   cells and code don't.
  func formatPieces(in range: Range<Int>, isShaped: Bool) -> [FormatPiece] {
    guard let format else { return [] }
    let units = document.text.utf16
    var pieces: [FormatPiece] = []
    var start = range.lowerBound
    format.format.forEachStretch(in: range) { part, direct, style in
      var end = part.upperBound
      if end < range.upperBound, UTF16.isTrailSurrogate(units[end]) { end += 1 }
      if start < end {
        var piece = FormatPiece(range: start..<end, direct: direct, style: style)
        if !isShaped { piece.letters = format.format.style(at: part.lowerBound) }
        pieces.append(piece)
      }
      start = max(start, end)
    }
    return pieces
  }

  /// Returns the ranges of the paragraphs into which a leaf is divided. Empty if it isn't divided,
  /// or if none of its paragraphs has attributes.
  func parts(of range: Range<Int>) -> [Range<Int>] {
    guard let format, format.format.hasParagraphs(in: range) else { return [] }
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

  /// Begins one of several paragraphs of a leaf.
  mutating func beginPart(_ place: Int) {
    let name = format?.partClass() ?? ""
    let names = format?.paragraph(at: place) ?? ""
    piece.write("<span class=\"\(names.isEmpty ? name : name + " " + names)\">")
  }

  /// Returns HTML attributes with additional classes, which are separated by spaces.
  static func adding(_ names: String, to attributes: String) -> String {
    if names.isEmpty { return attributes }
    guard let place = attributes.firstRange(of: " class=\"") else {
      return attributes + " class=\"\(names)\""
    }
    return attributes.inserting(names + " ", at: place.upperBound)
  }
}

extension String {
  /// Returns the string with another one inserted.
  fileprivate func inserting(_ text: String, at place: Index) -> String {
    self[..<place] + text + self[place...]
  }
}
