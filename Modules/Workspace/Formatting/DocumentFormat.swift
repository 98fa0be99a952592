import FoundationEssentials
package import MarkdownParse
package import Model
import Rendering
import RichMarkdown
package import RichText
import Storage
package import SystemSupport

/// A passage that has a format beside its document's file.
package struct FormattedPassage: Hashable, Sendable, Identifiable {
  /// The identity, of the same kind as a highlight's.
  package var id: Highlight.ID
  /// The words that got it.
  package var quote: String
  /// Where they stand now.
  package var anchor: Anchor
  /// What they got.
  package var change: FormatChange

  /// Whether its place is certain enough for it to be shown.
  package var isShown: Bool { anchor.isSure }
}

/// The format of a document: what its library holds beside the file, and what counts with it.
package struct DocumentFormat: Sendable {
  /// The rendered text with the attributes that it has beside the file, the styles of the library, and
  /// the document's defaults.
  package var text: AttributedText
  /// What Markdown says of the text, and what holds where nothing else says anything.
  package var context: FormatContext
  /// The passages, in the order in which they were formatted: what comes later counts.
  package let passages: [FormattedPassage]
  /// The margins that a person chose; nil for the standard ones.
  package var margins: EditorMargins.Name?

  /// Lays what is stored over a text. O(text + passages × runs after them).
  init(_ parsed: ParsedDocument, _ stored: StoredFormat) {
    passages = stored.passages
    margins = stored.margins
    text = stored.text(Array(parsed.text.utf16))
    context = FormatContext(
      application: stored.application, semantics: FormatLayer(semanticsOf: parsed))
  }

  /// The format of a text in no library: what its Markdown says.
  package init(markdown parsed: ParsedDocument) {
    self.init(parsed, StoredFormat())
  }

  /// Whether a part of the text is more than white space, which alone has no say in what a passage has.
  func hasWords(in range: Range<Int>) -> Bool {
    text.units[range].contains { $0 > 0x20 && $0 != 0x2029 && $0 != 0x2028 && $0 != 0xA0 }
  }

  /// The passages whose place is not certain enough, so that they are not shown.
  package var uncertain: [FormattedPassage] { passages.filter { !$0.isShown } }
}

/// What a library holds of the format of a document.
struct StoredFormat {
  var passages: [FormattedPassage] = []
  var styles = StyleSheet()
  /// The document's own defaults.
  var defaults = FormatDefaults()
  /// What was the default when the document was added.
  var application = FormatDefaults.standard
  var margins: EditorMargins.Name?

  /// A text with what passages in it have, those that were formatted later above.
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

  /// What pages show of it; nil where nobody formatted anything.
  func shown(in parsed: ParsedDocument) -> ShownFormat? {
    var defaults = defaults
    if application != .standard {
      defaults.characters = defaults.characters.inheriting(application.characters)
      defaults.paragraphs = defaults.paragraphs.inheriting(application.paragraphs)
    }
    if passages.isEmpty, defaults == FormatDefaults() { return nil }
    return ShownFormat(
      layer: text(Array(parsed.text.utf16)).layer, styles: styles, defaults: defaults)
  }
}

extension Library {
  /// The format of an open document; of a text in no library, what its Markdown says.
  package func format(of open: OpenDocument) throws(UserError) -> DocumentFormat {
    guard let document = open.document else { return DocumentFormat(markdown: open.parsed) }
    return try format(of: document, open.parsed)
  }

  /// The format of a document whose text is `parsed`.
  func format(of document: Document, _ parsed: ParsedDocument) throws(UserError) -> DocumentFormat {
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
          margins: properties[.margins].flatMap(EditorMargins.Name.init))
      }
    }
  }

  /// The live formatted passages of a document, in the order in which they were formatted. What cannot
  /// be read is told of, as any damaged row.
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

  /// The styles of the library: those that every one has, as they were changed, and its own.
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
      // One that two machines made inherit from each other would hide all others.
      for style in stored { try? sheet.store(style) }
      transaction.report("a style cannot be used: \(error)")
    }
    return sheet
  }

  /// What holds for a document where neither it nor a style says anything: what was the default when
  /// it was added.
  private func applicationDefaults(for document: Document, in transaction: ReadTransaction) throws
    -> FormatDefaults
  {
    defaults(
      try transaction.property(.defaultFormat, asOf: document.created), else: .standard,
      in: transaction)
  }

  func defaults(
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
}
