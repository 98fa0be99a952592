package import Model

/// Where links and images lead.
package struct Link: Hashable, Sendable {
  /// The destination with escapes and entities resolved; not percent-encoded.
  package var destination: String
  /// The title with escapes and entities resolved; nil where there is none.
  package var title: String?
  /// The destination's bytes (in the definition for a reference link), without `<` and `>`.
  package var destinationSource: SourceRange
  /// The title's bytes with their quotes; nil where there is none.
  package var titleSource: SourceRange?
  /// Whether the destination is the name of a note, `[[name]]`, and no address.
  package var isNote = false

  /// Where it leads, in one text: a note's name in its brackets, or the destination.
  package var target: String { isNote ? "[[\(destination)]]" : destination }

  /// Makes a link of its parts.
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

/// The links of a document. Nearly all of them are what stands in the source, so that strings are
/// made only for those that are asked for. O(length of the link) for each.
package struct Links: RandomAccessCollection, Sendable {
  let source: MarkdownSource
  let table: LinkTable

  /// From 0.
  package var startIndex: Int { 0 }
  /// How many there are.
  package var endIndex: Int { table.count }

  /// One link.
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

/// The places of links, with the texts of those that say something else than their bytes.
struct LinkTable: Sendable {
  struct Stored {
    var destination: PackedRange
    /// With the quotes.
    var title: PackedRange?
  }

  /// What a link's bytes stand for.
  struct Resolved {
    var destination: String
    var title: String?
  }

  private(set) var stored: [Stored] = []
  private(set) var resolved: [Int: Resolved] = [:]
  /// Those that name a note.
  private(set) var notes: Set<Int> = []

  var count: Int { stored.count }

  /// Adds a link and gives its index.
  ///
  /// - Parameter resolved: its texts; nil when they are those of the source, without a title's quotes.
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

  /// Adds a link to a note and gives its index.
  mutating func append(_ name: SourceRange, isNote: Bool) -> Int {
    if isNote { notes.insert(stored.count) }
    return append(name)
  }

  /// Gives a link without a title another destination than the one of the source.
  mutating func resolve(_ index: Int, _ destination: String) {
    resolved[index] = Resolved(destination: destination, title: nil)
  }
}
