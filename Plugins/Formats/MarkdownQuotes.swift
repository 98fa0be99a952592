import FoundationEssentials
public import Interchange
import Model

/// Quotes grouped by document, to be pasted into notes.
public struct MarkdownQuotes: Exporter {
  /// The name by which it is chosen.
  public static let id = "markdown"
  /// What it does, in one line.
  public static let summary = "quotes with their notes, tags and lines, grouped by document"
  /// What it leaves out.
  public static let omissions: [RecordPart] = [.dates, .context]
  /// What it must do; these are its tests.
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
      "a line, what a colour is called, and places that are not sure",
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

  /// A tag; one of several words is in quotation marks, so that it is not another.
  private static func tag(_ name: String) -> String {
    guard name.contains(where: { $0.isWhitespace || $0 == "\"" }) else {
      return "#" + name.escapedForMarkdown
    }
    return "#\"" + name.replacing("\"", with: "\\\"").escapedForMarkdown + "\""
  }

  private static func sample(
    id: String, quote: String, note: String, tags: [String], line: Int? = nil,
    label: String? = nil, state: AnchorState = .exact
  ) -> AnnotationRecord {
    var record = AnnotationRecord(
      id: id, quote: quote, source: "signs.md", title: "On signs", color: .yellow, note: note,
      tags: tags, created: Date(timeIntervalSince1970: 0), updated: Date(timeIntervalSince1970: 0))
    (record.line, record.colorLabel, record.state) = (line, label, state)
    return record
  }

  /// Makes the format.
  public init() {}

  /// Writes the records.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) {
    var source: String?
    for record in records {
      if record.source != source {
        if source != nil { output.write("\n") }
        source = record.source
        output.write("## \(record.title.escapedForMarkdown)\n\n")
        output.write("*\(record.source.escapedForMarkdown)*\n\n")
      } else {
        output.write("\n")
      }
      let lines = record.quote.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines { output.write("> \(line.escapedForMarkdown)\n") }
      output.write("\n")
      if !record.note.isEmpty { output.write("\(Self.inert(record.note))\n\n") }
      output.write(Self.facts(of: record).joined(separator: " · ") + "\n")
    }
  }

  /// Its colour and what that is called, its line, whether its place is sure, and its tags.
  private static func facts(of record: AnnotationRecord) -> [String] {
    var facts = [
      record.color.rawValue + (record.colorLabel.map { " (\($0.escapedForMarkdown))" } ?? "")
    ]
    // An orphan's line is one of a text that is no more.
    if let line = record.line, record.state != .orphaned { facts.append("line \(line)") }
    if record.state == .doubtful || record.state == .orphaned { facts.append("\(record.state)") }
    if let link = record.link { facts.append("[Diple](<\(link)>)") }
    if !record.tags.isEmpty { facts.append(record.tags.map(tag).joined(separator: " ")) }
    return facts
  }

  /// A note in its author's Markdown, in which nothing is HTML and no link runs a program.
  private static func inert(_ note: String) -> String {
    let text = note.replacing("<", with: "\\<")
    let isSafe = ["](", "]:"].allSatisfy { mark in
      text.split(separator: mark, omittingEmptySubsequences: false).dropFirst().allSatisfy { rest in
        let address = rest.drop { $0.isWhitespace || $0 == "\\" || $0 == "<" }
          .prefix { !$0.isWhitespace && $0 != ")" }
        return !address.contains { ":%\\".contains($0) }
          || ["http://", "https://", "mailto:"].contains(where: address.hasPrefix)
      }
    }
    // Entities may spell an address; without a bracket it is no link.
    return isSafe && !text.contains("&") ? text : text.replacing("[", with: "\\[")
  }
}
