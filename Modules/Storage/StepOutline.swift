import FoundationEssentials
package import Model

/// A summary of a step's operations. It describes a step with many operations without reading them
/// all.
package struct StepOutline: Hashable, Sendable {
  /// The number of operations.
  package private(set) var count = 0
  /// The first operations, at most ``limit``.
  package private(set) var operations: [Operation] = []
  /// The numbers of documents and highlights that the step created.
  package private(set) var created = Counts()
  /// The numbers of records that the step created or changed. If there are more than ``limit``
  /// operations, a record that several transactions of the step changed may be counted several
  /// times.
  package private(set) var touched = Counts()
  /// The fields that the step changed; at most 64 are recorded for one transaction.
  package private(set) var fields: Set<Operation.Field> = []
  /// The document in which the step created all of its highlights; nil if there are several
  /// documents or no new highlights.
  package private(set) var document: Document.ID?

  private var seen: Set<RecordReference> = []

  /// The numbers of records by kind.
  package struct Counts: Hashable, Sendable, Codable {
    /// The number of documents.
    package var documents = 0
    /// The number of highlights.
    package var highlights = 0
    /// Whether the library record is included.
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

  /// The maximum number of operations that an outline contains.
  package static let limit = 256
  /// The maximum number of distinct fields. Each tag is a field.
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

  /// Adds the summary of a later transaction of the same step.
  mutating func add(_ later: StepOutline) {
    // If all later operations are known, records are counted exactly.
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

  /// The record that was created last. Most operations that follow concern it.
  private var lastCreated: RecordReference?
}

extension StepOutline {
  /// The part of an outline that is stored in addition to the operations.
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

  /// Decodes a stored outline and attaches the first operations.
  ///
  /// - Throws: `BadValue` if a count is out of range; `DecodingError` if the text is not valid.
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
  /// Returns the summary of a step.
  ///
  /// The time is bounded for steps of any size, except for large steps stored by older versions of
  /// Diple, which did not store an outline.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
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
