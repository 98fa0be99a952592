import Anchoring
package import Editing
import FoundationEssentials
package import MarkdownParse
package import Model
package import Storage
package import SystemSupport

/// The highlights to make of a passage.
///
/// ```swift
/// var request = MarkRequest(color: .green)
/// request.tags = ["method"]
/// let open = try await library.openToMark(document)
/// let marked = try await library.mark(try await library.select(spec, in: open), request, in: open)
/// ```
package struct MarkRequest: Sendable {
  /// The id of the strategy that turns the selection into ranges.
  package var strategy = "exact"
  package var color = HighlightColor.yellow
  /// The highlights' note; empty for none.
  package var note = ""
  /// The highlights' tags, with or without a leading `#`.
  package var tags: [String] = []
  /// A query whose matches inside the passage are highlighted, one highlight each, instead of the
  /// strategy's ranges. The query's scope and filters are ignored.
  package var matching: SavedQuery?

  /// Creates a request for a highlight of exactly the passage.
  package init(color: HighlightColor = .yellow) { self.color = color }
}

/// The highlights of passages that were marked.
package struct MarkedPassages: Sendable {
  /// The highlights in the order of the passages: new ones, and existing ones that received the
  /// note or the tags.
  package var highlights: [Highlight] = []
  /// The ids of the highlights that existed before.
  package var updated: Set<Highlight.ID> = []
  /// The highlights in other colours on exactly the words of the new ones.
  package var sharing: [Highlight] = []
  /// The document with its highlights.
  package var open: OpenDocument
}

extension [Highlight] {
  /// The maximum number of highlights that a message names.
  private static var mostNames: Int { 5 }

  /// The numbers of the highlights for a message: `4`, `4 and 5`. After the first ones, the number
  /// of the others.
  package var names: String { named(\.shortID) }

  /// A message about highlights on the same words as others: `4 in yellow is on the same words`.
  /// Nil if there are none.
  package var asSharing: String? {
    guard let first else { return nil }
    let isSame = allSatisfy { $0.color == first.color }
    let names = isSame ? "\(names) in \(first.color)" : named { "\($0.shortID) in \($0.color)" }
    return "\(names) \(count == 1 ? "is" : "are") on the same words"
  }

  private func named(_ name: (Highlight) -> String) -> String {
    let rest = count - Self.mostNames
    return (prefix(Self.mostNames).map(name) + (rest > 0 ? ["\(rest) more"] : [])).listed
  }
}

/// A passage to highlight, compared with the highlights that its words have already.
package struct PlannedMark: Sendable {
  /// The passage.
  package var range: TextRange
  /// The highlight of the passage that receives the note and the tags; nil if a new one is made.
  package var updated: Highlight?
  /// The highlights in other colours on exactly the same words.
  package var sharing: [Highlight]
}

/// The current text of a document or an earlier one.
package struct EarlierText: Sendable {
  /// The digest by which the library finds the text.
  package var digest: ContentDigest
  /// The text itself; nil if it must be looked up in the library by its digest.
  package var string: String?

  package init(_ digest: ContentDigest, _ string: String?) {
    (self.digest, self.string) = (digest, string)
  }
}

/// The result of highlighting passages that were selected in an earlier text of the document.
package enum MarkResult: Sendable {
  /// The highlights, and the document including them.
  case made(MarkedPassages)
  /// The text has changed and a passage could not be located with certainty, so nothing was
  /// highlighted. The candidates for that passage follow, most likely first, with the document.
  case unsure([ReviewCandidate], OpenDocument)
}

/// A change to a highlight. Fields that are nil stay unchanged.
package struct HighlightChange: Sendable {
  package var color: HighlightColor?
  /// The new note; an empty string removes the note.
  package var note: String?
  /// The note that the user saw while writing the new one. The change fails with `conflict` if the
  /// stored note is now neither this note nor the new one. Nil overwrites any note, with all of its
  /// versions if several devices changed it at once.
  package var seenNote: String?
  /// Tags to add, with or without a leading `#`.
  package var addedTags: [String] = []
  /// Tags to remove. Tags that the highlight does not have are ignored.
  package var removedTags: [String] = []

  package init() {}
}

extension Library {
  /// Returns the highlights that match a filter, in the order of documents and positions. In each
  /// document, orphans are last.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func highlights(_ filter: HighlightFilter) throws(UserError) -> [Highlight] {
    let found = try storage {
      try store.read {
        filter.trash == .only ? try $0.trashed(filter) : try $0.highlights(filter)
      }
    }
    return unsaved.isEmpty ? found : found.map(withUnsaved)
  }

  /// Reads the highlights that match a filter one document at a time, in one snapshot of the
  /// library. Only one document's highlights are in memory, so the number of highlights may be
  /// large.
  ///
  /// - Parameters:
  ///   - result: the initial value.
  ///   - body: called for each document with a matching highlight. It gets the value so far, which
  ///     it may change, the document and the document's matching highlights. It returns false to
  ///     stop.
  /// - Returns: the value after the last call of `body`.
  /// - Throws: the error of `body`, as `conflict` unless it is a `UserError`; `damaged` or
  ///   `conflict` if the library cannot be read.
  package func gatherHighlights<Result: Sendable>(
    _ filter: HighlightFilter, into result: Result,
    _ body: @Sendable (inout Result, Document, [Highlight]) throws -> Bool
  ) throws(UserError) -> Result {
    try storage {
      try store.read { transaction in
        var result = result
        guard filter.trash != .only else {
          var rest = try transaction.trashed(filter)[...]
          while let first = rest.first {
            let part = rest.prefix { $0.document == first.document }
            rest = rest[part.endIndex...]
            guard let document = try transaction.document(first.document) else { continue }
            guard try body(&result, document, part.map(withUnsaved)) else { break }
          }
          return result
        }
        let reader = try transaction.highlightReader(filter)
        while let (document, found) = try reader.next() {
          let shown = try withCurrentText(found, of: document.id, in: transaction)
          guard try body(&result, document, shown) else { break }
        }
        return result
      }
    }
  }

  /// Returns highlights with their places, and with the words there if they were edited. A place
  /// that is not saved belongs to a text that isn't stored.
  package func withCurrentText(
    _ highlights: [Highlight], of document: Document.ID, in transaction: ReadTransaction
  ) throws -> [Highlight] {
    if unsaved.isEmpty { return try transaction.withCurrentText(highlights, of: document) }
    return highlights.map(withUnsaved)
  }

  /// Returns a highlight with the words at its place if they were edited.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func withCurrentText(_ highlight: Highlight) throws(UserError) -> Highlight {
    try storage {
      try store.read {
        try withCurrentText([highlight], of: highlight.document, in: $0).first ?? highlight
      }
    }
  }

  /// Returns the documents with highlights that match a filter, in the order of their paths.
  /// Documents in every state are included.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func documents(of filter: HighlightFilter) throws(UserError) -> [Document] {
    try storage { try store.read { try $0.documents(of: filter) } }
  }

  /// Returns the tags of live highlights, each with its number of highlights.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func tags() throws(UserError) -> [(name: String, count: Int)] {
    try storage { try store.read { try $0.tags().map { ($0.0, $0.1) } } }
  }

  /// Returns the names that the library's colours have. Colours without a name are omitted.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func labels() throws(UserError) -> [HighlightColor: String] {
    try storage { try store.read { try $0.labels() } }
  }

  /// Names a colour in this library. An empty name removes the colour's name. Runs of white space
  /// become one space.
  ///
  /// - Throws: `nothing` if the name is unchanged.
  package func setLabel(_ color: HighlightColor, _ name: String) throws(UserError) {
    let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let changed = try storage { try store.write { try $0.setLabel(words, of: color) } }
    if !changed {
      throw UserError(
        .nothing, words.isEmpty ? "\(color) has no name" : "\(color) is already called '\(words)'")
    }
  }

  /// Returns a passage to highlight with a strategy. If the strategy gives the same result for each
  /// occurrence of a quote, the first one is selected. An unknown strategy changes nothing.
  package nonisolated func passage(_ spec: SelectionSpec, for strategy: String) -> SelectionSpec {
    var spec = spec
    if let found = try? plugins.highlighting.strategy(strategy) {
      spec.takesFirst = type(of: found).ignoresPlace
    }
    return spec
  }

  /// Returns the ranges of an open document that a request would highlight.
  ///
  /// - Parameter selection: the passage.
  /// - Throws: the same errors as `mark(_:_:in:)`, except `conflict`.
  package func passages(
    from selection: TextRange, _ request: MarkRequest, in parsed: ParsedDocument
  ) throws(UserError) -> [TextRange] {
    let strategy: any HighlightStrategy
    do throws(UnknownStrategyError) {
      strategy = try plugins.highlighting.strategy(request.strategy)
    } catch { throw UserError(unknown: error) }
    let ranges: [TextRange]
    if let query = request.matching {
      ranges = try matches(of: query, in: parsed, within: selection)
    } else {
      do { ranges = try strategy.ranges(from: selection, in: parsed) } catch {
        throw UserError(.plugin, error.description)
      }
    }
    guard !ranges.isEmpty else {
      throw UserError(
        .nothing,
        request.matching.map { "'\($0.text)' does not occur in the passage" }
          ?? "the selection contains no text to highlight")
    }
    try Self.requireShort(ranges)
    return ranges
  }

  /// The maximum length of a highlight in UTF-16 units. It is limited because the quote is stored,
  /// searched for and synced.
  static let longestPassage = 1 << 20

  /// Checks that no passage is too long for a highlight.
  ///
  /// - Throws: `usage` if one is.
  static func requireShort(_ ranges: [TextRange]) throws(UserError) {
    guard let longest = ranges.map(\.count).max(), longest > longestPassage else { return }
    throw UserError(
      .usage,
      "the passage is too long: \(longest) characters, and a highlight has at most "
        + "\(longestPassage)", hint: "highlight a part of it")
  }

  /// Checks that a document is in the library.
  ///
  /// - Throws: `notFound` if it was removed.
  package func requirePresent(_ document: Document) throws(UserError) {
    guard document.state == .removed else { return }
    throw .removed(document)
  }

  /// Opens a document for highlighting.
  ///
  /// - Throws: `notFound` if the document was removed from the library or its file is missing.
  package func openToMark(_ document: Document) throws(UserError) -> OpenDocument {
    try requirePresent(document)
    return try open(document)
  }

  /// Highlights a passage of an open document. The file is not read again; if another process has
  /// stored a newer text of it, nothing is highlighted. If the passage is highlighted in the colour
  /// already, that highlight is given the note and the tags.
  ///
  /// - Throws:
  ///   - `nothing` if the strategy finds nothing to highlight in the passage, or it is highlighted
  ///     in the same way already
  ///   - `conflict` if the stored text has changed, or the passage is highlighted in the colour
  ///     with another note
  ///   - `usage` if the text is not in a library, or the strategy or a tag is invalid
  ///   - `plugin` if the strategy fails.
  package func mark(_ selection: TextRange, _ request: MarkRequest, in open: OpenDocument)
    throws(UserError) -> MarkedPassages
  {
    try highlight(try passages(from: selection, request, in: open.parsed), as: request, in: open)
  }

  /// Highlights passages of an open document, all in one step of the history. A passage that
  /// already has an equal highlight is skipped. If it has another highlight of the same colour,
  /// that highlight receives the note and the tags.
  ///
  /// - Parameter request: the colour, note and tags of the highlights.
  /// - Throws: `nothing` if every passage was skipped; `conflict` if the stored text has changed,
  ///   or a passage is highlighted in the colour with another note; `usage` if the text is not in a
  ///   library or a tag is invalid.
  func highlight(_ ranges: [TextRange], as request: MarkRequest, in open: OpenDocument)
    throws(UserError) -> MarkedPassages
  {
    guard let document = open.document, let digest = open.textDigest else {
      throw .inNoLibrary()
    }
    let tags = try request.tags.map(Self.tagName)
    let text = AnchorText(utf16: open.parsed.text.utf16)
    let selectors = ranges.map {
      Selector(
        selecting: $0, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion)
    }
    let lines = open.parsed.sourceLines
    var skipped: [Highlight] = []
    var marked = try storage {
      try store.write { transaction -> MarkedPassages in
        skipped = []
        // Another process may have stored a newer text of the file. The ranges do not apply to it.
        guard try transaction.revision(of: document.id)?.textDigest == digest else {
          throw UserError.changedMeanwhile(document, hint: "mark the passage again")
        }
        let present = try transaction.highlights(HighlightFilter(documents: [document.id]))
        var marked = MarkedPassages(open: open)
        for selector in selectors {
          let plan = try Self.plan(
            selector.position, as: request, tags, among: present, skipped: &skipped)
          guard let plan else { continue }
          if let twin = plan.updated {
            if !request.note.isEmpty { _ = try transaction.setNote(request.note, of: twin.id) }
            for tag in tags { _ = try transaction.setTag(tag, true, of: twin.id) }
            marked.highlights.append(try transaction.highlight(twin.id) ?? twin)
            marked.updated.insert(twin.id)
            continue
          }
          marked.sharing += plan.sharing
          let place = open.parsed.locating(
            Anchor(range: selector.position, state: .exact, score: 1, method: "marked"),
            in: lines)
          marked.highlights.append(
            try transaction.createHighlight(
              in: document.id, selector: selector, color: request.color, note: request.note,
              tags: tags, anchor: place))
        }
        return marked
      }
    }
    guard !marked.highlights.isEmpty else { throw Self.alreadyMarked(skipped, request.color) }
    marked.open.highlights = try shownHighlights(of: document.id)
    return marked
  }

  /// Returns what highlighting passages of an open document would do. Nothing is changed.
  ///
  /// - Throws: the same errors as `mark(_:_:in:)` for passages that have the highlight already, or
  ///   have it with another note.
  package func plan(_ ranges: [TextRange], as request: MarkRequest, in open: OpenDocument)
    throws(UserError) -> [PlannedMark]
  {
    guard let document = open.document else { throw .inNoLibrary() }
    let tags = try request.tags.map(Self.tagName)
    let present = try highlights(HighlightFilter(documents: [document.id]))
    var skipped: [Highlight] = []
    var plans: [PlannedMark] = []
    for range in ranges {
      let plan = try Self.plan(range, as: request, tags, among: present, skipped: &skipped)
      if let plan { plans.append(plan) }
    }
    guard !plans.isEmpty else { throw Self.alreadyMarked(skipped, request.color) }
    return plans
  }

  /// Compares a passage with the present highlights. Returns nil if a highlight has all that the
  /// request asks for; that highlight is appended to `skipped`.
  ///
  /// - Throws: `conflict` if the passage is highlighted in the colour with another note.
  private static func plan(
    _ range: TextRange, as request: MarkRequest, _ tags: [String], among present: [Highlight],
    skipped: inout [Highlight]
  ) throws(UserError) -> PlannedMark? {
    let same = present.filter { $0.anchor.range == range }
    let twins = same.filter { $0.color == request.color }
    if let equal = twins.first(where: { isUnchanged($0, by: request, tags) }) {
      skipped.append(equal)
      return nil
    }
    return PlannedMark(
      range: range, updated: try twin(among: twins, for: request),
      sharing: same.filter { $0.color != request.color })
  }

  /// Returns the error for passages that are highlighted in a colour already.
  private static func alreadyMarked(_ highlights: [Highlight], _ color: HighlightColor)
    -> UserError
  {
    let names = highlights.names
    return UserError(
      .nothing,
      highlights.count == 1
        ? "that passage is highlighted in \(color) already: highlight \(names)"
        : "those passages are highlighted in \(color) already: highlights \(names)")
  }

  /// Highlights passages of a document that were selected in an earlier text of it. If the text has
  /// changed, the passages are located in the current text in the same way as highlights.
  ///
  /// - Parameters:
  ///   - ranges: the passages, at least one. Each becomes a highlight, and all of them are one step
  ///     for `undo`.
  ///   - text: the text to which `ranges` refer.
  ///   - template: the colour, note and tags of all the highlights.
  /// - Throws: the same errors as `mark(_:_:in:)`; `conflict` if the earlier text is not stored;
  ///   `usage` if a range is beyond its text.
  package func mark(
    _ document: Document, _ ranges: [TextRange], madeIn text: EarlierText,
    _ template: MarkRequest
  ) throws(UserError) -> MarkResult {
    let open = try openToMark(document)
    var ranges = ranges
    if open.textDigest != text.digest {
      let places = try carry(ranges, from: text, to: open)
      ranges = []
      for place in places {
        switch place {
        case .sure(let range): ranges.append(range)
        case .unsure(let candidates): return .unsure(candidates, open)
        }
      }
    }
    var passages: [TextRange] = []
    var nothing: UserError?
    for range in ranges {
      let range = try whole(range, in: open.parsed)
      do throws(UserError) {
        if range.isEmpty { throw UserError(.nothing, "\(range) selects no text") }
        let found = try self.passages(from: range, template, in: open.parsed)
        passages += found.filter { !passages.contains($0) }
      } catch {
        // One passage may contain no words, for example only white space. The others are still
        // highlighted.
        guard error.code == .nothing else { throw error }
        nothing = nothing ?? error
      }
    }
    if passages.isEmpty, let nothing { throw nothing }
    return .made(try highlight(passages, as: template, in: open))
  }

  /// Returns the range extended to whole characters.
  ///
  /// - Throws: `usage` if the range is beyond the text.
  package func whole(_ range: TextRange, in parsed: ParsedDocument) throws(UserError) -> TextRange {
    guard range.lies(in: parsed.text.utf16.count) else {
      throw UserError(.usage, "the passage \(range) ends after the end of the text")
    }
    return parsed.wholeGraphemes(range)
  }

  /// The position of a passage of an earlier text in the current one, or the candidates for it.
  private enum CarriedPlace {
    case sure(TextRange)
    case unsure([ReviewCandidate])
  }

  /// Locates passages of an earlier text of a document in its current text.
  ///
  /// - Throws: `conflict` if the earlier text is not stored; `usage` if a range is empty or beyond
  ///   its text.
  private func carry(
    _ ranges: [TextRange], from earlier: EarlierText, to open: OpenDocument
  ) throws(UserError) -> [CarriedPlace] {
    guard let document = open.document else { throw .inNoLibrary() }
    guard let before = try earlierText(earlier, of: document) else {
      throw UserError(
        .conflict, "the text of this selection is no longer stored",
        hint: "select it again")
    }
    let text = AnchorText(utf16: open.parsed.text.utf16)
    let subjects = try ranges.map { (range) throws(UserError) in
      guard range.lies(in: before.units.count), !range.isEmpty else {
        throw UserError(.usage, "the passage \(range) is empty or ends after the text")
      }
      return AnchorSubject(
        selector: Selector(
          selecting: range, in: before, digest: earlier.digest,
          renderVersion: ParsedDocument.renderVersion),
        last: range)
    }
    let lines = open.parsed.sourceLines
    return zip(subjects, anchorer.reanchor(subjects, from: before, to: text)).map { pair in
      let (subject, anchor) = pair
      if let range = anchor.range, anchor.isSure { return .sure(range) }
      let found = anchorer.candidates(for: subject, from: before, to: text, limit: 5)
      return .unsure(
        found.map { candidate in
          let byte = open.parsed.map.sourceOffset(of: candidate.range.lowerBound, bias: .trailing)
          return ReviewCandidate(
            document: document, range: candidate.range, line: lines.position(of: byte),
            words: open.parsed.text.substring(candidate.range), score: candidate.score)
        })
    }
  }

  /// Returns an earlier or the current text of a document; nil if it is no longer stored.
  func earlierText(_ text: EarlierText, of document: Document) throws(UserError)
    -> AnchorText?
  {
    if let string = text.string { return AnchorText(string) }
    return try storage { try store.read { try $0.snapshot(text.digest, of: document.id) } }
      .map { AnchorText($0) }
  }

  /// Returns whether a request would add nothing to a highlight of its passage and colour.
  private static func isUnchanged(
    _ highlight: Highlight, by request: MarkRequest, _ tags: [String]
  ) -> Bool {
    (request.note.isEmpty || highlight.note == request.note)
      && Set(tags).isSubset(of: highlight.tags)
  }

  /// Returns the existing highlight that receives the note and the tags of a request. `twins` are
  /// the highlights of the same passage in the requested colour. Nil if there are no twins.
  ///
  /// - Throws: `conflict` if all of them have another note.
  private static func twin(among twins: [Highlight], for request: MarkRequest) throws(UserError)
    -> Highlight?
  {
    guard let first = twins.first else { return nil }
    if request.note.isEmpty { return first }
    if let twin = twins.first(where: { $0.note == request.note })
      ?? twins.first(where: \.note.isEmpty)
    {
      return twin
    }
    let id = first.shortID
    throw UserError(
      .conflict, "that passage is highlighted in \(request.color) already, with another note",
      hint: """
        \(action: "highlight.change", [
          "highlight": .record(first.id.description, name: id), "note": .asked("text"),
        ]) replaces the note of \(id)
        """)
  }

  /// Returns the range that a selection selects in a parsed document.
  ///
  /// - Throws: the `UserError` of the `SelectionError`, see `UserError.init(selection:)`; `notFound`
  ///   or `ambiguous` for the id of a highlight.
  package func resolve(_ spec: SelectionSpec, in parsed: ParsedDocument) throws(UserError)
    -> TextRange
  {
    if let id = spec.highlight { _ = try highlight(id) }
    do {
      return try spec.resolve(
        in: parsed, highlight: { id in (try? self.highlight(id))?.anchor.range },
        matches: { (pattern) throws(SelectionError) in
          try plugins.matches(ofPattern: pattern, in: parsed)
        })
    } catch {
      throw UserError(selection: error)
    }
  }

  /// Returns a tag in its stored form, without leading `#` and without white space at either end.
  ///
  /// - Throws: `usage` if the tag is empty or contains a comma or a control character.
  package static func tagName(_ text: String) throws(UserError) -> String {
    var name = Substring(text)
    while name.first?.isWhitespace == true || name.first == "#" { name.removeFirst() }
    while name.last?.isWhitespace == true { name.removeLast() }
    // The form in which lists show a tag with blanks.
    if text.contains("#"), name.count > 2, name.first == "\"", name.last == "\"" {
      name = name.dropFirst().dropLast()
    }
    let isControl: (Unicode.Scalar) -> Bool = { $0.properties.generalCategory == .control }
    guard !name.isEmpty, !name.contains(","), !name.unicodeScalars.contains(where: isControl) else {
      throw UserError(
        .usage, "'\(text)' is not a tag",
        hint: name.contains(",")
          ? "a tag has no comma; for two tags: --tag x --tag y"
          : "a tag has at least one character, and no control characters")
    }
    return String(name)
  }

  /// Changes a highlight's colour, note or tags, in one step of the history.
  ///
  /// - Returns: the highlight after the change.
  /// - Throws: `nothing` if the change has no effect; `conflict` if the stored note is neither
  ///   `seenNote` nor the new one; `usage` if a tag is invalid; `notFound` if the highlight is in
  ///   the trash.
  package func change(_ highlight: Highlight, _ change: HighlightChange) throws(UserError)
    -> Highlight
  {
    let change = try change.withTagNames()
    return try storage {
      try store.write { transaction in
        guard try transaction.apply(change, to: highlight.id) else {
          throw UserError(.nothing, "highlight \(highlight.shortID) is unchanged")
        }
        return try transaction.highlight(highlight.id) ?? highlight
      }
    }
  }

  /// Changes the colour, notes or tags of highlights, in one step of the history.
  ///
  /// - Parameter dryRun: whether nothing is stored. The result is the same.
  /// - Returns: the changed highlights, after the change. Those that it would leave as they are, are
  ///   omitted.
  /// - Throws: the errors of ``change(_:_:)``, and `nothing` if no highlight would change.
  package func change(
    _ highlights: [Highlight.ID], _ change: HighlightChange, dryRun: Bool = false
  ) throws(UserError) -> [Highlight] {
    let change = try change.withTagNames()
    return try storage {
      try store.write(dryRun: dryRun) { transaction in
        var changed: [Highlight] = []
        var seen: Set<Highlight.ID> = []
        for id in highlights where seen.insert(id).inserted {
          guard try transaction.apply(change, to: id) else { continue }
          if let highlight = try transaction.highlight(id) { changed.append(highlight) }
        }
        if changed.isEmpty {
          throw UserError(
            .nothing,
            seen.count == 1
              ? "highlight \(try transaction.highlight(highlights[0])?.shortID ?? "") is unchanged"
              : "nothing to change in \(seen.count.counted("highlight"))")
        }
        return changed
      }
    }
  }

  /// Moves highlights to the trash or restores them, in one step of the history.
  ///
  /// - Returns: the highlights afterwards.
  /// - Throws: `nothing` if all of them are in that state already.
  @discardableResult
  package func setTrashed(_ trashed: Bool, _ highlights: [Highlight]) throws(UserError)
    -> [Highlight]
  {
    try storage {
      try store.write { transaction in
        var changed = false
        for highlight in highlights {
          changed = try transaction.setTrashed(trashed, of: highlight.id) || changed
        }
        if !changed {
          throw UserError(
            .nothing,
            trashed
              ? "nothing to remove: already in the trash" : "nothing to restore: not in the trash")
        }
        return try highlights.map { try transaction.highlight($0.id) ?? $0 }
      }
    }
  }

  /// Returns the operations that changed a highlight, oldest first.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func history(of highlight: Highlight) throws(UserError) -> [Operation] {
    try storage { try store.read { try $0.operations(on: .highlight(highlight.id)) } }
  }
}

extension HighlightChange {
  /// Returns the change with its tags in their stored form.
  ///
  /// - Throws: `usage` if a tag is invalid.
  fileprivate func withTagNames() throws(UserError) -> HighlightChange {
    var change = self
    change.addedTags = try addedTags.map(Library.tagName)
    change.removedTags = try removedTags.map(Library.tagName)
    return change
  }
}

extension WriteTransaction {
  /// Changes a highlight. Returns false if the change has no effect.
  fileprivate func apply(_ change: HighlightChange, to id: Highlight.ID) throws -> Bool {
    try requireKept(id)
    var changed = false
    if let color = change.color { changed = try setColor(color, of: id) }
    if let note = change.note {
      if let seen = change.seenNote, let now = try highlight(id)?.note, now != seen, now != note {
        throw UserError(
          .conflict, "the note was changed meanwhile", hint: "choose which note to keep")
      }
      // A user who saw one version of the note wants to replace only that version.
      let isSettled = try change.seenNote == nil && settleNote(of: .highlight(id), as: note)
      changed = try isSettled || setNote(note, of: id) || changed
    }
    for tag in change.addedTags { changed = try setTag(tag, true, of: id) || changed }
    for tag in change.removedTags { changed = try setTag(tag, false, of: id) || changed }
    return changed
  }
}
