import Foundation

/// The examples of a specification. They aren't in the repository but in a package that
/// `Tooling/test` installs, or in a neighbouring folder.
public struct Specification: Sendable {
  /// An example.
  public struct Example: Sendable {
    /// The number of the example, counted from 1.
    public var number: Int
    /// The Markdown input.
    public var markdown: String
    /// The expected HTML.
    public var html: String
    /// The word after `example` in the specification: the required extension, or `disabled`. Empty
    /// for none.
    public var flavor: String
  }

  /// The examples. Empty if the specification isn't installed.
  public let examples: [Example]

  /// CommonMark 0.31.2, from a `spec.txt` or a `commonmark.json`.
  public static let commonMark = Specification(
    named: "DIPLE_SPEC", ".cache/spec/commonmark.json",
    "../shared/bench/parse/commonmark-0.31.2-spec.txt")

  /// GitHub Flavored Markdown 0.29.
  public static let gfm = Specification(named: "DIPLE_GFM_SPEC", ".cache/spec/gfm.txt")

  /// Whether the examples are those of CommonMark 0.30, in which `<!-->` opens a comment.
  public var isVersion30: Bool {
    examples.contains { $0.number == 626 && $0.html.contains("&lt;!--") }
  }

  /// Reads the file that an environment variable names, or else the first existing candidate.
  private init(named variable: String, _ candidates: String...) {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    var files = candidates.map { root.appendingPathComponent($0) }
    if let named = ProcessInfo.processInfo.environment[variable] {
      files.insert(URL(fileURLWithPath: named), at: 0)
    }
    for file in files {
      guard let data = try? Data(contentsOf: file) else { continue }
      examples =
        file.pathExtension == "json"
        ? Self.fromJSON(data) : Self.fromText(String(decoding: data, as: UTF8.self))
      return
    }
    examples = []
  }

  private static func fromText(_ text: String) -> [Example] {
    let fence = String(repeating: "`", count: 32)
    let opening = fence + " example"
    func unmarked(_ lines: [String]) -> String {
      lines.map { $0.replacing("→", with: "\t") + "\n" }.joined()
    }
    var examples: [Example] = []
    var flavor = ""
    var markdown: [String]?
    var html: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix(opening) {
        flavor = line.dropFirst(opening.count).trimmingCharacters(in: .whitespaces)
        markdown = []
      } else if line == fence, let source = markdown {
        examples.append(
          Example(
            number: examples.count + 1, markdown: unmarked(source), html: unmarked(html ?? []),
            flavor: flavor))
        markdown = nil
        html = nil
      } else if markdown != nil {
        if html != nil {
          html?.append(line)
        } else if line == "." {
          html = []
        } else {
          markdown?.append(line)
        }
      }
    }
    return examples
  }

  private struct Row: Decodable {
    /// The Markdown input.
    public var markdown: String
    /// The expected HTML.
    public var html: String
    var example: Int
  }

  private static func fromJSON(_ data: Data) -> [Example] {
    ((try? JSONDecoder().decode([Row].self, from: data)) ?? []).map {
      Example(number: $0.example, markdown: $0.markdown, html: $0.html, flavor: "")
    }
  }
}
