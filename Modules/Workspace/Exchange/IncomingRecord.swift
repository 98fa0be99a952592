import Files
import FoundationEssentials
import Interchange
import Model
import SystemSupport

/// A record of another program with the keys under which it is known again.
struct IncomingRecord {
  var record: AnnotationRecord
  /// Where it comes from; its `passageDigest` is not said yet.
  var origin: Origin
  /// The highlight that it became earlier; nil for a new one.
  var match: Highlight?

  /// Its own key, and those of the earlier versions of it that its source holds.
  var keys: [String] {
    ([origin.key] + (origin.earlierKeys ?? [])).map { Origin.fullKey($0, of: origin.format) }
  }

  /// What it is called in messages.
  var name: String {
    if !record.id.isEmpty { return record.id }
    let words = record.quote.split(whereSeparator: \.isWhitespace).prefix(6)
    return words.isEmpty ? "a highlight" : "'\(String(words.joined(separator: " ").prefix(60)))'"
  }

  /// Whether its source says of it what it said when it was imported the last time.
  var saysTheSame: Bool {
    guard let match, let old = match.origin?.origin else { return false }
    let merge = OriginMerge(origin, record.note, from: old, onto: match)
    return merge.keepsHighlight && merge.conflicts.isEmpty && merge.origin == old
  }

  /// By what records of one document are put together.
  var group: String {
    record.source.isEmpty ? record.title + "\u{1F}" + record.author : record.source
  }

  /// The longest words and notes that are taken, in bytes.
  static let fieldLimit = 1 << 20

  /// Takes records of a form, with their dates as moments.
  ///
  /// - Parameter report: is told of those that are left out.
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
      // The same name twice is one highlight with several passages, or the same record again.
      let key = next.origin.key
      if let known = byKey[key] {
        if known.first == record {
          report.known += 1
          continue
        }
        byKey[key] = (known.first, known.count + 1)
        next.origin.key = "\(key)~\(known.count + 1)"
      } else {
        byKey[key] = (record, 1)
      }
      incoming.append(next)
    }
    return incoming
  }

  /// A record whose dates are moments, in whole seconds.
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
    func said(_ text: String) -> String? { text.isEmpty ? nil : text }
    var origin = Origin(
      format: format, key: key(of: record), marked: record.color,
      quoteDigest: digest([record.quote]), passageDigest: "")
    origin.source = said(record.source)
    origin.title = said(record.title)
    origin.author = said(record.author)
    origin.location = said(record.location)
    origin.color = said(record.sourceColor)
    origin.created = record.created
    origin.updated = record.updated
    origin.note = said(record.note)
    let tags = Set(record.tags.compactMap { try? Library.tagName($0) }).sorted()
    origin.tags = tags.isEmpty ? nil : tags
    if !record.earlier.isEmpty {
      origin.earlierKeys = record.earlier.map(key)
      origin.earlier = record.earlier.map {
        Origin.Earlier(
          quote: $0.quote, location: said($0.location), created: resolve($0).created)
      }
    }
    return origin
  }

  /// The record's own name; else a digest of what does not change while its source keeps it.
  private static func key(of record: AnnotationRecord) -> String {
    guard record.id.isEmpty else { return "id:" + record.id }
    var place = record.location
    switch record.position {
    case .utf16(let range): place += " \(range.utf16)"
    case .codePoints(let range): place += " \(range)"
    case nil: break
    }
    return "#"
      + digest([
        record.source, record.source.isEmpty ? record.title : "", place, record.quote,
        record.prefix, record.suffix,
      ])
  }

  /// Thirty-two digits of a hash of some texts.
  static func digest(_ parts: [String]) -> String {
    var bytes: [UInt8] = []
    for part in parts {
      bytes += part.utf8
      bytes.append(0xFF)
    }
    return String(ContentDigest(sha256: bytes).description.prefix(32))
  }
}

/// What is to be done to a highlight that is imported again: its source is followed where the person
/// changed nothing here.
struct OriginMerge {
  /// The new colour; nil to keep it.
  private(set) var color: HighlightColor?
  /// The new note; nil to keep it.
  private(set) var note: String?
  /// The tags to put on and to take off.
  private(set) var (addedTags, removedTags): ([String], [String]) = ([], [])
  /// Whether the source's words are others, which are to be looked for.
  private(set) var hasNewQuote = false
  /// What was changed on both sides, and keeps what is said here.
  private(set) var conflicts: [String] = []
  /// The origin from now on; its words are those of before until they are found.
  private(set) var origin: Origin

  /// Compares what a source says with what it said before and what the highlight says now.
  init(_ new: Origin, _ note: String, from old: Origin, onto highlight: Highlight) {
    origin = new
    // Its first name stays the one by which it is looked for; it answers to the others as well.
    let keys = [new.key] + (new.earlierKeys ?? []) + (old.earlierKeys ?? [])
    let others = Set(keys).subtracting([old.key]).sorted()
    origin.key = old.key
    origin.earlierKeys = others.isEmpty ? nil : others
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
      // The person said what the passage is.
      hasNewQuote = false
      conflicts.append("words")
    }
  }

  /// Takes the passage over that was found for the source's words.
  mutating func settle(_ record: AnnotationRecord, at passage: String) {
    origin.quote = record.quote == passage ? nil : record.quote
    origin.passageDigest = IncomingRecord.digest([passage])
  }

  /// Keeps the source's words beside the passage.
  mutating func keepWords(of record: AnnotationRecord) { origin.quote = record.quote }

  /// Whether nothing of the highlight itself changes.
  var keepsHighlight: Bool {
    color == nil && note == nil && addedTags.isEmpty && removedTags.isEmpty && !hasNewQuote
  }
}
