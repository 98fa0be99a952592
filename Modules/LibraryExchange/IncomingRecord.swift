import Files
import FoundationEssentials
import Interchange
import Model
import SystemSupport
import Workspace

/// A record to import, with the keys by which it is recognised when it is imported again.
///
/// ```swift
/// var report = ImportReport()
/// let incoming = IncomingRecord.all(content.records, of: "kindle", &report)
/// report.skipped  // the records that are too long
/// ```
struct IncomingRecord {
  var record: AnnotationRecord
  /// The origin to store with the highlight. Its `passageDigest` is set later, when the passage is
  /// known.
  var origin: Origin
  /// The highlight that an earlier import created from this record; nil if the record is new.
  var match: Highlight?

  /// Whether the record is ``match`` itself, which another program changed in a file that Diple
  /// wrote.
  var isOwnChange = false

  /// The record's keys in its further scopes, such as the identifier of its file, which other
  /// highlights can share.
  private(set) var scopedKeys: [String] = []
  /// The key that the record had before its scopes were part of it, which highlights of other
  /// documents can share; nil if it has no scopes.
  private(set) var formerKey: String?

  /// The record's key, and the keys of its earlier versions in the source.
  var keys: [String] {
    ([origin.key] + (origin.earlierKeys ?? []).filter { !scopedKeys.contains($0) })
      .map { Origin.fullKey($0, of: origin.format) }
  }

  /// Returns whether a highlight with one of the record's ``scopedKeys`` or its ``formerKey`` was
  /// imported from the record, with the same words or more or less of them.
  func isSource(of highlight: Highlight) -> Bool {
    guard let old = highlight.origin?.origin else { return false }
    let (passage, quote) = (Self.folded(highlight.selector.exact), Self.folded(record.quote))
    // A word can be cut at the end of one of them.
    let isPart =
      !passage.isEmpty && !quote.isEmpty && (passage.contains(quote) || quote.contains(passage))
    let isAlike =
      isPart || old.quote == nil && old.quoteDigest == origin.quoteDigest
    if old.key != formerKey {
      let known = Set([old.key] + (old.earlierKeys ?? []))
      return isAlike && !known.isDisjoint(with: scopedKeys)
    }
    // The file is unknown only of a highlight that was imported when keys had no scopes.
    guard old.earlierKeys == nil else { return false }
    // A highlight whose values an annotation of another file with the same name replaced.
    if old.quote != nil, passage == quote { return true }
    return isAlike && (old.title, old.author) == (origin.title, origin.author)
  }

  /// Returns the words of a text in lower case, with spaces between them.
  private static func folded(_ text: String) -> String {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
  }

  /// A short name for messages: the identifier, or the first six words of the quote.
  var name: String {
    if !record.id.isEmpty { return record.id }
    let words = record.quote.split(whereSeparator: \.isWhitespace).prefix(6)
    return words.isEmpty ? "a highlight" : "'\(String(words.joined(separator: " ").prefix(60)))'"
  }

  /// Whether the record is unchanged since the last import, so that there is nothing to do.
  var isUnchanged: Bool {
    guard !isOwnChange, let match, let old = match.origin?.origin else { return false }
    let merge = OriginMerge(origin, record.note, from: old, onto: match)
    return merge.keepsHighlight && merge.conflicts.isEmpty && merge.origin == old
  }

  /// The changes that another program made to the highlight of this library in a file that Diple
  /// wrote, as those of an origin.
  func ownChange(to highlight: Highlight) -> OriginMerge? {
    guard isOwnChange, let written = record.written else { return nil }
    var old = origin
    old.marked = written.color
    old.note = written.note.isEmpty ? nil : written.note
    old.tags = written.tags
    old.passageDigest = Self.digest([highlight.selector.exact])
    return OriginMerge(origin, record.note, from: old, onto: highlight)
  }

  /// The key by which records of the same document are grouped.
  var group: String { Self.group(of: record) }

  /// Returns the key by which records of the same document are grouped.
  static func group(of record: AnnotationRecord) -> String {
    record.source.isEmpty ? record.title + "\u{1F}" + record.author : record.source
  }

  /// The maximum size of a quote or a note in bytes.
  static let fieldLimit = 1 << 20
  /// The maximum size in bytes of the object of the source that the origin keeps.
  static let objectLimit = 1 << 16

  /// The highlight's id in Diple, if the record is from an export of Diple; nil for others.
  var ownID: Highlight.ID? {
    let urn = "urn:diple:"
    return record.id.hasPrefix(urn) ? Highlight.ID(String(record.id.dropFirst(urn.count))) : nil
  }

  /// Converts the records of a format. Dates are converted to points in time.
  ///
  /// Identical records are counted as known. Different records with the same identifier are kept
  /// with numbered keys. A record whose quote or note is longer than ``fieldLimit`` is skipped.
  ///
  /// - Parameters:
  ///   - records: the records as an importer returned them.
  ///   - format: the identifier of the format.
  ///   - report: receives the skipped records and the number of identical ones.
  static func all(
    _ records: [AnnotationRecord], of format: String, _ report: inout ImportReport
  ) -> [IncomingRecord] {
    var incoming: [IncomingRecord] = []
    var byKey: [String: (first: AnnotationRecord, count: Int)] = [:]
    for record in records {
      let resolved = resolve(record)
      var next = IncomingRecord(record: resolved, origin: origin(of: resolved, format))
      let size = max(record.quote.utf8.count, record.note.utf8.count)
      guard size <= fieldLimit else {
        report.skipped.append(
          "\(next.name): its \(record.note.utf8.count == size ? "note" : "quote") has \(size) bytes, "
            + "more than \(fieldLimit)")
        continue
      }
      if let object = next.origin.object, object.utf8.count > objectLimit {
        next.origin.object = nil
        report.skipped.append(
          "\(next.name): its other properties have \(object.utf8.count) bytes, more than "
            + "\(objectLimit), and are not kept")
      }
      let others = record.id.isEmpty ? [] : record.idScopes.dropFirst()
      next.scopedKeys = others.map { Self.key($0, record.id) }
      if !record.id.isEmpty, !record.idScopes.isEmpty { next.formerKey = Self.key("", record.id) }
      // A repeated identifier is either a highlight with several passages or a duplicate record.
      let key = next.origin.key
      if let known = byKey[key] {
        if known.first == record {
          report.known += 1
          continue
        }
        byKey[key] = (known.first, known.count + 1)
        let mark = "~\(known.count + 1)"
        next.origin.key += mark
        next.scopedKeys = next.scopedKeys.map { $0 + mark }
        next.formerKey? += mark
      } else {
        byKey[key] = (record, 1)
      }
      let further = next.scopedKeys + (next.origin.earlierKeys ?? [])
      next.origin.earlierKeys = sorted(Set(further).subtracting([next.origin.key]))
      incoming.append(next)
    }
    return incoming
  }

  /// Returns a record whose dates are points in time, in whole seconds.
  private static func resolve(_ record: AnnotationRecord) -> AnnotationRecord {
    var record = record
    func moment(_ date: Date) -> Date? {
      let seconds = date.timeIntervalSince1970.rounded(.down)
      guard abs(seconds) < 1e11 else { return nil }
      guard record.hasLocalDates else { return Date(timeIntervalSince1970: seconds) }
      return LocalTime.seconds(ofClock: Int(seconds)).map {
        Date(timeIntervalSince1970: TimeInterval($0))
      }
    }
    record.created = record.created.flatMap(moment)
    record.updated = record.updated.flatMap(moment)
    record.hasLocalDates = false
    return record
  }

  private static func origin(of record: AnnotationRecord, _ format: String) -> Origin {
    func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }
    var origin = Origin(
      format: format, key: key(of: record), marked: record.color,
      quoteDigest: digest([record.quote]), passageDigest: "")
    origin.source = nonEmpty(record.source)
    origin.title = nonEmpty(record.title)
    origin.author = nonEmpty(record.author)
    origin.location = nonEmpty(record.location)
    origin.color = nonEmpty(record.sourceColor)
    origin.created = record.created
    origin.updated = record.updated
    origin.note = nonEmpty(record.note)
    let tags = Set(record.tags.compactMap { try? Library.tagName($0) }).sorted()
    origin.tags = tags.isEmpty ? nil : tags
    if record.object != .null, let data = try? JSONEncoder.ordered().encode(record.object) {
      origin.object = String(decoding: data, as: UTF8.self)
    }
    if !record.earlier.isEmpty {
      origin.earlierKeys = sorted(Set(record.earlier.map(key)).subtracting([origin.key]))
      origin.earlier = record.earlier.map {
        Origin.Earlier(
          quote: $0.quote, location: nonEmpty($0.location), created: resolve($0).created)
      }
    }
    return origin
  }

  /// Returns keys in the order in which they are stored; nil if there are none.
  fileprivate static func sorted(_ keys: Set<String>) -> [String]? {
    keys.isEmpty ? nil : keys.sorted()
  }

  /// The beginning of the key of a record without an identifier.
  static let digestMark = "#"

  /// Whether the record has no identifier in its source.
  var hasDigestKey: Bool { origin.key.hasPrefix(Self.digestMark) }

  /// Returns the words of a highlight at its source, and the document that they are from.
  static func words(of origin: Origin) -> [String] {
    [origin.quoteDigest, origin.source ?? "", origin.source == nil ? origin.title ?? "" : ""]
  }

  /// Returns the key of a record: its identifier or, if it has none, a digest of the values that
  /// the source does not change.
  private static func key(of record: AnnotationRecord) -> String {
    guard record.id.isEmpty else { return key(record.idScopes.first ?? "", record.id) }
    var place = record.location
    switch record.position {
    case .utf16(let range): place += " \(range.utf16)"
    case .codePoints(let range): place += " \(range)"
    case nil: break
    }
    return digestMark
      + digest([
        record.source, record.source.isEmpty ? record.title : "", place, record.quote,
        record.prefix, record.suffix,
      ])
  }

  /// Returns the key of an identifier that is unique in a scope; an empty scope is unlimited.
  private static func key(_ scope: String, _ id: String) -> String {
    "id:" + (scope.isEmpty ? id : "\(scope)/\(id)")
  }

  /// Returns the first 32 hexadecimal digits of a hash of several texts.
  static func digest(_ parts: [String]) -> String {
    var bytes: [UInt8] = []
    for part in parts {
      bytes += part.utf8
      bytes.append(0xFF)
    }
    return String(ContentDigest(sha256: bytes).description.prefix(32))
  }
}

/// The changes to a highlight when its record is imported again. A value is updated only if the
/// user has not changed it in the library.
struct OriginMerge {
  /// The new colour; nil to keep the present one.
  private(set) var color: HighlightColor?
  /// The new note; nil to keep the present one.
  private(set) var note: String?
  /// The tags to add and to remove.
  private(set) var (addedTags, removedTags): ([String], [String]) = ([], [])
  /// Whether the quote changed at the source, so that its passage must be located again.
  private(set) var hasNewQuote = false
  /// The names of the values that were changed in the library and at the source. The values in the
  /// library are kept.
  private(set) var conflicts: [String] = []
  /// The origin to store. It has the quote of the last import until the new quote is located.
  private(set) var origin: Origin

  /// Compares the record with that of the last import and with the highlight's present values.
  init(_ new: Origin, _ note: String, from old: Origin, onto highlight: Highlight) {
    origin = new
    // The highlight keeps its first key. The other keys become alternatives.
    let keys = [new.key] + (new.earlierKeys ?? []) + (old.earlierKeys ?? [])
    let others = Set(keys).subtracting([old.key])
    origin.key = old.key
    // Earlier versions of Diple stored the keys in another order, which is no change.
    origin.earlierKeys =
      others == Set(old.earlierKeys ?? []) ? old.earlierKeys : IncomingRecord.sorted(others)
    (origin.passageDigest, origin.quote) = (old.passageDigest, old.quote)
    hasNewQuote = new.quoteDigest != old.quoteDigest
    if new.marked != old.marked, new.marked != highlight.color {
      if highlight.color == old.marked { color = new.marked } else { conflicts.append("colour") }
    }
    if note != old.note ?? "", note != highlight.note {
      if highlight.note == old.note ?? "" { self.note = note } else { conflicts.append("note") }
    }
    let (before, now, here) = (Set(old.tags ?? []), Set(new.tags ?? []), Set(highlight.tags))
    addedTags = now.subtracting(before).subtracting(here).sorted()
    removedTags = before.subtracting(now).intersection(here).sorted()
    let ownWords = IncomingRecord.digest([highlight.selector.exact]) != old.passageDigest
    if hasNewQuote, ownWords || highlight.isDetached {
      // The user changed or detached the passage, so the source must not move it.
      hasNewQuote = false
      conflicts.append("words")
    }
  }

  /// Stores the passage that was found for the new quote.
  mutating func settle(_ record: AnnotationRecord, at passage: String) {
    origin.quote = record.quote == passage ? nil : record.quote
    origin.passageDigest = IncomingRecord.digest([passage])
  }

  /// Stores the source's quote in addition to the passage.
  mutating func keepWords(of record: AnnotationRecord) { origin.quote = record.quote }

  /// Whether the highlight itself stays unchanged.
  var keepsHighlight: Bool {
    color == nil && note == nil && addedTags.isEmpty && removedTags.isEmpty && !hasNewQuote
  }
}
