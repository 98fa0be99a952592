public import FoundationEssentials
public import Model

/// What was last seen of a document's file; a local cache.
public struct Revision: Hashable, Sendable {
  /// The hash of the file's bytes.
  public var sourceDigest: ContentDigest
  /// The hash of the rendered text.
  public var textDigest: ContentDigest
  /// The rules that rendered it.
  public var renderVersion: Int
  /// The file's size, times and identity.
  public var stamp: FileStamp
  /// When it was read.
  public var seen: Date

  /// Makes a revision of its parts.
  public init(
    sourceDigest: ContentDigest, textDigest: ContentDigest, renderVersion: Int, stamp: FileStamp,
    seen: Date
  ) {
    self.sourceDigest = sourceDigest
    self.textDigest = textDigest
    self.renderVersion = renderVersion
    self.stamp = stamp
    self.seen = seen
  }
}

/// What the system says of a file without its being read. Times are nanoseconds since 1970.
public struct FileStamp: Hashable, Sendable {
  /// Bytes.
  public var size: Int64
  /// When the content last changed.
  public var mtime: Int64
  /// When anything about it last changed.
  public var ctime: Int64
  /// Its number on its device.
  public var inode: UInt64
  /// Its device.
  public var device: UInt64
  /// When this was asked.
  public var checked: Int64

  /// Makes a stamp of its parts.
  public init(
    size: Int64, mtime: Int64, ctime: Int64, inode: UInt64, device: UInt64, checked: Int64
  ) {
    self.size = size
    self.mtime = mtime
    self.ctime = ctime
    self.inode = inode
    self.device = device
    self.checked = checked
  }
}

/// Which highlights are meant; every condition that is set must hold.
public struct HighlightFilter: Hashable, Sendable {
  /// Whether highlights in the trash are meant.
  public enum Trash: Hashable, Sendable {
    /// Only live ones, in documents that were not removed.
    case excluded
    /// All of them, in removed documents too.
    case included
    /// Only those in the trash.
    case only
  }

  /// In one of these documents.
  public var documents: [Document.ID]?
  /// Of one of these colours.
  public var colors: Set<HighlightColor>?
  /// With all of these tags.
  public var tags: [String]
  /// In one of these states.
  public var states: Set<AnchorState>?
  /// Made or changed at or after this moment.
  public var since: Date?
  /// In the trash or not.
  public var trash: Trash
  /// Whether the selectors come without the words before and after, which are most of the data and
  /// nothing that a listing shows.
  public var omitsContext = false

  /// Lets all live highlights through unless something is set.
  public init(
    documents: [Document.ID]? = nil, colors: Set<HighlightColor>? = nil, tags: [String] = [],
    states: Set<AnchorState>? = nil, since: Date? = nil, trash: Trash = .excluded
  ) {
    self.documents = documents
    self.colors = colors
    self.tags = tags
    self.states = states
    self.since = since
    self.trash = trash
  }
}

/// The newest text in which a highlight surely had a place, and that place.
public struct Placement: Hashable, Sendable {
  /// The hash of the rendered text.
  public var text: ContentDigest
  /// The place in it.
  public var range: TextRange
}

/// Where a highlight stood in a text that is kept.
public struct Sighting: Hashable, Sendable {
  /// The hash of the rendered text.
  public var text: ContentDigest
  /// When the text was last seen in the file.
  public var seen: Date
  /// The place.
  public var anchor: Anchor
}
