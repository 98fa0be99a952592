import Dispatch
import Files
import FoundationEssentials
import MarkdownParse
package import Model
import Storage
import Synchronization
package import SystemSupport

/// What became of one file that was to be added.
package struct AddResult: Hashable, Sendable {
  /// The document it is now.
  package var document: Document
  /// What happened.
  package var kind: Kind
  /// Places in the file that are not UTF-8 and show as U+FFFD.
  package var invalidSequences: Int

  /// Says that the library has a document already.
  package init(known document: Document) {
    self.init(document: document, kind: .known, invalidSequences: 0)
  }

  init(document: Document, kind: Kind, invalidSequences: Int) {
    (self.document, self.kind, self.invalidSequences) = (document, kind, invalidSequences)
  }

  /// What adding did.
  package enum Kind: String, Hashable, Sendable, Codable {
    /// It is new in the library.
    case added
    /// It had been removed and is back with its highlights.
    case restored
    /// It was there already.
    case known
  }
}

/// What adding files and folders did. One file that cannot be added never hides another.
package struct AddReport: Sendable {
  /// The files that are documents now, in the order in which they were found.
  package var additions: [AddResult] = []
  /// Why others are not.
  package var problems: [UserError] = []

  /// Nothing was added yet.
  package init() {}
}

extension Library {
  /// How many new documents are stored in one transaction: enough that the disk's confirmation is
  /// no longer the cost, few enough that a kill loses little work.
  private static let batch = 256

  /// Brings files, and the Markdown files below folders, into the library. The files stay where
  /// they are and are not written.
  ///
  /// - Parameter acknowledge: is given each batch after it is stored for good.
  package func add(
    _ paths: [String], acknowledge: (AddReport) throws -> Void = { _ in }
  ) throws -> AddReport {
    try add(paths, label: "", acknowledge: acknowledge, also: { _, _ in })
  }

  /// The same, with what else is stored of a new document in the same transaction.
  ///
  /// - Parameter label: what the history calls it; empty where its operations say that.
  func add(
    _ paths: [String], label: String, acknowledge: (AddReport) throws -> Void = { _ in },
    also body: (WriteTransaction, Document) throws -> Void
  ) throws -> AddReport {
    var total = AddReport()
    var files: [String] = []
    for path in paths {
      do throws(UserError) {
        // One refusal for a folder, not one for each file below it.
        let found = try Self.files(at: path) { (folder) throws(UserError) in
          try location.requireHeld(folder)
        }
        files += found.files
        total.problems += found.problems
        if found.files.isEmpty && found.problems.isEmpty {
          throw UserError(
            .nothing, "no Markdown file in \(path)",
            hint: "their names end in \(FolderScan.extensions.sorted().joined(separator: ", "))")
        }
      } catch { total.problems.append(error) }
    }
    var group: Int64?
    for start in stride(from: 0, to: files.count, by: Self.batch) {
      let report = try addBatch(
        files[start..<min(start + Self.batch, files.count)], &group, label, body)
      try acknowledge(report)
      total.additions += report.additions
      total.problems += report.problems
    }
    return total
  }

  /// The files that `add` would look at.
  ///
  /// - Throws: for a path at which there is nothing, or a folder that cannot be read.
  package static func filesToAdd(_ paths: [String]) throws(UserError) -> [String] {
    var files: [String] = []
    for path in paths {
      let found = try Self.files(at: path)
      if let problem = found.problems.first { throw problem }
      files += found.files
    }
    return files
  }

  /// The file at a path, or the Markdown files below the folder there, by their absolute paths.
  ///
  /// - Parameter check: looks at the folder before it is read.
  private static func files(
    at path: String, check: (String) throws(UserError) -> Void = { _ in }
  ) throws(UserError) -> (files: [String], problems: [UserError]) {
    let absolute = FileSystem.absolute(path)
    guard let status = try FileSystem.status(of: absolute) else {
      throw FileSystem.noSuchFile(path)
    }
    guard status.isFolder else { return ([absolute], []) }
    try check(absolute)
    let scan = FolderScan(absolute)
    return (scan.files, scan.problems)
  }

  /// A new document, read and parsed.
  struct Arrival: Sendable {
    var path: DocumentPath
    var title: String
    var revision: Revision
    var text: PreparedText
    var invalidSequences: Int
  }

  /// Adds some files; `group` is that of the files before them, with which they make one step.
  private func addBatch(
    _ files: ArraySlice<String>, _ group: inout Int64?, _ label: String,
    _ body: (WriteTransaction, Document) throws -> Void
  ) throws(UserError) -> AddReport {
    var report = AddReport()
    var arrivals: [Arrival] = []
    let known = try storage {
      try store.read { transaction in
        try files.map { try transaction.document(at: self.location.documentPath($0)) }
      }
    }
    var new: [String] = []
    for (file, document) in zip(files, known) {
      guard let document else {
        new.append(file)
        continue
      }
      let kind: AddResult.Kind = document.state == .removed ? .restored : .known
      report.additions.append(AddResult(document: document, kind: kind, invalidSequences: 0))
    }
    for result in Self.arrivals(new, in: location, dialects) {
      do throws(UserError) { arrivals.append(try result.get()) } catch {
        report.problems.append(error)
      }
    }
    let previous = group
    let (stored, own) = try storage {
      try store.write { transaction -> (AddReport, Int64) in
        transaction.journal(JournalStep(label: label, group: previous))
        var report = report
        for index in report.additions.indices where report.additions[index].kind == .restored {
          let id = report.additions[index].document.id
          _ = try transaction.setTrashed(false, of: id)
          if let document = try transaction.document(id) {
            report.additions[index].document = document
          }
        }
        for arrival in arrivals {
          // Another process, or the same path named twice, may have done it first.
          if let document = try transaction.document(at: arrival.path) {
            report.additions.append(
              AddResult(document: document, kind: .known, invalidSequences: 0))
            continue
          }
          let document = try transaction.createDocument(
            path: arrival.path, title: arrival.title, revision: arrival.revision,
            text: arrival.text)
          try body(transaction, document)
          report.additions.append(
            AddResult(
              document: document, kind: .added, invalidSequences: arrival.invalidSequences))
        }
        return (report, transaction.group)
      }
    }
    if stored.additions.contains(where: { $0.kind != .known }) { group = own }
    return stored
  }

  /// Reads and parses files, and makes their texts ready, on two threads when there are several.
  private static func arrivals(
    _ files: [String], in location: LibraryLocation, _ dialects: Dialects
  ) -> [Result<Arrival, UserError>] {
    dialects.forget()
    let next = Mutex(0)
    let results = Mutex([Result<Arrival, UserError>?](repeating: nil, count: files.count))
    DispatchQueue.concurrentPerform(iterations: min(2, files.count)) { _ in
      let preparation = TextPreparation()
      while true {
        let index = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard index < files.count else { return }
        let result = Result { () throws(UserError) in
          try arrival(files[index], in: location, dialects, preparation)
        }
        results.withLock { $0[index] = result }
      }
    }
    return results.withLock { $0.compactMap(\.self) }
  }

  static func arrival(
    _ file: String, in location: LibraryLocation, _ dialects: Dialects,
    _ preparation: TextPreparation
  ) throws(UserError) -> Arrival {
    let path = location.documentPath(file)
    let source = try SourceFile(reading: location.file(of: path))
    let parsed = dialects.parse(source)
    let revision = Revision(
      sourceDigest: source.digest, textDigest: ContentDigest(sha256: parsed.text.utf8),
      renderVersion: ParsedDocument.renderVersion, dialect: parsed.dialect.rawValue,
      stamp: source.stamp, seen: .now)
    return Arrival(
      path: path, title: DocumentTitle.of(parsed, path: path), revision: revision,
      text: preparation.prepare(parsed.text.string, positions: PositionMap(parsed).bytes),
      invalidSequences: source.invalidSequences)
  }

  /// Whether there is a document that was not removed.
  package func hasDocuments() throws(UserError) -> Bool {
    try storage { try store.read { try $0.hasDocuments() } }
  }

  /// The documents in the order of their paths, without the removed ones.
  package func documents() throws(UserError) -> [Document] {
    try storage { try store.read { try $0.documents(includingRemoved: false) } }
  }

  /// These documents, or those of the library where none are named.
  func documents(orAll some: [Document]?) throws(UserError) -> [Document] {
    if let some { some } else { try documents() }
  }

  /// How many live highlights each document has, by state.
  ///
  /// - Parameter document: the only one that is asked for; nil for all.
  package func highlightCounts(of document: Document.ID? = nil) throws(UserError)
    -> [Document.ID: [AnchorState: Int]]
  {
    try storage { try store.read { try $0.highlightCounts(of: document) } }
  }

  /// How many live highlights each document has, by colour. O(highlights).
  package func colorCounts() throws(UserError) -> [Document.ID: [HighlightColor: Int]] {
    try storage { try store.read { try $0.colorCounts() } }
  }

  /// How many documents are not removed, and how many live highlights they have. O(highlights).
  package func liveCounts() throws(UserError) -> (documents: Int, highlights: Int) {
    try storage { try store.read { try $0.liveCounts() } }
  }

  /// Takes a document out of the library, and its highlights with it, in one transaction. The file
  /// stays; `restore` brings everything back.
  ///
  /// - Returns: how many highlights went with it.
  package func remove(_ document: Document) throws(UserError) -> Int {
    try storage {
      try store.write { transaction in
        let count = try transaction.highlights(HighlightFilter(documents: [document.id])).count
        guard try transaction.setTrashed(true, of: document.id) else {
          throw UserError(.nothing, "\(document.path.string) was already removed")
        }
        return count
      }
    }
  }

  /// Brings a removed document and its highlights back.
  ///
  /// - Returns: how many highlights came back with it.
  package func restore(_ document: Document) throws(UserError) -> Int {
    try storage {
      try store.write { transaction in
        guard try transaction.setTrashed(false, of: document.id) else {
          throw UserError(.nothing, "\(document.path.string) is in the library")
        }
        return try transaction.highlights(HighlightFilter(documents: [document.id])).count
      }
    }
  }

  /// Gives a document another title; its file stays as it is.
  package func rename(_ document: Document, to title: String) throws(UserError) {
    guard !title.allSatisfy(\.isWhitespace) else {
      throw UserError(.usage, "a title needs at least one letter")
    }
    let changed = try storage {
      try store.write { try $0.setTitle(title, of: document.id) }
    }
    if !changed { throw UserError(.nothing, "it is already called '\(title)'") }
  }

  /// Says that a document's file stands at another path now, and finds its highlights there.
  package func link(_ document: Document, to path: String) throws(UserError) -> RefreshReport {
    let target = location.documentPath(path)
    _ = try SourceFile(reading: location.file(of: target))
    let changed = try storage {
      try store.write { transaction -> Bool in
        if let other = try transaction.document(at: target), other.id != document.id {
          // What another machine knows and what this one knows are one from now on.
          if document.path.isElsewhere {
            return try transaction.setAlias(other.id, document.id, true)
          }
          throw UserError(
            .conflict, "\(target.string) is another document: '\(other.title)' (\(other.id))",
            hint: "remove that one first")
        }
        guard try transaction.setPath(target, of: document.id) else { return false }
        guard try transaction.document(at: target)?.id == document.id else {
          throw UserError(
            .conflict, "\(document.title) is one document with another here",
            hint: "\(command: "doc", "unlink", .word(document.id.description)) parts them first")
        }
        return true
      }
    }
    guard changed else {
      throw UserError(.nothing, "\(document.title) is already at \(target.string)")
    }
    let linked = try storage { try store.read { try $0.document(at: target)?.id } } ?? document.id
    try storage { try store.writeCache { try $0.adoptPlaces(of: linked) } }
    let present = try self.document(id: linked)
    let reports = try refresh([present])
    if document.path.isElsewhere, reports[0].document.state == .present { try placeAnew(present) }
    return reports[0]
  }

  /// Parts documents that were taken for one: each stands where its machine said.
  ///
  /// - Returns: the documents that it was, this one first.
  /// - Throws: `nothing` for a document that is only itself.
  package func part(_ document: Document) throws(UserError) -> [Document] {
    let parts = try storage {
      try store.write { transaction -> [Document.ID] in
        let parts = try transaction.aliases(of: document.id)
        for part in parts {
          for other in parts where part < other { _ = try transaction.setAlias(part, other, false) }
        }
        return parts
      }
    }
    guard !parts.isEmpty else {
      throw UserError(.nothing, "'\(document.title)' is one document")
    }
    let documents = try parts.map { (id) throws(UserError) in try self.document(id: id) }
    _ = try refresh(documents.filter { $0.state != .removed })
    return try parts.map { (id) throws(UserError) in try self.document(id: id) }
  }
}
