package import FoundationEssentials
package import Model

/// The state of a document's file when it was last read. It is a local cache.
package struct Revision: Hashable, Sendable {
  /// The hash of the file's bytes.
  package var sourceDigest: ContentDigest
  /// The hash of the rendered text.
  package var textDigest: ContentDigest
  /// The version of the rules that rendered the text.
  package var renderVersion: Int
  /// The name of the dialect in which the file was parsed; empty for revisions stored before
  /// dialects existed.
  package var dialect: String
  /// The file's size, times and identity.
  package var stamp: FileStamp
  /// The time at which the file was read.
  package var seen: Date

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

/// The newest text in which a highlight was located with certainty, and its range there.
package struct LastPlace: Hashable, Sendable {
  /// The hash of the rendered text.
  package var text: ContentDigest
  /// The highlight's range in the text.
  package var range: TextRange
}

/// The location of a highlight in a stored text.
package struct Sighting: Hashable, Sendable {
  /// The hash of the rendered text.
  package var text: ContentDigest
  /// The time at which the file last had this text.
  package var seen: Date
  /// The location.
  package var anchor: Anchor
}
