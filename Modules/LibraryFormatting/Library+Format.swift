import Anchoring
package import Editing
import MarkdownParse
package import Model
import RichMarkdown
package import RichText
import Storage
package import SystemSupport
package import Workspace

/// A formatting command for a passage.
package enum FormatAct: Hashable, Sendable {
  /// Sets an attribute on the whole passage, or removes it if all of the passage has it. If
  /// Markdown has markup for it, it is written into the file.
  case toggle(CharacterAttribute)
  case change(FormatChange)
  /// Removes the stored formatting of characters, and of paragraphs if `withParagraphs` is true.
  /// Nil includes paragraphs if the passage contains the end of one.
  case clear(withParagraphs: Bool?)
  /// Replaces the formatting by formatting that was copied. `withParagraphs` has the same meaning
  /// as for `clear`.
  case paste(CopiedFormat, withParagraphs: Bool?)
}

/// The result of formatting one passage.
package struct FormatResult: Sendable {
  package var document: Document
  /// The text of the passage, for messages.
  package var quote: String
  /// The change to the file, made or previewed; nil if the file does not change.
  package var file: FileChange?
  /// Whether formatting is stored in the library.
  package var isStored: Bool
  /// For a toggle, whether the passage now has the attribute; nil for other commands.
  package var turnedOn: Bool?
  /// For `clear`, whether the file's markup still formats the passage.
  package var markupStays = false
  /// For `clear`, whether the paragraph keeps a format that the library stores.
  package var paragraphFormatStays = false
  /// The reason why Markdown cannot express the formatting, if the library stores it instead; nil
  /// otherwise.
  package var obstacle: String?
}

/// The passages to format, all in one step of the history.
package enum FormatScope: Sendable {
  /// The passage that a selection selects in the current file.
  case selected(SelectionSpec)
  /// Ranges of the text with this digest, at least one. Formatting fails with `conflict` if the
  /// text has changed.
  case passages([TextRange], of: ContentDigest)
}

extension Library {
  /// Formats a passage, in the file as far as Markdown can express it, otherwise in the library. It
  /// is one step for `undo`.
  ///
  /// - Parameters:
  ///   - keepsFile: whether everything is stored in the library and the file is not changed.
  ///   - label: the name of the command in the history.
  /// - Throws: `nothing` if the passage already has the formatting; `usage` if a value is out of
  ///   range; `conflict` if it cannot be stored; `notFound` if the document was removed.
  package func format(
    _ document: Document, _ spec: SelectionSpec, _ act: FormatAct, label: String,
    keepsFile: Bool = false, dryRun: Bool = false
  ) throws(UserError) -> FormatResult {
    try format(
      document, .selected(spec), act, label: label, keepsFile: keepsFile, dryRun: dryRun)[0]
  }

  /// Formats passages in one step of the history, or none of them if there is an error. A toggle
  /// turns the attribute on or off for all of them.
  ///
  /// - Parameters: the same as for one passage.
  /// - Returns: the result of each passage that changed, in text order. The array is not empty.
  /// - Throws: the same errors as for one passage; `conflict` if the passages are of another text.
  package func format(
    _ document: Document, _ scope: FormatScope, _ act: FormatAct, label: String,
    keepsFile: Bool = false, dryRun: Bool = false
  ) throws(UserError) -> [FormatResult] {
    try settleJournal()
    try requirePresent(document)
    var reading: CheckedDocument? = try current(document)
    let digest = reading!.digests.text
    let ranges = try ranges(of: scope, document, reading!)
    var (long, turnsOn): (LongChange?, Bool) = (nil, false)
    if !keepsFile, ranges.count == 1, case .toggle(let attribute) = act {
      (long, turnsOn) = try toggleLong(attribute, ranges[0], document, &reading)
    }
    var draft: FormatDraft? = try draft(document, long, reading?.parsed, act, keepsFile, turnsOn)
    try draft!.format(ranges)
    let results = draft!.results
    let plan = (made: draft!.plan.made, replaced: draft!.plan.replaced)
    let step = JournalStep(label: "formatted \(document.path.string): \(label)")
    if let patch = draft!.source.patch {
      var file = FileChange(
        document, patch, to: draft!.source.parsed.source, places: draft!.source.places)
      if !dryRun {
        var rewrites = [
          long?.rewrite(of: document)
            ?? Rewrite(
              document, patch, of: reading!, after: draft!.source.parsed.mapped, edits: [])
        ]
        // The text is needed only to store passages. The rest of a long document takes memory that
        // writing needs.
        let text = plan.made.isEmpty ? nil : draft!.source.parsed.mapped
        (long, draft, reading) = (nil, nil, nil)
        file.report = try rewrite(
          &rewrites, step,
          also: { transaction in
            for id in plan.replaced { _ = try transaction.setTrashed(true, of: id) }
            if let text {
              try store(plan.made, of: document, text, digest, in: transaction)
            }
          }
        ).first
      }
      return results.writing(file)
    }
    let text = draft!.source.parsed.mapped
    try storage {
      try store.write(dryRun: dryRun) { transaction in
        guard try transaction.revision(of: document.id)?.textDigest == digest else {
          throw UserError.changedMeanwhile(document, hint: "format it again")
        }
        transaction.journal(step)
        for id in plan.replaced { _ = try transaction.setTrashed(true, of: id) }
        try store(plan.made, of: document, text, digest, in: transaction)
      }
    }
    return results.writing(nil)
  }

  /// Returns the draft of a formatting command.
  ///
  /// - Parameters:
  ///   - long: the toggle that was already made; nil if there is none.
  ///   - parsed: the document; nil if it was released for `long`.
  private func draft(
    _ document: Document, _ long: LongChange?, _ parsed: ParsedDocument?, _ act: FormatAct,
    _ keepsFile: Bool, _ turnsOn: Bool
  ) throws(UserError) -> FormatDraft {
    if let long {
      let documentFormat = try format(of: document, long.after)
      return FormatDraft(document, long, documentFormat, act, turnedOn: turnsOn)
    }
    let documentFormat = try format(of: document, parsed!)
    return FormatDraft(document, parsed!, documentFormat, act, keepsFile: keepsFile)
  }

  /// Writes a toggled attribute into a long document, which is released before the result is
  /// parsed.
  ///
  /// - Parameter reading: the document; nil on return if the change was made.
  /// - Returns: the change, and whether the attribute is turned on; nil if the document isn't long
  ///   or the change can't be made in this way.
  private func toggleLong(
    _ attribute: CharacterAttribute, _ range: TextRange, _ document: Document,
    _ reading: inout CheckedDocument?
  ) throws(UserError) -> (LongChange?, Bool) {
    guard isLong(reading!), let style = attribute.inlineStyle else { return (nil, false) }
    let turnsOn = FormatPlan(try format(of: document, reading!.parsed)).lacks(
      attribute, in: range.utf16)
    let change = changeLong(&reading) { (builder) throws(FormattingError) in
      try turnsOn ? builder.wrap(style, range) : builder.unwrap(style, range)
    }
    return (change, turnsOn)
  }

  /// Returns the ranges to format, in text order. Overlapping ranges are joined.
  ///
  /// - Throws: `conflict` if the ranges are of another text; `usage` if one is beyond the text.
  func ranges(
    of scope: FormatScope, _ document: Document, _ reading: CheckedDocument
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

  /// Returns the format that was copied under a name; nil if there is no such format, or it cannot
  /// be decoded.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
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

  /// Returns the formatting at the start of a passage.
  ///
  /// - Throws: `notFound` if the document's file does not exist or cannot be read; the errors of
  ///   `select(_:in:)` if `spec` does not resolve; `damaged` or `conflict` if the library cannot be
  ///   used.
  package func format(at spec: SelectionSpec, of document: Document) throws(UserError)
    -> CopiedFormat
  {
    let open = try open(document)
    let format = try format(of: open)
    return format.text.copyFormat(of: try select(spec, in: open).utf16, format.context)
  }

  /// Stores the formatting at the start of a passage under a name and replaces the format that had
  /// it.
  ///
  /// - Throws: the errors of `format(at:of:)`; `conflict` if the library is read-only.
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
