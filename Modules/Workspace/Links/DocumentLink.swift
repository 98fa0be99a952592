import Editing
import MarkdownParse
package import Model
package import SystemSupport

/// A link in a document, with the place that it leads to.
package struct DocumentLink: Hashable, Sendable {
  /// The document that contains the link; nil if its file is in no library.
  package var document: Document?
  /// The target as written; the names of notes are in double brackets.
  package var destination: String
  /// Whether the text only links to the target or shows it.
  package var kind: Kind
  /// The words of the link in the rendered text.
  package var range: TextRange
  /// The start of the link in the source.
  package var position: LinePosition
  /// The words on one line, shortened if they are very long.
  package var words: String
  /// The sentence around the link, on one line. A long sentence is cut around the words.
  package var sentence: String
  /// The place that the link leads to; nil if it is broken.
  package var target: Target?
  /// The reason why the link is broken; nil if it has a target.
  package var problem: UserError?

  /// The kinds of links.
  package enum Kind: String, Hashable, Sendable, Codable {
    case link
    /// A picture, such as `![](a.png)`.
    case picture
    /// Another note, or a part of it, that is shown in place: `![[note]]`.
    case embed
  }

  /// The target of a link.
  package enum Target: Hashable, Sendable {
    /// An address with a scheme.
    case address(String)
    /// A file or folder that is not a document of the library, by its absolute path.
    case file(String)
    /// A document, or a part of it with its range in the rendered text.
    case document(Document, LinkPart?, TextRange?)
  }
}

/// A link in the text of one file, before its target is known.
struct LinkOccurrence {
  var destination: String
  var kind: DocumentLink.Kind
  var range: TextRange
  var position: LinePosition
  var words: String
  var sentence: String

  /// The maximum number of UTF-16 units before and after the words in which the sentence is found.
  private static let mostAround = 200

  /// Returns the links of a document for which `isWanted` returns true, in the order of the text.
  /// O(text).
  static func all(in document: ParsedDocument, where isWanted: (String) -> Bool)
    -> [LinkOccurrence]
  {
    let lines = document.sourceLines
    var found: [LinkOccurrence] = []
    for block in document.blocks where block.firstChild < 0 {
      for inline in document.inlines[block.inlines] {
        let (index, isImage): (Int, Bool)
        switch inline.kind {
        case .link(let link): (index, isImage) = (link, false)
        case .image(let link): (index, isImage) = (link, true)
        default: continue
        }
        let link = document.links[index]
        guard isWanted(link.target) else { continue }
        found.append(
          LinkOccurrence(
            destination: link.target, kind: !isImage ? .link : link.isNote ? .embed : .picture,
            range: inline.text,
            position: lines.position(of: inline.source.bytes.lowerBound),
            words: words(inline.text, of: document),
            sentence: sentence(around: inline.text, in: block.text, of: document)))
      }
    }
    return found
  }

  private static func words(_ range: TextRange, of document: ParsedDocument) -> String {
    let end = Graphemes.border(
      at: min(range.utf16.upperBound, range.utf16.lowerBound + mostAround),
      orBefore: document.text.utf16)
    let words = document.text.substring(TextRange(utf16: range.utf16.lowerBound..<end)).oneLine
    return end < range.utf16.upperBound ? words + "…" : words
  }

  private static func sentence(
    around words: TextRange, in block: TextRange, of document: ParsedDocument
  ) -> String {
    let (lower, upper) = (words.utf16.lowerBound, words.utf16.upperBound)
    var start = max(block.utf16.lowerBound, lower - mostAround)
    var end = min(block.utf16.upperBound, min(upper, lower + mostAround) + mostAround)
    let units = document.text.utf16
    // A cut inside a word, or a grapheme, moves to the next space.
    if start > block.utf16.lowerBound {
      start = units[start..<lower].firstIndex(where: isSpace).map { $0 + 1 } ?? lower
    }
    if end < block.utf16.upperBound {
      end = units[min(upper, end)..<end].lastIndex(where: isSpace) ?? min(upper, end)
    }
    let piece = Array(units[start..<end])
    let place = lower - start
    let sentence =
      PropertySegmenter().sentences(in: piece).first {
        $0.utf16.contains(place) || $0.utf16.lowerBound >= place
      } ?? TextRange(utf16: 0..<piece.count)
    let text = String(units: piece[sentence.utf16]).oneLine
    let isCutBefore = sentence.utf16.lowerBound == 0 && start > block.utf16.lowerBound
    let isCutAfter = sentence.utf16.upperBound == piece.count && end < block.utf16.upperBound
    return (isCutBefore ? "…" : "") + text + (isCutAfter ? "…" : "")
  }

  private static func isSpace(_ unit: UInt16) -> Bool { unit == 32 || unit == 10 || unit == 9 }
}
