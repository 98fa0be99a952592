import MarkdownParse
import Model

/// What the type of a callout says, by the colours of GitHub's five.
enum CalloutKind {
  /// The colour of a type, in any case; nil for a type that is a name of somebody's own.
  static func key(of type: String) -> ThemeKey? {
    let name = type.lowercased()
    return byName[name.hasPrefix("callout-") ? String(name.dropFirst(8)) : name]
  }

  private static let byName: [String: ThemeKey] = {
    let names: [ThemeKey: String] = [
      .note: "note info abstract summary tldr todo seealso quote cite secondary admonition",
      .tip: "tip hint success check done question help faq",
      .important: "important example",
      .warning: "warning attention deprecated",
      .caution: "caution danger error failure fail missing bug",
    ]
    var table: [String: ThemeKey] = [:]
    for (key, list) in names {
      for name in list.split(separator: " ") { table[String(name)] = key }
    }
    return table
  }()
}

extension ParsedDocument {
  /// The type of the callout that a container is; nil for another one.
  func calloutType(_ container: Int) -> String? {
    switch blocks[container].kind {
    case .admonition(let type, _): return source.text(in: type)
    case .blockQuote:
      let first = blocks[container].firstChild
      guard first >= 0, case .calloutLabel(let type) = blocks[first].kind else { return nil }
      return source.text(in: type)
    default: return nil
    }
  }

  /// The kind of a callout as it stands before its label: `Tip`; nil where the label says it, and for a
  /// type that is a name of somebody's own.
  func calloutName(_ label: Block, _ type: SourceRange) -> String? {
    var name = source.text(in: type)
    guard CalloutKind.key(of: name) != nil else { return nil }
    if name.lowercased().hasPrefix("callout-") { name = String(name.dropFirst(8)) }
    // A type that stands for an admonition of any kind says nothing.
    guard text.substring(label.text).lowercased() != name.lowercased(),
      name.lowercased() != "admonition"
    else { return nil }
    return name.prefix(1).uppercased() + name.dropFirst().lowercased()
  }
}

extension PageLayout {
  /// The colour of a callout; nil for one of no known type, and for other containers.
  func calloutKey(_ container: Int) -> ThemeKey? {
    page.document.calloutType(container).flatMap { CalloutKind.key(of: $0) }
  }

  /// The label of a callout: its kind, where its title is another one, and the title.
  mutating func labelCells(_ label: Block, _ type: SourceRange, _ title: [Cell]) -> [Cell] {
    guard let key = CalloutKind.key(of: page.document.source.text(in: type)) else { return title }
    var cells: [Cell] = []
    var spanStyle = SpanStyle.decoration(key)
    spanStyle.heading = 6
    if let name = page.document.calloutName(label, type) {
      writer.append(name + ": ", spanStyle, to: &cells)
    }
    for var cell in title {
      if cell.spanStyle.key == ThemeKey(heading: 6) { cell.spanStyle.part = key }
      cells.append(cell)
    }
    return cells
  }

  /// The title of a block of code, as a line above it; none where it has none.
  func codeTitle(_ block: Int) -> [[Cell]] {
    guard case .codeBlock(let info?) = page.document.blocks[block].kind,
      let title = page.document.codeTitle(in: info)
    else { return [] }
    var cells: [Cell] = []
    writer.append(title, .faint, to: &cells)
    return LineBreaker.wrap(cells, width: max(1, contentWidth - 4))
  }
}
