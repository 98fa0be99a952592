import MarkdownParse
import Model
import RichText

@testable import Rendering

/// A page of Markdown with formats, which apply to ranges that are named by their text.
struct FormatPage {
  var page: Page
  private var text: AttributedText
  private var margins: EditorMargins?

  init(_ markdown: String, width: Int = 40, color: ColorMode = .trueColor) {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    page = Page(document: document, options: PageOptions(width: width, color: color))
    text = AttributedText(units: Array(document.text.utf16))
  }

  /// Returns the first range of a text.
  func range(of words: String) -> Range<Int> {
    let units = page.document.text.utf16
    let wanted = Array(words.utf16)
    let start = units.indices.first { units[$0...].starts(with: wanted) }!
    return start..<start + wanted.count
  }

  /// Returns the same page with character attributes of a range.
  func with(_ words: String, _ attributes: CharacterAttribute...) -> FormatPage {
    changed {
      try $0.change(range(of: words), attributes.map { .set($0) }, limits: .files)
    }
  }

  /// Returns the same page with attributes of the paragraphs that contain a text.
  func with(_ words: String, _ attributes: [ParagraphAttribute]) -> FormatPage {
    changed {
      try $0.changeParagraphs(range(of: words), attributes.map { .set($0) }, limits: .files)
    }
  }

  func with(_ style: NamedStyle) -> FormatPage { changed { try $0.styles.store(style) } }

  /// Returns the same page with a default format and margins.
  func with(_ defaults: FormatDefaults, margins: EditorMargins? = nil) -> FormatPage {
    var copy = self
    (copy.text.defaults, copy.margins) = (defaults, margins)
    return copy.changed { _ in }
  }

  private func changed(_ change: (inout AttributedText) throws -> Void) -> FormatPage {
    var copy = self
    try! change(&copy.text)
    copy.page.format = ShownFormat(
      layer: copy.text.layer, styles: copy.text.styles, defaults: copy.text.defaults,
      margins: copy.margins)
    return copy
  }

  var lines: [String] {
    PageLayout.lines(of: page).map { $0.spans.map(\.text).joined() }
  }

  /// Returns the escape sequences of a text.
  func paint(_ words: String) -> String {
    let range = range(of: words)
    let writer = ANSIWriter(page.options)
    let spans = PageLayout.lines(of: page).flatMap(\.spans)
    let found = spans.filter { $0.range?.utf16.overlaps(range) == true }
    return found.map { writer.parameters(of: $0.spanStyle) }.joined(separator: "|")
  }
}
