package import Editing
package import MarkdownParse
package import Model

/// A change of a document's file, made or previewed.
package struct FileChange: Sendable {
  package var document: Document
  /// The report on the highlights after the change; nil if nothing was written.
  package var report: RefreshReport?
  /// For a toggled format, whether the passage now has it; nil for other changes.
  package var turnedOn: Bool?

  private let patch: SourcePatch
  /// The source after the change.
  private let source: MarkdownSource

  /// The number of changed places as the user counts them. A passage is one place, even if several
  /// parts of the file change for it.
  package let places: Int

  /// - Parameters:
  ///   - result: the source after the change.
  ///   - places: the number of changed places; nil for the number of hunks in the patch.
  package init(
    _ document: Document, _ patch: SourcePatch, to result: MarkdownSource, places: Int? = nil
  ) {
    self.document = document
    self.patch = patch
    self.places = places ?? patch.hunks.count
    source = result
  }

  /// The change as a unified diff. O(bytes).
  package var diff: String {
    UnifiedDiff(patch, of: patch.inverted.applied(to: source.bytes)).text(
      name: document.path.string)
  }
}
