import Anchoring
import Files
import FoundationEssentials
import Interchange
import MarkdownParse
package import Model
import Storage
package import SystemSupport

extension Library {
  /// Brings another program's highlights into the library. Each is looked for in its document as
  /// the file is now, by the same strategies that follow edits: one that is found nowhere comes in
  /// as an orphan, with its quote. One that was imported before is brought up to date.
  ///
  /// - Parameters:
  ///   - path: the file that holds the data; empty for none.
  ///   - others: databases that have what the data, itself one, refers to.
  ///   - format: the id of the format; nil to find out.
  ///   - target: the document of all of them; nil for the one that each names as its source.
  ///   - dryRun: whether nothing is stored.
  /// - Throws: `usage` for data that no format reads.
  package func importHighlights(
    _ data: [UInt8], at path: String = "", beside others: [[UInt8]] = [], from format: String?,
    into target: Document?, dryRun: Bool = false
  ) throws(UserError) -> ImportReport {
    let (id, name, content) = try content(of: data, at: path, beside: others, format)
    return try importRecords(content, of: id, called: name, into: target, dryRun: dryRun)
  }

  /// Brings records into the library that are of one form.
  ///
  /// - Parameters:
  ///   - id: the form's id, and `name` what it is called.
  ///   - target: as for `importHighlights`.
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
    try findMatches(of: &incoming)
    var run = ImportRun(dryRun: dryRun)
    for (destination, records) in try destinations(of: incoming, target, &report) {
      // Of its own, for it is copied: what came before is not to be copied with every document.
      var part = ImportReport()
      do throws(UserError) { try store(records, in: destination, &part, &run) } catch {
        part.problems.append(Self.naming(destination.name, in: error))
        part.failed += records.count
      }
      report.add(part)
    }
    if run.step != nil {
      // All of it is stored by now, and others see it: a failure here is not one of the import.
      do throws(UserError) { try storage { try store.flush() } } catch {
        report.unconfirmed = UserError(
          .unconfirmed, "it was imported, but the disk did not confirm it: \(error.message)",
          hint: "after a power cut the last documents may be missing; import again to restore them")
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

  // MARK: - What comes in

  /// Whether some data is a database that no importer reads: it may have what another one refers to.
  package func isCompanion(_ data: [UInt8], at path: String) throws(UserError) -> Bool {
    guard let tables = try ImportedTables(data, at: path, beside: []) else { return false }
    let source = ImportSource(data, path: path, tables: tables)
    return !plugins.importers.all.contains { $0.recognizes(source) }
  }

  private func content(
    of data: [UInt8], at path: String, beside others: [[UInt8]], _ format: String?
  ) throws(UserError) -> (id: String, name: String, ImportContent) {
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
      if let found = Bibliography(data), found.sources.contains(where: { $0[.title] != nil }) {
        throw UserError(
          .usage, "this is a bibliography, and has no highlights",
          hint: "\(command: "source link", "FILE") links its entries to documents")
      }
      let ids = entries.map(\.id).joined(separator: ", ")
      throw UserError(
        .usage, "not an annotation file that Diple can import", hint: "the formats are \(ids)")
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

  /// Finds the highlights that records became when they were imported before.
  private func findMatches(of incoming: inout [IncomingRecord]) throws(UserError) {
    let records = incoming
    let found = try storage {
      try store.read { try $0.imported(under: Set(records.flatMap(\.keys))) }
    }
    guard !found.isEmpty else { return }
    var taken: Set<Highlight.ID> = []
    for index in incoming.indices {
      incoming[index].match = incoming[index].keys.lazy.compactMap { found[$0] }.first {
        taken.insert($0.id).inserted
      }
    }
  }

  /// The documents into which records go, in the order of their names.
  private func destinations(
    of incoming: [IncomingRecord], _ target: Document?, _ report: inout ImportReport
  ) throws(UserError) -> [(ImportDestination, [IncomingRecord])] {
    var byName: [String: (ImportDestination, [IncomingRecord])] = [:]
    func put(_ records: [IncomingRecord], _ destination: ImportDestination) {
      byName[destination.name, default: (destination, [])].1 += records
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
        // The person took it away; its source does not bring it back.
        report.known += 1
        continue
      }
      let book = QuoteBook(of: next.record)
      put([next], path(of: book) == home.path ? .book(book) : .document(home))
    }
    var homeless: [IncomingRecord] = []
    let addresses = try documentsByAddress(for: groups.values.map { $0[0].record })
    for (_, records) in groups.sorted(by: { $0.key < $1.key }) {
      do throws(UserError) {
        var document = target
        if document == nil {
          document = Self.address(records[0].record).flatMap { addresses[$0] }
        }
        if document == nil { document = try home(of: records[0].record) }
        if let document { put(records, .document(document)) } else { homeless += records }
      } catch {
        report.problems.append(error)
        report.failed += records.count
      }
    }
    for (next, document) in zip(homeless, try documents(holding: homeless.map(\.record))) {
      if let document {
        put([next], .document(document))
      } else if next.record.quote.isEmpty {
        report.failed += 1
        report.problems.append(
          UserError(.notFound, "\(next.name) has no words, and its document is not in the library"))
      } else {
        put([next], .book(QuoteBook(of: next.record)))
      }
    }
    return byName.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The address on the web that a record is of, in the form in which addresses are compared.
  private static func address(_ record: AnnotationRecord) -> Source.Mark? {
    guard record.source.contains("://"), !record.source.hasPrefix("file:") else { return nil }
    var source = Source()
    source[.url] = .text(record.source)
    return source.marks.first
  }

  /// The documents whose source has an address, where records have one: each that is of one document
  /// only.
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

  /// The document that a record is of, by its path, or by its title; nil when the library
  /// does not have it.
  ///
  /// - Throws: `notFound` for one that can only be a file of this machine.
  private func home(of record: AnnotationRecord) throws(UserError) -> Document? {
    // What has a title of its own, or an address, is read elsewhere.
    let isElsewhere =
      record.source.isEmpty
      || record.source.contains("://") && !record.source.hasPrefix("file:")
      || record.title != record.source && !record.title.isEmpty
        && !Self.isDocumentName(record.source)
    if !record.source.isEmpty {
      do throws(UserError) { return try document(namedBy: record.source) } catch {
        guard isElsewhere, error.code == .notFound else { throw error }
      }
    }
    let title = FoldedTitle(record.title)
    guard !title.isEmpty else { return nil }
    let alike = try documents().filter { FoldedTitle($0.title) == title }
    return alike.count == 1 ? alike[0] : nil
  }

  /// Whether a source names a file that could be a document.
  private static func isDocumentName(_ source: String) -> Bool {
    guard let dot = source.lastIndex(of: ".") else { return false }
    return FolderScan.extensions.contains(source[source.index(after: dot)...].lowercased())
  }

  /// The document that another program calls by an address or a path.
  private func document(namedBy source: String) throws(UserError) -> Document {
    var name = source
    if name.hasPrefix("file:"), let url = URL(string: name) {
      name = url.path(percentEncoded: false)
    }
    return try document(name)
  }
}

/// Where records go.
enum ImportDestination {
  /// A document of the library.
  case document(Document)
  /// The document that holds the quotes of a text which the library does not have.
  case book(QuoteBook)

  /// What it is called in messages.
  var name: String {
    switch self {
    case .document(let document): document.path.string
    case .book(let book): QuoteBook.folder + "/" + book.fileName
    }
  }
}

/// What the documents of an import have in common: it is one step.
struct ImportRun {
  let dryRun: Bool
  /// What the documents before did; nil for nothing.
  private(set) var step: (group: Int64, outline: StepOutline)?

  init(dryRun: Bool) { self.dryRun = dryRun }

  /// Makes a transaction a part of the step.
  func begin(_ transaction: WriteTransaction) {
    transaction.journal(JournalStep(group: step?.group, outline: step?.outline))
  }

  /// Takes up what a transaction did, after its end.
  mutating func end(_ transaction: WriteTransaction?) {
    guard let transaction, !dryRun, transaction.outline.count > 0 else { return }
    step = (transaction.group, transaction.outline)
  }
}

/// A title without what different programs write differently in it: case, blanks and punctuation.
private struct FoldedTitle: Equatable {
  private let words: [String]

  init(_ title: String) { words = WordFilter.Phrase(dividing: title).words }

  var isEmpty: Bool { words.isEmpty }
}
