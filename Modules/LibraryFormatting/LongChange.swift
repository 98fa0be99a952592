import Anchoring
import Editing
import MarkdownParse
import Model
import Workspace

/// A change of the markup in a long document, which was released before the result was parsed. Both
/// documents together would take ten times the size of the source.
struct LongChange {
  let patch: SourcePatch
  /// The document that was parsed after the change.
  let after: ParsedDocument
  fileprivate let digests: (source: ContentDigest, text: ContentDigest)
  fileprivate let lineStarts: [Int]

  /// The change of the document's file. The text stays the same.
  func rewrite(of document: Document) -> Rewrite {
    Rewrite(
      document, patch, digests, AnchorText(utf16: after.text.utf16, lineStarts: lineStarts),
      after: after.mapped, edits: [])
  }
}

extension Library {
  /// Whether a document is released before a change of it is parsed.
  func isLong(_ reading: CheckedDocument) -> Bool { reading.parsed.source.bytes.count > longSource }

  /// Changes the markup of a long document, which is released before the result is parsed.
  ///
  /// - Parameter reading: the document; nil on return if the change was made.
  /// - Returns: the change; nil if the document isn't long, the change isn't possible or is empty,
  ///   or the changed document isn't as expected.
  func changeLong(
    _ reading: inout CheckedDocument?,
    _ change: (EditBuilder) throws(FormattingError) -> SourceChange
  ) -> LongChange? {
    guard isLong(reading!), let prepared = try? PreparedChange(reading!.parsed, change),
      !prepared.patch.isEmpty
    else { return nil }
    let (digests, report) = (reading!.digests, reading!.report)
    let lineStarts = reading!.parsed.mapped.lineStarts
    reading = nil
    if let after = prepared.document(isText: { ContentDigest(ofUnits: $0) == digests.text }) {
      return LongChange(
        patch: prepared.patch, after: after, digests: digests, lineStarts: lineStarts)
    }
    reading = CheckedDocument(parsed: prepared.original, digests: digests, report: report)
    return nil
  }
}
