import Anchoring
import Files
import FoundationEssentials
import Interchange
import MarkdownParse
package import Model
import Storage
package import SystemSupport
import Watching

/// What importing highlights did.
package struct ImportReport: Sendable {
  /// The highlights that are new, with their documents; some may be doubtful or orphaned.
  package var made: [(highlight: Highlight, document: Document)] = []
  /// How many were in the library already.
  package var known = 0
  /// Why others are not: one line each.
  package var problems: [UserError] = []

  /// Nothing yet.
  package init() {}
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
    var act: Int64?
    for (source, records) in bySource.sorted(by: { $0.key < $1.key }) {
      do throws(UserError) {
        let document = if let target { target } else { try document(namedBy: source) }
        try store(records, in: document, dryRun: dryRun, &report, &act)
      } catch { report.problems.append(error) }
    }
    return report
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
    throw UserError(.usage, "no format reads this", hint: "the formats are \(ids)")
  }

  /// The document that another program calls by an address or a path.
  private func document(namedBy source: String) throws(UserError) -> Document {
    var name = source
    if name.hasPrefix("file:"), let url = URL(string: name) {
      name = url.path(percentEncoded: false)
    }
    guard !name.isEmpty else {
      throw UserError(.notFound, "a highlight names no document", hint: "say which: --doc DOC")
    }
    return try document(name)
  }

  private func store(
    _ records: [AnnotationRecord], in document: Document, dryRun: Bool,
    _ report: inout ImportReport, _ act: inout Int64?
  ) throws(UserError) {
    let reading = try current(document)
    let parsed = reading.parsed
    let text = AnchorText(utf16: parsed.text.utf16)
    let digest = ContentDigest(sha256: parsed.text.utf8)
    let lines = parsed.sourceLines
    let selectors = records.map { Self.selector($0, in: text) }
    let usable = zip(records, selectors).compactMap { record, selector in
      selector.map { (record, $0) }
    }
    for (record, selector) in zip(records, selectors) where selector == nil {
      report.problems.append(
        UserError(
          .usage,
          "\(record.id.isEmpty ? "a highlight" : record.id) lies outside "
            + "\(document.path.string)"))
    }
    let anchors = anchorer.reanchor(
      usable.map { AnchorSubject(selector: $0.1) }, from: nil, to: text
    ).map { parsed.locating($0, in: lines) }

    let before = report
    let previous = act
    let store = store
    var group: Int64?
    report = try storage {
      do {
        return try store.write { transaction -> ImportReport in
          transaction.journal(JournalStep(continuing: previous))
          group = transaction.act
          var report = before
          guard try transaction.revision(of: document.id)?.textDigest == digest else {
            throw UserError(
              .conflict, "\(document.path.string) changed meanwhile", hint: "import it again")
          }
          var present = try transaction.highlights(HighlightFilter(documents: [document.id]))
          for ((record, foreign), anchor) in zip(usable, anchors) {
            let isTwin = { (other: Highlight) in
              other.color == record.color && other.note == record.note
                && (anchor.range != nil
                  ? other.anchor.range == anchor.range : other.selector.exact == foreign.exact)
            }
            if present.contains(where: isTwin) {
              report.known += 1
              continue
            }
            var selector = foreign
            if anchor.state == .exact, let range = anchor.range {
              selector = Selector(
                selecting: range, in: text, digest: digest,
                renderVersion: ParsedDocument.renderVersion)
            }
            let tags = record.tags.compactMap { try? Self.tagName($0) }
            let made = try transaction.createHighlight(
              in: document.id, selector: selector, color: record.color, note: record.note,
              tags: tags, anchor: anchor)
            present.append(made)
            report.made.append((made, document))
          }
          if dryRun { throw Rehearsal(report: report) }
          return report
        }
      } catch let rehearsal as Rehearsal { return rehearsal.report }
    }
    if report.made.count > before.made.count, !dryRun { act = group }
  }

  /// Ends a transaction that was only to show what it would do.
  private struct Rehearsal: Error { var report: ImportReport }

  /// What another program says of a passage, in our units; nil when it says nothing that could be
  /// meant in this text.
  private static func selector(_ record: AnnotationRecord, in text: AnchorText) -> Selector? {
    var position: TextRange?
    switch record.position {
    case .utf16(let range): position = range
    case .codePoints(let range): position = text.range(ofCodePoints: range)
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
