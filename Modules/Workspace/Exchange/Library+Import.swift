import Anchoring
import FoundationEssentials
import Interchange
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// What importing highlights did.
package struct ImportReport: Sendable {
  /// The highlights that are new, with their documents; some may be doubtful or orphaned.
  package var made: [(highlight: Highlight, document: Document)] = []
  /// How many were in the library already.
  package var known = 0
  /// What was left out, and why: one line each.
  package var skipped: [String] = []
  /// Why others are not: one line for each of their documents.
  package var problems: [UserError] = []
  /// How many highlights these are.
  package var failed = 0
  /// Why it is not known that the new ones would outlast a power cut; nil when they would.
  package var unconfirmed: UserError?

  /// Nothing yet.
  package init() {}

  /// Adds what was done next. O(what was done next).
  package mutating func add(_ next: ImportReport) {
    made += next.made
    known += next.known
    skipped += next.skipped
    problems += next.problems
    failed += next.failed
    unconfirmed = unconfirmed ?? next.unconfirmed
  }
}

extension Library {
  /// Brings another program's highlights into the library. Each is looked for in its document as
  /// the file is now, by the same strategies that follow edits: one that is found nowhere comes in
  /// as an orphan, with its quote.
  ///
  /// - Parameters:
  ///   - format: the id of the format; nil to find out.
  ///   - target: the document of all of them; nil for the one that each names as its source.
  ///   - dryRun: whether nothing is stored.
  /// - Throws: `usage` for data that no format reads.
  package func importHighlights(
    _ data: [UInt8], from format: String?, into target: Document?, dryRun: Bool = false
  ) throws(UserError) -> ImportReport {
    var report = ImportReport()
    var bySource: [String: [AnnotationRecord]] = [:]
    let records = try records(from: data, format)
    for record in records { bySource[record.source, default: []].append(record) }
    var step: StepSoFar?
    for (source, records) in bySource.sorted(by: { $0.key < $1.key }) {
      // Of its own, for it is copied: what came before is not to be copied with every document.
      var part = ImportReport()
      do throws(UserError) {
        let document = if let target { target } else { try document(namedBy: source) }
        try store(records, in: document, dryRun: dryRun, &part, &step)
      } catch {
        part.problems.append(Self.naming(source, in: error))
        part.failed += records.count
      }
      report.add(part)
    }
    if !report.made.isEmpty, !dryRun {
      // All of it is stored by now, and others see it: a failure here is not one of the import.
      do throws(UserError) { try storage { try store.flush() } } catch {
        report.unconfirmed = UserError(
          .unconfirmed, "it was imported, but the disk did not confirm it: \(error.message)",
          hint: "a power cut may take back the last documents; importing again brings them back")
      }
    }
    return report
  }

  /// An error of the library, which does not say itself into which document nothing was imported.
  private static func naming(_ source: String, in error: UserError) -> UserError {
    guard [.conflict, .damaged].contains(error.code), !error.message.contains(source) else {
      return error
    }
    var error = error
    error.message = "nothing was imported into \(source): \(error.message)"
    return error
  }

  private func records(from data: [UInt8], _ format: String?) throws(UserError)
    -> [AnnotationRecord]
  {
    if let format {
      let importer: any Importer
      do { importer = try plugins.importers.strategy(format) } catch {
        throw UserError(.usage, error.description)
      }
      do { return try importer.records(from: data) } catch {
        throw UserError(error.isFailure ? .plugin : .usage, error.description)
      }
    }
    for importer in plugins.importers.all {
      if let records = try? importer.records(from: data) { return records }
    }
    let ids = plugins.importers.entries.map(\.id).joined(separator: ", ")
    throw UserError(
      .usage, "not an annotation file that Diple can import", hint: "the formats are \(ids)")
  }

  /// The document that another program calls by an address or a path.
  private func document(namedBy source: String) throws(UserError) -> Document {
    var name = source
    if name.hasPrefix("file:"), let url = URL(string: name) {
      name = url.path(percentEncoded: false)
    }
    guard !name.isEmpty else {
      throw UserError(.notFound, "a highlight names no document", hint: "name it: --doc DOC")
    }
    return try document(name)
  }

  private func store(
    _ records: [AnnotationRecord], in document: Document, dryRun: Bool,
    _ report: inout ImportReport, _ step: inout StepSoFar?
  ) throws(UserError) {
    let reading = try current(document)
    let parsed = reading.parsed
    let text = AnchorText(utf16: parsed.text.utf16)
    let digest = reading.digests.text
    let lines = parsed.sourceLines
    let points = CodePointMap(text.units)
    var usable: [Arrival] = []
    for record in records {
      let name = record.id.isEmpty ? "a highlight" : record.id
      if record.quote.isEmpty, record.position == nil {
        report.skipped.append("\(name) in \(document.path.string) names no passage")
      } else if let selector = Self.selector(record, in: text, points) {
        for tag in record.tags where (try? Self.tagName(tag)) == nil {
          report.skipped.append("\(name): '\(tag)' is not a tag")
        }
        usable.append(Arrival(record: record, selector: selector))
      } else {
        report.problems.append(
          UserError(.usage, "\(name) lies outside \(document.path.string)"))
      }
    }
    // What stands where its program says needs no search; all others are looked for at once.
    var sought: [Int] = []
    for index in usable.indices where !usable[index].stands(in: text) { sought.append(index) }
    let found = anchorer.reanchor(
      sought.map { AnchorSubject(selector: usable[$0].selector) }, from: nil, to: text)
    for (index, anchor) in zip(sought, found) { usable[index].settle(at: anchor) }
    for index in usable.indices {
      usable[index].anchor = parsed.locating(usable[index].anchor, in: lines)
    }
    let arrivals = usable

    let before = report
    let previous = step
    let store = store
    var own: WriteTransaction?
    report = try storage {
      try store.writePart(dryRun: dryRun) { transaction -> ImportReport in
        transaction.journal(JournalStep(group: previous?.group, outline: previous?.outline))
        own = transaction
        var report = before
        guard try transaction.revision(of: document.id)?.textDigest == digest else {
          throw UserError.changedMeanwhile(document, hint: "import it again")
        }
        var present = PresentHighlights(
          try transaction.highlights(HighlightFilter(documents: [document.id])))
        for arrival in arrivals {
          if present.claim(arrival) {
            report.known += 1
            continue
          }
          let (record, anchor) = (arrival.record, arrival.anchor)
          var selector = arrival.selector
          if anchor.state == .exact, let range = anchor.range {
            // From here on it is followed by what stands there, context included.
            selector = Selector(
              selecting: range, in: text, digest: digest,
              renderVersion: ParsedDocument.renderVersion)
          }
          let made = try transaction.createHighlight(
            in: document.id, selector: selector, color: record.color, note: record.note,
            tags: record.tags.compactMap { try? Self.tagName($0) }, anchor: anchor)
          report.made.append((made, document))
        }
        return report
      }
    }
    if !report.made.isEmpty, !dryRun {
      step = own.map { StepSoFar(group: $0.group, outline: $0.outline) }
    }
  }

  /// What the documents before did: an import is one step.
  private struct StepSoFar {
    var group: Int64
    var outline: StepOutline
  }

  /// What another program says of a passage, in our units; nil when it says nothing that could be
  /// meant in this text.
  private static func selector(
    _ record: AnnotationRecord, in text: AnchorText, _ points: CodePointMap
  ) -> Selector? {
    var position: TextRange?
    switch record.position {
    case .utf16(let range): position = range
    case .codePoints(let range): position = points.units(of: range)
    case nil: break
    }
    if let range = position, range.utf16.upperBound > text.units.count { position = nil }
    guard record.quote.isEmpty else {
      return Selector(
        exact: record.quote, prefix: record.prefix, suffix: record.suffix,
        position: position ?? TextRange(utf16: 0..<record.quote.utf16.count), textDigest: nil,
        renderVersion: ParsedDocument.renderVersion)
    }
    guard let position, !position.isEmpty else { return nil }
    return Selector(
      selecting: position, in: text, digest: nil, renderVersion: ParsedDocument.renderVersion)
  }
}

/// A record on its way into a document.
private struct Arrival {
  var record: AnnotationRecord
  /// What it says of its passage, in our units.
  var selector: Selector
  /// Its place.
  var anchor = Anchor.orphan

  init(record: AnnotationRecord, selector: Selector) {
    (self.record, self.selector) = (record, selector)
  }

  /// From which score on the place of a quote without context is what the quote means.
  private static let meantScore = 0.95

  /// Takes the place that was found. A program that gives no context often spells a passage in its own
  /// way, or misreads a letter of it: when it can be no other, that is no edit, and the passage is
  /// what stands there.
  mutating func settle(at found: Anchor) {
    anchor = found
    if found.state == .edited, found.score >= Self.meantScore, record.prefix.isEmpty,
      record.suffix.isEmpty
    {
      anchor.state = .exact
    }
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
private struct PresentHighlights {
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
    for highlight in highlights {
      let range = highlight.anchor.range
      let words = range == nil ? highlight.selector.exact : nil
      free[
        Key(color: highlight.color, note: highlight.note, range: range, words: words), default: 0] +=
        1
    }
  }

  /// Whether a record is in the library already, or came before. Expected O(1).
  mutating func claim(_ arrival: Arrival) -> Bool {
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
