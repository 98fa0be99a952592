import FoundationEssentials
public import Interchange
public import Model

/// Writes quotes as Markdown, grouped by document, to be pasted into notes.
public struct MarkdownQuotes: Exporter {
  /// The id, which selects the format: `diple export --to markdown`.
  public static let id = "markdown"
  /// The description that `diple strategies` prints.
  public static let summary = "quotes with their notes, tags and lines, grouped by document"
  /// The properties of highlights that the format doesn't support.
  public static let omissions: [RecordPart] = [.dates, .context]
  /// Examples, which are also the tests.
  public static let examples = [
    ExportExample(
      "two quotes of one document",
      records: [
        sample(id: "1", quote: "Look *here*.\nAnd there.", note: "Why?", tags: ["signs", "old"]),
        sample(id: "2", quote: "Clean.", note: "", tags: []),
      ],
      output: """
        ## On signs

        *signs.md*

        > Look \\*here\\*.
        > And there.

        Why?

        yellow · #signs #old

        > Clean.

        yellow

        """),
    ExportExample(
      "the author and the place that the source states",
      records: [
        sample(id: "1", quote: "Here.", author: "Ann Reed", location: "page 12", note: "", tags: [])
      ],
      output: """
        ## On signs

        *Ann Reed · signs.md*

        > Here.

        yellow · page 12

        """),
    ExportExample(
      "a line number, a colour's label, and doubtful and orphaned highlights",
      records: [
        sample(id: "1", quote: "Here.", note: "", tags: ["a"], line: 3, label: "To check"),
        sample(id: "2", quote: "There.", note: "", tags: [], line: 7, state: .doubtful),
        sample(id: "3", quote: "Gone.", note: "", tags: [], state: .orphaned),
      ],
      output: """
        ## On signs

        *signs.md*

        > Here.

        yellow (To check) · line 3 · #a

        > There.

        yellow · line 7 · doubtful

        > Gone.

        yellow · orphaned

        """),
  ]

  private static func sample(
    id: String, quote: String, author: String = "", location: String = "", note: String,
    tags: [String], line: Int? = nil,
    label: String? = nil, state: AnchorState = .exact
  ) -> AnnotationRecord {
    var record = AnnotationRecord(
      id: id, quote: quote, source: "signs.md", title: "On signs", color: .yellow, note: note,
      tags: tags, created: Date(timeIntervalSince1970: 0), updated: Date(timeIntervalSince1970: 0))
    (record.line, record.colorLabel, record.state) = (line, label, state)
    (record.author, record.location) = (author, location)
    return record
  }

  /// Creates the exporter, which has no state.
  public init() {}

  /// Writes the records in their order.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyError) {
    do throws(Template.Problem) { try Template.standard.render(records, to: &output) } catch {
      throw StrategyError(error.description)
    }
  }
}
