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
  /// - Parameter dryRun: whether nothing is written.
  /// - Throws: `usage` when Markdown cannot say it there, `nothing` when it is so already,
  ///   `conflict` when the file cannot be written.
  package func format(
    _ document: Document, _ spec: SelectionSpec, _ request: FormatRequest, dryRun: Bool = false
  ) throws(UserError) -> FileChange {
    // As for `replace`: a half-written step is settled before its files are read.
    try settleJournal()
    try requirePresent(document)
    let reading = try current(document)
    let parsed = reading.parsed
    let range = try resolve(spec, in: parsed)
    let change: SourceChange
    do {
      change = try Self.change(EditBuilder(parsed), range, request)
    } catch {
      throw UserError(error == .nothingSelected ? .nothing : .usage, error.description)
    }
    guard !change.isEmpty else {
      throw UserError(.nothing, "it is like that already")
    }
    let patch = SourcePatch(change.edits, of: parsed.source)
    var result = FileChange(document, patch, of: parsed, places: 1)
    if dryRun { return result }
    let step = JournalStep(label: "formatted \(document.path.string): \(request.label)")
    result.report = try rewrite(
      [Rewrite(document, patch, of: reading, after: change.document, edits: [])], step
    ).first
    return result
  }

  private static func change(_ builder: EditBuilder, _ range: TextRange, _ request: FormatRequest)
    throws(FormattingError) -> SourceChange
  {
    switch request {
    case .toggle(let style): return try builder.toggle(style, range)
    case .link(let address?): return try builder.link(range, to: address)
    case .link(nil): return try builder.unlink(range)
    case .heading(let level):
      let isSame = level != nil && builder.headingLevel(at: range.lowerBound) == level
      return try builder.setHeading(isSame ? nil : level, range)
    case .quote:
      return try builder.quoteState(in: range) == .all
        ? builder.unwrapQuote(range) : builder.wrapQuote(range)
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
