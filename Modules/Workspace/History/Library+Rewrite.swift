package import Anchoring
package import Editing
import Files
import FoundationEssentials
import Logging
package import MarkdownParse
package import Model
package import Storage
package import SystemSupport

/// A change to the content of a document's file. All writes to documents are made through this type
/// and `Library.rewrite`.
package struct Rewrite {
  var document: Document
  var patch: SourcePatch
  /// The source before the change; nil if it was released. It can then be computed from the patch.
  var old: [UInt8]?
  /// The text before the change; nil to read it from the library.
  var before: AnchorText?
  /// The digests of the source and of the rendered text before the change.
  var digests: (source: ContentDigest, text: ContentDigest)
  var after: MappedText
  /// The same change as edits of the rendered text; nil if the change also affects the rendered
  /// text in other places.
  var edits: [TextEdit]?

  /// The size in bytes from which a document is released before the changed one is parsed. Both
  /// documents together take nine times the size of the source.
  static let longSource = 8 << 20

  /// Creates a change of the source.
  ///
  /// - Parameters:
  ///   - after: the document after the change.
  ///   - edits: the change of the rendered text; nil to compute it.
  package init(
    _ document: Document, _ patch: SourcePatch, of reading: Library.CheckedDocument,
    after: MappedText, edits: [TextEdit]? = nil
  ) {
    (self.document, self.patch, self.after) = (document, patch, after)
    digests = reading.digests
    old = reading.parsed.source.bytes
    before = AnchorText(reading.parsed.mapped)
    self.edits = edits ?? Self.textEdits(patch, reading.parsed.mapped, after)
  }

  /// Creates a change of the source, and parses the document after the change.
  ///
  /// - Parameters:
  ///   - reading: the document before the change; nil on return.
  ///   - long: the size in bytes from which the old document is released before the new one is
  ///     parsed.
  init(
    _ document: Document, _ patch: SourcePatch, of reading: inout Library.CheckedDocument?,
    long: Int
  ) {
    let bytes = patch.applied(to: reading!.parsed.source.bytes)
    let options = reading!.parsed.options
    guard bytes.count > long else {
      let after = ParsedDocument(parsing: MarkdownSource(bytes), options: options)
      self.init(document, patch, of: reading!, after: after.mapped)
      reading = nil
      return
    }
    let digests = reading!.digests
    let old = Self.ranges(of: patch, in: reading!.parsed.mapped)
    let removed = old.map { reading!.parsed.text.substring($0) }
    let lineStarts = reading!.parsed.mapped.lineStarts
    reading = nil
    let after = ParsedDocument(parsing: MarkdownSource(bytes), options: options).mapped
    let new = Self.ranges(of: patch.inverted, in: after)
    var edits = Self.overlap(new) ? nil : Self.textEdits(at: old, new, after)
    var before: AnchorText?
    if edits != nil {
      let inverse = zip(new, removed).map { TextEdit(range: $0, replacement: $1) }
      let units = after.text.utf16.applying(inverse)
      // If the edits are the whole change, reverting them results in the old text.
      if ContentDigest(ofUnits: units) == digests.text {
        before = AnchorText(utf16: units, lineStarts: lineStarts)
      } else {
        edits = nil
      }
    }
    self.init(document, patch, digests, before, after: after, edits: edits)
  }

  /// Creates a change whose parts are known.
  package init(
    _ document: Document, _ patch: SourcePatch,
    _ digests: (source: ContentDigest, text: ContentDigest), _ before: AnchorText?,
    after: MappedText, edits: [TextEdit]?
  ) {
    (self.document, self.patch, self.digests) = (document, patch, digests)
    (self.before, self.after, self.edits) = (before, after, edits)
  }

  /// Returns the range of the rendered text for each hunk of a patch.
  private static func ranges(of patch: SourcePatch, in document: MappedText) -> [TextRange] {
    patch.hunks.map { document.map.text(of: SourceRange(bytes: $0.range)) }
  }

  /// Returns the edits of the rendered text at the hunks of a patch; nil if the hunks overlap in
  /// the old text.
  ///
  /// - Parameters:
  ///   - old: the range of each hunk in the old text.
  ///   - new: the range of each hunk in the new text.
  private static func textEdits(
    at old: [TextRange], _ new: [TextRange], _ after: MappedText
  ) -> [TextEdit]? {
    guard !overlap(old) else { return nil }
    return zip(old, new).map { TextEdit(range: $0, replacement: after.text.substring($1)) }
  }

  /// Returns whether a range begins before the end of its predecessor.
  private static func overlap(_ ranges: [TextRange]) -> Bool {
    zip(ranges, ranges.dropFirst()).contains { $0.upperBound > $1.lowerBound }
  }

  /// Returns the effect of a patch on the rendered text; nil if the patch also changes how other
  /// parts render, for example if it splits or joins blocks. O(text + hunks × log runs), where the
  /// runs are those of the source maps.
  private static func textEdits(
    _ patch: SourcePatch, _ before: MappedText, _ after: MappedText
  ) -> [TextEdit]? {
    if before.text == after.text { return [] }
    let (old, new) = (ranges(of: patch, in: before), ranges(of: patch.inverted, in: after))
    guard let edits = textEdits(at: old, new, after) else { return nil }
    return before.text.utf16.applying(edits, gives: after.text.utf16) ? edits : nil
  }
}

extension Library {
  /// Writes files, moves their highlights along, and records everything in the journal as one step.
  ///
  /// Every new content is written to a copy, and made durable, before the first file is replaced.
  /// If the disk is full or a file has changed, all files keep their old content. If the process is
  /// killed, each file has either its old or its new content, and the next process that opens the
  /// library for writing completes or reverts the step.
  ///
  /// - Parameters:
  ///   - rewrites: the changes. They are emptied early, to release the documents that they contain.
  ///   - step: the journal step to record.
  ///   - body: further changes to make in the same transaction.
  /// - Returns: the report of each file, in the order of `rewrites`.
  /// - Throws: `conflict` if a file changed since it was read or cannot be written, or the library
  ///   is read-only.
  package func rewrite(
    _ rewrites: inout [Rewrite], _ step: JournalStep,
    also body: (WriteTransaction) throws -> Void = { _ in }
  ) throws(UserError) -> [RefreshReport] {
    guard !isReadOnly else {
      throw UserError(.conflict, "the library cannot be written, so no file is changed")
    }
    try settleJournal()
    defer { rewrites = [] }
    var changes: [Change] = []
    for index in rewrites.indices { changes.append(try prepare(&rewrites[index])) }
    rewrites = []
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
              throw UserError(
                .conflict,
                "another process dropped the change of \(change.document.shownPath) before it "
                  + "was written",
                hint: "try again")
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
      // Changes that the library could not record must not remain in the files.
      let stuck = zip(changes, writers).prefix(written).filter { !$1.revert() }.map(\.0)
      FileWriter.makeDurable(Array(writers.prefix(written)))
      writers = []
      guard !stuck.isEmpty else {
        // All files have their old content, so the step is dropped. If that cannot be stored, the
        // next process that writes drops it.
        let documents = changes.map(\.document.id)
        try? storage {
          try store.write { transaction in
            guard try transaction.pendingSteps().contains(entry) else { return }
            for id in documents { try transaction.dropEdit(of: id, in: entry) }
          }
        }
        try? settleJournal()
        ownIntents[entry] = nil
        throw error
      }
      try? settleJournal()
      throw UserError(
        .conflict,
        "changes of \(stuck.map(\.document.shownPath).joined(separator: ", ")) could be neither "
          + "recorded nor reverted: \(error.message)",
        hint: "the next command that changes something records or reverts them")
    }
    for writer in writers { writer.discardOld() }
    ownIntents[entry] = nil
    intents?.sweep(entry)
    withExtendedLifetime(begun) {}
    for change in changes { followTitle(of: change) }
    logger.debug("rewritten", metadata: ["files": "\(changes.count)"])
    return changes.map(\.report)
  }

  /// Sets the title of a document to that of its new content, unless the user has set the title. The
  /// change is complete without it, so errors are ignored.
  private func followTitle(of change: Change) {
    guard
      let title = DocumentTitle.inText(startOf: change.bytes, change.options),
      title != change.document.title
    else { return }
    _ = try? follow(title, of: change.document)
  }

  /// The maximum size in bytes of a file whose new content is stored with the step. With the stored
  /// content, an undo finds the edited passages in a file that changed since.
  private static let resultLimit = 16 << 20
  /// The maximum size in bytes of a text that is indexed with the step, while the user waits.
  private static let indexedTextLimit = 1 << 20

  /// A file's new content with the highlights' anchors in it.
  private struct Change {
    var document: Document
    var edit: FileEdit
    var old: [UInt8]
    var bytes: [UInt8]
    var text: String
    var textDigest: ContentDigest
    var dialect: MarkdownDialect
    var options: MarkdownOptions
    var anchors: [Highlight.ID: Anchor]
    var report: RefreshReport

    func store(in transaction: WriteTransaction, _ stamp: FileStamp) throws {
      let revision = Revision(
        sourceDigest: edit.after, textDigest: textDigest,
        renderVersion: ParsedDocument.renderVersion, dialect: dialect.rawValue, stamp: stamp,
        seen: .now)
      _ = try transaction.replaceRevision(
        of: document.id, expecting: edit.before, with: revision, text: text,
        anchors: anchors)
    }
  }

  /// Places the highlights in the new text.
  ///
  /// - Parameter rewrite: the change; the text and the source before it are nil on return.
  private func prepare(_ rewrite: inout Rewrite) throws(UserError) -> Change {
    let places = try placements(
      of: rewrite.document, in: rewrite.after,
      after: rewrite.edits.map { (edits: $0, text: rewrite.digests.text) },
      from: rewrite.before.map { ($0, rewrite.digests.text) })
    // The old text of a long document is released before the old source is computed.
    rewrite.before = nil
    let bytes = rewrite.after.source.bytes
    let old = rewrite.old ?? rewrite.patch.inverted.applied(to: bytes)
    rewrite.old = nil
    return Change(
      document: rewrite.document,
      edit: FileEdit(
        document: rewrite.document.id,
        before: rewrite.digests.source,
        after: ContentDigest(sha256: bytes), places: rewrite.patch.hunks.count,
        patch: rewrite.patch.encoded, result: bytes.count <= Self.resultLimit ? bytes : nil),
      old: old, bytes: bytes,
      text: rewrite.after.text.string,
      textDigest: places.digest, dialect: rewrite.after.dialect,
      options: rewrite.after.options, anchors: places.anchors,
      report: RefreshReport(
        document: rewrite.document, change: .changed, outcomes: places.outcomes,
        lostFormats: places.lostFormats))
  }
}
