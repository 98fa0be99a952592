import Anchoring
package import Editing
import MarkdownParse
package import Model
import RichMarkdown
package import RichText
import Storage
package import SystemSupport

/// What a person does to the format of a passage.
package enum FormatAct: Hashable, Sendable {
  /// Gives an attribute to all of it, or removes it where all of it has it. What Markdown has markup
  /// for is written into the file.
  case toggle(CharacterAttribute)
  /// Changes attributes of its characters and paragraphs.
  case change(FormatChange)
  /// Removes what was set; of paragraphs too when asked, or when nil and it spans the end of one.
  case clear(withParagraphs: Bool?)
  /// Gives it a copied format in place of its own; paragraphs as for `clear`.
  case paste(CopiedFormat, withParagraphs: Bool?)
}

/// What became of the format of a passage.
package struct FormatResult: Sendable {
  /// The document.
  package var document: Document
  /// The words.
  package var quote: String
  /// What was written into the file, or would be; nil when the file stays as it is.
  package var file: FileChange?
  /// Whether something is kept in the library.
  package var isStored: Bool
  /// For a toggle, whether the passage has the attribute now.
  package var turnedOn: Bool?
  /// For `clear`, whether the file's markup gives the passage some format all the same.
  package var markupStays = false
  /// Why Markdown cannot say it, when the library keeps what the file could not.
  package var obstacle: String?
}

/// What is formatted, all of it in one step.
package enum FormatScope: Sendable {
  /// What a selection means in the file as it is.
  case selected(SelectionSpec)
  /// Passages, at least one, of the text with a hash: another text is refused.
  case passages([TextRange], of: ContentDigest)
}

extension Library {
  /// Formats a passage: in the file what Markdown can say, else beside it. One step for `undo`.
  ///
  /// - Parameters:
  ///   - keepsFile: whether all of it is kept in the library.
  ///   - label: what the act is called in the history.
  /// - Throws: `nothing` when it is so already, `usage` for values out of their limits, `conflict` when
  ///   it cannot be stored.
  package func format(
    _ document: Document, _ spec: SelectionSpec, _ act: FormatAct, label: String,
    keepsFile: Bool = false, dryRun: Bool = false
  ) throws(UserError) -> FormatResult {
    try format(
      document, .selected(spec), act, label: label, keepsFile: keepsFile, dryRun: dryRun)[0]
  }

  /// Formats passages in one step, or none of them. What toggles an attribute does the same to all.
  ///
  /// - Parameters: as for one passage.
  /// - Returns: what became of each that changed, in the order of the text; at least one.
  /// - Throws: as for one passage, and `conflict` when they are of another text.
  package func format(
    _ document: Document, _ scope: FormatScope, _ act: FormatAct, label: String,
    keepsFile: Bool = false, dryRun: Bool = false
  ) throws(UserError) -> [FormatResult] {
    try settleJournal()
    try requirePresent(document)
    let reading = try current(document)
    let ranges = try ranges(of: scope, document, reading)
    var draft = FormatDraft(
      document, reading.parsed, try format(of: document, reading.parsed), act, keepsFile: keepsFile)
    try draft.format(ranges)
    let (plan, parsed) = (draft.plan, draft.source.parsed)
    let step = JournalStep(label: "formatted \(document.path.string): \(label)")
    if let patch = draft.source.patch {
      var file = FileChange(document, patch, of: reading.parsed, places: draft.source.places)
      if !dryRun {
        file.report = try rewrite(
          [Rewrite(document, patch, of: reading, after: parsed, edits: [])], step,
          also: { try store(plan, of: document, parsed, reading.digests.text, in: $0) }
        ).first
      }
      return draft.results(writing: file)
    }
    try storage {
      try store.write(dryRun: dryRun) { transaction in
        guard try transaction.revision(of: document.id)?.textDigest == reading.digests.text else {
          throw UserError.changedMeanwhile(document, hint: "format it again")
        }
        transaction.journal(step)
        try store(plan, of: document, parsed, reading.digests.text, in: transaction)
      }
    }
    return draft.results(writing: nil)
  }

  /// The passages that are formatted, in the order of the text; no two overlap.
  func ranges(
    of scope: FormatScope, _ document: Document, _ reading: Reading
  ) throws(UserError) -> [TextRange] {
    let (asked, digest): ([TextRange], ContentDigest)
    switch scope {
    case .selected(let spec): return [try resolve(spec, in: reading.parsed)]
    case .passages(let ranges, let text): (asked, digest) = (ranges, text)
    }
    guard reading.digests.text == digest else {
      throw UserError.changedMeanwhile(document, hint: "select the passage again")
    }
    var ranges: [TextRange] = []
    for range in asked.sorted() {
      let range = try whole(range, in: reading.parsed)
      if let last = ranges.last, range.utf16.lowerBound < last.utf16.upperBound {
        let end = max(last.utf16.upperBound, range.utf16.upperBound)
        ranges[ranges.count - 1] = TextRange(utf16: last.utf16.lowerBound..<end)
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }

  /// Stores what a plan asks for.
  private func store(
    _ plan: FormatPlan, of document: Document, _ parsed: ParsedDocument, _ digest: ContentDigest,
    in transaction: WriteTransaction
  ) throws {
    for id in plan.replaced { _ = try transaction.setTrashed(true, of: id) }
    try store(plan.made, of: document, parsed, digest, in: transaction)
  }

  /// Stores formatted passages of a text.
  func store(
    _ passages: [(range: Range<Int>, change: FormatChange)], of document: Document,
    _ parsed: ParsedDocument, _ digest: ContentDigest, in transaction: WriteTransaction
  ) throws {
    guard !passages.isEmpty else { return }
    let text = AnchorText(utf16: parsed.text.utf16)
    let lines = parsed.sourceLines
    for (range, change) in passages {
      let range = TextRange(utf16: range)
      let place = parsed.locating(
        Anchor(range: range, state: .exact, score: 1, method: "formatted"), in: lines)
      _ = try transaction.createFormat(
        change.json, in: document.id,
        selector: Selector(
          selecting: range, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion),
        anchor: place)
    }
  }

  /// The format that was copied under a name; nil when nothing was.
  package func copiedFormat(_ name: String) throws(UserError) -> CopiedFormat? {
    guard let stored = try storage({ try store.read { try $0.copiedFormat(name) } }) else {
      return nil
    }
    do {
      let change = try FormatChange(json: stored)
      return CopiedFormat(
        characters: AttributeSet().applying(change.characters),
        paragraphs: AttributeSet().applying(change.paragraphs))
    } catch {
      store.report("the copied format '\(name)' cannot be read: \(error)")
      return nil
    }
  }

  /// The format of the start of a passage.
  package func format(at spec: SelectionSpec, of document: Document) throws(UserError)
    -> CopiedFormat
  {
    let open = try open(document)
    let format = try format(of: open)
    return format.text.copyFormat(of: try select(spec, in: open).utf16, format.context)
  }

  /// Keeps the format of the start of a passage under a name, in place of the one that was there.
  package func copyFormat(
    of document: Document, _ spec: SelectionSpec, as name: String
  ) throws(UserError) -> CopiedFormat {
    let copied = try format(at: spec, of: document)
    let json = FormatChange(
      characters: copied.characters.values.map { .set($0) },
      paragraphs: copied.paragraphs.values.map { .set($0) }
    ).json
    try storage { try store.write { try $0.setCopiedFormat(name, json) } }
    return copied
  }
}
