package import Editing
import MarkdownParse
package import Model
package import RichText
import Storage
package import SystemSupport

/// What a person asks of the formatting of a passage.
package enum FormatRequest: Hashable, Sendable {
  /// A style: removed where the whole passage has it, else given to all of it.
  case toggle(InlineStyle)
  /// A link to an address; nil takes the links away.
  case link(String?)
  /// A heading of a level; where it is one already, and for nil, ordinary text.
  case heading(Int?)
  /// A block quote: left where the whole passage stands in one, else entered.
  case quote
  /// A heading of a level, or a block quote, also where it is one already, which changes nothing.
  case style(heading: Int?)

  /// What writes a style into the file; nil for one that Markdown has no markup for.
  package init?(style: StyleID) {
    if style == .blockQuote {
      self = .style(heading: nil)
    } else if let level = (1...3).first(where: { .heading($0) == style }) {
      self = .style(heading: level)
    } else {
      return nil
    }
  }

  /// What the journal calls it.
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

/// A change of a file, written or only shown.
package struct FileChange: Sendable {
  /// The document.
  package var document: Document
  /// What became of the highlights; nil when nothing was written.
  package var report: RefreshReport?

  private let patch: SourcePatch
  private let source: MarkdownSource

  /// How many places change, as a person counts them: a passage is one.
  package let places: Int

  /// - Parameter places: how many change; nil for as many as the patch has.
  init(
    _ document: Document, _ patch: SourcePatch, of parsed: ParsedDocument, places: Int? = nil
  ) {
    self.document = document
    self.patch = patch
    self.places = places ?? patch.hunks.count
    source = parsed.source
  }

  /// The change as a unified diff. O(bytes).
  package var diff: String {
    UnifiedDiff(patch, of: source.bytes).text(name: document.path.string)
  }
}

extension Library {
  /// Formats a passage of a document, in its file.
  ///
  /// - Throws: as for passages.
  package func format(
    _ document: Document, _ spec: SelectionSpec, _ request: FormatRequest, dryRun: Bool = false
  ) throws(UserError) -> FileChange {
    try format(document, .selected(spec), request, dryRun: dryRun)
  }

  /// Formats passages of a document, in its file: all of them in one step, or none. What toggles does
  /// the same to all of them.
  ///
  /// - Parameter dryRun: whether nothing is written.
  /// - Throws: `usage` when Markdown cannot say it there, `nothing` when it is so already,
  ///   `conflict` when the file cannot be written, or they are of another text.
  package func format(
    _ document: Document, _ scope: FormatScope, _ request: FormatRequest, dryRun: Bool = false
  ) throws(UserError) -> FileChange {
    // As for `replace`: a half-written step is settled before its files are read.
    try settleJournal()
    try requirePresent(document)
    let reading = try current(document)
    let ranges = Self.passages(try ranges(of: scope, document, reading), request, reading.parsed)
    let draft = try Self.draft(request, ranges, in: reading.parsed)
    guard let patch = draft.patch else {
      throw UserError(.nothing, "the formats are unchanged")
    }
    var result = FileChange(document, patch, of: reading.parsed, places: draft.places)
    if dryRun { return result }
    let step = JournalStep(label: "formatted \(document.path.string): \(request.label)")
    result.report = try rewrite(
      [Rewrite(document, patch, of: reading, after: draft.parsed, edits: nil)], step
    ).first
    return result
  }

  /// The passages that change one after the other: what is asked of blocks is asked of each once.
  private static func passages(
    _ ranges: [TextRange], _ request: FormatRequest, _ parsed: ParsedDocument
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
    _ request: FormatRequest, _ ranges: [TextRange], in parsed: ParsedDocument
  ) throws(UserError) -> SourceDraft {
    var draft = SourceDraft(parsed)
    let turnsOff = isSo(request, ranges, EditBuilder(parsed))
    for (index, range) in ranges.enumerated().reversed() {
      do throws(FormattingError) {
        let builder = EditBuilder(draft.parsed)
        // The builder knows best what a single passage needs.
        if case .toggle(let style) = request, ranges.count == 1 {
          draft.add(try builder.toggle(style, range))
        } else {
          draft.add(try change(builder, range, request, turnsOff: turnsOff))
        }
      } catch {
        // Of several passages one may have no words.
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

  /// Whether all of some passages are so already, so that what toggles takes it away.
  private static func isSo(_ request: FormatRequest, _ ranges: [TextRange], _ builder: EditBuilder)
    -> Bool
  {
    ranges.allSatisfy { range in
      // What has no words has no say.
      switch request {
      case .toggle(let style): (try? builder.state(of: style, in: range)) ?? .all == .all
      case .heading(let level):
        level != nil && builder.headingLevel(at: range.lowerBound) == level
      case .quote: (try? builder.quoteState(in: range)) ?? .all == .all
      case .link, .style: false
      }
    }
  }

  private static func change(
    _ builder: EditBuilder, _ range: TextRange, _ request: FormatRequest, turnsOff: Bool
  ) throws(FormattingError) -> SourceChange {
    switch request {
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

  /// Refuses what was removed from the library.
  func requirePresent(_ document: Document) throws(UserError) {
    guard document.state == .removed else { return }
    throw .removed(
      document, hint: "restore it: \(typed: "doc", "restore", .word(document.title))")
  }
}
