import FoundationEssentials
package import Model

/// What the operations of a step add up to, so that a step of very many can be summed up without
/// reading them.
package struct StepOutline: Hashable, Sendable {
  /// How many operations there are.
  package private(set) var count = 0
  /// The first operations, at most `limit`.
  package private(set) var operations: [Operation] = []
  /// How many documents and highlights it made.
  package private(set) var created = Counts()
  /// How many records it changed or made. A record that several transactions of one step changed may
  /// be counted several times, where there are more than `limit` operations.
  package private(set) var touched = Counts()
  /// The fields that it changed.
  package private(set) var fields: Set<Operation.Field> = []
  /// The document in which all the highlights that it made were made; nil when there are several.
  package private(set) var document: Document.ID?

  private var seen: Set<RecordReference> = []

  /// How many records of each kind there are.
  package struct Counts: Hashable, Sendable, Codable {
    /// Documents.
    package var documents = 0
    /// Highlights.
    package var highlights = 0
    /// Whether the library itself is among them.
    package var library = false

    mutating func add(_ record: RecordReference) {
      switch record {
      case .document: documents += 1
      case .highlight: highlights += 1
      case .library: library = true
      case .other: break
      }
    }

    mutating func add(_ other: Counts) {
      documents += other.documents
      highlights += other.highlights
      library = library || other.library
    }
  }

  /// How many operations are kept as they are.
  package static let limit = 256
  /// How many different fields are told apart: there is one for each tag.
  private static let fieldLimit = 64

  mutating func add(_ operation: Operation) {
    count += 1
    if operations.count < Self.limit { operations.append(operation) }
    if fields.count < Self.fieldLimit { fields.insert(operation.field) }
    if operation.field == .created {
      if case .reference(let dot) = operation.value {
        document =
          created.highlights == 0 || document == Document.ID(dot) ? Document.ID(dot) : nil
      }
      created.add(operation.record)
      touched.add(operation.record)
      lastCreated = operation.record
    } else if operation.record != lastCreated, seen.insert(operation.record).inserted {
      touched.add(operation.record)
    }
  }

  /// Adds what a later transaction of the same step did.
  mutating func add(_ later: StepOutline) {
    // Where all is known, records are told apart.
    if later.count == later.operations.count {
      for operation in later.operations { add(operation) }
      return
    }
    count += later.count
    operations += later.operations.prefix(Self.limit - operations.count)
    fields.formUnion(later.fields)
    if later.created.highlights > 0 {
      document =
        created.highlights == 0 || document == later.document ? later.document : nil
    }
    created.add(later.created)
    touched.add(later.touched)
  }

  /// The record that was made last: what follows is mostly about it.
  private var lastCreated: RecordReference?
}

extension StepOutline {
  /// What is stored beside the operations.
  private struct Stored: Codable {
    var count: Int
    var created: Counts
    var touched: Counts
    var fields: [String]
    var document: Document.ID?
  }

  func stored() throws -> String {
    let stored = Stored(
      count: count, created: created, touched: touched, fields: fields.map(\.rawValue).sorted(),
      document: document)
    return String(decoding: try JSONEncoder.ordered().encode(stored), as: UTF8.self)
  }

  /// Takes up what was stored, and the first operations.
  init(stored text: String, _ operations: [Operation]) throws {
    let stored = try JSONDecoder().decode(Stored.self, from: Data(text.utf8))
    let counts = [
      stored.count, stored.created.documents, stored.created.highlights,
      stored.touched.documents, stored.touched.highlights,
    ]
    guard counts.allSatisfy((0...1 << 40).contains) else {
      throw BadValue(description: "the outline of a step has impossible counts")
    }
    count = stored.count
    created = stored.created
    touched = stored.touched
    fields = Set(stored.fields.map(Operation.Field.init))
    document = stored.document
    self.operations = operations
  }
}

extension ReadTransaction {
  /// What a step did. It takes the same time for a step of any size, but for those of very many
  /// operations that an older Diple stored.
  package func outline(of entry: JournalEntry) throws -> StepOutline {
    let stored =
      try first("SELECT outline, entry FROM journal WHERE entry = ?", [entry.id]) {
        try $0.ifPresent(0, $0.text)
      } ?? nil
    if let stored,
      let outline = try? StepOutline(
        stored: stored, try operations(of: entry, limit: StepOutline.limit))
    {
      return outline
    }
    var outline = StepOutline()
    for operation in try operations(of: entry) { outline.add(operation) }
    return outline
  }
}
