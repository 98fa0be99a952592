/// Converts the elements of a page to blocks.
///
/// ```swift
/// var reader = BlockReader(tree, notes: PageNotes(), links: { $0 }, pictures: { _ in nil })
/// let markdown = MarkdownWriter.write(reader.blocks(in: MarkupTree.root))
/// ```
package struct BlockReader {
  let tree: MarkupTree
  private let links: @Sendable (String) -> String?
  private let pictures: @Sendable (String) -> String?
  /// For each node, whether it is or contains a block-level element.
  let hasBlocks: [Bool]
  private let notes: PageNotes
  private let highlights: PageHighlights
  /// The enclosing styles and links that contain whole blocks, outermost first.
  private var around: [Around] = []

  private enum Around {
    case style(ArticleInline.Style)
    case link(String)
  }

  /// Creates a reader for a page.
  ///
  /// - Parameters:
  ///   - notes: the footnotes of the page.
  ///   - links: returns the target for a link's address; nil to keep only the link's text.
  ///   - pictures: returns the address for a picture's; nil to keep only its alternative text.
  ///   - highlights: the highlights of the page, which get marks.
  package init(
    _ tree: MarkupTree, notes: PageNotes, links: @escaping @Sendable (String) -> String?,
    pictures: @escaping @Sendable (String) -> String?,
    highlights: PageHighlights = PageHighlights()
  ) {
    self.highlights = highlights
    (self.tree, self.notes, self.links, self.pictures) = (tree, notes, links, pictures)
    var hasBlocks = [Bool](repeating: false, count: tree.nodes.count)
    for index in tree.nodes.indices.reversed() where index > 0 {
      if Self.blockNames.contains(tree.nodes[index].name) { hasBlocks[index] = true }
      if hasBlocks[index] { hasBlocks[tree.parent(of: index)] = true }
    }
    self.hasBlocks = hasBlocks
  }

  static let blockNames: Set<String> = [
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend",
    "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody",
    "td", "tfoot", "th", "thead", "tr", "ul",
  ]

  /// The elements without content that belongs to an article.
  static let unreadNames: Set<String> = [
    "applet", "audio", "base", "button", "canvas", "datalist", "embed", "frame", "head", "iframe",
    "input", "link", "map", "meta", "noscript", "object", "progress", "rp", "script", "select",
    "style", "template", "textarea", "title", "video",
  ]

  /// Returns the blocks of a node's children.
  package mutating func blocks(in node: Int) -> [ArticleBlock] {
    var result: [ArticleBlock] = []
    var line: [ArticleInline] = []
    for child in tree.children(of: node) { read(child, &result, &line) }
    flush(&line, &result)
    return result
  }

  /// Returns the blocks of a node itself.
  package mutating func blocks(of node: Int) -> [ArticleBlock] {
    var result: [ArticleBlock] = []
    var line: [ArticleInline] = []
    read(node, &result, &line)
    flush(&line, &result)
    return result
  }

  private func flush(_ line: inout [ArticleInline], _ blocks: inout [ArticleBlock]) {
    let content = wrapped(line).normalized
    line = []
    if !content.isBlank { blocks.append(.paragraph(content)) }
  }

  private func wrapped(_ line: [ArticleInline]) -> [ArticleInline] {
    guard !line.isEmpty else { return [] }
    return around.reversed().reduce(line) { inner, around in
      switch around {
      case .style(let style): [.style(style, inner)]
      case .link(let target): Self.hasLink(inner) ? inner : [.link(inner, to: target)]
      }
    }
  }

  private static func hasLink(_ parts: [ArticleInline]) -> Bool {
    parts.contains { part in
      switch part {
      case .link, .note: true
      case .style(_, let inner): hasLink(inner)
      default: false
      }
    }
  }

  /// Reads a node. Inline content is added to `line`; before a block is added to `blocks`, `line`
  /// is added as a paragraph.
  private mutating func read(
    _ node: Int, _ blocks: inout [ArticleBlock], _ line: inout [ArticleInline]
  ) {
    guard !notes.isNote(node) else { return }
    guard hasBlocks[node] else { return line += inlines(of: node) }
    let name = tree.name(of: node)
    if isUnread(node, name) { return }
    switch name {
    case "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "hr", "blockquote", "ul", "ol", "menu",
      "dir",
      "dl", "table", "figure", "summary":
      flush(&line, &blocks)
      blocks += self.block(node, name)
    default:
      let isBlock = Self.blockNames.contains(name)
      if isBlock { flush(&line, &blocks) }
      let surrounding = surrounding(node, name)
      // The content before the style or link must not become part of it.
      if surrounding != nil { flush(&line, &blocks) }
      if let surrounding { around.append(surrounding) }
      for child in tree.children(of: node) { read(child, &blocks, &line) }
      if isBlock || surrounding != nil { flush(&line, &blocks) }
      if surrounding != nil { around.removeLast() }
    }
  }

  private func surrounding(_ node: Int, _ name: String) -> Around? {
    if name == "a" { return tree.attribute("href", of: node).flatMap(links).map { .link($0) } }
    return style(of: node, name).map { .style($0) }
  }

  private mutating func block(_ node: Int, _ name: String) -> [ArticleBlock] {
    switch name {
    case "h1", "h2", "h3", "h4", "h5", "h6":
      // A heading must be a single line. If the element contains other blocks, these are used
      // instead.
      let content = blocks(in: node)
      let level = Int(name.dropFirst())!
      guard content.count == 1, case .paragraph(let line) = content[0] else {
        return content
      }
      return [.heading(level: level, line)]
    case "p", "figure": return blocks(in: node)
    case "summary":
      around.append(.style(.strong))
      defer { around.removeLast() }
      return blocks(in: node)
    case "hr": return [.rule]
    case "blockquote":
      let content = blocks(in: node)
      return content.isEmpty ? [] : [.quote(content)]
    case "pre": return codeBlock(node)
    case "dl": return definitions(node)
    case "table": return table(node)
    default: return list(node, isNumbered: name == "ol")
    }
  }

  // MARK: - Lists

  private mutating func list(_ node: Int, isNumbered: Bool) -> [ArticleBlock] {
    var items: [[ArticleBlock]] = []
    var line: [ArticleInline] = []
    var loose: [ArticleBlock] = []
    for child in tree.children(of: node) {
      if tree.name(of: child) == "li" {
        if !notes.isNote(child), !isUnread(child, "li") { items.append(blocks(in: child)) }
      } else {
        read(child, &loose, &line)
        flush(&line, &loose)
        // Content between items is added to the item before it.
        if !loose.isEmpty {
          if items.isEmpty { items.append(loose) } else { items[items.count - 1] += loose }
        }
        loose = []
      }
    }
    items.removeAll(where: \.isEmpty)
    guard !items.isEmpty else { return [] }
    let start = tree.attribute("start", of: node).flatMap { Int($0) } ?? 1
    return [.list(start: isNumbered ? min(max(start, 0), 999_999) : nil, items: items)]
  }

  /// Returns a definition list as a bulleted list in which each item contains a term and its
  /// definition.
  private mutating func definitions(_ node: Int) -> [ArticleBlock] {
    var items: [[ArticleBlock]] = []
    var isAfterTerm = false
    func parts(_ node: Int) -> [Int] {
      tree.children(of: node).flatMap { tree.name(of: $0) == "div" ? parts($0) : [$0] }
    }
    for child in parts(node) where !isUnread(child, tree.name(of: child)) {
      let isTerm = tree.name(of: child) == "dt"
      if isTerm { around.append(.style(.strong)) }
      let content = blocks(of: child)
      if isTerm { around.removeLast() }
      guard !content.isEmpty else { continue }
      if isTerm && !isAfterTerm || items.isEmpty { items.append([]) }
      items[items.count - 1] += content
      isAfterTerm = isTerm
    }
    return items.isEmpty ? [] : [.list(start: nil, items: items)]
  }

  // MARK: - Lines

  /// Returns the inline content of a node.
  private func inlines(of node: Int) -> [ArticleInline] {
    let name = tree.name(of: node)
    if name.isEmpty { return [.text(tree.rawText(of: node))] }
    guard !notes.isNote(node) else { return [] }
    if let note = notes.number(ofReferenceAt: node) { return [.note(note)] }
    if let math = math(of: node, name) { return math }
    if isUnread(node, name) { return [] }
    if name == "mark", let marks = highlights.marks(of: node) {
      return [.text(marks.before)] + content(of: node) + [.text(marks.after)]
    }
    switch name {
    case "br": return [.lineBreak]
    case "svg": return drawing(node)
    case "wbr": return []
    case "img", "image": return image(node)
    case "code", "samp", "tt":
      let text = tree.rawText(of: node)
      guard tree.first("img", in: node) == nil, tree.first("a", in: node) == nil else { break }
      return text.isEmpty ? [] : [.code(text)]
    case "q": return [.text("“")] + content(of: node) + [.text("”")]
    case "rt": return [.text("(")] + content(of: node) + [.text(")")]
    case "a":
      let content = content(of: node)
      guard let target = tree.attribute("href", of: node).flatMap(links), !content.isBlank,
        !Self.hasLink(content)
      else { return content }
      return [.link(content, to: target)]
    default: break
    }
    let content = content(of: node)
    guard let style = style(of: node, name), !content.isBlank else { return content }
    return [.style(style, content)]
  }

  private func content(of node: Int) -> [ArticleInline] { tree.children(of: node).flatMap(inlines) }

  private func style(of node: Int, _ name: String) -> ArticleInline.Style? {
    switch name {
    case "em", "i", "cite", "dfn", "var": return .emphasis
    case "strong", "b": return .strong
    case "del", "s", "strike": return .strike
    case "mark": return .mark
    case "sup": return .raised
    case "sub": return .lowered
    case "kbd": return .key
    case "span":
      guard let style = tree.attribute("style", of: node)?.lowercased() else { return nil }
      let rules = style.filter { !$0.isWhitespace }
      if rules.contains("font-weight:bold") || rules.contains("font-weight:700") { return .strong }
      if rules.contains("font-style:italic") { return .emphasis }
      return nil
    default: return nil
    }
  }

  /// Returns the pictures and the lines of text in a drawing. Its titles and descriptions are not
  /// shown.
  private func drawing(_ node: Int) -> [ArticleInline] {
    var result: [ArticleInline] = []
    for part in tree.descendants(of: node) {
      switch tree.name(of: part) {
      case "image": result += image(part)
      // A text in another one is part of it.
      case "text"
      where !isUnread(part, "text")
        && !tree.ancestors(of: tree.parent(of: part)).prefix(while: { $0 != node })
          .contains { tree.name(of: $0) == "text" }:
        if !result.isEmpty { result.append(.lineBreak) }
        result.append(.text(tree.text(of: part)))
      default: continue
      }
    }
    return result
  }

  private func image(_ node: Int) -> [ArticleInline] {
    let alt = (tree.attribute("alt", of: node) ?? "").inOneLine
    for name in ["width", "height"] {
      // A picture of one or two pixels is a tracking pixel.
      if let size = tree.attribute(name, of: node).flatMap({ Int($0) }), size <= 2 { return [] }
    }
    // If a script loads the picture later, `src` is a placeholder and another attribute contains
    // the address.
    let names = ["src", "data-src", "data-original", "data-lazy-src", "href", "xlink:href"]
    let sources =
      names.compactMap { tree.attribute($0, of: node) }
      + [tree.attribute("srcset", of: node), tree.attribute("data-srcset", of: node)].compactMap {
        $0?.split(whereSeparator: \.isWhitespace).first.map { String($0) }
      }
    let usable = sources.first { !$0.isEmpty && !$0.lowercased().hasPrefix("data:") }
    guard let address = usable.flatMap(pictures) else { return alt.isEmpty ? [] : [.text(alt)] }
    return [.image(alt: alt, of: address)]
  }

  /// Returns a formula as TeX, from its annotation, its alternative text or its elements; nil if
  /// the node is not a formula.
  private func math(of node: Int, _ name: String) -> [ArticleInline]? {
    if name == "script" {
      let type = tree.attribute("type", of: node)?.lowercased() ?? ""
      guard type.hasPrefix("math/tex") else { return nil }
      return [.math(tree.rawText(of: node))].filter { !$0.plain.isEmpty }
    }
    let purpose = name == "span" || name == "div" ? tree.purpose(of: node) : ""
    let isWrapper = purpose.hasPart("mwe-math-element") || purpose.hasPart("katex")
    guard name == "math" || isWrapper,
      let formula = name == "math" ? node : tree.first("math", in: node)
    else {
      let isPreview = purpose.hasPart("mathjax") && !purpose.hasPart("tex2jax")
      return isPreview ? [] : nil
    }
    let annotation = tree.descendants(of: formula).first {
      tree.name(of: $0) == "annotation"
        && tree.attribute("encoding", of: $0)?.lowercased().contains("tex") == true
    }
    let alternative = tree.attribute("alttext", of: formula) ?? ""
    // Many alternative texts are words, such as “Equation”.
    let isTeX = alternative.contains { "\\^_{".contains($0) }
    let tex = annotation.map { tree.rawText(of: $0) } ?? (isTeX ? alternative : nil)
    let line = tex?.inOneLine ?? MathMarkup.tex(of: formula, in: tree)
    return [.math(Self.withoutStyle(line.isEmpty ? alternative.inOneLine : line))].filter {
      !$0.plain.isEmpty
    }
  }

  private static func withoutStyle(_ tex: String) -> String {
    for start in ["{\\displaystyle ", "{\\textstyle "]
    where tex.hasPrefix(start) && tex.hasSuffix("}") {
      return String(tex.dropFirst(start.count).dropLast()).inOneLine
    }
    return tex
  }

  /// Returns whether an element is hidden or has no content of an article.
  private func isUnread(_ node: Int, _ name: String) -> Bool {
    Self.unreadNames.contains(name) || Self.isHidden(node, in: tree)
  }

  static func isHidden(_ node: Int, in tree: MarkupTree) -> Bool {
    let attributes = tree.nodes[node].attributes
    guard !attributes.isEmpty else { return false }
    for attribute in attributes {
      switch attribute.name {
      case "hidden": return true
      case "aria-hidden": if attribute.value == "true", tree.name(of: node) != "img" { return true }
      case "style":
        let rules = attribute.value.lowercased().filter { !$0.isWhitespace }
        if rules.contains("display:none") || rules.contains("visibility:hidden") { return true }
      default: continue
      }
    }
    return false
  }

  // MARK: - Tables

  private mutating func table(_ node: Int) -> [ArticleBlock] {
    let table = PageTable(node, in: tree)
    var caption: [ArticleBlock] = []
    for part in table.captions { caption += blocks(in: part) }
    guard !table.rows.isEmpty else { return caption + restOf(node) }
    if table.isLayout { return caption + table.rows.joined().flatMap { blocks(in: $0.node) } }
    var rows: [[[ArticleBlock]]] = []
    for row in table.rows { rows.append(row.map { blocks(in: $0.node) }) }
    if let lines = table.lines(of: rows) {
      return caption + [.table(rows: lines, alignments: table.alignments(in: tree))]
    }
    // A table that Markdown cannot express becomes a list of its rows.
    let items = rows.map { row in row.flatMap { $0 } }.filter { !$0.isEmpty }
    return caption + (items.isEmpty ? [] : [.list(start: nil, items: items)])
  }

  private mutating func restOf(_ node: Int) -> [ArticleBlock] {
    tree.children(of: node).flatMap { child -> [ArticleBlock] in
      tree.name(of: child) == "caption" ? [] : blocks(of: child)
    }
  }
}
