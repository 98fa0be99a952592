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
    try settleJournal()
    try requirePresent(document)
    let reading = try current(document)
    let range = try resolve(spec, in: reading.parsed)
    let text = reading.parsed.text.utf16
    guard text[range.utf16].contains(where: { !AttributedText.isTerminator($0) }) else {
      throw UserError(.nothing, "the selection holds no text to format")
    }
    var result = FormatResult(
      document: document, quote: reading.parsed.text.substring(range), isStored: false)
    var plan = FormatPlan(range: range.utf16, own: try format(of: document, reading.parsed))
    var written: SourceChange?
    if case .toggle(let attribute) = act {
      let turnsOn = plan.lacks(attribute)
      result.turnedOn = turnsOn
      if !keepsFile, let style = attribute.inlineStyle {
        let builder = EditBuilder(reading.parsed)
        do {
          let change = try turnsOn ? builder.wrap(style, range) : builder.unwrap(style, range)
          if !change.isEmpty, change.document.text.utf16 == text { written = change }
        } catch {
          guard error != .nothingSelected else { throw UserError(.nothing, error.description) }
          if turnsOn { result.obstacle = error.description }
        }
        if let written { plan.own.context.semantics = FormatLayer(semanticsOf: written.document) }
      }
      plan.add(attribute, on: turnsOn)
    } else {
      do throws(FormatValueError) { try plan.add(act) } catch {
        throw UserError(.usage, error.description)
      }
    }
    result.isStored = !plan.isEmpty
    if case .clear = act {
      let marked = plan.own.context.semantics.characters.slice(range.utf16)
      result.markupStays = marked.count > 0
    }
    if result.turnedOn == true, written != nil, !plan.isEmpty, result.obstacle == nil {
      result.obstacle = "Markdown cannot express it for all of the passage"
    }
    guard written != nil || !plan.isEmpty else {
      throw UserError(
        .nothing,
        result.markupStays
          ? "the passage has no format beside its Markdown" : "the passage has that format already")
    }
    let parsed = written?.document ?? reading.parsed
    if let written {
      let patch = SourcePatch(written.edits, of: reading.parsed.source)
      result.file = FileChange(document, patch, of: reading.parsed, places: 1)
      guard !dryRun else { return result }
      result.file?.report = try rewrite(
        [Rewrite(document, patch, of: reading, after: parsed, edits: [])],
        JournalStep(label: "formatted \(document.path.string): \(label)"),
        also: { try store(plan, of: document, parsed, reading.digests.text, in: $0) }
      ).first
      return result
    }
    try storage {
      try store.write(dryRun: dryRun) { transaction in
        guard try transaction.revision(of: document.id)?.textDigest == reading.digests.text else {
          throw UserError.changedMeanwhile(document, hint: "format it again")
        }
        transaction.journal(JournalStep(label: "formatted \(document.path.string): \(label)"))
        try store(plan, of: document, parsed, reading.digests.text, in: transaction)
      }
    }
    return result
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

/// What is to be stored for one act: passages that get a format, and those that it takes the place of.
struct FormatPlan {
  /// What is formatted.
  let range: Range<Int>
  /// The document's format before.
  var own: DocumentFormat
  /// The passages that get a format, with what they get.
  private(set) var made: [(range: Range<Int>, change: FormatChange)] = []
  /// Those that say nothing any more.
  private(set) var replaced: [Highlight.ID] = []

  init(range: Range<Int>, own: DocumentFormat) { (self.range, self.own) = (range, own) }

  /// Whether nothing is to be stored.
  var isEmpty: Bool { made.isEmpty && replaced.isEmpty }

  /// Whether some of the words have another value than this one. White space has no say.
  func lacks(_ attribute: CharacterAttribute) -> Bool {
    own.text.resolved(attribute.kind, in: range, own.context).contains {
      $0.value != attribute && own.hasWords(in: $0.range)
    }
  }

  /// Gives an attribute, or takes it away, as far as the words do not have it, or have it, already.
  mutating func add(_ attribute: CharacterAttribute, on turnsOn: Bool) {
    let isSo = own.text.resolved(attribute.kind, in: range, own.context).allSatisfy {
      ($0.value == attribute) == turnsOn || !own.hasWords(in: $0.range)
    }
    if isSo { return }
    for part in own.text.changes(to: attribute, on: turnsOn, in: range, own.context) {
      add(part.change, to: part.range)
    }
  }

  /// Takes up another act.
  mutating func add(_ act: FormatAct) throws(FormatValueError) {
    let change: FormatChange
    switch act {
    case .toggle: preconditionFailure("a toggle asks what counts")
    case .change(let asked): change = asked
    case .clear(let withParagraphs):
      change = .clearing(withParagraphs: withParagraphs ?? own.text.spansTerminator(range))
    case .paste(let format, let withParagraphs):
      change = .pasting(
        format, withParagraphs: withParagraphs ?? own.text.spansTerminator(range))
    }
    if let problem = change.problem(within: .commands) { throw problem }
    add(change, to: range)
  }

  /// Changes a part of the text; what then says nothing any more goes.
  private mutating func add(_ change: FormatChange, to part: Range<Int>) {
    var after = own.text
    after.apply(change, to: part)
    guard after.layer != own.text.layer else { return }
    let paragraphs = own.text.paragraphRange(around: part)
    func extent(_ passage: FormattedPassage) -> Range<Int>? {
      guard passage.isShown, let range = passage.anchor.range?.utf16 else { return nil }
      return passage.change.paragraphs.isEmpty ? range : own.text.paragraphRange(around: range)
    }
    func reach(_ other: FormatChange) -> Range<Int> { other.characters.isEmpty ? paragraphs : part }
    let covered = own.passages.filter { passage in
      guard let extent = extent(passage), passage.change.isReplaced(by: change) else {
        return false
      }
      // What it gives to characters must lie in the passage, what it gives to paragraphs around it.
      return reach(passage.change).contains(extent)
    }
    replaced += covered.map(\.id)
    // Where only these said something, clearing them is all.
    let gone = Set(covered.map(\.id))
    let isNeeded =
      !change.onlyClears
      || own.passages.contains { passage in
        guard !gone.contains(passage.id), let extent = extent(passage) else { return false }
        return passage.change.touches(change) && extent.overlaps(paragraphs)
      }
    if isNeeded { made.append((trimmed(part, change), change)) }
    own.text = after
  }

  /// A part without the ends of paragraphs at its end, so that what is added behind it stays as it is.
  private func trimmed(_ part: Range<Int>, _ change: FormatChange) -> Range<Int> {
    var end = part.upperBound
    while end > part.lowerBound + 1, AttributedText.isTerminator(own.text.units[end - 1]) {
      end -= 1
    }
    return part.lowerBound..<end
  }
}

extension CharacterAttribute {
  /// The markup that Markdown has for it.
  fileprivate var inlineStyle: InlineStyle? {
    switch self {
    case .bold(true): .strong
    case .italic(true): .emphasis
    case .strikethrough(.single): .strikethrough
    default: nil
    }
  }
}
