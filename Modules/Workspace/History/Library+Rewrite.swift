import Anchoring
import Editing
import Files
import FoundationEssentials
import Logging
import MarkdownParse
import Model
import Storage
import SystemSupport

/// A file that is about to get other content: the one way in which Diple writes documents.
struct Rewrite {
  /// The document.
  var document: Document
  /// What is changed.
  var patch: SourcePatch
  /// The document before.
  var before: ParsedDocument
  /// The hashes of its bytes and of its text.
  var digests: (source: ContentDigest, text: ContentDigest)
  /// The document afterwards.
  var after: ParsedDocument
  /// The same change in the rendered text; nil where it is more than its words that changes.
  var edits: [TextEdit]?

  /// Prepares a change of the source.
  ///
  /// - Parameters:
  ///   - after: the document after the change, when it has been parsed already.
  ///   - edits: the change of the rendered text, when it is known.
  init(
    _ document: Document, _ patch: SourcePatch, of reading: Library.Reading,
    after: ParsedDocument? = nil, edits: [TextEdit]? = nil
  ) {
    let before = reading.parsed
    self.document = document
    self.patch = patch
    self.before = before
    digests = reading.digests
    let after =
      after
      ?? ParsedDocument(
        parsing: MarkdownSource(patch.applied(to: before.source.bytes)), options: before.options)
    self.after = after
    self.edits = edits ?? Self.textEdits(patch, before, after)
  }

  /// What a patch of the source does to the rendered text; nil when what it changes shows elsewhere
  /// too, as where it begins or ends a block. O(text + pieces × log runs).
  private static func textEdits(
    _ patch: SourcePatch, _ before: ParsedDocument, _ after: ParsedDocument
  ) -> [TextEdit]? {
    if before.text == after.text { return [] }
    var edits: [TextEdit] = []
    for (piece, inverse) in zip(patch.hunks, patch.inverted.hunks) {
      let old = before.map.text(of: SourceRange(bytes: piece.range))
      let new = after.map.text(of: SourceRange(bytes: inverse.range))
      if let last = edits.last, last.range.upperBound > old.lowerBound { return nil }
      edits.append(TextEdit(range: old, replacement: after.text.substring(new)))
    }
    return before.text.utf16.applying(edits) == after.text.utf16 ? edits : nil
  }
}

extension Library {
  /// Writes files, each as a whole, carries their highlights along, and puts all of it into the
  /// journal as one step.
  ///
  /// Each copy is written and made durable before the first file is replaced, so that a full disk or
  /// a file that changed meanwhile leaves all of them as they are. A process that is killed leaves
  /// each file old or new; the next opening to write makes all of them the one or the other.
  ///
  /// - Parameters:
  ///   - step: what this is in the journal.
  ///   - body: what else is done in the same transaction.
  /// - Returns: what became of the highlights, for each file.
  /// - Throws: `conflict` when a file was changed since it was read, or cannot be written.
  func rewrite(
    _ rewrites: [Rewrite], _ step: JournalStep,
    also body: (WriteTransaction) throws -> Void = { _ in }
  ) throws(UserError) -> [RefreshReport] {
    guard !isReadOnly else {
      throw UserError(.conflict, "the library cannot be written, so no file is changed")
    }
    try settleJournal()
    let changes = try rewrites.map(prepare)
    let store = store
    let paths = try changes.map { (change) throws(UserError) in
      try location.file(of: change.document.path)
    }
    let copies = paths.map(FileWriter.copyName)
    let intent = StepIntent(Array(zip(changes.map(\.edit), copies)))
    let intents = StepIntents(location)
    var step = step
    var begun: (entry: Int64, hold: StepIntents.Hold?)?
    do {
      try storage {
        try store.write { transaction in
          transaction.journal(step)
          let entry = try transaction.beginStep(changes.map(\.edit))
          begun = (entry, nil)
          begun = (entry, try intents?.record(intent, of: entry))
        }
      }
    } catch {
      if let begun { intents?.forget(begun.entry) }
      throw error
    }
    guard let entry = begun?.entry else { return [] }
    ownIntents[entry] = intent
    step.entry = entry
    var writers: [FileWriter] = []
    var written = 0
    do {
      try storage {
        try store.write { transaction in
          transaction.journal(step)
          for change in changes {
            guard try transaction.confirmEdit(of: change.document.id, in: entry) else {
              throw UserError(.conflict, "another process changed it first", hint: "try it again")
            }
          }
          writers = try changes.indices.map {
            try FileWriter(
              replacing: paths[$0], changes[$0].old, with: changes[$0].bytes, as: copies[$0],
              links: .followed)
          }
          for (change, writer) in zip(changes, writers) {
            let stamp = try writer.commit(keepingOld: true)
            written += 1
            transaction.limitIndexing(toTextsOf: Self.indexedTextLimit)
            try change.store(in: transaction, stamp)
          }
          FileWriter.makeDurable(writers)
          try body(transaction)
        }
      }
    } catch {
      // What the library could not record is not left in the files either.
      let stuck = zip(changes, writers).prefix(written).filter { !$1.revert() }.map(\.0)
      FileWriter.makeDurable(Array(writers.prefix(written)))
      writers = []
      // Where even this cannot be stored, the next that writes does it.
      try? settleJournal()
      guard !stuck.isEmpty else { throw error }
      throw UserError(
        .conflict,
        "\(stuck.map(\.document.path.string).joined(separator: ", ")) could neither be recorded nor "
          + "put back: \(error.message)", hint: "the next command that writes settles it")
    }
    for writer in writers { writer.discardOld() }
    ownIntents[entry] = nil
    intents?.sweep(entry)
    withExtendedLifetime(begun) {}
    logger.debug("rewritten", metadata: ["files": "\(changes.count)"])
    return changes.map(\.report)
  }

  /// The largest file whose bytes are kept after a change, in bytes.
  private static let resultLimit = 16 << 20
  /// The largest text that is put into the index while a person waits, in bytes.
  private static let indexedTextLimit = 1 << 20

  /// A file's new content, with the places of its highlights in it.
  private struct Change {
    var document: Document
    var edit: FileEdit
    var old: [UInt8]
    var bytes: [UInt8]
    var text: String
    var textDigest: ContentDigest
    var dialect: MarkdownDialect
    var anchors: [Highlight.ID: Anchor]
    var report: RefreshReport

    func store(in transaction: WriteTransaction, _ stamp: FileStamp) throws {
      let revision = Revision(
        sourceDigest: edit.after, textDigest: textDigest,
        renderVersion: ParsedDocument.renderVersion, dialect: dialect.rawValue, stamp: stamp,
        seen: .now)
      _ = try transaction.replaceRevision(
        of: document.id, expecting: edit.before, with: revision, text: text, anchors: anchors)
    }
  }

  private func prepare(_ rewrite: Rewrite) throws(UserError) -> Change {
    let places = try placements(
      of: rewrite.document, in: rewrite.after,
      after: rewrite.edits.map { (edits: $0, text: rewrite.digests.text) })
    let bytes = rewrite.after.source.bytes
    return Change(
      document: rewrite.document,
      edit: FileEdit(
        document: rewrite.document.id,
        before: rewrite.digests.source,
        after: ContentDigest(sha256: bytes), places: rewrite.patch.hunks.count,
        patch: rewrite.patch.encoded, result: bytes.count <= Self.resultLimit ? bytes : nil),
      old: rewrite.before.source.bytes, bytes: bytes, text: rewrite.after.text.string,
      textDigest: places.digest, dialect: rewrite.after.dialect, anchors: places.anchors,
      report: RefreshReport(
        document: rewrite.document, change: .changed, outcomes: places.outcomes,
        lostFormats: places.lostFormats))
  }
}
