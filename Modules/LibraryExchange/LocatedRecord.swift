import Anchoring
import Interchange
import MarkdownParse
import Model
import Workspace

/// An imported record for which a location in a document is being determined.
struct LocatedRecord {
  var incoming: IncomingRecord
  /// The selector of the passage, with a UTF-16 position.
  var selector: Selector
  /// The location found so far; `orphan` until a location is found.
  var anchor = Anchor.orphan

  var record: AnnotationRecord { incoming.record }

  init(_ incoming: IncomingRecord, selector: Selector) {
    (self.incoming, self.selector) = (incoming, selector)
  }

  /// The minimum score at which an edited quote without context is accepted as the intended
  /// passage.
  private static let meantScore = 0.95

  /// Sets the location that the anchorer found.
  ///
  /// Applications that export no context often change the spelling of a passage or misread a
  /// letter. If the text has only one candidate, such a difference is not regarded as an edit, so
  /// the location counts as exact.
  mutating func settle(at found: Anchor) {
    anchor = found
    if record.prefix.isEmpty, record.suffix.isEmpty, Self.isIntended(found) {
      anchor.state = .exact
    }
  }

  /// Whether the location of a quote without context is reliable.
  static func isIntended(_ anchor: Anchor) -> Bool {
    [.exact, .moved].contains(anchor.state)
      || anchor.state == .edited && anchor.score >= meantScore
  }

  /// Returns the selector to store. If the location is exact, the selector is made from the
  /// document's own text, including the context.
  func passage(in text: AnchorText, _ digest: ContentDigest) -> Selector {
    guard anchor.state == .exact, let range = anchor.range else { return selector }
    return Selector(
      selecting: range, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion)
  }

  /// Checks whether the text at the record's position equals the quote and its surroundings equal
  /// the record's context. If so, sets the location to that position and returns true. O(passage).
  mutating func isVerbatim(in text: AnchorText) -> Bool {
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

/// The highlights of a document during an import, to recognise records that the document already
/// contains.
///
/// Each highlight matches at most one record, apart from identical copies of that record. Records
/// with different positions are different highlights.
struct PresentHighlights {
  private struct Key: Hashable {
    var color: HighlightColor
    var note: String
    var range: TextRange?
    /// The text of the highlight if it has no location, otherwise nil.
    var words: String?
  }

  private struct RecordKey: Hashable {
    var key: Key
    var position: AnnotationRecord.Position?
    var quote: [String]
  }

  /// The number of highlights with each key that no record has matched yet.
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

  /// Excludes a highlight from matching, because a record refers to it by its key.
  mutating func remove(_ highlight: Highlight) {
    let key = Self.key(highlight)
    if let count = free[key], count > 0 { free[key] = count - 1 }
  }

  /// Returns whether a record is already in the library or occurred earlier in this import.
  /// Expected O(1).
  mutating func claim(_ located: LocatedRecord) -> Bool {
    let (record, range) = (located.record, located.anchor.range)
    let key = Key(
      color: record.color, note: record.note, range: range,
      words: range == nil ? located.selector.exact : nil)
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
