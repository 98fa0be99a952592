import Anchoring
import Interchange
import MarkdownParse
import Model
import Storage
import SystemSupport
import Workspace

extension Library {
  /// Imports records into a document, in one transaction.
  ///
  /// - Throws: `conflict` if the document was changed meanwhile.
  func store(
    _ records: [IncomingRecord], in destination: ImportDestination, _ report: inout ImportReport,
    _ run: inout ImportRun
  ) throws(UserError) {
    // Unchanged records are counted without reading the document.
    let changed = records.filter { !$0.isUnchanged }
    report.known += records.count - changed.count
    guard !changed.isEmpty else { return }
    switch destination {
    case .document(let document):
      let reading = try current(document)
      let target = ImportDocument(
        document: document, text: AnchorText(utf16: reading.parsed.text.utf16),
        digest: reading.digests.text)
      let locatedRecords = place(changed, in: reading.parsed, target.text, of: document, &report)
      try write(locatedRecords, into: target, &report, &run)
    case .book(let book):
      var written: WrittenQuotes?
      do throws(UserError) {
        let (target, locatedRecords) = try prepare(changed, for: book, dryRun: run.dryRun, &written)
        try write(locatedRecords, into: target, &report, &run)
      } catch {
        written?.revert()
        dialects.forget()
        throw error
      }
      written?.keep()
    }
  }

  /// Stores located records, in one transaction.
  private func write(
    _ locatedRecords: [LocatedRecord], into target: ImportDocument, _ report: inout ImportReport,
    _ run: inout ImportRun
  ) throws(UserError) {
    let before = report
    let (store, begun) = (store, run)
    var ownTransaction: WriteTransaction?
    report = try storage {
      try store.writePart(dryRun: begun.dryRun) { transaction -> ImportReport in
        begun.begin(transaction)
        ownTransaction = transaction
        var report = before
        let document = try target.begin(transaction, &report)
        let (text, digest) = (target.text, target.digest)
        var present = PresentHighlights(
          try transaction.highlights(HighlightFilter(documents: [document.id])))
        for located in locatedRecords {
          if let match = located.incoming.match {
            present.remove(match)
            try transaction.update(match.id, with: located, text, digest, document, &report)
          } else if try present.claim(located)
            || !transaction.imported(under: located.incoming.keys).isEmpty
          {
            report.known += 1
          } else {
            let made = try transaction.create(located, in: document, text, digest)
            report.made.append((made, document))
          }
        }
        return report
      }
    }
    run.end(ownTransaction)
  }

  /// Locates records in a text. Records without a plausible location are reported and omitted.
  private func place(
    _ records: [IncomingRecord], in parsed: ParsedDocument, _ text: AnchorText,
    of document: Document, _ report: inout ImportReport
  ) -> [LocatedRecord] {
    let points = CodePointMap(text.units)
    var usable: [LocatedRecord] = []
    for incoming in records {
      let record = incoming.record
      if record.quote.isEmpty, record.position == nil {
        report.skipped.append(
          "\(incoming.name) in \(document.path.string) has neither a quote nor a position")
      } else if let selector = Self.selector(record, in: text, points) {
        for tag in record.tags where (try? Self.tagName(tag)) == nil {
          report.skipped.append("\(incoming.name): '\(tag)' is not a tag")
        }
        usable.append(LocatedRecord(incoming, selector: selector))
      } else {
        report.failed += 1
        report.problems.append(
          UserError(.usage, "\(incoming.name) is outside \(document.path.string)"))
      }
    }
    // A quote that is at its recorded position needs no search. All others are searched for
    // together.
    var sought: [Int] = []
    for index in usable.indices where !usable[index].isVerbatim(in: text) { sought.append(index) }
    let found = anchorer.reanchor(
      sought.map { AnchorSubject(selector: usable[$0].selector) }, from: nil, to: text)
    for (index, anchor) in zip(sought, found) { usable[index].settle(at: anchor) }
    let lines = parsed.sourceLines
    for index in usable.indices {
      usable[index].anchor = parsed.locating(usable[index].anchor, in: lines)
    }
    return usable
  }

  /// Returns the selector of a record, in UTF-16 units; nil if the record has neither a quote nor a
  /// position within the text.
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

extension WriteTransaction {
  /// Creates the highlight of a record.
  fileprivate func create(
    _ located: LocatedRecord, in document: Document, _ text: AnchorText, _ digest: ContentDigest
  ) throws -> Highlight {
    let record = located.record
    let selector = located.passage(in: text, digest)
    var origin = located.incoming.origin
    origin.passageDigest = IncomingRecord.digest([selector.exact])
    origin.quote = selector.exact == record.quote ? nil : record.quote
    return try createHighlight(
      in: document.id, selector: selector, color: record.color, note: record.note,
      tags: origin.tags ?? [], origin: origin, anchor: located.anchor)
  }

  /// Updates an imported highlight to the current values of its record. If a value was changed both
  /// in the library and at the source, the user's value is kept, and the source's value is stored
  /// with the highlight's origin.
  fileprivate func update(
    _ id: Highlight.ID, with located: LocatedRecord, _ text: AnchorText, _ digest: ContentDigest,
    _ document: Document, _ report: inout ImportReport
  ) throws {
    guard let highlight = try highlight(id), let old = highlight.origin?.origin else { return }
    let (record, name) = (located.record, located.incoming.name)
    var merge = OriginMerge(located.incoming.origin, record.note, from: old, onto: highlight)
    if merge.hasNewQuote {
      if located.anchor.state == .exact {
        let passage = located.passage(in: text, digest)
        try reattach(id, to: passage, in: document.id, anchor: located.anchor)
        merge.settle(record, at: passage.exact)
      } else {
        merge.keepWords(of: record)
        report.kept.append(
          "\(name): its new text is not in \(document.path.string), so the passage stays; the new "
            + "text is stored with its origin")
      }
    }
    if let color = merge.color { _ = try setColor(color, of: id) }
    if let note = merge.note { _ = try setNote(note, of: id) }
    for tag in merge.addedTags { _ = try setTag(tag, true, of: id) }
    for tag in merge.removedTags { _ = try setTag(tag, false, of: id) }
    if merge.conflicts.contains("words") { merge.keepWords(of: record) }
    _ = try setOrigin(merge.origin, of: id)
    for field in merge.conflicts {
      report.kept.append(
        "\(name): the \(field) changed in the library and at the source; the library keeps its "
          + "value, and the source's value is stored with the origin")
    }
    guard let now = try self.highlight(id), now != highlight else {
      report.known += 1
      return
    }
    report.updated.append((now, document))
  }
}
