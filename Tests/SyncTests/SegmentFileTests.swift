import Model
import Sync
import TestSupport
import Testing

@Suite struct SegmentFileTests {
  let vault: SampleVault
  init() throws { vault = try SampleVault() }

  @Test func `sealed operations are equal after opening`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    for round in 0..<150 {
      var drawn = RandomOperations(seed: seed &+ UInt64(round))
      let replica = SampleVault.replicas[round % 3]
      let content = drawn.run(
        .random(in: 1...30, using: &drawn.random),
        from: [1, 77, Int64.max >> 2].randomElement(using: &drawn.random)!, of: replica)
      let sealed = try vault.seal(content)
      let opened = try vault.open(sealed.bytes, named: sealed.object, by: replica)
      #expect(opened.content.exactly == content.exactly, "round \(round)")
      #expect(opened.before == .start(vault: SampleVault.id, replica: replica))
      #expect(opened.after == sealed.chain && opened.header.count == content.operations.count)
      // The chain hash of the opened operations equals that of the sealed ones.
      #expect(opened.before.adding(opened.content.operations) == sealed.chain)
    }
  }

  @Test func `previous values are not sent`() throws {
    var drawn = RandomOperations(seed: 5)
    var content = drawn.run(3)
    let plain = content
    for index in content.operations.indices { content.operations[index].previous = .text("secret") }
    let sealed = try vault.seal(content)
    #expect(try vault.open(sealed.bytes, named: sealed.object).content.exactly == plain.exactly)
    #expect(try vault.seal(plain).chain == sealed.chain)
  }

  @Test func `operations that are not consecutive cannot be sealed`() throws {
    var drawn = RandomOperations(seed: 6)
    let content = drawn.run(4)
    var gap = content
    gap.operations.remove(at: 1)
    var foreign = content
    foreign.operations[2].dot.replica = SampleVault.replicas[1]
    for wrong in [SegmentContent(operations: []), gap, foreign] {
      #expect(throws: SegmentError.self) { try vault.seal(wrong) }
    }
  }

  @Test func `content beyond the limits is rejected with a reason`() throws {
    var drawn = RandomOperations(seed: 7)
    func problem(_ change: (inout Operation) -> Void) -> SegmentError? {
      var content = drawn.run(1)
      content.texts = []
      content.operations[0].value = .none
      content.operations[0].basis = []
      change(&content.operations[0])
      do throws(SegmentError) { _ = try vault.seal(content) } catch { return error }
      return nil
    }
    func selector(_ words: String) -> Operation.Value {
      .selector(
        Selector(
          exact: words, prefix: "", suffix: "", position: TextRange(utf16: 0..<1),
          textDigest: nil, renderVersion: 1))
    }
    let dot = Dot(replica: SampleVault.replicas[0], sequence: 1)
    #expect(problem { _ in } == nil)
    // A note of a mebibyte can be sent.
    #expect(problem { $0.value = .text(String(repeating: " ", count: 1 << 20)) } == nil)
    #expect(problem { $0.value = selector(String(repeating: "x", count: 64 << 10)) } == nil)
    #expect(
      problem { $0.value = selector(String(repeating: "x", count: Wire.quoteLimit + 1)) }
        == .quoteTooLong(dot, size: Wire.quoteLimit + 1, limit: Wire.quoteLimit))
    guard
      case .operationTooLarge(dot, _, Wire.operationLimit) = problem({
        $0.value = .text(String(repeating: "x", count: 2 << 20))
      })
    else {
      Issue.record("an operation of 2 MiB and more is sent")
      return
    }
    for change: (inout Operation) -> Void in [
      { $0.time = Timestamp(packed: -1) }, { $0.time = Timestamp(packed: .max) },
      { $0.group = 0 }, { $0.group = 2 }, { $0.field = .tag("") }, { $0.field = .tag("a\u{1F}b") },
      { $0.field = Operation.Field(rawValue: "") }, { $0.value = .other([]) },
      { $0.value = .other([6, 1]) }, { $0.record = .other(kind: 3, dot: dot) },
      { $0.record = .other(kind: 100, dot: dot) },
      { $0.record = .highlight(Highlight.ID(Dot(replica: dot.replica, sequence: 0))) },
      { $0.value = .reference(Dot(replica: dot.replica, sequence: .max)) },
    ] {
      guard case .badContent = problem(change) else {
        Issue.record("invalid content was sealed")
        continue
      }
    }
  }

  // MARK: - Chains and merging

  private func pieces(seed: UInt64, count: Int = 5) throws -> (
    all: SegmentContent, opened: [OpenedSegment]
  ) {
    var drawn = RandomOperations(seed: seed)
    let content = drawn.run(count * 4)
    var chain = ChainHash.start(vault: SampleVault.id, replica: SampleVault.replicas[0])
    var opened: [OpenedSegment] = []
    for index in 0..<count {
      let part = SegmentContent(
        operations: Array(content.operations[index * 4..<index * 4 + 4]), texts: drawn.texts)
      let sealed = try vault.seal(part, after: chain)
      chain = sealed.chain
      opened.append(try vault.open(sealed.bytes, named: sealed.object))
    }
    return (content, opened)
  }

  @Test func `a merged segment contains the operations of its parts`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    for round in 0..<10 {
      let (content, opened) = try pieces(seed: seed &+ UInt64(round))
      let merged = try SegmentFile.merge(opened, keys: vault.keys, device: vault.device)
      let read = try vault.open(merged.bytes, named: merged.object)
      #expect(read.content.operations.map(\.exactly) == content.operations.map(\.exactly))
      #expect(read.before == opened[0].before && read.after == opened.last?.after)
      #expect(merged.chain == read.after && read.header.sequences == 1...20)
      // The result is the same if the parts are merged in two steps.
      let half = try SegmentFile.merge(Array(opened[..<2]), keys: vault.keys, device: vault.device)
      let first = try vault.open(half.bytes, named: half.object)
      let again = try SegmentFile.merge(
        [first] + opened[2...], keys: vault.keys, device: vault.device)
      let second = try vault.open(again.bytes, named: again.object)
      #expect(second.content == read.content && second.after == read.after)
    }
  }

  @Test func `only consecutive segments can be merged`() throws {
    let (_, opened) = try pieces(seed: 1)
    let (_, other) = try pieces(seed: 2)
    for parts in [
      [], [opened[1], opened[0]], [opened[0], opened[2]], [opened[0], opened[0]],
      [opened[0], other[1]],
    ] {
      #expect(throws: SegmentError.notContiguous) {
        try SegmentFile.merge(parts, keys: vault.keys, device: vault.device)
      }
    }
  }

  @Test func `a merged segment keeps the last three texts of each document`() throws {
    var drawn = RandomOperations(seed: 3)
    drawn.texts = []
    var chain = ChainHash.start(vault: SampleVault.id, replica: SampleVault.replicas[0])
    var opened: [OpenedSegment] = []
    for index in 0..<6 {
      var part = drawn.run(1, from: Int64(index) + 1)
      for document in 1...2 {
        part.texts.append(
          CarriedText(
            document: Document.ID(Dot(replica: SampleVault.replicas[0], sequence: Int64(document))),
            digest: drawn.digest(UInt8(index * 2 + document)), renderVersion: 1,
            text: "text \(index) of \(document)"))
      }
      let sealed = try vault.seal(part, after: chain)
      chain = sealed.chain
      opened.append(try vault.open(sealed.bytes, named: sealed.object))
    }
    let merged = try SegmentFile.merge(opened, keys: vault.keys, device: vault.device)
    let texts = try vault.open(merged.bytes, named: merged.object).content.texts.map(\.text)
    #expect(texts == (3...5).flatMap { ["text \($0) of 1", "text \($0) of 2"] })
  }

  @Test func `different histories of a replica have different chain hashes`() throws {
    var drawn = RandomOperations(seed: 4)
    let content = drawn.run(5)
    let sealed = try vault.seal(content)
    for change: (inout Operation) -> Void in [
      { $0.time = Timestamp(packed: $0.time.packed ^ 1) }, { $0.field = .tag("other") },
      { $0.value = .text("other") }, { $0.basis.append($0.dot) }, { $0.record = .library },
    ] {
      for index in content.operations.indices {
        var other = content
        change(&other.operations[index])
        guard other.exactly != content.exactly else { continue }
        #expect(try vault.seal(other).chain != sealed.chain)
      }
    }
    // The same operations after others have another hash.
    #expect(try vault.seal(content, after: sealed.chain).chain != sealed.chain)
  }

  @Test func `a long run is split into pieces that can be sealed`() throws {
    let replica = SampleVault.replicas[0]
    let operations = (1...40).map { sequence in
      Operation(
        dot: Dot(replica: replica, sequence: sequence), time: Timestamp(milliseconds: sequence),
        group: sequence, record: .library, field: .note,
        value: .text(String(repeating: "\(sequence)", count: 1 << 19)))
    }
    let pieces = try SegmentFile.split(SegmentContent(operations: operations))
    #expect(pieces.count > 1 && pieces.flatMap(\.operations) == operations)
    var chain = ChainHash.start(vault: SampleVault.id, replica: replica)
    for piece in pieces {
      let sealed = try vault.seal(piece, after: chain)
      chain = sealed.chain
      #expect(try vault.open(sealed.bytes, named: sealed.object).content == piece)
    }
    let small = (1...250_001).map { sequence in
      Operation(
        dot: Dot(replica: replica, sequence: sequence), time: Timestamp(milliseconds: sequence),
        group: sequence, record: .library, field: .note, value: .none)
    }
    let counts = try SegmentFile.split(SegmentContent(operations: small)).map(\.operations.count)
    #expect(counts.reduce(0, +) == 250_001 && counts.allSatisfy { $0 <= 100_000 })
  }
}
