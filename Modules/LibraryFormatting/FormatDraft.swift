import Editing
import MarkdownParse
import Model
import RichMarkdown
import RichText
import SystemSupport
import Workspace

/// The changes to a document's source while several passages are formatted. Passages are changed
/// from the last to the first, so that no change moves a passage that is still to be changed.
struct SourceDraft {
  private let original: MarkdownSource
  /// The document with the changes so far.
  private(set) var parsed: ParsedDocument
  /// The number of passages that changed.
  private(set) var places = 0
  /// The changes in file order; nil if two of them touch, so that they cannot be listed separately.
  private var edits: [SourceEdit]? = []
  /// The change that was already made before the draft; nil if no change was made.
  private var made: SourcePatch?

  init(_ parsed: ParsedDocument) { (original, self.parsed) = (parsed.source, parsed) }

  /// Creates a draft that begins with a change of one passage, which was already made.
  init(_ change: LongChange) {
    (original, parsed, made, places) = (change.after.source, change.after, change.patch, 1)
  }

  /// Adds a change of `parsed`. Empty changes are ignored.
  mutating func add(_ change: SourceChange) {
    guard !change.isEmpty else { return }
    places += 1
    parsed = change.document
    let isBefore =
      edits.map { known in
        guard let first = known.first, let last = change.edits.last else { return true }
        return last.range.bytes.upperBound < first.range.bytes.lowerBound
      } ?? false
    edits = isBefore ? edits.map { change.edits + $0 } : nil
  }

  /// All changes as one patch of the original source; nil if nothing changed.
  var patch: SourcePatch? {
    if let made { return made }
    if places == 0 { return nil }
    if let edits { return SourcePatch(edits, of: original) }
    return SourcePatch(replacing: original, by: parsed.source)
  }
}

extension SourcePatch {
  /// Creates a patch that replaces one source by another with a single, shortest possible hunk.
  fileprivate init(replacing source: MarkdownSource, by other: MarkdownSource) {
    let (old, new) = (source.bytes, other.bytes)
    let least = min(old.count, new.count)
    var start = 0
    while start < least, old[start] == new[start] { start += 1 }
    var end = 0
    while end < least - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    var edit = SourceEdit(range: SourceRange(bytes: start..<old.count - end), replacement: "")
    edit.bytes = Array(new[start..<new.count - end])
    self.init([edit], of: source)
  }
}

/// The results of a formatting command for the passages that changed.
struct FormatResults {
  /// The result of each passage, the last first, and whether the file changes for it.
  fileprivate var done: [(result: FormatResult, isWritten: Bool)] = []

  /// Returns the results in text order, with the change of the file.
  func writing(_ file: FileChange?) -> [FormatResult] {
    done.reversed().map { result, isWritten in
      var result = result
      if isWritten { result.file = file }
      return result
    }
  }
}

/// A formatting command applied to passages of a document, before anything is stored or written.
struct FormatDraft {
  private let document: Document
  private let act: FormatAct
  private let keepsFile: Bool
  private let text: [UInt16]
  /// The changes to the library.
  private(set) var plan: FormatPlan
  /// The changes to the file.
  private(set) var source: SourceDraft
  /// The results of the passages.
  private(set) var results = FormatResults()
  /// Whether the toggle that was already written into the file turns the attribute on; nil if
  /// nothing was written.
  private var wasTurnedOn: Bool?

  init(
    _ document: Document, _ parsed: ParsedDocument, _ format: DocumentFormat, _ act: FormatAct,
    keepsFile: Bool
  ) {
    (self.document, self.act, self.keepsFile) = (document, act, keepsFile)
    (text, plan, source) = (Array(parsed.text.utf16), FormatPlan(format), SourceDraft(parsed))
  }

  /// Creates the draft of a toggle whose change of the file was already made.
  ///
  /// - Parameter format: the formatting of the document after the change.
  init(
    _ document: Document, _ change: LongChange, _ format: DocumentFormat, _ act: FormatAct,
    turnedOn: Bool
  ) {
    self.init(document, change.after, format, act, keepsFile: false)
    (source, wasTurnedOn) = (SourceDraft(change), turnedOn)
  }

  /// Formats passages, which must be in text order.
  ///
  /// - Throws: `nothing` if no passage changes; `usage` if a value is out of range.
  mutating func format(_ ranges: [TextRange]) throws(UserError) {
    var turnsOn: Bool?
    if case .toggle(let attribute) = act {
      turnsOn = wasTurnedOn ?? ranges.contains { plan.lacks(attribute, in: $0.utf16) }
    }
    var nothing: UserError?
    for range in ranges.reversed() {
      do throws(UserError) { try format(range, turnsOn) } catch {
        // A passage without text or without a change is skipped if other passages change.
        guard error.code == .nothing else { throw error }
        nothing = nothing ?? error
      }
    }
    if results.done.isEmpty, let nothing { throw nothing }
  }

  private mutating func format(_ range: TextRange, _ turnsOn: Bool?) throws(UserError) {
    guard text[range.utf16].contains(where: { !AttributedText.isTerminator($0) }) else {
      throw UserError(.nothing, "the selection contains no text to format")
    }
    var result = FormatResult(
      document: document, quote: source.parsed.text.substring(range), isStored: false)
    result.turnedOn = turnsOn
    let (stored, places) = (plan.count, wasTurnedOn == nil ? source.places : 0)
    if case .toggle(let attribute) = act, let turnsOn {
      if !keepsFile, wasTurnedOn == nil, let style = attribute.inlineStyle {
        result.obstacle = try write(style, range, turnsOn)
      }
      plan.add(attribute, on: turnsOn, in: range.utf16)
    } else {
      do throws(FormatValueError) { try plan.add(act, in: range.utf16) } catch {
        throw UserError(.usage, error.description)
      }
    }
    let isWritten = source.places > places
    result.isStored = plan.count > stored
    if case .clear(let withParagraphs) = act {
      result.markupStays =
        plan.documentFormat.context.semantics.characters.slice(range.utf16).count > 0
      result.paragraphFormatStays =
        withParagraphs != true && plan.keepsParagraphFormat(of: range.utf16)
    }
    if turnsOn == true, isWritten, result.isStored, result.obstacle == nil {
      result.obstacle = "Markdown cannot express it for all of the passage"
    }
    guard isWritten || result.isStored else {
      if result.paragraphFormatStays {
        throw UserError(
          .nothing, "only the paragraph has a format, which clearing its characters keeps",
          hint: "pass --paragraphs to clear it")
      }
      throw UserError(
        .nothing,
        result.markupStays
          ? "the library stores no format of the passage" : "the passage has that format already")
    }
    results.done.append((result, isWritten))
  }

  /// Writes a style for which Markdown has markup into the source, for the blocks for which Markdown
  /// can express it.
  ///
  /// - Returns: the reason why Markdown cannot express it for a block; nil if the style was written
  ///   or is being removed.
  /// - Throws: `nothing` if the range contains no text.
  private mutating func write(_ style: InlineStyle, _ range: TextRange, _ turnsOn: Bool)
    throws(UserError) -> String?
  {
    let builder = EditBuilder(source.parsed)
    do {
      let (change, obstacles) =
        try turnsOn
        ? builder.wrapWherePossible(style, range) : (builder.unwrap(style, range), [])
      if !change.isEmpty, change.document.text.utf16 == text {
        source.add(change)
        plan.documentFormat.context.semantics = FormatLayer(semanticsOf: change.document)
      }
      return obstacles.first?.description
    } catch {
      guard error != .nothingSelected else { throw UserError(.nothing, error.description) }
      return turnsOn ? error.description : nil
    }
  }
}

/// The changes to the library that one formatting command requires.
struct FormatPlan {
  /// The document's formatting including the changes so far.
  var documentFormat: DocumentFormat
  /// The passages to add, with the attributes they change.
  private(set) var made: [(range: Range<Int>, change: FormatChange)] = []
  /// The passages to remove, because later ones override all their attributes.
  private(set) var replaced: [Highlight.ID] = []

  init(_ documentFormat: DocumentFormat) { self.documentFormat = documentFormat }

  /// The number of passages that are added or removed.
  var count: Int { made.count + replaced.count }

  /// Returns whether part of the text in `range` has another value of the attribute's kind. White
  /// space is ignored.
  func lacks(_ attribute: CharacterAttribute, in range: Range<Int>) -> Bool {
    documentFormat.text.resolved(attribute.kind, in: range, documentFormat.context).contains {
      $0.value != attribute && documentFormat.hasWords(in: $0.range)
    }
  }

  /// Turns an attribute on or off in a range. Parts that already have the requested state are left
  /// out.
  mutating func add(_ attribute: CharacterAttribute, on turnsOn: Bool, in range: Range<Int>) {
    let isSo = documentFormat.text.resolved(attribute.kind, in: range, documentFormat.context)
      .allSatisfy {
        ($0.value == attribute) == turnsOn || !documentFormat.hasWords(in: $0.range)
      }
    if isSo { return }
    let parts = documentFormat.text.changes(
      to: attribute, on: turnsOn, in: range, documentFormat.context)
    // The line feed between two paragraphs in the file's markup needs no format.
    for part in parts where parts.count == 1 || documentFormat.hasWords(in: part.range) {
      add(part.change, to: withoutBreaks(part.range, in: range))
    }
  }

  /// Returns a part of a passage without the line feeds at the ends that it has in common with
  /// parts that the file's markup formats.
  private func withoutBreaks(_ part: Range<Int>, in passage: Range<Int>) -> Range<Int> {
    let units = documentFormat.text.units
    var (start, end) = (part.lowerBound, part.upperBound)
    while start > passage.lowerBound, start + 1 < end, units[start] == 10 { start += 1 }
    while end < passage.upperBound, start < end - 1, units[end - 1] == 10 { end -= 1 }
    return start..<end
  }

  /// Returns whether a paragraph has a stored format that clearing a part of its characters keeps.
  func keepsParagraphFormat(of range: Range<Int>) -> Bool {
    let text = documentFormat.text
    guard !text.spansTerminator(range) else { return false }
    return text.layer.paragraphs.slice(text.paragraphRange(around: range)).usedSets
      .contains { !$0.values.isEmpty }
  }

  /// Adds a command other than a toggle.
  ///
  /// - Throws: `FormatValueError` if a value is out of range.
  mutating func add(_ act: FormatAct, in range: Range<Int>) throws(FormatValueError) {
    let change: FormatChange
    switch act {
    case .toggle: preconditionFailure("a toggle is not a fixed change")
    case .change(let asked): change = asked
    case .clear(let withParagraphs):
      change = .clearing(
        withParagraphs: withParagraphs ?? documentFormat.text.spansTerminator(range))
    case .paste(let format, let withParagraphs):
      change = .pasting(
        format, withParagraphs: withParagraphs ?? documentFormat.text.spansTerminator(range))
    }
    if let problem = change.problem(within: .commands) { throw problem }
    add(change, to: range)
  }

  /// Changes part of the text and removes the passages that the change makes ineffective.
  private mutating func add(_ change: FormatChange, to part: Range<Int>) {
    var after = documentFormat.text
    after.apply(change, to: part)
    guard after.layer != documentFormat.text.layer else { return }
    let paragraphs = documentFormat.text.paragraphRange(around: part)
    func extent(_ passage: FormattedPassage) -> Range<Int>? {
      guard passage.isShown, let range = passage.anchor.range?.utf16 else { return nil }
      return passage.change.paragraphs.isEmpty
        ? range : documentFormat.text.paragraphRange(around: range)
    }
    func reach(_ other: FormatChange) -> Range<Int> { other.characters.isEmpty ? paragraphs : part }
    let covered = documentFormat.passages.filter { passage in
      guard let extent = extent(passage), passage.change.isReplaced(by: change) else {
        return false
      }
      // If the passage has character attributes, the part must contain it. If it has only paragraph
      // attributes, it suffices that the paragraphs around the part contain it.
      return reach(passage.change).contains(extent)
    }
    replaced += covered.map(\.id).filter { !replaced.contains($0) }
    // If the change only clears attributes and no remaining passage sets them, removing the covered
    // passages is enough.
    let gone = Set(covered.map(\.id))
    let isNeeded =
      !change.onlyClears
      || documentFormat.passages.contains { passage in
        guard !gone.contains(passage.id), let extent = extent(passage) else { return false }
        return passage.change.touches(change) && extent.overlaps(paragraphs)
      }
    if isNeeded { made.append((trimmed(part, change), change)) }
    documentFormat.text = after
  }

  /// Returns a part without paragraph terminators at its end, so that text added after it keeps its
  /// own formatting.
  private func trimmed(_ part: Range<Int>, _ change: FormatChange) -> Range<Int> {
    var end = part.upperBound
    while end > part.lowerBound + 1, AttributedText.isTerminator(documentFormat.text.units[end - 1])
    {
      end -= 1
    }
    return part.lowerBound..<end
  }
}

extension CharacterAttribute {
  /// The Markdown style that expresses the attribute; nil if there is no such style.
  var inlineStyle: InlineStyle? {
    switch self {
    case .bold(true): .strong
    case .italic(true): .emphasis
    case .strikethrough(.single): .strikethrough
    default: nil
    }
  }
}
