import Articles
import RichText
import RichTextFormats

/// The named styles of a project.
struct ProjectStyles {
  /// A style, and whether it applies to characters only.
  struct Style {
    var named: NamedStyle
    var isOfCharacters: Bool
  }
  private var styles: [String: Style] = [:]

  /// Parses `styles.xml`. Invalid styles are skipped, because a project is readable without them.
  init(_ bytes: [UInt8]?) {
    guard let bytes, let tree = try? XMLReader.read(bytes) else { return }
    for node in tree.descendants(of: MarkupTree.root)
    where tree.name(of: node) == "style" && styles.count < StyleSheet.limit / 2 {
      guard let id = tree.attribute("id", of: node), let name = tree.attribute("name", of: node),
        let format = Binder.child(tree, node, "format"),
        let read = try? RTFReader.read(Array(tree.rawText(of: format).utf8))
      else { continue }
      let text = read.text
      var characters = text.characters[0].inheriting(text.defaults.characters).removing([.link])
      var paragraphs = text.paragraphs[0].inheriting(text.defaults.paragraphs)
      paragraphs = paragraphs.removing([.style, .list])
      let type = tree.attribute("type", of: node) ?? ""
      // The font's family and size, and other attributes of letters, are part of a style only if
      // its author chose so.
      let change = tree.attribute("fontchange", of: node) ?? ""
      if !change.contains("Face") { characters = characters.removing([.family]) }
      if !change.contains("Size") { characters = characters.removing([.size]) }
      if !type.contains("Char") { characters = characters.removing([.bold, .italic, .color]) }
      if !type.contains("Para") { paragraphs = [] }
      let title = String(String.UnicodeScalarView(name.unicodeScalars.prefix(64)))
      guard let style = Self.id(name) else { continue }
      styles[id.uppercased()] = Style(
        named: NamedStyle(
          id: style, title: title, basedOn: style == .body ? nil : .body, characters: characters,
          paragraphs: paragraphs), isOfCharacters: !type.contains("Para"))
    }
  }

  /// Returns the id of a style by its name. Styles that Markdown can express have the ids of
  /// built-in ones.
  private static func id(_ name: String) -> StyleID? {
    switch name.lowercased() {
    case "block quote", "blockquote", "quote": .blockQuote
    case "code block", "code": .code
    default: StyleID(title: name)
    }
  }

  /// Applies the styles that the marks of a text refer to.
  ///
  /// - Parameter list: the content of `content.styles`: ids separated by commas.
  func apply(_ list: [UInt8]?, to document: inout RichDocument) {
    let ids = String(decoding: list ?? [], as: UTF8.self).split(separator: ",").map {
      $0.filter { !$0.isWhitespace }.uppercased()
    }
    var isUsed = false
    for mark in document.scrivenerMarks {
      guard ids.indices.contains(mark.style), let style = styles[ids[mark.style]],
        !mark.range.isEmpty
      else { continue }
      isUsed = true
      if style.isOfCharacters || !mark.isParagraphStyle {
        let differing = style.named.characters.values.filter { $0.off != $0 }
        try? document.text.change(mark.range, differing.map { .set($0) }, limits: .files)
        continue
      }
      // If the text already has a style with this id, keep it: it is from the program that wrote
      // the text.
      if (try? document.text.styles.store(style.named)) == nil { continue }
      try? document.text.changeParagraphs(
        mark.range, [.set(.style(style.named.id))], limits: .files)
    }
    if isUsed { document.text = document.text.droppingRedundantValues() }
  }
}
