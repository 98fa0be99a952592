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
        if let title = frontMatterValue(of: "title", document.source.text(in: block.source)) {
          return title
        }
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

  /// The text of a key in a YAML block with its fences. What is no YAML has none.
  static func frontMatterValue(of key: String, _ block: String) -> String? {
    if block.drop(while: { $0 == "\u{FEFF}" }).hasPrefix("+++") { return tomlValue(of: key, block) }
    var lines = block.split(whereSeparator: \.isNewline)[...]
    if lines.first?.hasSuffix("---") == true { lines.removeFirst() }
    if let last = lines.last, last.hasPrefix("---") || last.hasPrefix("...") { lines.removeLast() }
    // Only what says something of it is worth the YAML parser's time.
    guard lines.contains(where: { $0.hasPrefix(key) || $0.hasPrefix("\"\(key)") }) else {
      return nil
    }
    guard let text = FrontMatter.text(of: key, in: lines.joined(separator: "\n")).map(oneLine),
      !text.isEmpty
    else { return nil }
    return text
  }

  /// The text or the date of a key of TOML's outermost table; nil where it is another thing.
  private static func tomlValue(of key: String, _ block: String) -> String? {
    for line in block.split(whereSeparator: \.isNewline).dropFirst() {
      let line = line.drop { $0 == " " || $0 == "\t" }
      if line.hasPrefix("[") { return nil }
      guard line.hasPrefix(key), let sign = line.firstIndex(of: "="),
        oneLine(String(line[..<sign])) == key
      else { continue }
      let value = oneLine(String(line[sign...].dropFirst()))
      if let quote = value.first, quote == "\"" || quote == "'" {
        var text = ""
        var rest = value.dropFirst()
        while let letter = rest.popFirst(), letter != quote {
          // What is behind a backslash is the letter itself in all that titles have.
          text.append(quote == "\"" && letter == "\\" ? rest.popFirst() ?? letter : letter)
        }
        return text.isEmpty ? nil : text
      }
      let word = value.prefix { $0 != "#" && $0 != " " }
      return word.first?.isNumber == true ? String(word) : nil
    }
    return nil
  }

  static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
