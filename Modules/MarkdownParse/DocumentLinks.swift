package import Model

/// The target of a link or an image.
package struct Link: Hashable, Sendable {
  /// The destination with escapes and character references decoded. It isn't percent-encoded.
  package var destination: String
  /// The title with escapes and character references decoded; nil if absent.
  package var title: String?
  /// The range of the destination, without `<` and `>`. For a reference link, it is in the
  /// definition.
  package var destinationSource: SourceRange
  /// The range of the title with its quotes; nil if absent.
  package var titleSource: SourceRange?
  /// Whether the destination is the name of a note, as in `[[name]]`, rather than an address.
  package var isNote = false

  /// The target as one text: the destination, in double brackets if it is the name of a note.
  package var target: String { isNote ? "[[\(destination)]]" : destination }

  package init(
    destination: String, title: String?, destinationSource: SourceRange,
    titleSource: SourceRange?, isNote: Bool = false
  ) {
    self.destination = destination
    self.title = title
    self.destinationSource = destinationSource
    self.titleSource = titleSource
    self.isNote = isNote
  }
}

/// The links of a document.
///
/// Nearly all links have the same text as the source, so strings are only created on access.
/// O(length of the link) for each access.
package struct DocumentLinks: RandomAccessCollection, Sendable {
  let source: MarkdownSource
  let table: LinkTable

  /// Always 0.
  package var startIndex: Int { 0 }
  /// The number of links.
  package var endIndex: Int { table.count }

  /// Returns a link. The index must be in range.
  package subscript(index: Int) -> Link {
    let stored = table.stored[index]
    let destinationSource = SourceRange(bytes: stored.destination.range)
    let titleSource = stored.title.map { SourceRange(bytes: $0.range) }
    if let resolved = table.resolved[index] {
      return Link(
        destination: resolved.destination, title: resolved.title,
        destinationSource: destinationSource, titleSource: titleSource)
    }
    let title = titleSource.map {
      source.text(in: SourceRange(bytes: $0.bytes.dropFirst().dropLast()))
    }
    return Link(
      destination: source.text(in: destinationSource), title: title,
      destinationSource: destinationSource, titleSource: titleSource,
      isNote: table.notes.contains(index))
  }
}

/// The ranges of links in the source, with the decoded texts where they differ from the bytes.
struct LinkTable: Sendable {
  struct Stored {
    var destination: PackedRange
    /// The range of the title, including its quotes; nil if absent.
    var title: PackedRange?
  }

  /// The decoded texts of a link.
  struct Resolved {
    var destination: String
    var title: String?
  }

  private(set) var stored: [Stored] = []
  private(set) var resolved: [Int: Resolved] = [:]
  /// The indices of links to notes.
  private(set) var notes: Set<Int> = []

  var count: Int { stored.count }

  /// Adds a link and returns its index.
  ///
  /// - Parameter resolved: the decoded texts; nil if decoding changes neither of them.
  @discardableResult
  mutating func append(
    _ destination: SourceRange, title: SourceRange? = nil, resolved: Resolved? = nil
  ) -> Int {
    if let resolved { self.resolved[stored.count] = resolved }
    stored.append(
      Stored(
        destination: PackedRange(destination.bytes), title: title.map { PackedRange($0.bytes) }))
    return stored.count - 1
  }

  /// Adds a link to a note and returns its index.
  mutating func append(_ name: SourceRange, isNote: Bool) -> Int {
    if isNote { notes.insert(stored.count) }
    return append(name)
  }

  /// Sets the destination of a link without a title, if it differs from the source.
  mutating func resolve(_ index: Int, _ destination: String) {
    resolved[index] = Resolved(destination: destination, title: nil)
  }
}
