package import FoundationEssentials
package import Model

/// What was last seen of a document's file; a local cache.
package struct Revision: Hashable, Sendable {
  /// The hash of the file's bytes.
  package var sourceDigest: ContentDigest
  /// The hash of the rendered text.
  package var textDigest: ContentDigest
  /// The rules that rendered it.
  package var renderVersion: Int
  /// The name of the dialect that it was read in; empty for a revision of before there were any.
  package var dialect: String
  /// The file's size, times and identity.
  package var stamp: FileStamp
  /// When it was read.
  package var seen: Date

  /// Makes a revision of its parts.
  package init(
    sourceDigest: ContentDigest, textDigest: ContentDigest, renderVersion: Int, dialect: String,
    stamp: FileStamp, seen: Date
  ) {
    self.sourceDigest = sourceDigest
    self.textDigest = textDigest
    self.renderVersion = renderVersion
    self.dialect = dialect
    self.stamp = stamp
    self.seen = seen
  }
}

/// The newest text in which a highlight surely had a place, and that place.
package struct Placement: Hashable, Sendable {
  /// The hash of the rendered text.
  package var text: ContentDigest
  /// The place in it.
  package var range: TextRange
}

/// Where a highlight stood in a text that is kept.
package struct Sighting: Hashable, Sendable {
  /// The hash of the rendered text.
  package var text: ContentDigest
  /// When the text was last seen in the file.
  package var seen: Date
  /// The place.
  package var anchor: Anchor
}
