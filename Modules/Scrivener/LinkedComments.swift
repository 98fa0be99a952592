import Articles
import Model
import RichText
import RichTextFormats

/// The comments and footnotes that a document's text links to.
struct LinkedComments {
  /// A comment or footnote.
  struct Comment {
    var text: AttributedText
    var isFootnote: Bool
    /// `0xRRGGBB`; nil if unknown.
    var color: UInt32?
  }

  private static let scheme = "scrivcmt://"
  private var comments: [String: Comment] = [:]

  /// Parses `content.comments`. Missing or invalid XML has no comments.
  init(_ bytes: [UInt8]?) {
    guard let bytes, let tree = try? XMLReader.read(bytes) else { return }
    for node in tree.descendants(of: MarkupTree.root) where tree.name(of: node) == "comment" {
      guard let id = tree.attribute("id", of: node) else { continue }
      let content = tree.rawText(of: node)
      let text =
        (try? RTFReader.read(Array(content.utf8)).text) ?? AttributedText(content.inOneLine)
      comments[id.uppercased()] = Comment(
        text: text, isFootnote: tree.attribute("footnote", of: node)?.lowercased() == "yes",
        color: tree.attribute("color", of: node).flatMap(Self.color))
    }
  }

  /// Converts three components from 0 to 1 to `0xRRGGBB`; nil if the text is invalid.
  private static func color(_ text: String) -> UInt32? {
    let parts = text.split(separator: " ").prefix(3).compactMap { Double($0) }
    guard parts.count == 3, parts.allSatisfy({ (0...1).contains($0) }) else { return nil }
    return parts.reduce(0) { $0 << 8 | UInt32(($1 * 255).rounded()) }
  }

  /// Removes the links to comments from a text, and inserts footnotes after their links.
  ///
  /// - Returns: the comments that aren't footnotes, with their ranges in the changed text.
  func apply(to document: inout RichDocument) -> [(range: Range<Int>, comment: Comment)] {
    var found: [(range: Range<Int>, id: String)] = []
    for (range, set) in document.text.characters.runs {
      guard case .link(let address)? = set[.link], address.lowercased().hasPrefix(Self.scheme)
      else { continue }
      let id = address.dropFirst(Self.scheme.utf8.count).uppercased()
      if let last = found.last, last.id == id, last.range.upperBound == range.utf16.lowerBound {
        found[found.count - 1].range = last.range.lowerBound..<range.utf16.upperBound
      } else {
        found.append((range.utf16, id))
      }
    }
    if found.isEmpty { return [] }
    for (range, _) in found { try? document.text.change(range, [.clear(.link)], limits: .files) }
    var places: [Int] = []
    var notes: [RichDocument.Note] = []
    var result: [(range: Range<Int>, comment: Comment)] = []
    for (range, id) in found {
      guard let comment = comments[id] else { continue }
      let shift = places.count
      if comment.isFootnote {
        var place = range.upperBound
        while place > range.lowerBound, AttributedText.isTerminator(document.text.units[place - 1])
        {
          place -= 1
        }
        places.append(place)
        notes.append(
          RichDocument.Note(kind: .footnote, offset: place + shift, text: comment.text))
      } else {
        result.append((range.lowerBound + shift..<range.upperBound + shift, comment))
      }
    }
    if !places.isEmpty { document.insertMarks(places, notes) }
    return result
  }
}

extension RichDocument {
  /// Inserts marks of notes at sorted offsets.
  fileprivate mutating func insertMarks(_ places: [Int], _ new: [Note]) {
    text.apply(
      places.map { TextEdit(range: TextRange(utf16: $0..<$0), replacement: "\u{FFFC}") })
    /// Returns an offset after the marks before it were inserted. With `including`, a mark at the
    /// offset counts too.
    func moved(_ offset: Int, including: Bool = true) -> Int {
      var (low, high) = (0, places.count)
      while low < high {
        let middle = (low + high) / 2
        if places[middle] < offset || including && places[middle] == offset {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return offset + low
    }
    for index in notes.indices { notes[index].offset = moved(notes[index].offset) }
    for index in images.indices { images[index].offset = moved(images[index].offset) }
    func moved(_ range: Range<Int>) -> Range<Int> {
      moved(range.lowerBound, including: false)..<moved(range.upperBound, including: false)
    }
    tableRows = tableRows.map(moved)
    for index in notes.indices { notes[index].range = notes[index].range.map(moved) }
    for index in highlights.indices { highlights[index].range = moved(highlights[index].range) }
    scrivenerMarks = scrivenerMarks.map { mark in
      ScrivenerMark(
        isParagraphStyle: mark.isParagraphStyle, style: mark.style,
        range: moved(mark.range.lowerBound, including: false)..<moved(mark.range.upperBound))
    }
    notes = (notes + new).sorted { $0.offset < $1.offset }
  }
}
