import FoundationEssentials
package import MarkdownParse
package import Model
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

  /// Lays formatted passages over a text. O(text + passages × runs after them).
  init(
    _ parsed: ParsedDocument, _ passages: [FormattedPassage], styles: StyleSheet,
    defaults: FormatDefaults, application: FormatDefaults, margins: EditorMargins.Name?
  ) {
    self.passages = passages
    self.margins = margins
    text = AttributedText(units: Array(parsed.text.utf16), styles: styles, defaults: defaults)
    context = FormatContext(
      application: application, semantics: FormatLayer(semanticsOf: parsed))
    for passage in passages where passage.isShown {
      guard let range = passage.anchor.range?.utf16, range.upperBound <= text.units.count else {
        continue
      }
      text.apply(passage.change, to: range)
    }
  }

  /// The format of a text in no library: what its Markdown says.
  package init(markdown parsed: ParsedDocument) {
    self.init(
      parsed, [], styles: StyleSheet(), defaults: FormatDefaults(), application: .standard,
      margins: nil)
  }

  /// The passages whose place is not certain enough, so that they are not shown.
  package var uncertain: [FormattedPassage] { passages.filter { !$0.isShown } }
}

extension Library {
  /// The format of an open document; of a text in no library, what its Markdown says.
  package func format(of open: OpenDocument) throws(UserError) -> DocumentFormat {
    guard let document = open.document else { return DocumentFormat(markdown: open.parsed) }
    return try format(of: document, open.parsed)
  }

  /// The format of a document whose text is `parsed`.
  func format(of document: Document, _ parsed: ParsedDocument) throws(UserError) -> DocumentFormat {
    try storage {
      try store.read { transaction in
        let properties = try transaction.properties(of: document.id)
        return DocumentFormat(
          parsed, try passages(of: document, in: transaction), styles: try styles(in: transaction),
          defaults: defaults(properties[.defaultFormat]),
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
    filter.omitsContext = true
    return try transaction.highlights(filter)
      .sorted { ($0.created, $0.id.dot) < ($1.created, $1.id.dot) }
      .compactMap { record in
        do {
          return FormattedPassage(
            id: record.id, quote: record.selector.exact, anchor: record.anchor,
            change: try FormatChange(json: record.format ?? ""))
        } catch let error as FormatValueError {
          store.report("the format of passage \(record.id) cannot be read: \(error)")
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
        store.report("the style '\(id)' cannot be read")
        continue
      }
      stored.append(style)
    }
    var sheet = StyleSheet()
    do { try sheet.store(contentsOf: stored) } catch {
      // One that two machines made inherit from each other would hide all others.
      for style in stored { try? sheet.store(style) }
      store.report("a style cannot be used: \(error)")
    }
    return sheet
  }

  /// What holds for a document where neither it nor a style says anything: what was the default when
  /// it was added.
  private func applicationDefaults(for document: Document, in transaction: ReadTransaction) throws
    -> FormatDefaults
  {
    defaults(try transaction.property(.defaultFormat, asOf: document.created), else: .standard)
  }

  func defaults(_ stored: String?, else other: FormatDefaults = FormatDefaults()) -> FormatDefaults
  {
    guard let stored else { return other }
    guard let json = try? JSONDecoder().decode(JSONValue.self, from: Data(stored.utf8)),
      let defaults = try? FormatDefaults(json: json)
    else {
      store.report("a default format cannot be read")
      return other
    }
    return defaults
  }
}
