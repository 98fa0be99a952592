import Anchoring
import Interchange
import MarkdownParse
import Model

/// A record on its way into a document.
struct ImportArrival {
  var incoming: IncomingRecord
  /// What it says of its passage, in our units.
  var selector: Selector
  /// Its place.
  var anchor = Anchor.orphan

  var record: AnnotationRecord { incoming.record }

  init(_ incoming: IncomingRecord, selector: Selector) {
    (self.incoming, self.selector) = (incoming, selector)
  }

  /// From which score on the place of a quote without context is what the quote means.
  private static let meantScore = 0.95

  /// Takes the place that was found. A program that gives no context often spells a passage in its own
  /// way, or misreads a letter of it: when it can be no other, that is no edit, and the passage is
  /// what stands there.
  mutating func settle(at found: Anchor) {
    anchor = found
    if record.prefix.isEmpty, record.suffix.isEmpty, Self.isMeant(found) { anchor.state = .exact }
  }

  /// Whether the place of a quote without context is surely the one.
  static func isMeant(_ anchor: Anchor) -> Bool {
    [.exact, .moved].contains(anchor.state)
      || anchor.state == .edited && anchor.score >= meantScore
  }

  /// The passage from now on: where it is surely the one, it is followed by what stands there, context
  /// included.
  func passage(in text: AnchorText, _ digest: ContentDigest) -> Selector {
    guard anchor.state == .exact, let range = anchor.range else { return selector }
    return Selector(
      selecting: range, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion)
  }

  /// Whether the passage stands where the record says, between the words that it says: then that
  /// is its place. O(passage).
  mutating func stands(in text: AnchorText) -> Bool {
    guard record.position != nil, !(record.prefix.isEmpty && record.suffix.isEmpty) else {
      return false
    }
    let range = selector.position.utf16
    guard range.upperBound <= text.units.count,
      text.units[range].elementsEqual(selector.exact.utf16),
      text.units[..<range.lowerBound].reversed().starts(with: record.prefix.utf16.reversed()),
      text.units[range.upperBound...].starts(with: record.suffix.utf16)
    else { return false }
    anchor = Anchor(range: selector.position, state: .exact, score: 1, method: "imported")
    return true
  }
}

/// The highlights that a document has while others come in. Each is the twin of one record at most,
/// and of those that say exactly the same: records with different positions stay two.
struct PresentHighlights {
  private struct Key: Hashable {
    var color: HighlightColor
    var note: String
    var range: TextRange?
    /// The words, where there is no place.
    var words: String?
  }

  private struct RecordKey: Hashable {
    var key: Key
    var position: AnnotationRecord.Position?
    var quote: [String]
  }

  /// How many highlights of each kind nobody has claimed.
  private var free: [Key: Int] = [:]
  private var seen: Set<RecordKey> = []

  init(_ highlights: [Highlight]) {
    for highlight in highlights { free[Self.key(highlight), default: 0] += 1 }
  }

  private static func key(_ highlight: Highlight) -> Key {
    let range = highlight.anchor.range
    return Key(
      color: highlight.color, note: highlight.note, range: range,
      words: range == nil ? highlight.selector.exact : nil)
  }

  /// Says that a highlight is the twin of a record that names it.
  mutating func remove(_ highlight: Highlight) {
    let key = Self.key(highlight)
    if let count = free[key], count > 0 { free[key] = count - 1 }
  }

  /// Whether a record is in the library already, or came before. Expected O(1).
  mutating func claim(_ arrival: ImportArrival) -> Bool {
    let (record, range) = (arrival.record, arrival.anchor.range)
    let key = Key(
      color: record.color, note: record.note, range: range,
      words: range == nil ? arrival.selector.exact : nil)
    let isNew = seen.insert(
      RecordKey(
        key: key, position: record.position, quote: [record.quote, record.prefix, record.suffix])
    ).inserted
    if !isNew { return true }
    guard let count = free[key], count > 0 else { return false }
    free[key] = count - 1
    return true
  }
}
