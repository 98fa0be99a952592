import Anchoring
package import Editing
import FoundationEssentials
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// What a person asks for when they mark a passage.
package struct MarkRequest: Sendable {
  /// Which passage.
  package var spec: SelectionSpec
  /// The id of the strategy that makes highlights of the selection.
  package var strategy = "exact"
  /// The colour.
  package var color = HighlightColor.yellow
  /// A note; empty for none.
  package var note = ""
  /// Tags.
  package var tags: [String] = []
  /// Makes a highlight of every match of this query inside the passage, instead of using the
  /// strategy; its places and filters are of no account.
  package var matching: SavedQuery?

  /// Asks for a yellow highlight of exactly the passage that `spec` selects.
  package init(spec: SelectionSpec) { self.spec = spec }
}

/// What a person changes about a highlight; nil leaves a field as it is.
package struct HighlightChange: Sendable {
  /// The new colour.
  package var color: HighlightColor?
  /// The new note; an empty one removes it.
  package var note: String?
  /// The note that was seen when the new one was written: nothing is changed where it is neither of
  /// them any more. Nil replaces whatever there is.
  package var seenNote: String?
  /// Tags to put on.
  package var addedTags: [String] = []
  /// Tags to take off.
  package var removedTags: [String] = []

  /// Changes nothing yet.
  package init() {}
}

extension Library {
  /// The live highlights that a filter lets through, in the order of documents and places; orphans
  /// come last in each document.
  package func highlights(_ filter: HighlightFilter) throws(UserError) -> [Highlight] {
    let found = try storage {
      try store.read {
        filter.trash == .only ? try $0.trashed(filter) : try $0.highlights(filter)
      }
    }
    return unsaved.isEmpty ? found : found.map(withUnsaved)
  }

  /// The same list, a document at a time and in one state of the library, for where there may be very
  /// many: no more than one document's highlights are held.
  ///
  /// - Parameters:
  ///   - result: what `body` gathers, to begin with.
  ///   - body: is given a document and its highlights, of which there is at least one, and says
  ///     whether to go on.
  /// - Returns: what was gathered.
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
          let shown = unsaved.isEmpty ? found : found.map(withUnsaved)
          guard try body(&result, document, shown) else { break }
        }
        return result
      }
    }
  }

  /// The documents that the highlights of a filter are in, whatever their states, by path.
  package func documents(of filter: HighlightFilter) throws(UserError) -> [Document] {
    try storage { try store.read { try $0.documents(of: filter) } }
  }

  /// The tags of live highlights, with how many carry each.
  package func tags() throws(UserError) -> [(name: String, count: Int)] {
    try storage { try store.read { try $0.tags().map { ($0.0, $0.1) } } }
  }

  /// What the colours mean in this library; those that nobody named are left out.
  package func labels() throws(UserError) -> [HighlightColor: String] {
    try storage { try store.read { try $0.labels() } }
  }

  /// Says what a colour means in this library; empty takes it back.
  ///
  /// - Throws: `nothing` when it means that already.
  package func setLabel(_ color: HighlightColor, _ name: String) throws(UserError) {
    let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let changed = try storage { try store.write { try $0.setLabel(words, of: color) } }
    if !changed {
      throw UserError(
        .nothing, words.isEmpty ? "\(color) has no name" : "\(color) is already called '\(words)'")
    }
  }

  /// The passages that a request would highlight in an open document.
  ///
  /// - Throws: as `mark` does.
  package func passages(of request: MarkRequest, in open: OpenDocument) throws(UserError)
    -> [TextRange]
  {
    try passages(of: request, in: open.parsed)
  }

  private func passages(of request: MarkRequest, in parsed: ParsedDocument) throws(UserError)
    -> [TextRange]
  {
    let strategy: any HighlightStrategy
    do { strategy = try plugins.highlighting.strategy(request.strategy) } catch {
      throw UserError(.usage, error.description)
    }
    let selection = try resolve(request.spec, in: parsed)
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
        request.matching.map { "'\($0.text)' is not found there" }
          ?? "the selection holds no text to highlight")
    }
    return ranges
  }

  /// Opens a document in which something is to be marked.
  ///
  /// - Throws: `notFound` when it was removed from the library or its file is missing.
  package func openToMark(_ document: Document) throws(UserError) -> OpenDocument {
    try requirePresent(document)
    return try open(document)
  }

  /// Marks a passage of a document, as its file is now.
  ///
  /// - Returns: the highlights that were made, and what the check of the file showed.
  /// - Throws: as for an open document.
  package func mark(_ document: Document, _ request: MarkRequest) throws(UserError)
    -> (made: [Highlight], report: RefreshReport)
  {
    let (made, open) = try mark(request, in: try openToMark(document))
    return (
      made, open.report ?? RefreshReport(document: document, change: .unchanged, outcomes: [])
    )
  }

  /// Marks a passage of an open document. The file is not read again: when another process stored
  /// another text of it since, nothing is marked.
  ///
  /// - Returns: the highlights that were made, and the document with them.
  /// - Throws: `nothing` when there is nothing to select or it is highlighted like that already,
  ///   `notFound` or `ambiguous` with the passages that fit, `conflict` when it cannot be stored,
  ///   `usage` for a text that is in no library.
  package func mark(_ request: MarkRequest, in open: OpenDocument) throws(UserError)
    -> (made: [Highlight], open: OpenDocument)
  {
    try highlight(try passages(of: request, in: open.parsed), as: request, in: open)
  }

  /// Makes highlights of passages of an open document, all of them in one step.
  ///
  /// - Parameter request: says their colour, note and tags.
  func highlight(_ ranges: [TextRange], as request: MarkRequest, in open: OpenDocument)
    throws(UserError) -> (made: [Highlight], open: OpenDocument)
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
    let made = try storage {
      try store.write { transaction -> [Highlight] in
        // The file may have been read again by another process since: then the places are of a
        // text that is no longer the document's.
        guard try transaction.revision(of: document.id)?.textDigest == digest else {
          throw UserError.changedMeanwhile(document, hint: "mark it again")
        }
        let present = try transaction.highlights(HighlightFilter(documents: [document.id]))
        var made: [Highlight] = []
        for selector in selectors {
          if Self.hasTwin(of: selector, for: request, tags, among: present) { continue }
          let place = open.parsed.locating(
            Anchor(range: selector.position, state: .exact, score: 1, method: "marked"),
            in: lines)
          made.append(
            try transaction.createHighlight(
              in: document.id, selector: selector, color: request.color, note: request.note,
              tags: tags, anchor: place))
        }
        return made
      }
    }
    guard !made.isEmpty else {
      throw UserError(.nothing, "that passage is highlighted in \(request.color) already")
    }
    var marked = open
    marked.highlights = try shownHighlights(of: document.id)
    return (made, marked)
  }

  /// Whether the same passage has the same colour already and nothing would be added to it.
  private static func hasTwin(
    of selector: Selector, for request: MarkRequest, _ tags: [String], among present: [Highlight]
  ) -> Bool {
    present.contains {
      $0.anchor.range == selector.position && $0.color == request.color
        && (request.note.isEmpty || $0.note == request.note) && Set(tags).isSubset(of: $0.tags)
    }
  }

  /// A document as its file is now, parsed, with its highlights' places stored.
  func current(_ document: Document) throws(UserError) -> Reading {
    dialects.forget()
    return try read(
      document, from: try storage { try store.read { try $0.revision(of: document.id) } })
  }

  /// The passage that a selection means in a parsed document.
  func resolve(_ spec: SelectionSpec, in parsed: ParsedDocument) throws(UserError) -> TextRange {
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

  /// A tag as it is stored: without a leading `#` and without blanks around it.
  ///
  /// - Throws: `usage` for a tag with no letter, with a comma or with a control character.
  static func tagName(_ text: String) throws(UserError) -> String {
    var name = Substring(text)
    while name.first?.isWhitespace == true || name.first == "#" { name.removeFirst() }
    while name.last?.isWhitespace == true { name.removeLast() }
    let isControl: (Unicode.Scalar) -> Bool = { $0.properties.generalCategory == .control }
    guard !name.isEmpty, !name.contains(","), !name.unicodeScalars.contains(where: isControl) else {
      throw UserError(
        .usage, "'\(text)' is not a tag", hint: "a tag is a word or a few, without commas")
    }
    return String(name)
  }

  /// Changes a highlight's colour, note or tags, in one step.
  ///
  /// - Returns: the highlight as it is now.
  /// - Throws: `nothing` when it says all that already, `conflict` when its note is not the one that was
  ///   seen.
  package func change(_ highlight: Highlight, _ change: HighlightChange) throws(UserError)
    -> Highlight
  {
    let added = try change.addedTags.map(Self.tagName)
    let removed = try change.removedTags.map(Self.tagName)
    return try storage {
      try store.write { transaction in
        var changed = false
        if let color = change.color {
          changed = try transaction.setColor(color, of: highlight.id) || changed
        }
        if let note = change.note {
          if let seen = change.seenNote, let now = try transaction.highlight(highlight.id)?.note,
            now != seen, now != note
          {
            throw UserError(
              .conflict, "the note was changed meanwhile",
              hint: "choose what becomes of the two notes")
          }
          changed = try transaction.setNote(note, of: highlight.id) || changed
        }
        for tag in added {
          changed = try transaction.setTag(tag, true, of: highlight.id) || changed
        }
        for tag in removed {
          changed = try transaction.setTag(tag, false, of: highlight.id) || changed
        }
        guard changed else {
          throw UserError(.nothing, "highlight \(highlight.id) is unchanged")
        }
        return try transaction.highlight(highlight.id) ?? highlight
      }
    }
  }

  /// Puts highlights into the trash, or takes them out of it, in one step.
  ///
  /// - Throws: `nothing` when all of them are there already.
  package func setTrashed(_ trashed: Bool, _ highlights: [Highlight]) throws(UserError) {
    try storage {
      try store.write { transaction in
        var changed = false
        for highlight in highlights {
          changed = try transaction.setTrashed(trashed, of: highlight.id) || changed
        }
        if !changed {
          throw UserError(
            .nothing, trashed ? "it was already removed" : "it is not in the trash")
        }
      }
    }
  }

  /// The operations that touched a highlight, oldest first.
  package func history(of highlight: Highlight) throws(UserError) -> [Operation] {
    try storage { try store.read { try $0.operations(on: .highlight(highlight.id)) } }
  }
}
