package import MarkdownParse
package import Model

/// The content of the notes and pictures that a document embeds, such as `![[Note#Part]]`. It is
/// drawn below the paragraph and is no part of the document's text.
///
/// The maker limits the total size: a page draws the content each time that the document embeds it.
package final class PageEmbeds: Sendable {
  /// The content of an embed.
  package enum Content: Sendable {
    /// A note, or the part of it in a range.
    case note(Note)
    /// A picture, by the absolute path of its file as a destination, with escapes.
    case picture(String)
    /// Nothing can be shown, for a reason in a few words.
    case missing(String)
  }

  /// An embedded note.
  package struct Note: Sendable {
    /// The line above the content, such as `Note › Part`, without control characters.
    package var title: String
    package var document: ParsedDocument
    /// The range to show; nil for the whole note.
    package var range: TextRange?
    /// The content that the note embeds itself.
    package var embeds: PageEmbeds
    /// The identity of the note's file, to resolve its links.
    package var file: String

    package init(
      title: String, document: ParsedDocument, range: TextRange?, embeds: PageEmbeds, file: String
    ) {
      (self.title, self.document, self.range) = (title, document, range)
      (self.embeds, self.file) = (embeds, file)
    }
  }

  private let contents: [String: Content]

  /// Creates the embeds of a document.
  ///
  /// - Parameter contents: the contents by `Link.target`, such as `[[Note#Part]]`.
  package init(_ contents: [String: Content] = [:]) { self.contents = contents }

  /// Whether the document embeds nothing.
  package var isEmpty: Bool { contents.isEmpty }

  /// Returns the contents that a block of a document embeds, in the order of the text.
  package func contents(of block: Block, in document: ParsedDocument) -> [Content] {
    if contents.isEmpty { return [] }
    return document.inlines[block.inlines].compactMap { inline in
      guard case .image(let index) = inline.kind else { return nil }
      let link = document.links[index]
      return link.isNote ? contents[link.target] : nil
    }
  }
}

// Two pages are equal only if their embeds were made together.
extension PageEmbeds: Hashable {
  package static func == (a: PageEmbeds, b: PageEmbeds) -> Bool { a === b }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PageLayout {
  /// Appends the content of the embeds in a block, each with a bar on its left.
  mutating func addEmbeds(of block: Block) {
    guard let embeds = page.options.embeds else { return }
    for content in embeds.contents(of: block, in: page.document) {
      let width = contentWidth
      switch content {
      case .missing(let reason): addBarred(lines(reason, width: width - 2))
      case .picture(let path):
        guard let pictures = page.options.pictures, let placed = pictures.place(path, width: width)
        else { continue }
        for row in pictures.rows(of: placed) { appendLine(row, isFirst: false) }
      case .note(let note):
        addBarred(lines(note.title, width: width - 2) + rows(of: note, width: width - 2))
      }
    }
  }

  private func lines(_ text: String, width: Int) -> [[Cell]] {
    var cells: [Cell] = []
    writer.append(text, .faint, to: &cells)
    return LineBreaker.wrap(cells, width: max(4, width))
  }

  /// Appends rows with a bar on the left.
  private mutating func addBarred(_ rows: [[Cell]]) {
    for row in rows {
      var cells: [Cell] = []
      writer.append("│ ", .faint, to: &cells)
      appendLine(cells + row, isFirst: false)
    }
  }

  /// Returns the rows of an embedded note. Their cells have no range, so they cannot be selected.
  private func rows(of note: PageEmbeds.Note, width: Int) -> [[Cell]] {
    var options = page.options
    options.width = max(20, width)
    (options.range, options.embeds) = (note.range, note.embeds)
    // Pictures are found relative to the file of the page.
    (options.pictures, options.hiddenTitle, options.head) = (nil, nil, [])
    (options.hyperlinks, options.numbersLinks) = (false, false)
    let page = Page(document: note.document, options: options, lexers: page.lexers)
    var layout = PageLayout(
      page, PageBlocks(note.document), links: NumberedLinks(for: note.document), hasGutter: false)
    return layout.allRows().map { row in
      row.content.map { cell in
        var cell = cell
        cell.range = nil
        return cell
      }
    }
  }
}
