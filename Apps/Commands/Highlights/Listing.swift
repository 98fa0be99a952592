import Actions
import Console
import Model
import Rendering
import Workspace

/// A list of highlights that is being read. In the order of position, highlights are printed while
/// they are read. In other orders, they are sorted and printed after all have been read.
struct Listing: Sendable {
  private let limit: Int
  private let order: ListHighlights.Order
  private let writer: ListingWriter
  private var kept: [(highlight: Highlight, document: Document)] = []
  private var part = ListingPart()
  private(set) var count = 0
  private(set) var orphans = 0
  private(set) var doubtful = 0
  /// The number of highlights whose notes were changed on two devices.
  private(set) var conflicts = 0
  private(set) var missing = 0
  /// The documents whose files are missing, in the order of the list.
  private(set) var missingDocuments: [Document] = []
  private var missingIDs: Set<Document.ID> = []
  private(set) var onOtherDevices = 0

  init(_ writer: ListingWriter, limit: Int?, by order: ListHighlights.Order) {
    (self.writer, self.limit, self.order) = (writer, limit ?? .max, order)
  }

  /// Adds the highlights of a document.
  ///
  /// - Returns: Whether the limit isn't reached yet.
  mutating func add(_ highlights: [Highlight], in document: Document) -> Bool {
    if order == .place {
      write(highlights, in: document)
    } else {
      for highlight in highlights { kept.append((highlight, document)) }
    }
    return count < limit
  }

  private mutating func write(_ highlights: [Highlight], in document: Document) {
    let shown = highlights.prefix(limit - count)
    count += shown.count
    if document.path.isElsewhere {
      onOtherDevices += shown.count
    } else if document.state == .missing {
      missing += shown.count
      if !shown.isEmpty, missingIDs.insert(document.id).inserted {
        missingDocuments.append(document)
      }
    }
    // Iterate over the indices, because iterating over the elements would copy each highlight.
    for index in shown.indices where !document.path.isElsewhere {
      let state = shown[index].anchor.state
      if state == .orphaned { orphans += 1 }
      if state == .doubtful { doubtful += 1 }
      if writer.conflicts.contains(shown[index].id) { conflicts += 1 }
    }
    part.add(shown, in: document)
    if part.isFull {
      writer.begin(part)
      part = ListingPart()
    }
  }

  /// Prints the remaining highlights and waits until they are written.
  consuming func finished() -> Listing {
    for (highlight, document) in order.sorted(kept).prefix(limit) {
      write([highlight], in: document)
    }
    writer.end(with: part)
    return self
  }
}

/// Highlights and their documents that are written together.
struct ListingPart: Sendable {
  /// The minimum number of highlights for which another thread is worthwhile.
  private static let size = 256

  fileprivate private(set) var groups: [(document: Document, highlights: ArraySlice<Highlight>)] =
    []
  private var count = 0

  var isFull: Bool { count >= Self.size }

  mutating func add(_ highlights: ArraySlice<Highlight>, in document: Document) {
    groups.append((document, highlights))
    count += highlights.count
  }
}

/// Writes a list. Large lists are written on another thread while the next part is being read.
final class ListingWriter: @unchecked Sendable {
  // `work` runs closures one after the other. The other members are only used when it is idle.

  /// The output format.
  enum Form {
    case json(Output)
    case lines(ListWriter)
  }

  private let lines: ListWriter?
  /// The highlights whose notes have several versions.
  let conflicts: Set<Highlight.ID>
  private var envelope: EnvelopeWriter?
  private let work = SerialQueue()

  /// Creates a writer.
  init(_ form: Form, conflicts: Set<Highlight.ID> = []) {
    self.conflicts = conflicts
    switch form {
    case .json(let output):
      (lines, envelope) = (nil, EnvelopeWriter(schema: "diple.highlights/1", to: output))
    case .lines(let writer): (lines, envelope) = (writer, nil)
    }
  }

  /// Writes a part asynchronously, after all previous parts.
  func begin(_ part: ListingPart) { work.add { [self] in write(part) } }

  /// Writes the last part and waits until all parts are written.
  func end(with part: ListingPart) {
    work.finish()
    write(part)
    envelope?.end()
  }

  /// Waits until all parts are written.
  func finish() { work.finish() }

  private func write(_ part: ListingPart) {
    for (document, highlights) in part.groups {
      if let lines {
        let path = lines.paths.text(document.path)
        for highlight in highlights {
          lines.write(
            highlight, document, path: path,
            hasConflict: !conflicts.isEmpty && conflicts.contains(highlight.id))
        }
      }
      envelope?.add(highlights, in: document)
    }
  }
}
