import MarkdownParse
import Model
import SystemSupport

/// What a document is called.
enum DocumentTitle {
  /// The front matter's `title`, else the first heading of level 1, else the file's name without
  /// its ending.
  static func of(_ document: ParsedDocument, path: DocumentPath) -> String {
    for block in document.blocks {
      switch block.kind {
      case .frontMatter:
        if let title = frontMatterTitle(document.source.text(in: block.source)) { return title }
      case .heading(level: 1):
        let title = oneLine(document.text.substring(block.text))
        if !title.isEmpty { return title }
      default: continue
      }
    }
    let name = path.name
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The value of `title` in a YAML block with its fences. What is no YAML has no title.
  private static func frontMatterTitle(_ block: String) -> String? {
    var lines = block.split(whereSeparator: \.isNewline)[...]
    if lines.first?.hasSuffix("---") == true { lines.removeFirst() }
    if let last = lines.last, last.hasPrefix("---") || last.hasPrefix("...") { lines.removeLast() }
    // Only what says something of a title is worth the YAML parser's time.
    guard lines.contains(where: { $0.hasPrefix("title") || $0.hasPrefix("\"title") }) else {
      return nil
    }
    guard
      let title = FrontMatter.text(of: "title", in: lines.joined(separator: "\n")).map(oneLine),
      !title.isEmpty
    else { return nil }
    return title
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
