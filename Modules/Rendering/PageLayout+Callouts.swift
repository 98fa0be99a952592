import MarkdownParse
import Model

/// Maps the types of callouts to the colours of GitHub's five alerts.
enum CalloutKind {
  /// Returns the colour for a type; nil if the type isn't known. Case is ignored.
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
  /// Returns the type of a callout; nil for any other container.
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

  /// Returns the name to write before a callout's label, such as `Tip`; nil if it equals the label
  /// or the type isn't known.
  func calloutName(_ label: Block, _ type: SourceRange) -> String? {
    var name = source.text(in: type)
    guard CalloutKind.key(of: name) != nil else { return nil }
    if name.lowercased().hasPrefix("callout-") { name = String(name.dropFirst(8)) }
    // The type `admonition` is generic, so it isn't written.
    guard text.substring(label.text).lowercased() != name.lowercased(),
      name.lowercased() != "admonition"
    else { return nil }
    return name.prefix(1).uppercased() + name.dropFirst().lowercased()
  }
}

extension PageLayout {
  /// Returns the colour of a callout; nil if its type isn't known, and for any other container.
  func calloutKey(_ container: Int) -> ThemeKey? {
    page.document.calloutType(container).flatMap { CalloutKind.key(of: $0) }
  }

  /// Returns the label of a callout: its type, followed by its title. If the two are equal, or the
  /// type isn't known, the label is only the title.
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

  /// Returns the title of a code block as lines above it; empty if it has none.
  func codeTitle(_ block: Int) -> [[Cell]] {
    guard case .codeBlock(let info?) = page.document.blocks[block].kind,
      let title = page.document.codeTitle(in: info)
    else { return [] }
    var cells: [Cell] = []
    writer.append(title, .faint, to: &cells)
    return LineBreaker.wrap(cells, width: max(1, contentWidth - 4))
  }
}
