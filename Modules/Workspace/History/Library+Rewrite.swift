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
      ?? ParsedDocument(parsing: MarkdownSource(patch.applied(to: before.source.bytes)))
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

extension [UInt16] {
  /// The units with some edits made, which are sorted and disjoint. O(units).
  func applying(_ edits: [TextEdit]) -> [UInt16] {
    var result: [UInt16] = []
    result.reserveCapacity(count)
    var position = 0
    for edit in edits {
      result += self[position..<edit.range.utf16.lowerBound]
      result += edit.replacement.utf16
      position = edit.range.utf16.upperBound
    }
    return result + self[position...]
  }
}

extension Library {
  /// Writes files, each as a whole, carries their highlights along, and puts all of it into the
  /// journal as one step.
  ///
  /// Each copy is written and made durable before the first file is replaced, so that a full disk or
  /// a file that changed meanwhile leaves all of them as they are. A process that is killed leaves
  /// each file old or new; the next use of the journal makes all of them the one or the other.
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
    let entry = try storage {
      try store.write { transaction in
        transaction.journal(step)
        let entry = try transaction.beginStep(changes.map(\.edit))
        try intents?.record(intent, of: entry)
        return entry
      }
    }
    ownIntents[entry] = intent
    step.entry = entry
    do {
      try storage {
        try store.write { transaction in
          transaction.journal(step)
          for change in changes {
            guard try transaction.confirmEdit(of: change.document.id, in: entry) else {
              throw UserError(.conflict, "another process changed it first", hint: "try it again")
            }
          }
          let writers = try changes.indices.map {
            try FileWriter(
              replacing: paths[$0], changes[$0].old, with: changes[$0].bytes, as: copies[$0])
          }
          for (change, writer) in zip(changes, writers) {
            let stamp = try writer.commit()
            transaction.limitIndexing(toTextsOf: Self.indexedTextLimit)
            try change.store(in: transaction, stamp)
          }
          FileWriter.makeDurable(writers)
          try body(transaction)
        }
      }
    } catch {
      // Whoever is told of an error does it again: what was written goes back.
      do { try settleJournal(takingBack: entry) } catch let second {
        let isWritten = zip(paths, changes).contains { path, change in
          (try? SourceFile(reading: path))?.digest == change.edit.after
        }
        guard isWritten else { throw error }
        throw UserError(
          .conflict, "files were written, but not all that belongs to it: \(second.message)",
          hint: "the next command settles it, and `diple history` says what was done")
      }
      throw error
    }
    ownIntents[entry] = nil
    intents?.forget(entry)
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
    var anchors: [Highlight.ID: Anchor]
    var report: RefreshReport

    func store(in transaction: WriteTransaction, _ stamp: FileStamp) throws {
      let revision = Revision(
        sourceDigest: edit.after, textDigest: textDigest,
        renderVersion: ParsedDocument.renderVersion, stamp: stamp, seen: .now)
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
      textDigest: places.digest, anchors: places.anchors,
      report: RefreshReport(
        document: rewrite.document, change: .changed, outcomes: places.outcomes))
  }

  /// Finds out which edits a process that was killed had still written. Where it had written some
  /// files of a step and not others, those get their old content back, so that a step is done as a
  /// whole or not at all. Steps that were not begun here are left alone (`foreignSteps`).
  ///
  /// - Parameter failed: a step of this process that failed, whose files all get it back.
  func settleJournal(takingBack failed: Int64? = nil) throws(UserError) {
    guard !isReadOnly else { return }
    foreignSteps = []
    let store = store
    guard try storage({ try !store.read { try $0.pendingSteps().isEmpty } }) else { return }
    let intents = StepIntents(location)
    let known = ownIntents
    var foreign: [Int64] = []
    var settled: [Int64] = []
    try storage {
      // Under the write lock, so that nobody is just writing them.
      try store.write { transaction in
        for entry in try transaction.pendingSteps() {
          guard let intent = known[entry] ?? intents?.intent(of: entry),
            case let edits = try transaction.fileEdits(of: entry),
            edits.allSatisfy({ intent.file(of: $0) != nil })
          else {
            foreign.append(entry)
            continue
          }
          try settle(entry, edits, intent, takesBack: entry == failed, in: transaction)
          settled.append(entry)
        }
      }
    }
    foreignSteps = foreign
    for entry in settled {
      ownIntents[entry] = nil
      intents?.forget(entry)
    }
  }

  private func settle(
    _ entry: Int64, _ edits: [FileEdit], _ intent: StepIntent, takesBack: Bool,
    in transaction: WriteTransaction
  ) throws {
    let files = try edits.map { edit in
      let path = try transaction.document(edit.document).flatMap {
        try? self.location.file(of: $0.path)
      }
      if let path, let copy = intent.file(of: edit)?.copy {
        FileWriter.sweep(copy, of: path, before: edit.before, after: edit.after)
      }
      return (edit: edit, path: path, file: path.flatMap { try? SourceFile(reading: $0) })
    }
    let isDivided = takesBack || files.contains { $0.file?.digest == $0.edit.before }
    for (edit, path, file) in files {
      if isDivided, let path, let file, file.digest == edit.after,
        let old = SourcePatch(encoded: edit.patch)?.inverted.applied(checking: file.bytes),
        ContentDigest(sha256: old) == edit.before
      {
        let writer = try FileWriter(replacing: path, file.bytes, with: old)
        _ = try writer.commit()
        FileWriter.makeDurable([writer])
        try transaction.dropEdit(of: edit.document, in: entry)
      } else if file?.digest == edit.before {
        try transaction.dropEdit(of: edit.document, in: entry)
      } else {
        _ = try transaction.confirmEdit(of: edit.document, in: entry)
      }
    }
  }
}

extension SourcePatch {
  /// The bytes with the change made; nil when they do not fit.
  fileprivate func applied(checking bytes: [UInt8]) -> [UInt8]? {
    fits(bytes) ? applied(to: bytes) : nil
  }
}
