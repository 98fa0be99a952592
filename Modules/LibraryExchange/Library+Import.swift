import Anchoring
import Files
import FoundationEssentials
import Interchange
import MarkdownParse
package import Model
import Storage
package import SystemSupport
package import Workspace

extension Library {
  /// Imports highlights of another application.
  ///
  /// Each highlight is located in the current text of its document, with the same strategies that
  /// follow edits. If it is not found, it is imported without a location and keeps its quote.
  /// Highlights that were imported before are updated.
  ///
  /// - Parameters:
  ///   - data: the content to import.
  ///   - path: the file that contains the data; empty if it is not from a file.
  ///   - others: databases to which the data, itself a database, refers.
  ///   - format: the identifier of the format; nil to detect it.
  ///   - target: the document of all highlights; nil to find it by the source that each record
  ///     names.
  ///   - dryRun: whether to roll back at the end.
  /// - Throws: `usage` if no importer can read the data. Errors of single documents are in the
  ///   report.
  package func importHighlights(
    _ data: [UInt8], at path: String = "", beside others: [[UInt8]] = [], from format: String?,
    into target: Document?, dryRun: Bool = false
  ) async throws(UserError) -> ImportReport {
    let (id, name, content) = try await content(of: data, at: path, beside: others, format)
    return try importRecords(content, of: id, called: name, into: target, dryRun: dryRun)
  }

  /// Imports records of one format.
  ///
  /// - Parameters:
  ///   - content: the records.
  ///   - id: the identifier of the format.
  ///   - name: the name of the format.
  ///   - target: the document of all highlights; nil to find it by the source that each record
  ///     names.
  ///   - dryRun: whether to roll back at the end.
  /// - Throws: `damaged` or `conflict` if the library cannot be read. Errors of single documents
  ///   are in the report.
  func importRecords(
    _ content: ImportContent, of id: String, called name: String, into target: Document?,
    dryRun: Bool
  ) throws(UserError) -> ImportReport {
    var report = ImportReport()
    report.skipped = content.skipped
    var incoming = IncomingRecord.all(content.records, of: id, &report)
    report.sources = [
      ImportReport.Source(
        format: name, highlights: content.records.count,
        documents: Set(incoming.map(\.group)).count,
        hasLocalDates: content.records.contains(where: \.hasLocalDates))
    ]
    try removeOwn(from: &incoming, &report)
    try findMatches(of: &incoming)
    var run = ImportRun(dryRun: dryRun)
    let destinations = try destinations(of: incoming, content.notes, target, &report)
    for (destination, records, notes) in destinations {
      // A separate report, because each call copies it: passing the whole report would copy all
      // earlier entries for every document.
      var part = ImportReport()
      do throws(UserError) { try store(records, notes, in: destination, &part, &run) } catch {
        part.problems.append(Self.naming(destination.name, in: error))
        part.failed += records.count
      }
      report.add(part)
    }
    if !dryRun { sweepQuotes() }
    if run.step != nil {
      // Everything is committed and visible to other processes, so this failure does not undo the
      // import.
      do throws(UserError) { try storage { try store.flush() } } catch {
        report.unconfirmed = UserError(
          .unconfirmed,
          "the highlights were imported, but the disk did not confirm it: \(error.message)",
          hint: "after a power cut the last documents may be missing; import again to restore them")
      }
    }
    return report
  }

  /// Adds the name of the source to an error of the library that does not mention it.
  private static func naming(_ source: String, in error: UserError) -> UserError {
    guard [.conflict, .damaged].contains(error.code), !error.message.contains(source) else {
      return error
    }
    var error = error
    error.message = "nothing was imported into \(source): \(error.message)"
    return error
  }

  // MARK: - Records and their documents

  /// Whether the data is a database that no importer recognises. It may belong to another database.
  ///
  /// - Throws: `usage` if the data starts like a database and cannot be read.
  package func isCompanion(_ data: [UInt8], at path: String) throws(UserError) -> Bool {
    guard let tables = try ImportedTables(data, at: path, beside: []) else { return false }
    let source = ImportSource(data, path: path, tables: tables)
    return !plugins.importers.all.contains { $0.recognizes(source) }
  }

  /// Checks that data can be imported, without storing anything.
  ///
  /// - Throws: `usage` if no importer can read the data.
  package func checkImport(_ data: [UInt8], at path: String, from format: String?)
    async throws(UserError)
  {
    _ = try await content(of: data, at: path, beside: [], format)
  }

  /// Returns the name of the format whose importer recognises a file as highlights of another
  /// program, such as "Kindle clippings"; nil for other files, for Markdown and for files of more
  /// than 8 MiB.
  package nonisolated func importFormat(ofFile path: String) -> String? {
    let ending = path.lastComponent.split(separator: ".").last?.lowercased() ?? ""
    guard !["md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd"].contains(ending),
      let status = (try? FileSystem.status(of: path)) ?? nil, !status.isFolder,
      let data = try? Descriptor.contentOfFile(path, limit: 8 << 20)
    else { return nil }
    let tables = (try? ImportedTables(data, at: path, beside: [])) ?? nil
    let source = ImportSource(data, path: path, tables: tables)
    return plugins.importers.entries.first { $0.strategy.recognizes(source) }
      .map { type(of: $0.strategy).name }
  }

  /// Returns whether data without a file name is prose that no importer recognises, such as the
  /// text of a clipboard: it may be a text to read, or quotes. JSON and markup are not prose.
  package nonisolated func isProse(_ data: [UInt8]) -> Bool {
    guard !data.contains(0), let text = String(validating: data, as: UTF8.self),
      let first = text.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }),
      !"{[<".contains(first), text.contains(where: \.isLetter),
      Bibliography(data)?.sources.isEmpty ?? true
    else { return false }
    let source = ImportSource(data, path: "", tables: nil)
    return !plugins.importers.all.contains { $0.recognizes(source) }
  }

  private func content(
    of data: [UInt8], at path: String, beside others: [[UInt8]], _ format: String?
  ) async throws(UserError) -> (id: String, name: String, ImportContent) {
    let data = PDFFile.isOne(data) ? try await PDFFile.annotations(in: data, at: path) : data
    let source = ImportSource(
      data, path: path, tables: try ImportedTables(data, at: path, beside: others))
    let entries = plugins.importers.entries
    if let format {
      do { _ = try plugins.importers.strategy(format) } catch {
        throw UserError(.usage, error.description)
      }
    }
    let chosen = entries.first {
      format == nil ? $0.strategy.recognizes(source) : $0.id == format
    }
    guard let chosen else {
      if let found = Bibliography(data), !found.sources.isEmpty {
        throw UserError(
          .usage, "this is a bibliography, and has no highlights",
          hint: """
            \(action: "source.link", ["bibliography": .asked("file")]) links its entries to \
            documents
            """)
      }
      if path.isEmpty, isProse(data) {
        throw UserError(
          .usage, "this is plain text, which may be a text to read or quotes",
          hint: """
            \(action: "document.add", ["paths": .list(["-"])]) adds it as a text to read; \
            \(action: "highlight.import", ["from": .text("text"), "files": .list(["-"])]) \
            imports each paragraph as a quote
            """)
      }
      let ids = entries.map(\.id).joined(separator: ", ")
      let name = path.isEmpty ? "this" : path
      // The quotes in a Markdown file are imported only on request: most files are documents.
      let isMarkdown = [".md", ".markdown", ".txt"].contains { path.lowercased().hasSuffix($0) }
      throw UserError(
        .usage, "\(name) is not a file of highlights that Diple knows",
        hint: isMarkdown
          ? """
          \(action: "highlight.import", ["from": .text("markdown"), "files": .list([path])]) reads \
          the quotes in it
          """ : "the formats are \(ids)")
    }
    let type = type(of: chosen.strategy)
    do {
      return (
        chosen.id, type.id == chosen.id ? type.name : chosen.id, try chosen.strategy.read(source)
      )
    } catch {
      throw UserError(error.isFailure ? .plugin : .usage, error.description)
    }
  }

  /// Removes the records of this library's own highlights from an export of it, and counts them as
  /// known: the library has the same or later values. Those whose creation was undone are kept, and
  /// so are those whose values another program changed in the file.
  private func removeOwn(from incoming: inout [IncomingRecord], _ report: inout ImportReport)
    throws(UserError)
  {
    let ids = incoming.compactMap(\.ownID)
    guard !ids.isEmpty else { return }
    let own = try storage {
      try store.read { transaction in
        let found = try ids.compactMap { try transaction.highlight($0) }
        let trashed = found.filter(\.isTrashed).map(\.id)
        let undone = try transaction.undoneCreations(trashed.map { .highlight($0) })
        let present = found.filter { undone[.highlight($0.id)] == nil }
        return Dictionary(present.map { ($0.id, $0) }) { first, _ in first }
      }
    }
    for index in incoming.indices {
      guard let highlight = incoming[index].ownID.flatMap({ own[$0] }), !highlight.isTrashed,
        let written = incoming[index].record.written
      else { continue }
      let record = incoming[index].record
      let now = WrittenValues(color: record.color, note: record.note, tags: record.tags)
      guard now != written else { continue }
      (incoming[index].match, incoming[index].isOwnChange) = (highlight, true)
    }
    let count = incoming.count
    incoming.removeAll { !$0.isOwnChange && $0.ownID.map { own[$0] != nil } ?? false }
    report.known += count - incoming.count
  }

  /// Finds the highlights that earlier imports created from the records. A highlight matches one
  /// record at most.
  private func findMatches(of incoming: inout [IncomingRecord]) throws(UserError) {
    let records = incoming
    let found = try storage {
      try store.read { try $0.imported(under: Set(records.flatMap(\.keys))) }
    }
    var matched: Set<Highlight.ID> = []
    for index in incoming.indices where incoming[index].match == nil {
      incoming[index].match = incoming[index].keys.lazy.compactMap { found[$0] }.first {
        matched.insert($0.id).inserted
      }
    }
    try findInScopes(of: &incoming, &matched)
    try findRenamed(in: &incoming, except: matched)
  }

  /// Finds the highlights of the records by the keys that highlights of other documents can share:
  /// the file has changed, or an earlier version of Diple imported them. O(highlights of the
  /// format), if there are such records.
  private func findInScopes(
    of incoming: inout [IncomingRecord], _ matched: inout Set<Highlight.ID>
  ) throws(UserError) {
    guard
      let format = incoming.first(where: { $0.match == nil && $0.formerKey != nil })?.origin.format
    else { return }
    let present = try storage {
      try store.read { try $0.imported(underKeysWith: Origin.fullKey("id:", of: format)) }
    }
    var byKey: [String: [Highlight]] = [:]
    for highlight in present {
      guard let origin = highlight.origin?.origin else { continue }
      for key in [origin.key] + (origin.earlierKeys ?? []) {
        byKey[key, default: []].append(highlight)
      }
    }
    guard !byKey.isEmpty else { return }
    for index in incoming.indices where incoming[index].match == nil {
      let next = incoming[index]
      guard let formerKey = next.formerKey else { continue }
      let sure = byKey[next.origin.key]?.first { !matched.contains($0.id) }
      let found =
        sure
        ?? (next.scopedKeys + [formerKey]).lazy.flatMap { byKey[$0] ?? [] }.first {
          !matched.contains($0.id) && next.isSource(of: $0)
        }
      guard let found else { continue }
      matched.insert(found.id)
      incoming[index].match = found
    }
  }

  /// Finds the highlights of the records that no key matches, although their words and dates do. A
  /// record without an identifier has its location in its key, which changes if the importer learns
  /// to read more of it. O(highlights of the format), if there are such records.
  private func findRenamed(in incoming: inout [IncomingRecord], except matched: Set<Highlight.ID>)
    throws(UserError)
  {
    guard let format = incoming.first(where: { $0.match == nil && $0.hasDigestKey })?.origin.format
    else { return }
    let present = try storage {
      try store.read {
        try $0.imported(underKeysWith: Origin.fullKey(IncomingRecord.digestMark, of: format))
      }
    }
    var byWords: [[String]: [Highlight]] = [:]
    for highlight in present where !matched.contains(highlight.id) {
      guard let origin = highlight.origin?.origin else { continue }
      byWords[IncomingRecord.words(of: origin), default: []].append(highlight)
    }
    guard !byWords.isEmpty else { return }
    for index in incoming.indices
    where incoming[index].match == nil && incoming[index].hasDigestKey {
      let origin = incoming[index].origin
      let words = IncomingRecord.words(of: origin)
      // Earlier versions of Diple may not have read the date, either.
      guard let created = origin.created,
        let place = byWords[words]?.firstIndex(where: {
          ($0.origin?.origin?.created ?? created) == created
        })
      else { continue }
      incoming[index].match = byWords[words]?.remove(at: place)
    }
  }

  /// Assigns records and notes to documents, sorted by the documents' names. Records that fail are
  /// added to the report.
  private func destinations(
    of incoming: [IncomingRecord], _ notes: [SeparateNote], _ target: Document?,
    _ report: inout ImportReport
  ) throws(UserError) -> [(ImportDestination, [IncomingRecord], [SeparateNote])] {
    var byName: [String: (ImportDestination, [IncomingRecord], [SeparateNote])] = [:]
    // The documents of each group's records, by name.
    var ofGroup: [String: [String: ImportDestination]] = [:]
    func put(_ records: [IncomingRecord], _ destination: ImportDestination) {
      byName[destination.key, default: (destination, [], [])].1 += records
      for next in records { ofGroup[next.group, default: [:]][destination.key] = destination }
    }
    /// Adds a record to a document. A quote for a file of quotes is appended to it, if necessary.
    func put(_ next: IncomingRecord, in document: Document) {
      let book = QuoteBook(of: next.record)
      put([next], path(of: book) == document.path ? .book(book) : .document(document))
    }
    var groups: [String: [IncomingRecord]] = [:]
    var homes: [Document.ID: Document] = [:]
    for next in incoming {
      guard let match = next.match else {
        groups[next.group, default: []].append(next)
        continue
      }
      if homes[match.document] == nil { homes[match.document] = try document(id: match.document) }
      guard let home = homes[match.document], home.state != .removed, !match.isTrashed else {
        // The user deleted the highlight or its document. The source does not restore it.
        report.known += 1
        continue
      }
      put(next, in: home)
    }
    var homeless: [(record: IncomingRecord, work: Document?)] = []
    // The errors of the groups that name a document which is not in the library.
    var absent: [String: UserError] = [:]
    var titles = TitledDocuments()
    let addresses = try documentsByAddress(for: groups.values.map { $0[0].record })
    for (group, records) in groups.sorted(by: { $0.key < $1.key }) {
      do throws(UserError) {
        var document = target
        if document == nil {
          document = Self.address(records[0].record).flatMap { addresses[$0] }
        }
        if document == nil {
          do throws(UserError) { document = try home(of: records[0].record, &titles) } catch {
            guard error.code == .notFound else { throw error }
            document = try relocatedHome(of: records.map(\.record), &titles)
            if document == nil { absent[group] = Self.naming(absentDocument: error) }
          }
        }
        guard target == nil, let document else {
          if let document {
            put(records, .document(document))
            continue
          }
          let namesakes = absent[group] == nil ? try titles.namesakes(of: records[0], in: self) : []
          for (next, text) in zip(records, try documents(of: records, among: namesakes)) {
            if let text { put(next, in: text) } else { homeless.append((next, nil)) }
          }
          continue
        }
        // A file of quotes is not the text to which positions refer.
        if path(of: QuoteBook(of: records[0].record)) == document.path {
          homeless += records.map { ($0, $0.record.quote.isEmpty ? nil : document) }
          continue
        }
        for (next, text) in zip(records, try texts(of: records.map(\.record), in: document)) {
          if let text { put(next, in: text) } else { homeless.append((next, document)) }
        }
      } catch {
        report.problems.append(error)
        report.failed += records.count
      }
    }
    var found = try documents(containing: homeless.map(\.record.record))
    if !absent.isEmpty { Self.settle(&found, of: homeless.map(\.record), in: Set(absent.keys)) }
    for ((next, work), document) in zip(homeless, found) {
      if document == nil, let error = absent[next.group] {
        report.failed += 1
        if !report.problems.contains(error) { report.problems.append(error) }
        continue
      }
      // A passage that is nowhere stays with its work.
      if let document = document ?? work {
        put(next, in: document)
      } else if next.record.quote.isEmpty {
        report.failed += 1
        report.problems.append(
          UserError(.notFound, "\(next.name) has no quote, and its document is not in the library"))
      } else {
        put([next], .book(QuoteBook(of: next.record)))
      }
    }
    for note in notes {
      let record = AnnotationRecord(note)
      // The notes of a book belong to the document of its highlights, unless these have several.
      let known = ofGroup[IncomingRecord.group(of: record)] ?? [:]
      do throws(UserError) {
        var destination = known.count == 1 ? known.first?.value : nil
        if destination == nil {
          let document =
            if let target { target } else { try home(of: record, &titles) }
          let book = QuoteBook(of: record)
          destination = document.map { .document($0) } ?? .book(book)
          // The user deleted the book's quotes. Its notes alone do not restore them.
          if document == nil, byName[ImportDestination.book(book).key] == nil,
            try storage({ try store.read { try $0.document(at: path(of: book)) } })?.state
              == .removed
          {
            continue
          }
        }
        guard let destination else { continue }
        byName[destination.key, default: (destination, [], [])].2.append(note)
      } catch {
        report.problems.append(error)
        report.failed += 1
      }
    }
    return byName.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Whether the source of a record is an address of the web rather than a file.
  private static func hasAddress(_ record: AnnotationRecord) -> Bool {
    record.source.contains("://") && !record.source.hasPrefix("file:")
  }

  /// Returns the web address of a record's document in normalised form; nil if its source is not a
  /// web address.
  private static func address(_ record: AnnotationRecord) -> Source.Mark? {
    guard hasAddress(record) else { return nil }
    var source = Source()
    source[.url] = .text(record.source)
    return source.marks.first
  }

  /// Returns the documents with the web addresses of records. An address that several documents
  /// share is omitted.
  private func documentsByAddress(for records: [AnnotationRecord]) throws(UserError)
    -> [Source.Mark: Document]
  {
    let wanted = Set(records.compactMap(Self.address))
    guard !wanted.isEmpty else { return [:] }
    var found: [Source.Mark: [Document]] = [:]
    for (document, source) in try sources() {
      for mark in source.whole.marks where wanted.contains(mark) {
        found[mark, default: []].append(document)
      }
    }
    return found.compactMapValues { $0.count == 1 ? $0[0] : nil }
  }

  /// Returns the document of a record by its path or its title; nil if the library has no such
  /// document, or several with the title. Only the first call reads the titles of all documents.
  ///
  /// - Throws: `notFound` if the record's source can only be a local file and there is no such
  ///   document.
  private func home(of record: AnnotationRecord, _ titles: inout TitledDocuments)
    throws(UserError) -> Document?
  {
    // No name of a document is an address, and each search by name reads all of them.
    if !record.source.isEmpty, !Self.hasAddress(record) {
      // A record with a separate title may refer to a text on another device.
      let isElsewhere =
        record.title != record.source && !record.title.isEmpty
        && !Self.isDocumentName(record.source)
      do throws(UserError) { return try document(namedBy: record.source) } catch {
        guard isElsewhere, error.code == .notFound else { throw error }
      }
    }
    let title = FoldedTitle(record.title)
    guard !title.isEmpty else { return nil }
    let alike = try titles.documents(titled: title, in: self)
    if alike.count <= 1 { return alike.first }
    // A book and its title page have the same title.
    guard alike.count <= TitledDocuments.mostAlike else { return nil }
    var works: [Document] = []
    for document in alike where try !chapters(of: document).isEmpty { works.append(document) }
    return works.count == 1 ? works[0] : nil
  }

  /// Returns the document of records that name the file of another library or machine; nil if there
  /// is none, or several are equally probable. It has the same file name and title, or only one of
  /// them. If it has only the name, it contains at least half of the quotes. Of several documents,
  /// the one whose folders are the most similar is chosen.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  private func relocatedHome(of records: [AnnotationRecord], _ titles: inout TitledDocuments)
    throws(UserError) -> Document?
  {
    let parts = Self.fileName(of: records[0].source).split(separator: "/").map(String.init)
    guard let name = parts.last else { return nil }
    func nearest(_ documents: [Document]) -> Document? {
      let scored = documents.map { document in
        let own = document.path.string.split(separator: "/").map(String.init)
        return (document, zip(own.reversed(), parts.reversed()).prefix { $0 == $1 }.count)
      }
      let best = scored.map(\.1).max()
      let first = scored.filter { $0.1 == best }
      return first.count == 1 ? first[0].0 : nil
    }
    let named = try titles.all(in: self).filter { $0.path.name == name }
    let title = FoldedTitle(records[0].title)
    let titled = title.isEmpty ? [] : try titles.documents(titled: title, in: self)
    let both = named.filter { document in titled.contains { $0.id == document.id } }
    if !both.isEmpty { return nearest(both) }
    if titled.count == 1 { return titled[0] }
    guard let document = nearest(named) else { return nil }
    let count = try texts(of: records, in: document).count { $0 != nil }
    return count * 2 >= records.count ? document : nil
  }

  /// Chooses one document for all records of a group that names an unknown document: the one that
  /// contains at least half of the quotes that were searched for. Otherwise the group has none,
  /// because other texts can contain single quotes of it.
  ///
  /// - Parameters:
  ///   - found: for each record the document that contains its quote.
  ///   - records: the records.
  ///   - groups: the groups to change.
  private static func settle(
    _ found: inout [Document?], of records: [IncomingRecord], in groups: Set<String>
  ) {
    var searched: [String: Int] = [:]
    var hits: [String: [Document.ID: (document: Document, count: Int)]] = [:]
    for (next, document) in zip(records, found) where groups.contains(next.group) {
      if isDistinctive(next.record) { searched[next.group, default: 0] += 1 }
      if let document {
        hits[next.group, default: [:]][document.id, default: (document, 0)].count += 1
      }
    }
    for (index, next) in records.enumerated() where groups.contains(next.group) {
      let best = hits[next.group]?.values.first { $0.count * 2 >= searched[next.group] ?? 0 }
      found[index] = best?.document
    }
  }

  /// Adds to the error about an unknown document how to choose another one.
  private static func naming(absentDocument error: UserError) -> UserError {
    var error = error
    let choice: Hint = """
      \(action: "highlight.import", ["document": .asked("document"), "files": .asked("file")]) \
      imports the highlights into another document
      """
    if error.hint == nil, case .action("document.add", let members) = error.remedy {
      error.hint = "\(action: "document.add", members) adds it"
    }
    error.hint = error.hint?.followed(by: choice) ?? choice
    return error
  }

  /// Whether a source has the file extension of a document.
  private static func isDocumentName(_ source: String) -> Bool {
    guard let dot = source.lastIndex(of: ".") else { return false }
    return FolderScan.extensions.contains(source[source.index(after: dot)...].lowercased())
  }

  /// Returns the document for a path or a `file:` address of another application.
  private func document(namedBy source: String) throws(UserError) -> Document {
    try document(Self.fileName(of: source))
  }

  /// Returns the path in a `file:` address; a path itself.
  private static func fileName(of source: String) -> String {
    guard source.hasPrefix("file:"), let url = URL(string: source) else { return source }
    return url.path(percentEncoded: false)
  }
}

/// The document to which records are added.
enum ImportDestination {
  /// A document of the library, whose text may contain the imported quotes.
  case document(Document)
  /// A file of quotes for a text that the library does not have.
  case book(QuoteBook)

  /// The name, and whether quotes are appended: a file of quotes can also be a document that quotes
  /// are sought in.
  var key: String { if case .book = self { name + "\u{1F}" } else { name } }

  /// The name for messages: the document's path in the library.
  var name: String {
    switch self {
    case .document(let document): document.path.string
    case .book(let book): QuoteBook.folder + "/" + book.fileName
    }
  }
}

/// The state that all documents of an import share: together they are a single step.
struct ImportRun {
  let dryRun: Bool
  /// The group and the summary of the earlier documents' operations; nil before the first of them.
  private(set) var step: (group: Int64, outline: StepOutline)?
  /// In a dry run, the identifiers that the earlier documents' transactions gave before they were
  /// rolled back.
  private var rehearsed: WriteTransaction.GivenIdentifiers?

  init(dryRun: Bool) { self.dryRun = dryRun }

  /// Records a transaction as part of the step.
  func begin(_ transaction: WriteTransaction) {
    if let rehearsed { transaction.follow(rehearsed) }
    transaction.journal(JournalStep(group: step?.group, outline: step?.outline))
  }

  /// Adds a committed transaction to the step. Transactions without operations are ignored.
  mutating func end(_ transaction: WriteTransaction?) {
    guard let transaction else { return }
    if dryRun { rehearsed = transaction.given }
    guard !dryRun, transaction.outline.count > 0 else { return }
    step = (transaction.group, transaction.outline)
  }
}

/// The documents of a library by their titles, which are read when the first one is requested.
private struct TitledDocuments {
  private var documents: [Document]?
  private var byTitle: [FoldedTitle: [Document]]?

  mutating func all(in library: isolated Library) throws(UserError) -> [Document] {
    if let documents { return documents }
    let all = try library.documents()
    documents = all
    return all
  }

  mutating func documents(titled title: FoldedTitle, in library: isolated Library)
    throws(UserError) -> [Document]
  {
    if byTitle == nil {
      byTitle = Dictionary(grouping: try all(in: library)) { FoldedTitle($0.title) }
    }
    return byTitle?[title] ?? []
  }

  /// The maximum number of documents with the same title that are examined.
  static let mostAlike = 16

  /// Returns the documents with the title of a record; empty if it has no title, or if they are
  /// more than ``mostAlike``.
  mutating func namesakes(of incoming: IncomingRecord, in library: isolated Library)
    throws(UserError) -> [Document]
  {
    let title = FoldedTitle(incoming.record.title)
    guard !title.isEmpty else { return [] }
    let alike = try documents(titled: title, in: library)
    return alike.count <= Self.mostAlike ? alike : []
  }
}

/// The outcome of importing highlights.
package struct ImportReport: Sendable {
  /// The files that were read, with their format and counts.
  package var sources: [Source] = []
  /// The new highlights with their documents. Some may have an uncertain location or none.
  package var made: [(highlight: Highlight, document: Document)] = []
  /// The highlights that changed at their source since the last import, in their new state, with
  /// their documents.
  package var updated: [(highlight: Highlight, document: Document)] = []
  /// The numbers of notes without a highlight that were added to the notes on documents.
  package var notes: [(document: Document, count: Int)] = []
  /// The number of highlights that were already in the library.
  package var known = 0
  /// The files of quotes for texts that the library does not have, and whether each file is new.
  package var books: [(document: Document, isNew: Bool)] = []
  /// Conflicts between changes in the library and at the source, in which the value in the library
  /// was kept; one line each.
  package var kept: [String] = []
  /// The records that were skipped, with the reason; one line each.
  package var skipped: [String] = []
  /// The errors that prevented an import into a document; one for each document.
  package var problems: [UserError] = []
  /// The number of highlights that could not be imported because of ``problems``.
  package var failed = 0
  /// The error because of which the import may not be durable; nil if it is durable.
  package var unconfirmed: UserError?

  /// The content of one file, or of the clipboard.
  package struct Source: Hashable, Sendable {
    /// The name of the format.
    package var format: String
    /// The number of highlights in it.
    package var highlights: Int
    /// The number of documents to which they belong.
    package var documents: Int
    /// Whether it contains dates without a time zone, which are interpreted in the local one.
    package var hasLocalDates: Bool
  }

  package init() {}

  /// The number of new highlights that have a location.
  package var placed: Int { made.count { $0.highlight.anchor.range != nil } }

  /// Appends the report of the next part of the import. O(next).
  package mutating func add(_ next: ImportReport) {
    sources += next.sources
    made += next.made
    updated += next.updated
    notes += next.notes
    known += next.known
    books += next.books
    kept += next.kept
    skipped += next.skipped
    problems += next.problems
    failed += next.failed
    unconfirmed = unconfirmed ?? next.unconfirmed
  }
}
