import FoundationEssentials
import Model
import Storage
import TestSupport
import Testing

/// Tests merging the operations of several copies of a library.
@Suite struct MergeTests {
  /// A copy with a separate clock.
  private final class Copy: @unchecked Sendable {
    let store: Store
    var skew: Double = 0
    /// The number of the last operation received from each copy.
    var heard: [ReplicaID: Int64] = [:]
    let replica: ReplicaID

    init(skew: Double = 0) throws {
      let clock = Clock()
      clock.skew = skew
      store = try Store.inMemory(now: { clock.now })
      replica = try store.read { try $0.replica() }
    }

    final class Clock: @unchecked Sendable {
      var skew: Double = 0
      var count = 0.0
      var now: Date {
        count += 1
        return Date(timeIntervalSince1970: 1_800_000_000 + skew + count)
      }
    }

    func state() throws -> [String] {
      try store.read { transaction in
        var lines: [String] = []
        try transaction.stateLines { lines.append($0) }
        return lines
      }
    }

    /// Receives the operations of another copy, up to one of them.
    func hear(_ other: Copy, upTo last: Int64 = .max) throws {
      let known = heard[other.replica, default: 0]
      let news = try other.store.read {
        try $0.operations(of: other.replica, after: known, limit: 100_000)
      }.filter { $0.dot.sequence <= last }
      guard let end = news.last?.dot.sequence else { return }
      try store.write { transaction in
        _ = try transaction.merge(
          news.map { operation in
            var operation = operation
            operation.previous = .none
            return operation
          })
        try transaction.setProgress(
          ReplicaProgress(sequence: end, chain: []), of: other.replica)
      }
      heard[other.replica] = end
    }
  }

  private func converge(_ copies: [Copy]) throws {
    for copy in copies { for other in copies where other !== copy { try copy.hear(other) } }
  }

  private func expectEqual(_ copies: [Copy], _ comment: String = "") throws {
    let states = try copies.map { try $0.state() }
    for state in states.dropFirst() { expectSame(state, states[0], comment) }
    for copy in copies {
      let problems = try copy.store.integrityProblems()
      #expect(problems == [], "\(comment): \(problems)")
    }
  }

  private func expectSame(_ a: [String], _ b: [String], _ comment: String) {
    let different = Set(a).symmetricDifference(b)
    #expect(different.isEmpty, "\(comment): \(different.sorted().joined(separator: "\n"))")
  }

  @Test func `a highlight is copied, and changes of both copies are merged`() throws {
    let (a, b) = (try Copy(), try Copy())
    let mark = try a.store.write { try $0.mark(try $0.document("a.md"), "the «quick» fox") }
    try b.hear(a)
    try a.store.write { (transaction) throws in
      #expect(try transaction.setColor(.pink, of: mark.id))
      #expect(try transaction.setTag("x", true, of: mark.id))
    }
    let isSet = try b.store.write { try $0.setTag("y", true, of: mark.id) }
    #expect(isSet)
    try converge([a, b])
    let found = try #require(try b.store.read { try $0.highlight(mark.id) })
    #expect(found.color == .pink && found.tags == ["x", "y"] && found.note == "a note")
    try expectEqual([a, b])
  }

  @Test func `every highlight has its own number, made here or received, in every list`() throws {
    let (a, b) = (try Copy(), try Copy())
    for copy in [a, b] {
      try copy.store.write { transaction in
        let document = try transaction.document("\(copy.replica).md")
        for _ in 0..<(copy === a ? 150 : 20) {
          _ = try transaction.mark(document, "the «quick» fox")
        }
      }
    }
    try b.hear(a)
    for detail in [HighlightFilter.Detail.all, .withoutContext, .line] {
      var filter = HighlightFilter()
      filter.detail = detail
      let all = try b.store.read { try $0.highlights(filter) }
      #expect(Set(all.map(\.number)) == Set(1...170))
      // The highlights of this copy were there first.
      let own = all.filter { $0.id.dot.replica == b.replica }
      #expect(Set(own.map(\.number)) == Set(1...20))
      for highlight in all {
        let single = try #require(try b.store.read { try $0.highlight(highlight.id) })
        #expect(single.number == highlight.number)
      }
    }
  }

  @Test func `a list returns the same highlights as separate queries`() throws {
    let (a, b) = (try Copy(), try Copy(skew: 5))
    var marks: [Highlight] = []
    for copy in [a, b, a] {
      try copy.store.write { transaction in
        let document = try transaction.document("\(marks.count).md")
        for index in 0..<12 {
          let mark = try transaction.mark(document, "the «quick» fox \(index)")
          marks.append(mark)
          // Some highlights have so many changes that the index contains the last ones.
          for tag in 0..<(index % 3 == 0 ? 12 : index % 3) {
            _ = try transaction.setTag("tag\(tag)", true, of: mark.id)
          }
          if index % 2 == 0 { _ = try transaction.setOrigin(origin("\(index)"), of: mark.id) }
        }
      }
    }
    try converge([a, b])
    for copy in [a, b] {
      try copy.store.write { transaction in
        for (index, mark) in marks.enumerated() where (index + (copy === a ? 0 : 1)) % 3 == 0 {
          _ = try transaction.setOrigin(origin("later \(index) \(copy.replica)"), of: mark.id)
          try transaction.reattach(
            mark.id, to: selector("b\(index) «\(copy === a ? "q" : "k")» fox"), in: mark.document,
            anchor: .orphan)
        }
      }
    }
    try converge([a, b])
    try expectEqual([a, b])
    for copy in [a, b] {
      let all = try copy.store.read { try $0.highlights(HighlightFilter()) }
      #expect(all.count == marks.count)
      for highlight in all {
        #expect(try copy.store.read { try $0.highlight(highlight.id) } == highlight)
      }
      #expect(all.contains { $0.selector.prefix.hasPrefix("b") && $0.origin != nil })
      #expect(all.contains { $0.tags.count == 12 })
    }
  }

  private func origin(_ name: String) -> Origin {
    Origin(
      format: "w3c", key: "id:urn:\(name)", marked: .green, quoteDigest: "q", passageDigest: "p")
  }

  @Test func `a path of another machine is shown but never opened`() throws {
    let (a, b) = (try Copy(), try Copy())
    let document = try a.store.write { try $0.document("notes/a.md") }
    try b.hear(a)
    func there(_ copy: Copy) throws -> DocumentPath {
      try #require(try copy.store.read { try $0.document(document.id) }).path
    }
    #expect(try there(b) == DocumentPath("notes/a.md", isElsewhere: true))
    #expect(try b.store.read { try $0.document(at: DocumentPath("notes/a.md")) } == nil)
    try b.store.write { try $0.bind(document.id, to: DocumentPath("elsewhere/b.md")) }
    #expect(try there(b) == DocumentPath("elsewhere/b.md"))
    // Later changes of the path on the other machine have no effect on this machine.
    _ = try a.store.write { try $0.setPath(DocumentPath("moved.md"), of: document.id) }
    try b.hear(a)
    #expect(try there(b) == DocumentPath("elsewhere/b.md"))
    _ = try b.store.write { try $0.setPath(DocumentPath("c.md"), of: document.id) }
    try a.hear(b)
    #expect(try there(a) == DocumentPath("moved.md"))
    #expect(try there(b) == DocumentPath("c.md"))
    try expectEqual([a, b])
  }

  @Test func `concurrent notes are both kept until one is chosen`()
    throws
  {
    let (a, b) = (try Copy(), try Copy(skew: 100))
    let mark = try a.store.write { try $0.mark(try $0.document("a.md"), "the «quick» fox") }
    try converge([a, b])
    _ = try a.store.write { try $0.setNote("from a", of: mark.id) }
    _ = try b.store.write { try $0.setNote("from b", of: mark.id) }
    try converge([a, b])
    for copy in [a, b] {
      let conflicts = try copy.store.read { try $0.noteConflicts() }
      #expect(conflicts.map(\.current.text) == ["from b"])
      #expect(conflicts.map { $0.others.map(\.text) } == [["from a"]])
    }
    // A later note of one copy is based on the displayed one. The other version is still stored.
    _ = try b.store.write { try $0.setNote("from b, again", of: mark.id) }
    #expect(try b.store.read { try $0.noteConflicts() }.first?.others.map(\.text) == ["from a"])
    let isSettled = try b.store.write {
      try $0.settleNote(of: .highlight(mark.id), as: "from both")
    }
    #expect(isSettled)
    try converge([a, b])
    for copy in [a, b] {
      #expect(try copy.store.read { try $0.noteConflicts() }.isEmpty)
      #expect(try copy.store.read { try $0.highlight(mark.id)?.note } == "from both")
    }
    // Consecutive notes do not conflict.
    _ = try a.store.write { try $0.setNote("later", of: mark.id) }
    try converge([a, b])
    _ = try b.store.write { try $0.setNote("latest", of: mark.id) }
    try converge([a, b])
    #expect(try a.store.read { try $0.noteConflicts() }.isEmpty)
    try expectEqual([a, b])
  }

  @Test func `a purged document is not restored, and a concurrent highlight in it is kept`()
    throws
  {
    let (a, b, c) = (try Copy(), try Copy(), try Copy())
    let (document, mark) = try a.store.write { transaction in
      let document = try transaction.document("a.md")
      return (document, try transaction.mark(document, "the «quick» fox"))
    }
    try b.hear(a)
    let concurrent = try b.store.write { transaction in
      _ = try transaction.setNote("meanwhile", of: mark.id)
      return try transaction.mark(document, "the quick «fox»")
    }
    try a.store.write { transaction in
      _ = try transaction.setTrashed(true, of: document.id)
      try transaction.purge(document.id)
    }
    try c.hear(b)
    #expect(try c.state() == [], "nothing is shown before its document is known")
    try converge([a, b, c])
    for copy in [a, b, c] {
      #expect(try copy.store.read { try $0.highlight(mark.id) } == nil)
      let left = try #require(try copy.store.read { try $0.highlight(concurrent.id) })
      #expect(left.selector.exact == "fox")
      let home = try #require(try copy.store.read { try $0.document(left.document) })
      #expect(home.path == DocumentPath("(deleted document)", isElsewhere: true))
      #expect(home.state == .missing)
    }
    try expectEqual([a, b, c])
    try c.store.write { try $0.purge(concurrent.id) }
    try converge([a, b, c])
    for copy in [a, b, c] { #expect(try copy.state() == []) }
    try expectEqual([a, b, c])
  }

  @Test func `concurrent notes of a purged highlight do not conflict`() throws {
    let (a, b, c) = (try Copy(), try Copy(), try Copy())
    let mark = try a.store.write { try $0.mark(try $0.document("a.md"), "the «quick» fox") }
    try converge([a, b])
    for copy in [a, b] {
      _ = try copy.store.write { try $0.setNote("\(copy.replica)", of: mark.id) }
    }
    let written = try b.store.read { try $0.operations(of: b.replica, after: 0, limit: 9) }
    let noted = try a.store.read { try $0.operations(of: a.replica, after: 0, limit: 99) }.suffix(1)
    try a.store.write { try $0.purge(mark.id) }
    var sum: [Operation] = []
    try a.store.read { try $0.currentOperations { sum.append($0) } }
    _ = try c.store.write { try $0.merge(sum) }
    _ = try c.store.write { try $0.merge(written + noted) }
    #expect(try c.store.read { try $0.highlight(mark.id) } == nil)
    #expect(try c.store.read { try $0.noteConflicts() }.isEmpty)
  }

  @Test(arguments: [9, 64, 65])
  func `up to 64 documents are merged into one, and more stay separate`(count: Int) throws {
    let copy = try Copy()
    try copy.store.write { transaction in
      var last = try transaction.document("0.md")
      for number in 1..<count {
        let next = try transaction.document("\(number).md")
        _ = try transaction.setAlias(last.id, next.id, true)
        last = next
      }
    }
    let shown = try copy.store.read { try $0.documents(includingRemoved: false) }
    #expect(shown.count == (count <= 64 ? 1 : count))
  }

  @Test func `two documents that were merged are shown as one, and can be separated`()
    throws
  {
    let (a, b) = (try Copy(), try Copy())
    let first = try a.store.write { try $0.document("a.md") }
    let second = try b.store.write { transaction in
      _ = try transaction.document("other.md")
      return try transaction.document("a.md")
    }
    let one = try a.store.write { try $0.mark(first, "the «quick» fox") }
    let two = try b.store.write { try $0.mark(second, "the quick «fox»") }
    try converge([a, b])
    #expect(try b.store.write { try $0.setAlias(second.id, first.id, true) })
    #expect(try b.store.write { try !$0.setAlias(first.id, second.id, true) })
    try converge([a, b])
    let (canonical, hidden) = first.id < second.id ? (first, second) : (second, first)
    for copy in [a, b] {
      try copy.store.read { (transaction) throws in
        let found = try transaction.highlights(HighlightFilter(documents: [canonical.id]))
        #expect(Set(found.map(\.id)) == [one.id, two.id])
        let documents = try transaction.documents(includingRemoved: true)
        #expect(!documents.contains { $0.id == hidden.id })
        let shown = try #require(try transaction.document(canonical.id))
        #expect(shown.path == DocumentPath("a.md"))
      }
    }
    try expectEqual([a, b])
    #expect(try a.store.write { try $0.setAlias(first.id, second.id, false) })
    try converge([a, b])
    for copy in [a, b] {
      try copy.store.read { (transaction) throws in
        #expect(try transaction.highlight(one.id)?.document == first.id)
        #expect(try transaction.highlight(two.id)?.document == second.id)
      }
    }
    try expectEqual([a, b])
  }

  @Test func `tags in different Unicode normalization forms are different tags`() throws {
    let (a, b, c) = (try Copy(), try Copy(), try Copy())
    let mark = try a.store.write { try $0.mark(try $0.document("a.md"), "the «quick» fox") }
    try converge([a, b])
    let tags = ["caf\u{E9}", "cafe\u{301}"]
    for (copy, tag) in zip([a, b], tags) {
      _ = try copy.store.write { try $0.setTag(tag, true, of: mark.id) }
    }
    try converge([a, b])
    var sum: [Operation] = []
    try a.store.read { try $0.currentOperations { sum.append($0) } }
    _ = try c.store.write { try $0.merge(sum) }
    for copy in [a, b, c] {
      let found = try #require(try copy.store.read { try $0.highlight(mark.id) }).tags
      #expect(found.map { Array($0.utf8) } == tags.map { Array($0.utf8) }.sorted { $0[3] < $1[3] })
    }
    try expectEqual([a, b])
  }

  @Test func `operations of newer versions are stored unchanged`() throws {
    let (a, b, c) = (try Copy(), try Copy(), try Copy())
    let foreign = ReplicaID(rawValue: 77)
    let document = try a.store.write { try $0.document("a.md") }
    try b.hear(a)
    let news = [
      (RecordReference.document(document.id), "shelf", Operation.Value.text("upper")),
      (.document(document.id), "title", .other([17, 1, 2, 3])),
      (.other(kind: 9, dot: Dot(replica: foreign, sequence: 3)), "created", .none),
    ].enumerated().map { index, said in
      Operation(
        dot: Dot(replica: foreign, sequence: Int64(index + 1)),
        time: Timestamp(milliseconds: 1_900_000_000_000), group: 1, record: said.0,
        field: Operation.Field(rawValue: said.1), value: said.2)
    }
    _ = try b.store.write { try $0.merge(news) }
    let storedNews = try b.store.read { try $0.operations(of: foreign, after: 0, limit: 10) }
    #expect(storedNews == news)
    #expect(try b.store.read { try $0.document(document.id)?.title } == document.title)
    var carried: [Operation] = []
    try b.store.read { try $0.currentOperations { carried.append($0) } }
    #expect(Set(carried).isSuperset(of: news))
    _ = try c.store.write { try $0.merge(carried) }
    #expect(try c.store.read { try $0.operations(of: foreign, after: 0, limit: 10) } == news)
    #expect(try b.store.integrityProblems() == [])
    #expect(throws: (any Error).self) {
      try c.store.write { transaction in
        _ = try transaction.merge([
          Operation(
            dot: Dot(replica: foreign, sequence: 4), time: Timestamp(milliseconds: 1), group: 4,
            record: .highlight(Highlight.ID(Dot(replica: foreign, sequence: 9))), field: .created,
            value: .reference(document.id.dot))
        ])
      }
    }
  }

  @Test(arguments: [Operation.Value.other([17, 1, 2, 3]), nil])
  func `an invalid or missing passage from another device is not an integrity error`(
    passage: Operation.Value?
  ) throws {
    let copy = try Copy()
    let document = try copy.store.write { try $0.document("a.md") }
    let foreign = ReplicaID(rawValue: 77)
    let id = Highlight.ID(Dot(replica: foreign, sequence: 1))
    let fields: [(Operation.Field, Operation.Value)] =
      [(.created, .reference(document.id.dot)), (.note, .text("why"))]
      + (passage.map { [(.selector, $0)] } ?? [])
    let lies = fields.enumerated().map { index, said in
      Operation(
        dot: Dot(replica: foreign, sequence: Int64(index + 1)),
        time: Timestamp(milliseconds: 1_900_000_000_000), group: 1, record: .highlight(id),
        field: said.0, value: said.1)
    }
    _ = try copy.store.write { try $0.merge(lies) }
    #expect(try copy.store.read { try $0.highlight(id)?.note } == "why")
    #expect(try copy.store.integrityProblems() == [])
  }

  @Test func `a library with a new identity keeps its records, but cannot undo earlier steps`()
    throws
  {
    let files = TemporaryStore()
    let store = try files.open()
    let mark = try store.write { try $0.mark(try $0.document("a.md"), "the «quick» fox") }
    let before = try store.read { try ($0.replica(), $0.lastSequence()) }
    try store.write { try $0.renewIdentity(as: .random(), after: nil) }
    let after = try store.read { try $0.replica() }
    #expect(after != before.0)
    #expect(try store.read { try $0.nextUndo() } == nil)
    #expect(try store.read { try $0.document(at: DocumentPath("a.md")) } != nil)
    let renamed = try #require(try store.read { try $0.highlights(HighlightFilter()).first })
    #expect(renamed.selector == mark.selector && renamed.id != mark.id)
    _ = try store.write { try $0.setColor(.blue, of: renamed.id) }
    let operations = try store.read { try $0.operations(of: after, after: 0, limit: 10) }
    #expect(operations.map(\.dot.sequence) == Array(1...before.1 + 1))
    #expect(try store.read { try $0.operations(of: before.0, after: 0, limit: 9) }.isEmpty)
    #expect(try store.read { try $0.nextUndo() } != nil)
    #expect(try store.integrityProblems() == [])
  }

  @Test func `a purged document is visible while it contains a highlight`() throws {
    let (a, b) = (try Copy(), try Copy())
    let (one, two) = try a.store.write {
      (try $0.document("a.md"), try $0.document("b.md"))
    }
    try b.hear(a)
    _ = try b.store.write { try $0.mark(two, "the «quick» fox") }
    // Remove, merge and purge a document. The other copy receives all of it at once.
    try a.store.write { transaction in
      _ = try transaction.setTrashed(true, of: two.id)
      _ = try transaction.setAlias(one.id, two.id, true)
    }
    try a.store.write { try $0.purge(two.id) }
    try converge([a, b])
    try expectEqual([a, b])
    let shown = try b.store.read { try $0.documents(includingRemoved: false) }
    #expect(shown.map(\.id).sorted() == [one.id, two.id])
  }

  @Test func `merging random operations in any order yields the same library`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<25 {
      let copies = try (0..<3).map { _ in
        try Copy(skew: Double.random(in: -3_600...3_600, using: &random).rounded())
      }
      for _ in 0..<60 {
        let copy = copies.randomElement(using: &random)!
        if Int.random(in: 0..<3, using: &random) == 0 {
          let other = copies.randomElement(using: &random)!
          guard other !== copy else { continue }
          let known = copy.heard[other.replica, default: 0]
          try copy.hear(other, upTo: known + Int64.random(in: 1...40, using: &random))
        } else {
          try act(copy.store, &random)
        }
      }
      for copy in copies.shuffled(using: &random) {
        for other in copies.shuffled(using: &random) where other !== copy { try copy.hear(other) }
      }
      try expectEqual(copies, "round \(round)")
      // A new copy receives the summary, and another one each operation in random order.
      var sum: [Operation] = []
      try copies[0].store.read { try $0.currentOperations { sum.append($0) } }
      let (fresh, slow) = (try Copy(), try Copy())
      _ = try fresh.store.write { try $0.merge(sum.shuffled(using: &random)) }
      let all = try copies.flatMap { copy in
        try copy.store.read { try $0.operations(of: copy.replica, after: 0, limit: 100_000) }
      }
      try slow.store.write { transaction in
        for operation in all.shuffled(using: &random) { try transaction.apply(operation) }
        try transaction.findConflicts()
      }
      let state = try copies[0].state()
      expectSame(try fresh.state(), state, "round \(round), fresh")
      expectSame(try slow.state(), state, "round \(round), one by one")
    }
  }

  private func act(_ store: Store, _ random: inout SeededGenerator) throws {
    let number = Int.random(in: 0..<1_000, using: &random)
    try store.write { transaction in
      let documents = try transaction.documents(includingRemoved: true)
      let marks = try transaction.highlights(HighlightFilter(trash: .included, kind: .all))
      guard let document = documents.randomElement(using: &random), documents.count > 1 else {
        _ = try transaction.document("\(number).md")
        return
      }
      guard let mark = marks.randomElement(using: &random) else {
        _ = try transaction.mark(document, "the «quick» fox", tags: ["t\(number % 3)"])
        return
      }
      switch number % 14 {
      case 0: _ = try transaction.document("\(number).md")
      case 1, 2: _ = try transaction.mark(document, "the quick «fox»")
      case 3: _ = try transaction.setNote("note \(number)", of: mark.id)
      case 4: _ = try transaction.setColor(HighlightColor.allCases[number % 4], of: mark.id)
      case 5, 6: _ = try transaction.setTag("t\(number % 3)", number % 2 == 0, of: mark.id)
      case 7: _ = try transaction.setTrashed(!mark.isTrashed, of: mark.id)
      case 8: try transaction.purge(mark.id)
      case 9: _ = try transaction.setTrashed(document.state != .removed, of: document.id)
      case 10: if number % 3 == 0 { try transaction.purge(document.id) }
      case 11:
        let other = documents.randomElement(using: &random)!
        _ = try transaction.setAlias(document.id, other.id, number % 3 > 0)
      case 12:
        let other = documents.randomElement(using: &random)!
        try transaction.reattach(
          mark.id, to: selector("«the» quick fox"), in: other.id,
          anchor: Anchor(
            range: MarkedText("«the» quick fox").range, state: .exact, score: 1, method: "marked"))
      default:
        if let entry = try transaction.nextUndo() {
          transaction.journal(JournalStep(.undo, of: entry.id))
          _ = try transaction.reverse(try transaction.operations(of: entry))
        }
      }
    }
  }
}
