package import MarkdownParse

/// A formatting command on a long document, in its preferred form, with what is needed to check it
/// without the document.
///
/// The document before the change is released before the one after it is parsed, because both
/// together would take twice the memory.
///
/// ```swift
/// let change = try PreparedChange(document) { try $0.wrap(.strong, range) }
/// document = nil
/// let after = change.document { ContentDigest(ofUnits: $0) == digest }
/// ```
package struct PreparedChange {
  /// The change; empty if the document already has the requested form.
  package let patch: SourcePatch
  /// The source after the change.
  private let bytes: [UInt8]
  private let options: MarkdownOptions
  private let expected: ExpectedDocument?

  /// Prepares a change of a document.
  ///
  /// - Throws: the error of `change`.
  package init(
    _ document: ParsedDocument,
    _ change: (EditBuilder) throws(FormattingError) -> SourceChange
  ) throws(FormattingError) {
    let made = try change(EditBuilder(document, isPreparing: true))
    patch = SourcePatch(made.edits, of: document.source)
    bytes = patch.applied(to: document.source.bytes)
    options = document.options
    expected = made.expected
  }

  /// Returns the document after the change; nil if it isn't as expected.
  ///
  /// - Parameter isText: returns whether UTF-16 units are the text of the document before the
  ///   change.
  package func document(isText: ([UInt16]) -> Bool) -> ParsedDocument? {
    let after = ParsedDocument(parsing: MarkdownSource(bytes), options: options)
    guard isText(after.text.utf16), expected?.allows(after) ?? true else { return nil }
    return after
  }

  /// The document before the change, parsed again.
  package var original: ParsedDocument {
    ParsedDocument(
      parsing: MarkdownSource(patch.inverted.applied(to: bytes)), options: options)
  }
}

/// The expected document after a change that keeps the text.
enum ExpectedDocument {
  /// These blocks are as expected, and all others as before.
  case blocks(ComparedDocument, [BlockExpectation])
  /// The blocks are in these quotes, and the spans are as before.
  case quotes(Outline, [Inline])

  /// Returns whether a document, whose text is that of the document before the change, is as
  /// expected.
  func allows(_ document: ParsedDocument) -> Bool {
    switch self {
    case .blocks(var outline, let blocks):
      outline.text = document.text.utf16
      return FormattingCheck(outline, document).failures(of: blocks).isEmpty
    case .quotes(let outline, let inlines):
      return outline == Outline(document) && inlines[...].isLike(document.inlines[...])
    }
  }
}
