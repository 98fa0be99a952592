public import Interchange
import Model

/// Reads the marked passages of a Markdown file, as written with Obsidian: `==words==` and
/// `<mark>words</mark>`. The highlights belong to this file.
public struct MarkdownMarks: Importer {
  /// The id, which selects the format: `diple import --from obsidian`.
  public static let id = "obsidian"
  /// The name of the format in messages.
  public static let name = "marked passages"
  /// The description that `diple strategies` prints.
  public static let summary = "==marks== and <mark> in a Markdown file, as of Obsidian"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "marks, and what is none: in code, in comments, over a blank line",
      input: """
        # On signs

        Says: ==Look **here**==, and `==not==` <mark>there</mark>. %%==hidden==%%

        ```
        ==code==
        ```

        One ==end

        and another==.
        """,
      records: ["Look here", "there"].map {
        AnnotationRecord(id: "", quote: $0, source: "", title: "On signs", color: .yellow)
      }),
    ImportExample("no marks", input: "# On signs\n\nIf a == b or b == c.\n", records: nil),
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is Markdown, by its name, and has a marked passage.
  public func recognizes(_ source: ImportSource) -> Bool {
    (source.path.isEmpty ? source.bytes.starts(with: [UInt8(ascii: "#")]) : source.isMarkdown)
      && (try? read(source)) != nil
  }

  /// Reads the records.
  ///
  /// - Throws: `ImportError` if no passage is marked.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let scan = MarkdownScan(source.text)
    var content = ImportContent(records: [])
    for block in scan.blocks {
      for passage in Self.passages(in: block.joined(separator: "\n")) {
        let quote = MarkdownScan.plain(passage).trimmed
        guard !quote.isEmpty else { continue }
        content.records.append(
          AnnotationRecord(
            id: "", quote: quote, source: source.path, title: scan.title, color: .yellow))
      }
    }
    guard !content.records.isEmpty else { throw ImportError("nothing is marked in it") }
    return content
  }

  /// The maximum number of backticks that begin code.
  private static let longestCodeMark = 8

  /// Returns the marked passages of a block, outside code and comments. O(length).
  private static func passages(in block: String) -> [Substring] {
    var passages: [Substring] = []
    var rest = block[...]
    var unclosed = longestCodeMark + 1
    func skip(past end: String) {
      rest = rest.firstRange(of: end).map { rest[$0.upperBound...] } ?? ""
    }
    while let start = rest.firstIndex(where: { "=`%<\\".contains($0) }) {
      let before = rest[..<start].last
      rest = rest[start...]
      if rest.hasPrefix("\\") {
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("`") {
        let mark = String(rest.prefix { $0 == "`" })
        rest = rest.dropFirst(mark.count)
        // If a mark isn't closed, a longer mark isn't closed either, because its closing mark would
        // contain the shorter one.
        guard mark.count < unclosed else { continue }
        if let end = rest.firstRange(of: mark) {
          rest = rest[end.upperBound...]
        } else {
          unclosed = mark.count
        }
      } else if rest.hasPrefix("%%") {
        rest = rest.dropFirst(2)
        skip(past: "%%")
      } else if rest.lowercasedPrefix(6) == "<mark>" || rest.lowercasedPrefix(6) == "<mark " {
        guard let open = rest.firstIndex(of: ">"),
          let end = rest[open...].firstRange(of: "</mark>")
        else { return passages }
        passages.append(rest[rest.index(after: open)..<end.lowerBound])
        rest = rest[end.upperBound...]
      } else if rest.hasPrefix("=="), before != "=" {
        let inside = rest.dropFirst(2)
        guard let first = inside.first, !first.isWhitespace, first != "=" else {
          rest = inside
          continue
        }
        // The end is searched for only once: if there is none, later marks have none either.
        guard let end = inside.firstRange(of: "==") else { return passages }
        if inside[..<end.lowerBound].last?.isWhitespace == false {
          passages.append(inside[..<end.lowerBound])
        }
        rest = inside[end.upperBound...]
      } else {
        rest = rest.dropFirst()
      }
    }
    return passages
  }
}

extension ImportSource {
  /// Whether the file has an extension of Markdown.
  var isMarkdown: Bool {
    [".md", ".markdown", ".mdown", ".mkd", ".mkdn"].contains(where: path.lowercased().hasSuffix)
  }

  /// The name of the file without its extension, which is the title of contents that have none.
  var title: String {
    let name = path.split(separator: "/").last ?? ""
    return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
  }
}

extension Substring {
  fileprivate func lowercasedPrefix(_ count: Int) -> String { prefix(count).lowercased() }
}
