package import Editing
import MarkdownParse
package import Model
package import RichText
import Storage
package import SystemSupport
package import Workspace

/// A formatting command that changes the Markdown file.
package enum FileFormatRequest: Hashable, Sendable {
  /// Removes a style if the whole passage has it, else applies it to all of the passage.
  case toggle(InlineStyle)
  /// Links the passage to an address; nil removes its links.
  case link(String?)
  /// Makes the paragraphs headings of a level, 1 … 6. Makes them ordinary text if they already are
  /// headings of this level, or if the level is nil.
  case heading(Int?)
  /// Removes a block quote if the whole passage is in one, else adds one.
  case quote
  /// Makes the paragraphs headings of a level, or a block quote if `heading` is nil. Unlike
  /// `heading` and `quote`, it changes nothing if they already are.
  case style(heading: Int?)

  /// Creates the command that writes a paragraph style into the file; nil if Markdown has no markup
  /// for the style.
  package init?(style: StyleID) {
    if style == .blockQuote {
      self = .style(heading: nil)
    } else if let level = (1...3).first(where: { .heading($0) == style }) {
      self = .style(heading: level)
    } else {
      return nil
    }
  }

  /// The name of the command in the history.
  var label: String {
    switch self {
    case .toggle(let style): style.name
    case .link(let address): address == nil ? "no link" : "link"
    case .heading(let level): level.map { "heading \($0)" } ?? "no heading"
    case .quote, .style(heading: nil): "quote"
    case .style(let level?): "heading \(level)"
    }
  }
}

extension Library {
  /// Formats a passage of a document in its file.
  ///
  /// - Throws: the same errors as for several passages.
  package func format(
    _ document: Document, _ spec: SelectionSpec, _ request: FileFormatRequest, dryRun: Bool = false
  ) throws(UserError) -> FileChange {
    try format(document, .selected(spec), request, dryRun: dryRun)
  }

  /// Formats passages of a document in its file, in one step of the history, or none of them if
  /// there is an error. A toggle turns the style on or off for all of them.
  ///
  /// - Parameter dryRun: whether to return the change without writing it.
  /// - Throws: `usage` if Markdown cannot express it there; `nothing` if the passages already have
  ///   the formatting; `conflict` if the file cannot be written or the passages are of another
  ///   text; `notFound` if the document was removed.
  package func format(
    _ document: Document, _ scope: FormatScope, _ request: FileFormatRequest, dryRun: Bool = false
  ) throws(UserError) -> FileChange {
    // As in `replace`, an interrupted step must be settled before its files are read.
    try settleJournal()
    try requirePresent(document)
    var reading: CheckedDocument? = try current(document)
    let ranges = Self.passages(
      try ranges(of: scope, document, reading!), request, reading!.parsed)
    let turnsOn = Self.turnsOn(request, ranges, EditBuilder(reading!.parsed))
    var long: LongChange?
    if ranges.count == 1 {
      long = changeLong(&reading) { (builder) throws(FormattingError) in
        try Self.change(
          builder, ranges[0], request, turnsOff: Self.isSo(request, ranges, builder), isOnly: true)
      }
    }
    var draft: SourceDraft?
    if let long {
      draft = SourceDraft(long)
    } else {
      draft = try Self.draft(request, ranges, in: reading!.parsed)
    }
    guard let patch = draft!.patch else {
      throw UserError(.nothing, "the formats are unchanged")
    }
    var result = FileChange(document, patch, to: draft!.parsed.source, places: draft!.places)
    result.turnedOn = turnsOn
    if dryRun { return result }
    let step = JournalStep(label: "formatted \(document.path.string): \(request.label)")
    var rewrites = [
      long?.rewrite(of: document)
        ?? Rewrite(document, patch, of: reading!, after: draft!.parsed.mapped)
    ]
    // The blocks and spans of a long document take memory that writing needs.
    (long, draft, reading) = (nil, nil, nil)
    result.report = try rewrite(&rewrites, step).first
    return result
  }

  /// Returns the ranges to change. For commands on blocks, ranges in the same block are joined, so
  /// that each block is changed once.
  private static func passages(
    _ ranges: [TextRange], _ request: FileFormatRequest, _ parsed: ParsedDocument
  ) -> [TextRange] {
    switch request {
    case .toggle, .link: return ranges
    case .heading, .quote, .style: break
    }
    var joined: [TextRange] = []
    for range in ranges {
      if let last = joined.last,
        !parsed.text.utf16[last.utf16.upperBound..<range.utf16.lowerBound].contains(10)
      {
        let whole = last.utf16.lowerBound..<range.utf16.upperBound
        joined[joined.count - 1] = TextRange(utf16: whole)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  private static func draft(
    _ request: FileFormatRequest, _ ranges: [TextRange], in parsed: ParsedDocument
  ) throws(UserError) -> SourceDraft {
    var draft = SourceDraft(parsed)
    let turnsOff = isSo(request, ranges, EditBuilder(parsed))
    for (index, range) in ranges.enumerated().reversed() {
      do throws(FormattingError) {
        draft.add(
          try change(
            EditBuilder(draft.parsed), range, request, turnsOff: turnsOff,
            isOnly: ranges.count == 1))
      } catch {
        // A passage without text is skipped if there are others.
        guard error != .nothingSelected || ranges.count == 1 else { continue }
        throw UserError(error == .nothingSelected ? .nothing : .usage, error.description)
      }
      let rest = index == 0 ? 0 : ranges[index - 1].utf16.upperBound
      guard draft.parsed.text.utf16.prefix(rest).elementsEqual(parsed.text.utf16.prefix(rest))
      else {
        throw UserError(
          .usage, "these passages cannot be formatted at once", hint: "format them one by one")
      }
    }
    return draft
  }

  /// Returns whether all passages already have the requested formatting, so that a toggle removes
  /// it.
  private static func isSo(
    _ request: FileFormatRequest, _ ranges: [TextRange], _ builder: EditBuilder
  )
    -> Bool
  {
    ranges.allSatisfy { range in
      // Passages without text are ignored.
      switch request {
      case .toggle(let style): (try? builder.state(of: style, in: range)) ?? .all == .all
      case .heading(let level):
        level != nil && builder.headingLevel(at: range.lowerBound) == level
      case .quote: (try? builder.quoteState(in: range)) ?? .all == .all
      case .link, .style: false
      }
    }
  }

  /// Returns whether a toggle applies its format to the passages; nil for a format that isn't
  /// toggled, and if the builder fails.
  private static func turnsOn(
    _ request: FileFormatRequest, _ ranges: [TextRange], _ builder: EditBuilder
  ) -> Bool? {
    switch request {
    case .toggle(let style) where ranges.count == 1: try? !builder.removes(style, ranges[0])
    case .toggle, .quote: !isSo(request, ranges, builder)
    case .heading(let level): level == nil ? nil : !isSo(request, ranges, builder)
    case .link, .style: nil
    }
  }

  /// Returns the change of one passage.
  ///
  /// - Parameter isOnly: whether it is the only passage. Then the builder decides between applying
  ///   and removing a toggled style, because it also checks how far Markdown can express it.
  private static func change(
    _ builder: EditBuilder, _ range: TextRange, _ request: FileFormatRequest, turnsOff: Bool,
    isOnly: Bool
  ) throws(FormattingError) -> SourceChange {
    switch request {
    case .toggle(let style) where isOnly: return try builder.toggle(style, range)
    case .toggle(let style):
      return try turnsOff ? builder.unwrap(style, range) : builder.wrap(style, range)
    case .link(let address?): return try builder.link(range, to: address)
    case .link(nil): return try builder.unlink(range)
    case .heading(let level): return try builder.setHeading(turnsOff ? nil : level, range)
    case .quote: return try turnsOff ? builder.unwrapQuote(range) : builder.wrapQuote(range)
    case .style(heading: nil): return try builder.wrapQuote(range)
    case .style(let level): return try builder.setHeading(level, range)
    }
  }
}
