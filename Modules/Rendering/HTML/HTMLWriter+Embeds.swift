import MarkdownParse
import Model

extension HTMLWriter {
  /// Writes the content of the notes and pictures that a leaf embeds. It isn't text of the document.
  mutating func writeEmbeds(of block: Block) {
    guard let embeds = options.embeds else { return }
    for content in embeds.contents(of: block, in: document) {
      switch content {
      case .missing(let reason):
        piece.write(
          "<aside class=\"embed missing\" data-x dir=\"auto\">\(reason.escapedForHTML)</aside>\n")
      case .picture(let destination):
        guard let address = options.pictureAddress(destination) else { continue }
        piece.write(
          "<p class=\"embed\" data-x><img src=\"\(address.escapedForHTML)\" alt=\"\"></p>\n")
      case .note(let note):
        piece.write(
          """
          <aside class="embed" data-x>
          <p class="embed-title" dir="auto">\(note.title.escapedForHTML)</p>

          """)
        piece.write(html(of: note))
        piece.write("</aside>\n")
      }
    }
  }

  /// Returns the HTML of an embedded note. Links and pictures are shown as their text, because their
  /// destinations are relative to another file.
  private func html(of note: PageEmbeds.Note) -> String {
    var options = options
    (options.isEmbedded, options.embeds) = (true, note.embeds)
    (options.pictureAddress, options.pictureReason) = ({ _ in nil }, { _ in nil })
    options.noteAddress = { _ in nil }
    var writer = HTMLWriter(Page(document: note.document, lexers: page.lexers), options)
    return writer.html(of: note.range)
  }
}
