import FoundationEssentials
import Model
import Storage
import TestSupport

/// A replica with the real storage, in memory.
final class StoreReplica: CheckedReplica {
  let id: ReplicaID
  private let store: Store
  private let clock: Clock
  private static let text = TextPreparation().prepare("the quick fox", positions: [])

  var wall: Int64 {
    get { clock.milliseconds }
    set { clock.milliseconds = newValue }
  }

  /// A clock that is used only by the thread that runs the schedule.
  private final class Clock: @unchecked Sendable {
    var milliseconds: Int64 = 0
    var now: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
  }

  private struct Crash: Error {}

  init(id: ReplicaID) throws {
    let clock = Clock()
    self.clock = clock
    self.id = id
    store = try Store.inMemory(now: { clock.now })
    try store.write { try $0.renewIdentity(as: id, after: nil) }
  }

  func perform(_ act: Act, crashes: Bool) throws -> Bool {
    let last = try store.read { try $0.lastSequence() }
    var isDone = true
    do {
      try store.write { transaction in
        isDone = try Self.perform(act, transaction)
        if crashes { throw Crash() }
      }
    } catch {
      guard crashes else { throw error }
      let now = try store.read { try $0.lastSequence() }
      return now == last
    }
    return isDone && !crashes
  }

  private static func perform(_ act: Act, _ transaction: WriteTransaction) throws -> Bool {
    func mark(_ dot: Dot) throws -> Highlight? { try transaction.highlight(Highlight.ID(dot)) }
    switch act {
    case .newDocument(let title):
      let digest = ContentDigest(bytes: Array(repeating: 1, count: 32))!
      _ = try transaction.createDocument(
        path: DocumentPath(title + ".md"), title: title,
        revision: Revision(
          sourceDigest: digest, textDigest: digest, renderVersion: 1, dialect: "github",
          stamp: FileStamp(size: 1, mtime: 2, ctime: 3, inode: .max, device: 5, checked: 6),
          seen: Date(timeIntervalSince1970: 1)),
        text: text)
    case .newMark(let document, let words):
      guard try transaction.document(Document.ID(document)) != nil else { return true }
      _ = try transaction.createHighlight(
        in: Document.ID(document), selector: ModelReplica.selector(words), color: .green, note: "",
        tags: [], anchor: anchor)
    case .title(let dot, let title):
      guard try transaction.setTitle(title, of: Document.ID(dot)) else { return true }
    case .removeDocument(let dot, let isRemoved):
      _ = try transaction.setTrashed(isRemoved, of: Document.ID(dot))
    case .purgeDocument(let dot): try transaction.purge(Document.ID(dot))
    case .alias(let a, let b, let isSame):
      _ = try transaction.setAlias(Document.ID(a), Document.ID(b), isSame)
    case .color(let dot, let color):
      _ = try transaction.setColor(color, of: Highlight.ID(dot))
      return try mark(dot).map { $0.color == color } ?? true
    case .note(let dot, let text):
      _ = try transaction.setNote(text, of: Highlight.ID(dot))
      return try mark(dot).map { $0.note == text } ?? true
    case .tag(let dot, let tag, let isOn):
      _ = try transaction.setTag(tag, isOn, of: Highlight.ID(dot))
      return try mark(dot).map { $0.tags.contains(tag) == isOn } ?? true
    case .trash(let dot, let isTrashed):
      _ = try transaction.setTrashed(isTrashed, of: Highlight.ID(dot))
      return try mark(dot).map { $0.isTrashed == isTrashed } ?? true
    case .move(let dot, let document):
      guard try transaction.document(Document.ID(document)) != nil else { return true }
      try transaction.reattach(
        Highlight.ID(dot), to: ModelReplica.selector("moved"), in: Document.ID(document),
        anchor: anchor)
    case .purge(let dot):
      try transaction.purge(Highlight.ID(dot))
      return try mark(dot) == nil
    case .undo:
      guard let entry = try transaction.nextUndo() else { return true }
      transaction.journal(JournalStep(.undo, of: entry.id))
      _ = try transaction.reverse(try transaction.operations(of: entry))
    }
    return true
  }

  private static let anchor = Anchor(
    range: TextRange(utf16: 0..<3), state: .exact, score: 1, method: "marked")

  func lastSequence() throws -> Int64 { try store.read { try $0.lastSequence() } }

  func operations(after sequence: Int64) throws -> [Operation] {
    try store.read { transaction in
      try transaction.operations(of: try transaction.replica(), after: sequence, limit: 100_000)
    }.map { operation in
      var operation = operation
      operation.previous = .none
      return operation
    }
  }

  func merge(_ operations: [Operation]) throws {
    _ = try store.write { try $0.merge(operations) }
  }

  func snapshot() throws -> [Operation] {
    var list: [Operation] = []
    try store.read { try $0.currentOperations { list.append($0) } }
    return list.map { operation in
      var operation = operation
      operation.previous = .none
      return operation
    }
  }

  func standing() throws -> Standing {
    try store.read { transaction in
      var standing = Standing()
      for document in try transaction.documents(includingRemoved: true) {
        standing.documents[document.id.dot] = .init(
          title: document.title, isRemoved: document.state == .removed)
      }
      for mark in try transaction.highlights(HighlightFilter(trash: .included, kind: .all)) {
        standing.marks[mark.id.dot] = .init(
          document: mark.document.dot, color: mark.color.rawValue, note: mark.note,
          tags: mark.tags.sorted(), isTrashed: mark.isTrashed, words: mark.selector.exact)
      }
      for conflict in try transaction.noteConflicts() {
        guard case .highlight(let id) = conflict.record else { continue }
        standing.notes[id.dot] =
          [conflict.current.text] + conflict.others.map(\.text).sorted()
      }
      return standing
    }
  }

  func digest() throws -> [String] {
    try store.read { transaction in
      var lines: [String] = []
      try transaction.stateLines { lines.append($0) }
      return lines
    }
  }
}

/// Replicas with the real storage that several schedules use one after another, because creating
/// one takes longer than a schedule. It must be used by one thread. More than `useLimit` schedules
/// make it slow.
package final class ReplicaPool {
  /// The maximum number of schedules for one pool.
  package static let useLimit = 40

  private(set) var replicas: [StoreReplica] = []
  /// The wall clock at the start of the next schedule, in milliseconds.
  var wall: Int64 = 1_790_000_000_000
  private var random: SeededGenerator

  /// Creates an empty pool. Equal seeds and schedules have equal results.
  package init(seed: UInt64) { random = SeededGenerator(seed: ~seed) }

  func replica(_ index: Int) throws -> StoreReplica {
    if index == replicas.count {
      replicas.append(try StoreReplica(id: ReplicaID(rawValue: random.next() | 1)))
    }
    return replicas[index]
  }
}
