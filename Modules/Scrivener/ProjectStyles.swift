import Articles
import RichText
import RichTextFormats

/// The named styles of a project.
struct ProjectStyles {
  /// A style, and whether it is one of characters alone.
  struct Style {
    var named: NamedStyle
    var isOfCharacters: Bool
  }
  private var styles: [String: Style] = [:]

  /// Reads `styles.xml`; what is not as it should be is passed over, as a project can be read without.
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
      // A style says of letters only what its author had it say.
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

  /// The id of a style by its name: those that Markdown can say are the built-in ones.
  private static func id(_ name: String) -> StyleID? {
    switch name.lowercased() {
    case "block quote", "blockquote", "quote": .blockQuote
    case "code block", "code": .code
    default: StyleID(title: name)
    }
  }

  /// Gives a text the styles that its marks name.
  ///
  /// - Parameter list: the content of `content.styles`: the ids, divided by commas.
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
        let said = style.named.characters.values.filter { $0.off != $0 }
        try? document.text.change(mark.range, said.map { .set($0) }, limits: .files)
        continue
      }
      // A style that the text already has by that id is one of its own program.
      if (try? document.text.styles.store(style.named)) == nil { continue }
      try? document.text.changeParagraphs(
        mark.range, [.set(.style(style.named.id))], limits: .files)
    }
    if isUsed { document.text = document.text.droppingRedundantValues() }
  }
}
