import Anchoring
import Files
import FoundationEssentials
import Glibc
import Interchange
import MarkdownParse
import Model
import Storage
import SystemSupport
import Workspace

extension Library {
  /// Imports records and notes into a document, in one transaction.
  ///
  /// - Throws: `conflict` if the document was changed meanwhile.
  func store(
    _ records: [IncomingRecord], _ notes: [SeparateNote], in destination: ImportDestination,
    _ report: inout ImportReport, _ run: inout ImportRun
  ) throws(UserError) {
    // Unchanged records are counted without reading the document.
    let changed = records.filter { !$0.isUnchanged }
    report.known += records.count - changed.count
    guard !changed.isEmpty || !notes.isEmpty else { return }
    switch destination {
    case .document(let document):
      let reading = try current(document)
      let target = ImportDocument(
        document: document, text: AnchorText(utf16: reading.parsed.text.utf16),
        digest: reading.digests.text)
      let locatedRecords = place(changed, in: reading.parsed, target.text, of: document, &report)
      try write(locatedRecords, notes, into: target, &report, &run)
    case .book(let book):
      var written: WrittenQuotes?
      do throws(UserError) {
        let (target, locatedRecords) = try prepare(changed, for: book, dryRun: run.dryRun, &written)
        try write(locatedRecords, notes, into: target, &report, &run)
      } catch {
        written?.revert()
        dialects.forget()
        throw error
      }
      written?.keep()
    }
  }

  /// Stores located records and notes, in one transaction.
  private func write(
    _ locatedRecords: [LocatedRecord], _ notes: [SeparateNote], into target: ImportDocument,
    _ report: inout ImportReport, _ run: inout ImportRun
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
        let added = try transaction.add(notes, to: document)
        if added > 0 { report.notes.append((document, added)) }
        return report
      }
    }
    run.end(ownTransaction)
  }

  /// The maximum number of UTF-16 units of lines that the quotes of one import are compared with.
  private static let mostLineComparisons = 1 << 26

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
          "\(incoming.name) in \(document.shownPath) has neither a quote nor a position")
      } else if let selector = Self.selector(record, in: text, points) {
        for tag in record.tags where (try? Self.tagName(tag)) == nil {
          report.skipped.append("\(incoming.name): '\(tag)' is not a tag")
        }
        usable.append(LocatedRecord(incoming, selector: selector))
      } else {
        report.failed += 1
        report.problems.append(
          UserError(
            .usage, "the position of \(incoming.name) is outside \(document.shownPath)"))
      }
    }
    // A quote that is at its recorded position needs no search. All others are searched for
    // together.
    var sought: [Int] = []
    let lines = parsed.sourceLines
    var comparisons = Self.mostLineComparisons
    for index in usable.indices
    where !usable[index].isVerbatim(in: text)
      && !usable[index].isInLine(of: parsed, lines, text, &comparisons)
    {
      sought.append(index)
    }
    let found = anchorer.reanchor(
      sought.map { AnchorSubject(selector: usable[$0].selector) }, from: nil, to: text)
    for (index, anchor) in zip(sought, found) { usable[index].settle(at: anchor) }
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
    guard let highlight = try highlight(id) else { return }
    let own = located.incoming.ownChange(to: highlight)
    let (record, name) = (located.record, located.incoming.name)
    guard
      var merge = own
        ?? highlight.origin?.origin.map({
          OriginMerge(located.incoming.origin, record.note, from: $0, onto: highlight)
        })
    else { return }
    if merge.hasNewQuote {
      if located.anchor.state == .exact {
        let passage = located.passage(in: text, digest)
        try reattach(id, to: passage, in: document.id, anchor: located.anchor)
        merge.settle(record, at: passage.exact)
      } else {
        merge.keepWords(of: record)
        report.kept.append(
          "\(name): its new text is not in \(document.shownPath), so the passage stays; the new "
            + "text is stored with its origin")
      }
    }
    if let color = merge.color { _ = try setColor(color, of: id) }
    if let note = merge.note { _ = try setNote(note, of: id) }
    for tag in merge.addedTags { _ = try setTag(tag, true, of: id) }
    for tag in merge.removedTags { _ = try setTag(tag, false, of: id) }
    if merge.conflicts.contains("words") { merge.keepWords(of: record) }
    // The highlight is not from the file.
    if own == nil { _ = try setOrigin(merge.origin, of: id) }
    for field in merge.conflicts {
      report.kept.append(
        "\(name): the \(field) changed in the library and at the source; the library keeps its "
          + (own == nil ? "value, and the source's value is stored with the origin" : "value"))
    }
    guard let now = try self.highlight(id) else { return }
    // A highlight of which only the origin changed looks the same.
    var before = highlight
    before.origin = now.origin
    before.updated = now.updated
    guard now != before else {
      report.known += 1
      return
    }
    report.updated.append((now, document))
  }
}

/// A document into which records are imported, with its text.
struct ImportDocument {
  /// The document, or the data from which to create it.
  private let place: Place
  /// The current text; in a dry run, the text after the import.
  let text: AnchorText
  /// The hash of the text.
  let digest: ContentDigest

  private enum Place {
    case present(Document)
    /// A document in a dry run, whose file does not contain the new quotes.
    case rehearsed(Document)
    case new(Library.NewDocument)
  }

  /// Creates a target for a document of the library.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - text: its text.
  ///   - digest: the hash of the text.
  ///   - isRehearsed: whether the text differs from the file's, because this is a dry run.
  init(document: Document, text: AnchorText, digest: ContentDigest, isRehearsed: Bool = false) {
    place = isRehearsed ? .rehearsed(document) : .present(document)
    (self.text, self.digest) = (text, digest)
  }

  /// Creates a target for a document that is not in the library yet.
  init(_ newDocument: Library.NewDocument, text: AnchorText) {
    place = .new(newDocument)
    (self.text, digest) = (text, newDocument.revision.textDigest)
  }

  /// Returns the document, after creating it or checking that its text is unchanged since it was
  /// read.
  ///
  /// - Throws: `conflict` if the document was created or changed meanwhile.
  func begin(_ transaction: WriteTransaction, _ report: inout ImportReport) throws -> Document {
    switch place {
    case .new(let newDocument):
      if let other = try transaction.document(at: newDocument.path) {
        throw UserError.changedMeanwhile(other, hint: "import again")
      }
      let document = try transaction.createDocument(
        path: newDocument.path, title: newDocument.title, revision: newDocument.revision,
        text: newDocument.text)
      report.books.append((document, true))
      return document
    case .rehearsed(let document): return document
    case .present(let document):
      guard try transaction.revision(of: document.id)?.textDigest == digest else {
        throw UserError.changedMeanwhile(document, hint: "import again")
      }
      // Take the document out of the trash, because the import adds quotes to it.
      if document.state == .removed { _ = try transaction.setTrashed(false, of: document.id) }
      return document
    }
  }
}

/// A file of quotes that an import has written and whose records are not stored yet.
struct WrittenQuotes {
  /// The writer that can restore the previous content; nil for a new file.
  fileprivate let writer: FileWriter?
  fileprivate let file: String
  fileprivate let bytes: [UInt8]
  fileprivate let isNewFolder: Bool

  /// Accepts the new content, after the records were stored.
  func keep() { writer?.discardOld() }

  /// Restores the previous content, unless another program has changed the file since. Deletes a
  /// new file, and its folder if that is new and empty.
  func revert() {
    if let writer {
      if !writer.revert() { writer.discardOld() }
      return FileWriter.makeDurable([writer])
    }
    guard (try? SourceFile.content(of: file).0) == bytes, unlink(file) == 0 else { return }
    if isNewFolder { rmdir(file.parentFolder) }
    AtomicReplacement.makeDurable([file])
  }
}

extension Library {
  /// The path of a book's file of quotes: in the folder that the library belongs to, or in the
  /// library's own folder if it belongs to none.
  func path(of book: QuoteBook) -> DocumentPath {
    let folder = (location.root ?? location.folder).appending(QuoteBook.folder)
    return location.documentPath(folder.appending(book.fileName))
  }

  /// Removes the copies that killed imports left beside the quotes, even if this import has no
  /// quotes.
  func sweepQuotes() {
    let folder = (location.root ?? location.folder).appending(QuoteBook.folder)
    var status = stat()
    // Skip a symbolic link, which may lead out of the library's folder.
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    AtomicReplacement.sweep(folder)
  }

  /// Appends the missing quotes of a book to its document, and locates all of them there.
  ///
  /// The file is replaced as a whole before the records are stored. So every stored record is in
  /// the file, and after a failure the next import finds the quotes there.
  ///
  /// - Parameters:
  ///   - records: the records to import.
  ///   - book: the book.
  ///   - dryRun: whether to leave the file unchanged.
  ///   - written: set to the written file, which the caller must keep or revert.
  /// - Returns: the document, and the records with their locations.
  /// - Throws: `conflict` if the file was changed meanwhile, or the disk is full or read-only;
  ///   `notFound` if the file cannot be read or written for another reason.
  func prepare(
    _ records: [IncomingRecord], for book: QuoteBook, dryRun: Bool, _ written: inout WrittenQuotes?
  ) throws(UserError) -> (ImportDocument, [LocatedRecord]) {
    let path = path(of: book)
    let file = try location.file(of: path)
    let old = Self.isFile(file) ? try SourceFile(reading: file) : nil
    let (bytes, places) = book.adding(records, to: old?.bytes ?? [])
    if !dryRun {
      if let old, old.bytes != bytes {
        let writer = try FileWriter(replacing: file, old.bytes, with: bytes, links: .followed)
        _ = try writer.commit(keepingOld: true)
        written = WrittenQuotes(writer: writer, file: file, bytes: bytes, isNewFolder: false)
        FileWriter.makeDurable([writer])
      } else if old == nil {
        written = try Self.makeNewFile(file, bytes)
      }
    }
    dialects.forget()
    let parsed = ParsedDocument(
      parsing: MarkdownSource(bytes), in: dialects.choice(for: file).dialect)
    let text = AnchorText(utf16: parsed.text.utf16)
    let digest = ContentDigest(sha256: parsed.text.utf8)
    let target: ImportDocument
    if let document = try storage({ try store.read { try $0.document(at: path) } }) {
      if !dryRun { _ = try current(document) }
      target = ImportDocument(document: document, text: text, digest: digest, isRehearsed: dryRun)
    } else if dryRun {
      target = ImportDocument(Self.newDocument(of: parsed, bytes, at: path), text: text)
    } else {
      target = ImportDocument(
        try Self.newDocument(file, in: location, dialects, TextPreparation()), text: text)
      guard target.digest == digest else {
        throw UserError(.conflict, "\(path.string) changed meanwhile", hint: "import again")
      }
    }
    let lines = parsed.sourceLines
    let locatedRecords = zip(records, places).map { record, bytes in
      let range = text.trimmed(parsed.map.text(of: SourceRange(bytes: bytes)))
      let anchor = Anchor(range: range, state: .exact, score: 1, method: "imported")
      var located = LocatedRecord(
        record,
        selector: Selector(
          selecting: range, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion))
      located.anchor = parsed.locating(anchor, in: lines)
      return located
    }
    return (target, locatedRecords)
  }

  private static func makeNewFile(_ file: String, _ bytes: [UInt8]) throws(UserError)
    -> WrittenQuotes
  {
    let isNewFolder = try FileSystem.status(of: file.parentFolder) == nil
    try FileSystem.makeFolder(file.parentFolder)
    do throws(SystemCallError) {
      try AtomicReplacement(of: file, with: bytes).commitNew()
    } catch {
      if isNewFolder { rmdir(file.parentFolder) }
      throw FileSystem.systemError("write", file, number: error.number)
    }
    // The import sweeps the folder once, at its end.
    AtomicReplacement.makeDurable([file])
    return WrittenQuotes(writer: nil, file: file, bytes: bytes, isNewFolder: isNewFolder)
  }
}

extension AnchorText {
  /// Returns a range without the blanks at its ends; the range itself if it contains only blanks.
  fileprivate func trimmed(_ range: TextRange) -> TextRange {
    func isBlank(_ unit: UInt16) -> Bool { unit == 0x20 || (9...13).contains(unit) }
    var (start, end) = (range.utf16.lowerBound, range.utf16.upperBound)
    while start < end, isBlank(units[start]) { start += 1 }
    while start < end, isBlank(units[end - 1]) { end -= 1 }
    return start < end ? TextRange(utf16: start..<end) : range
  }
}

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

  /// Checks whether a quote without context begins in the record's line of the file: at the
  /// record's position, or only once. If so, sets the location to that place and returns true.
  /// O(line × quote) at worst.
  ///
  /// - Parameter comparisons: the number of units that may still be compared, which is reduced.
  mutating func isInLine(
    of parsed: ParsedDocument, _ lines: SourceLines, _ text: AnchorText, _ comparisons: inout Int
  ) -> Bool {
    guard let number = record.line, record.prefix.isEmpty, record.suffix.isEmpty,
      !record.quote.isEmpty, let line = lines.bytes(ofLine: number)
    else { return false }
    let quote = Array(selector.exact.utf16)
    let units = parsed.map.text(of: line).utf16
    func hasQuote(at start: Int) -> Bool {
      comparisons -= 1
      let end = start + quote.count
      guard end <= text.units.count, text.units[start] == quote[0] else { return false }
      comparisons -= quote.count
      return text.units[start..<end].elementsEqual(quote)
    }
    let meant = selector.position.utf16
    var start: Int?
    if record.position != nil, meant.count == quote.count, units.contains(meant.lowerBound),
      hasQuote(at: meant.lowerBound)
    {
      start = meant.lowerBound
    } else {
      for place in units {
        guard comparisons > 0 else { return false }
        guard hasQuote(at: place) else { continue }
        // Of several equal passages none is certain.
        guard start == nil else { return false }
        start = place
      }
    }
    guard let start else { return false }
    anchor = Anchor(
      range: TextRange(utf16: start..<start + quote.count), state: .exact, score: 1,
      method: "imported")
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
    /// Nil if the record has no colour.
    var color: HighlightColor?
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
  /// The keys of the highlights with some words and a note, for records of formats without colours.
  private var byWords: [[String]: [Key]] = [:]

  init(_ highlights: [Highlight]) {
    for highlight in highlights {
      let key = Self.key(highlight)
      free[key, default: 0] += 1
      byWords[[highlight.selector.exact, highlight.note], default: []].append(key)
    }
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

  /// Returns the key of a highlight with the same words and note that no record has matched yet; nil
  /// if there is none. All calls together take O(highlights).
  private mutating func takeAlike(_ words: [String]) -> Key? {
    while let key = byWords[words]?.popLast() {
      if free[key, default: 0] > 0 { return key }
    }
    return nil
  }

  /// Returns whether a record is already in the library or occurred earlier in this import.
  /// Expected O(1).
  mutating func claim(_ located: LocatedRecord) -> Bool {
    let (record, range) = (located.record, located.anchor.range)
    var key = Key(
      color: record.isColorKnown ? record.color : nil, note: record.note, range: range,
      words: range == nil ? located.selector.exact : nil)
    let isNew = seen.insert(
      RecordKey(
        key: key, position: record.position, quote: [record.quote, record.prefix, record.suffix])
    ).inserted
    if !isNew { return true }
    if !record.isColorKnown {
      let colored = HighlightColor.allCases.map { color in
        key.color = color
        return key
      }
      key =
        colored.first { free[$0, default: 0] > 0 } ?? takeAlike([record.quote, record.note]) ?? key
    }
    guard let count = free[key], count > 0 else { return false }
    free[key] = count - 1
    return true
  }
}
