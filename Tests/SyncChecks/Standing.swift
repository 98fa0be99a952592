package import Model

/// The state of a library as determined by operations, in a form that can be compared between
/// replicas.
package struct Standing: Hashable, Sendable, CustomStringConvertible {
  struct Title: Hashable, Sendable {
    var title: String
    var isRemoved: Bool
  }

  struct Mark: Hashable, Sendable {
    var document: Dot
    var color: String
    var note: String
    /// In alphabetical order.
    var tags: [String]
    var isTrashed: Bool
    var words: String
  }

  var documents: [Dot: Title] = [:]
  var marks: [Dot: Mark] = [:]
  /// The winning note and its alternatives, for each highlight with several notes.
  var notes: [Dot: [String]] = [:]

  /// A line for each record.
  package var description: String {
    let lines =
      documents.map { "document \($0.key): \($0.value)" }
      + marks.map { "highlight \($0.key): \($0.value)" }
      + notes.map { "notes \($0.key): \($0.value)" }
    return lines.sorted().joined(separator: "\n")
  }

  /// Returns the differences from the expected state in a few lines.
  func difference(from expected: Standing) -> String {
    let mine = Set(description.split(separator: "\n"))
    let theirs = Set(expected.description.split(separator: "\n"))
    let lines =
      mine.subtracting(theirs).map { "is        \($0)" }
      + theirs.subtracting(mine).map { "should be \($0)" }
    return lines.sorted { $0.dropFirst(10) < $1.dropFirst(10) }.prefix(12).joined(separator: "\n")
  }
}

/// The operations of one record that are in effect.
struct SaidOfRecord {
  var birth: Operation?
  var fields: [String: Operation] = [:]
  var notes: [Operation] = []
  var isPurged = false

  var isLive: Bool { birth != nil && !isPurged }

  func text(_ field: Operation.Field) -> String? {
    if case .text(let text)? = fields[field.rawValue]?.value { text } else { nil }
  }

  func flag(_ field: Operation.Field) -> Bool { fields[field.rawValue]?.value == .flag(true) }
}

extension Standing {
  /// Combines the operations of all records.
  init(_ records: [RecordReference: SaidOfRecord]) {
    let groups = Self.groups(records)
    for (record, said) in records where said.isLive {
      guard case .document(let id) = record, groups[id.dot, default: id.dot] == id.dot else {
        continue
      }
      documents[id.dot] = Title(title: said.text(.title) ?? "", isRemoved: said.flag(.trashed))
    }
    for (record, said) in records where said.isLive {
      guard case .highlight(let id) = record, case .reference(let first)? = said.birth?.value
      else { continue }
      var home = first
      if case .reference(let moved)? = said.fields[Operation.Field.document.rawValue]?.value {
        home = moved
      }
      var words = ""
      if case .selector(let selector)? = said.fields[Operation.Field.selector.rawValue]?.value {
        words = selector.exact
      }
      let tags = said.fields.values.compactMap { $0.value == .flag(true) ? $0.field.tag : nil }
      marks[id.dot] = Mark(
        document: groups[home, default: home], color: said.text(.color) ?? "yellow",
        note: said.text(.note) ?? "", tags: tags.sorted(), isTrashed: said.flag(.trashed),
        words: words)
      // The placeholder of a purged document.
      if records[.document(Document.ID(home))]?.isPurged == true {
        documents[home] = Title(title: "", isRemoved: false)
      }
      let texts = said.standingNotes
      if texts.count > 1 { notes[id.dot] = [texts[0]] + texts[1...].sorted() }
    }
  }

  /// Returns the lowest of the merged documents for each document that is merged.
  private static func groups(_ records: [RecordReference: SaidOfRecord]) -> [Dot: Dot] {
    var neighbours: [Dot: Set<Dot>] = [:]
    for (record, said) in records where said.isLive {
      guard case .document(let id) = record else { continue }
      for operation in said.fields.values where operation.value == .flag(true) {
        guard let other = operation.field.alias, records[.document(other)]?.isLive == true else {
          continue
        }
        neighbours[id.dot, default: []].insert(other.dot)
        neighbours[other.dot, default: []].insert(id.dot)
      }
    }
    var groups: [Dot: Dot] = [:]
    for start in neighbours.keys where groups[start] == nil {
      var members: Set<Dot> = [start]
      var queue = [start]
      while let next = queue.popLast() {
        for other in neighbours[next] ?? [] where members.insert(other).inserted {
          queue.append(other)
        }
      }
      // More than 64 documents are not merged, but no schedule has as many.
      let least = members.min() ?? start
      for member in members { groups[member] = least }
    }
    return groups
  }
}

extension SaidOfRecord {
  /// The winning note, followed by the notes that were not replaced by a user who had seen them.
  var standingNotes: [String] {
    guard let last = notes.max(by: { Oracle.isBefore($0, $1) }),
      case .text(let current) = last.value
    else { return [] }
    let others = notes.filter { note in
      note.dot != last.dot
        && !notes.contains { other in
          other.basis.contains(note.dot)
            || other.basis.isEmpty && other.dot.replica == note.dot.replica
              && other.dot.sequence > note.dot.sequence
        }
    }
    let texts = others.compactMap { note -> String? in
      guard case .text(let text) = note.value, !text.isEmpty, text != current else { return nil }
      return text
    }
    return [current] + texts
  }
}

/// Computes the state from all operations, only by the documented rules.
package enum Oracle {
  /// Returns whether the second of two operations on one field wins.
  static func isBefore(_ a: Operation, _ b: Operation) -> Bool {
    if a.time != b.time { return a.time < b.time }
    // The store compares replicas by their bits as a signed number.
    let (one, two) = (
      Int64(bitPattern: a.dot.replica.rawValue), Int64(bitPattern: b.dot.replica.rawValue)
    )
    if one != two { return one < two }
    return a.dot.sequence < b.dot.sequence
  }

  /// Returns the state of operations, which may contain duplicates.
  package static func standing(_ operations: some Sequence<Operation>) -> Standing {
    var records: [RecordReference: SaidOfRecord] = [:]
    var known: Set<Dot> = []
    for operation in operations where known.insert(operation.dot).inserted {
      var state = records[operation.record] ?? SaidOfRecord()
      switch operation.field {
      case .created: state.birth = operation
      case .purged: state.isPurged = true
      default:
        if operation.field == .note { state.notes.append(operation) }
        let name = operation.field.rawValue
        if state.fields[name].map({ isBefore($0, operation) }) ?? true {
          state.fields[name] = operation
        }
      }
      records[operation.record] = state
    }
    return Standing(records)
  }
}
