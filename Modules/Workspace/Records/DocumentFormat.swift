import Anchoring
import FoundationEssentials
package import MarkdownParse
package import Model
import Rendering
import RichMarkdown
package import RichText
package import Storage
package import SystemSupport

/// A passage with formatting that is stored in the library rather than in the document's file.
package struct FormattedPassage: Hashable, Sendable, Identifiable {
  /// The passage's id, of the same kind as a highlight's.
  package var id: Highlight.ID
  /// The text of the passage at the time it was formatted.
  package var quote: String
  /// The present position of the passage.
  package var anchor: Anchor
  /// The attributes that the formatting sets or clears.
  package var change: FormatChange

  /// Whether the position is certain enough for the formatting to be shown.
  package var isShown: Bool { anchor.isSure }
}

/// The formatting of a document: the attributes stored in the library, and those that the Markdown
/// source implies.
///
/// ```swift
/// let format = try await library.format(of: open)
/// format.summary(of: range).state(of: .bold(true))  // on, off or mixed
/// ```
package struct DocumentFormat: Sendable {
  /// The rendered text with the attributes stored in the library, the library's styles and the
  /// document's defaults.
  package var text: AttributedText
  /// The attributes implied by the Markdown source, and the defaults that pages show if nothing else
  /// sets an attribute: those of the library when the document was added, if the user set them.
  package var context: FormatContext
  /// The default format with a value for each attribute. It includes Diple's own default, which
  /// pages don't show.
  package let completeDefaults: FormatDefaults

  /// The default format that pages show; empty if neither the user nor an imported file set one.
  package var shownDefaults: FormatDefaults { text.defaults.inheriting(context.application) }
  /// The formatted passages in the order in which they were formatted. Later ones override earlier
  /// ones.
  package let passages: [FormattedPassage]
  /// The margins of the document: its own, or those that the library set for new documents when it
  /// was added. Nil if neither was set, so that pages have no margins.
  package var margins: EditorMargins?

  /// Applies the stored formatting to a text. O(text + passages × runs after them).
  init(_ parsed: ParsedDocument, _ stored: StoredFormat) {
    passages = stored.passages
    margins = stored.margins
    text = stored.text(Array(parsed.text.utf16))
    context = FormatContext(
      application: stored.shownApplication, semantics: FormatLayer(semanticsOf: parsed))
    completeDefaults = stored.defaults.inheriting(stored.application)
  }

  /// Creates the formatting of a text that is not in a library, from its Markdown alone.
  package init(markdown parsed: ParsedDocument) {
    self.init(parsed, StoredFormat())
  }

  /// Returns whether a range contains more than white space. White space is ignored when the
  /// attributes of a passage are determined.
  package func hasWords(in range: Range<Int>) -> Bool {
    text.units[range].contains { $0 > 0x20 && $0 != 0x2029 && $0 != 0x2028 && $0 != 0xA0 }
  }

  /// The passages that are not shown, because their positions are uncertain.
  package var uncertain: [FormattedPassage] { passages.filter { !$0.isShown } }
}

/// The formatting of a document as the library stores it.
struct StoredFormat {
  var passages: [FormattedPassage] = []
  var styles = StyleSheet()
  /// The document's own defaults.
  var defaults = FormatDefaults()
  /// The defaults of the library at the time the document was added.
  var application = FormatDefaults.standard
  /// The margins of the document or, if it has none, those of the library at the time the document
  /// was added.
  var margins: EditorMargins?

  /// The defaults of the library that pages show. They are empty unless the user changed them:
  /// Diple's own default is meant for word processors, not for every Markdown file.
  var shownApplication: FormatDefaults { application == .standard ? FormatDefaults() : application }

  /// Returns the text with the attributes of all passages that are shown, later ones on top.
  func text(_ units: [UInt16]) -> AttributedText {
    var text = AttributedText(units: units, styles: styles, defaults: defaults)
    for passage in passages where passage.isShown {
      guard let range = passage.anchor.range?.utf16, range.upperBound <= units.count else {
        continue
      }
      text.apply(passage.change, to: range)
    }
    return text
  }

  /// Returns the formatting that pages show; nil if there are no formatted passages, and neither a
  /// default format nor margins were set.
  func shown(in parsed: ParsedDocument) -> ShownFormat? {
    let defaults = defaults.inheriting(shownApplication)
    if passages.isEmpty, defaults == FormatDefaults(), margins == nil { return nil }
    return ShownFormat(
      layer: text(Array(parsed.text.utf16)).layer, styles: styles, defaults: defaults,
      margins: margins)
  }
}

extension Library {
  /// Returns the formatting of an open document. If it is not in a library, this is the formatting
  /// of its Markdown.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func format(of open: OpenDocument) throws(UserError) -> DocumentFormat {
    guard let document = open.document else { return DocumentFormat(markdown: open.parsed) }
    return try format(of: document, open.parsed)
  }

  /// Returns the formatting of a document whose parsed text is `parsed`.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func format(of document: Document, _ parsed: ParsedDocument) throws(UserError)
    -> DocumentFormat
  {
    DocumentFormat(parsed, try storedFormat(of: document))
  }

  func storedFormat(of document: Document) throws(UserError) -> StoredFormat {
    try storage {
      try store.read { transaction in
        let properties = try transaction.properties(of: document.id)
        return StoredFormat(
          passages: try passages(of: document, in: transaction),
          styles: try styles(in: transaction),
          defaults: defaults(properties[.defaultFormat], in: transaction),
          application: try applicationDefaults(for: document, in: transaction),
          margins: try margins(properties[.margins], of: document, in: transaction))
      }
    }
  }

  /// Returns the margins of a document: its own or, if it has none, those of the library when it was
  /// added; nil if neither were set.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func storedMargins(of document: Document) throws(UserError) -> EditorMargins? {
    try storage {
      try store.read {
        try margins(try $0.properties(of: document.id)[.margins], of: document, in: $0)
      }
    }
  }

  private func margins(_ own: String?, of document: Document, in transaction: ReadTransaction)
    throws -> EditorMargins?
  {
    if let margins = own.flatMap(EditorMargins.init(stored:)) { return margins }
    return try transaction.property(.margins, asOf: document.created).flatMap(
      EditorMargins.init(stored:))
  }

  /// Returns the live formatted passages of a document, in the order in which they were formatted.
  /// A passage that cannot be decoded is reported as a damaged row and left out.
  private func passages(of document: Document, in transaction: ReadTransaction) throws
    -> [FormattedPassage]
  {
    var filter = HighlightFilter(documents: [document.id], kind: .formats)
    filter.detail = .withoutContext
    return try transaction.highlights(filter)
      .sorted { ($0.created, $0.id.dot) < ($1.created, $1.id.dot) }
      .compactMap { record in
        do {
          return FormattedPassage(
            id: record.id, quote: record.selector.exact, anchor: record.anchor,
            change: try FormatChange(json: record.format ?? ""))
        } catch let error as FormatValueError {
          transaction.report("the format of passage \(record.id) cannot be read: \(error)")
          return nil
        }
      }
  }

  /// Returns the styles of the library: the built-in ones with the user's changes, and the user's
  /// own. Styles that cannot be decoded are reported and left out.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func styles() throws(UserError) -> StyleSheet {
    try storage { try store.read { try styles(in: $0) } }
  }

  func styles(in transaction: ReadTransaction) throws -> StyleSheet {
    var stored: [NamedStyle] = []
    for (name, value) in try transaction.properties().sorted(by: { $0.key < $1.key }) {
      guard let id = name.style else { continue }
      let json = try? JSONDecoder().decode(JSONValue.self, from: Data(value.utf8))
      guard let style = try? NamedStyle(json: json ?? .null, at: "style"), style.id.name == id
      else {
        transaction.report("the style '\(id)' cannot be read")
        continue
      }
      stored.append(style)
    }
    var sheet = StyleSheet()
    do { try sheet.store(contentsOf: stored) } catch {
      // Styles that inherit from each other, made on two devices, must not make all the others
      // unusable.
      for style in stored { try? sheet.store(style) }
      transaction.report("a style cannot be used: \(error)")
    }
    return sheet
  }

  /// Returns the defaults that apply if neither the document nor a style sets an attribute: those
  /// of the library at the time the document was added.
  private func applicationDefaults(for document: Document, in transaction: ReadTransaction) throws
    -> FormatDefaults
  {
    defaults(
      try transaction.property(.defaultFormat, asOf: document.created), else: .standard,
      in: transaction)
  }

  package func defaults(
    _ stored: String?, else other: FormatDefaults = FormatDefaults(),
    in transaction: ReadTransaction
  ) -> FormatDefaults {
    guard let stored else { return other }
    guard let json = try? JSONDecoder().decode(JSONValue.self, from: Data(stored.utf8)),
      let defaults = try? FormatDefaults(json: json)
    else {
      transaction.report("a default format cannot be read")
      return other
    }
    return defaults
  }

  /// Stores formatted passages of a text.
  ///
  /// - Throws: `StoreError` if the database cannot be written.
  package func store(
    _ passages: [(range: Range<Int>, change: FormatChange)], of document: Document,
    _ parsed: MappedText, _ digest: ContentDigest, in transaction: WriteTransaction
  ) throws {
    guard !passages.isEmpty else { return }
    let text = AnchorText(utf16: parsed.text.utf16)
    let lines = parsed.sourceLines
    for (range, change) in passages {
      let range = TextRange(utf16: range)
      let place = parsed.locating(
        Anchor(range: range, state: .exact, score: 1, method: "formatted"), in: lines)
      _ = try transaction.createFormat(
        change.json, in: document.id,
        selector: Selector(
          selecting: range, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion),
        anchor: place)
    }
  }
}

extension JSONValue {
  /// The value as JSON with sorted keys, on one line.
  package var stored: String {
    guard let data = try? JSONEncoder.ordered().encode(self) else {
      preconditionFailure("a JSON value cannot be encoded")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
