import Anchoring
import Dispatch
import Files
import FoundationEssentials
import Glibc
import Logging
import MarkdownParse
package import Model
import Storage
import Synchronization
package import SystemSupport

extension Library {
  /// Looks at the files of documents and finds the highlights of those that changed. A file that is
  /// gone is looked for under other names and in other folders.
  ///
  /// - Parameters:
  ///   - documents: which; nil for all that are in the library.
  ///   - searching: whether those that were missing before are looked for again.
  /// - Returns: a report for each document, in the same order.
  package func refresh(_ documents: [Document]? = nil, searching: Bool = false)
    throws(UserError) -> [RefreshReport]
  {
    var reports = try refreshInPlace(try self.documents(orAll: documents))
    let lost = reports.filter {
      $0.change == .missing || searching && $0.document.state == .missing
    }
    let followed = try follow(lost.map(\.document))
    guard !followed.isEmpty else { return reports }
    let places = Dictionary(
      reports.enumerated().map { ($1.document.id, $0) }, uniquingKeysWith: { first, _ in first })
    for report in followed {
      if let index = places[report.document.id] { reports[index] = report }
    }
    return reports
  }

  /// Looks at the files of documents where they are said to be, and nowhere else.
  package func refreshInPlace(_ documents: [Document]) throws(UserError) -> [RefreshReport] {
    let revisions = try storage {
      try store.read { try $0.revisions(of: documents) }
    }
    dialects.forget()
    let found = statuses(of: documents)
    var reports: [RefreshReport] = []
    var gone: [Document.ID] = []
    for (index, document) in documents.enumerated() where document.state != .removed {
      let report = try refresh(document, from: revisions[index], found[index])
      if report.change == .missing { gone.append(document.id) }
      reports.append(report)
    }
    try storeMissing(gone)
    return reports
  }

  /// What the system says of a document's file: where it is, and its status; nil when it is not there.
  private typealias FoundFile = Result<(path: String, status: stat?), UserError>

  /// From how many documents on a second thread is worth its start.
  private static let manyDocuments = 1_000

  /// Looks at the files of documents, on two threads when there are many; those of removed ones too.
  private func statuses(of documents: [Document]) -> [FoundFile] {
    let location = location
    let half = documents.count < Self.manyDocuments ? documents.count : documents.count / 2
    let parts = [documents[..<half], documents[half...]]
    let found = Mutex([[FoundFile]](repeating: [], count: parts.count))
    DispatchQueue.concurrentPerform(iterations: half < documents.count ? 2 : 1) { part in
      let statuses = parts[part].map { document in
        FoundFile { () throws(UserError) in
          // Nothing is opened by what another machine said.
          if document.path.isElsewhere { return (path: document.path.string, status: nil) }
          let path = try location.file(of: document.path)
          return (path: path, status: try FileSystem.status(of: path))
        }
      }
      found.withLock { $0[part] = statuses }
    }
    return found.withLock { $0.flatMap(\.self) }
  }

  /// How many missing files are stored in one transaction.
  private static let missingBatch = 1_000

  /// Stores that files are gone.
  private func storeMissing(_ documents: [Document.ID]) throws(UserError) {
    if isReadOnly { return }
    for start in stride(from: 0, to: documents.count, by: Self.missingBatch) {
      let batch = documents[start..<min(start + Self.missingBatch, documents.count)]
      try storage {
        try store.writeCache { for id in batch { try $0.setPresence(false, of: id) } }
      }
    }
  }

  /// One document: at most its file's status is read when nothing changed.
  private func refresh(_ document: Document, from revision: Revision?, _ found: FoundFile)
    throws(UserError) -> RefreshReport
  {
    var path = ""
    do {
      let file = try found.get()
      path = file.path
      guard let status = file.status else { return Self.missing(document) }
      let stamp = FileStamp(status, checked: FileStamp.currentTime)
      if document.state == .present, let revision, revision.stamp.provesUnchanged(stamp),
        isRenderedAsNow(revision, path)
      {
        return RefreshReport(document: document, change: .unchanged, outcomes: [])
      }
      return try see(document, from: revision).report
    } catch  where Self.isFault(error, ofFile: path) {
      // The file, not the library, is at fault: others go on, and this one stays as it was.
      return RefreshReport(
        document: document, change: .unreadable, outcomes: [], problem: error)
    }
  }

  /// Whether an error is about a document's file alone, and not about the library.
  static func isFault(_ error: UserError, ofFile path: String) -> Bool {
    error.code != .conflict && error.code != .damaged || error == SourceFile.unsettled(path)
  }

  /// A document as its file says now, with its highlights at their places in it.
  struct Reading {
    var parsed: ParsedDocument
    /// The hashes of its bytes and of its text.
    var digests: (source: ContentDigest, text: ContentDigest)
    var report: RefreshReport
  }

  /// A document's file as it is now.
  private struct SeenFile {
    var file: SourceFile
    /// The text; nil where nobody had to parse it, because it is the one last seen.
    var parsed: ParsedDocument?
    var textDigest: ContentDigest
    var report: RefreshReport
  }

  /// Reads a document's file and parses it, as `see` does.
  func read(_ document: Document, from revision: Revision?) throws(UserError) -> Reading {
    let seen = try see(document, from: revision)
    return Reading(
      parsed: seen.parsed ?? parse(seen.file), digests: (seen.file.digest, seen.textDigest),
      report: seen.report)
  }

  /// Whether a text that was seen would be made of the same bytes at a path today.
  private func isRenderedAsNow(_ revision: Revision, _ path: String) -> Bool {
    revision.renderVersion == ParsedDocument.renderVersion
      && revision.dialect == dialects.choice(for: path).dialect.rawValue
  }

  /// The largest file whose parsed text is kept for the next that asks for it, in bytes.
  private static let keptText = 8 << 20

  /// Parses a file, unless it is the one that was parsed last. O(bytes).
  func parse(_ file: SourceFile) -> ParsedDocument {
    let dialect = dialects.choice(for: file.path).dialect
    if let last = lastParsed, last.digest == file.digest,
      last.document.options == dialect.options
    {
      return last.document
    }
    let parsed = ParsedDocument(parsing: MarkdownSource(file.bytes), in: dialect)
    parseCount += 1
    lastParsed = file.bytes.count <= Self.keptText ? (file.digest, parsed) : nil
    return parsed
  }

  /// Reads a document's file; when its text is not the one last seen, every highlight's place is
  /// found in it and stored, in one transaction.
  private func see(_ document: Document, from revision: Revision?) throws(UserError) -> SeenFile {
    let path = try location.file(of: document.path)
    guard try FileSystem.status(of: path) != nil else {
      if document.state != .missing { try storeMissing([document.id]) }
      throw .missingFile(document)
    }
    let file = try SourceFile(reading: path)
    var present = document
    present.state = .present
    let returned = document.state == .missing
    if let revision, revision.sourceDigest == file.digest, isRenderedAsNow(revision, path) {
      // What is known already is not written again: who only looks changes nothing.
      if returned || !revision.stamp.provesUnchanged(file.stamp) {
        try remember(file.stamp, of: present, returned: returned)
      }
      let report = RefreshReport(
        document: present, change: returned ? .returned : .unchanged,
        outcomes: returned ? try standing(of: document) : [])
      return SeenFile(file: file, textDigest: revision.textDigest, report: report)
    }
    if let revision, revision.sourceDigest != file.digest,
      let back = try broughtBack(document, revision, now: file)
    {
      var seen = try see(back, from: revision)
      seen.report.movedFrom = document.path
      return seen
    }
    let parsed = parse(file)
    let places = try replaceRevision(of: present, revision, with: file, parsed)
    var report = RefreshReport(
      document: present, change: returned ? .returned : .changed, outcomes: places.outcomes,
      lostFormats: places.lostFormats)
    if let revision, revision.sourceDigest == file.digest {
      let dialect = parsed.dialect.rawValue
      report.reread =
        revision.dialect == dialect ? "read by a newer Diple now" : "read as \(dialect) now"
    }
    return SeenFile(file: file, parsed: parsed, textDigest: places.digest, report: report)
  }

  /// Finds the places in a changed text and stores them with it.
  private func replaceRevision(
    of document: Document, _ old: Revision?, with file: SourceFile, _ parsed: ParsedDocument
  ) throws(UserError) -> Placements {
    let places = try placements(of: document, in: parsed)
    if isReadOnly {
      unsaved.merge(places.anchors) { $1 }
    } else {
      let revision = Revision(
        sourceDigest: file.digest, textDigest: places.digest,
        renderVersion: ParsedDocument.renderVersion, dialect: parsed.dialect.rawValue,
        stamp: file.stamp, seen: .now)
      let positions = PositionMap(parsed).bytes
      // When another process stored it first, the same text has the same places: theirs stand.
      _ = try storage {
        try store.writeCache { transaction in
          try transaction.setPresence(true, of: document.id)
          return try transaction.replaceRevision(
            of: document.id, expecting: old?.sourceDigest, with: revision,
            text: parsed.text.string, positions: positions, anchors: places.anchors)
        }
      }
    }
    logger.debug("refreshed", metadata: ["document": "\(document.path.string)"])
    return places
  }

  /// Stores that the same content was seen again.
  private func remember(_ stamp: FileStamp, of document: Document, returned: Bool)
    throws(UserError)
  {
    if isReadOnly { return }
    try storage {
      try store.writeCache { transaction in
        if returned { try transaction.setPresence(true, of: document.id) }
        try transaction.setStamp(stamp, of: document.id)
      }
    }
  }

  /// What is said of a file that is not there.
  private static func missing(_ document: Document) -> RefreshReport {
    var missing = document
    missing.state = .missing
    // Said once, when it happens; afterwards lists show the state.
    let change = document.state == .missing ? RefreshReport.Change.unchanged : .missing
    return RefreshReport(document: missing, change: change, outcomes: [])
  }

  /// The highlights of a document whose text is the one last seen, each where it was.
  package func standing(of document: Document) throws(UserError) -> [RefreshReport.Outcome] {
    try highlights(HighlightFilter(documents: [document.id])).map {
      RefreshReport.Outcome(
        highlight: $0.id, name: $0.shortID, quote: $0.selector.exact, before: $0.anchor,
        after: $0.anchor)
    }
  }
}
