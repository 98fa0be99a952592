import FoundationEssentials
public import Interchange
import Model

/// Quotes grouped by document, to be pasted into notes.
public struct MarkdownQuotes: Exporter {
  /// The name by which it is chosen.
  public static let id = "markdown"
  /// What it does, in one line.
  public static let summary = "quotes with their notes and tags, grouped by document"
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

        """)
  ]

  /// A tag; one of several words is in quotation marks, so that it is not another.
  private static func tag(_ name: String) -> String {
    guard name.contains(where: { $0.isWhitespace || $0 == "\"" }) else {
      return "#" + name.escapedForMarkdown
    }
    return "#\"" + name.replacing("\"", with: "\\\"").escapedForMarkdown + "\""
  }

  private static func sample(id: String, quote: String, note: String, tags: [String])
    -> AnnotationRecord
  {
    AnnotationRecord(
      id: id, quote: quote, source: "signs.md", title: "On signs", color: .yellow, note: note,
      tags: tags, created: Date(timeIntervalSince1970: 0), updated: Date(timeIntervalSince1970: 0))
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
      let tags = record.tags.map(Self.tag).joined(separator: " ")
      output.write(record.color.rawValue + (tags.isEmpty ? "" : " · " + tags) + "\n")
    }
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
