import Model
import Sync
import TestSupport
import Testing

typealias Operation = Model.Operation

/// A vault with three devices, whose keys are random.
struct SampleVault {
  static let id = VaultID("000102030405060708090a0b0c0d0e0f")!

  var keys: VaultKeys
  var record: EpochRecord
  var recordObject: SealedObject
  var devices: [ReplicaID: DeviceKeys]

  static let replicas = (1...3).map { ReplicaID(rawValue: $0 << 60 | 0x0234_5678_9ABC_DEF0) }

  init() throws {
    devices = Dictionary(uniqueKeysWithValues: Self.replicas.map { ($0, DeviceKeys.random()) })
    (recordObject, keys) = try EpochRecord.issue(
      keys: VaultKeys(vault: Self.id), after: nil, issuer: Self.replicas[0],
      device: devices[Self.replicas[0]]!, devices: devices.mapValues(\.publicKeys),
      passphrase: ("correct horse", .least))
    record = try EpochRecord(recordObject.bytes, named: recordObject.object)
  }

  /// The device of the first replica.
  var device: DeviceKeys { devices[Self.replicas[0]]! }

  func seal(_ content: SegmentContent, after chain: ChainHash? = nil) throws(SegmentError) -> (
    object: ObjectName, bytes: [UInt8], chain: ChainHash
  ) {
    let replica = content.operations.first?.dot.replica ?? Self.replicas[0]
    return try SegmentFile.seal(
      content, vault: Self.id, after: chain ?? .start(vault: Self.id, replica: replica),
      keys: keys, device: devices[replica]!)
  }

  func open(_ bytes: [UInt8], named name: ObjectName, by signer: ReplicaID? = nil)
    throws(SegmentError) -> OpenedSegment
  {
    try SegmentFile.open(
      bytes, named: name, keys: keys,
      signer: devices[signer ?? Self.replicas[0]]!.publicKeys)
  }
}

/// Generates random operations of every kind.
struct RandomOperations {
  var random: SeededGenerator
  var texts: [CarriedText] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    for index in 0..<Int.random(in: 0...3, using: &random) {
      texts.append(
        CarriedText(
          document: Document.ID(dot()), digest: digest(UInt8(index)),
          renderVersion: .random(in: 0...9, using: &random), text: text(upTo: 200)))
    }
  }

  mutating func digest(_ byte: UInt8) -> ContentDigest {
    ContentDigest(bytes: (0..<32).map { $0 &+ byte })!
  }

  mutating func text(upTo limit: Int) -> String {
    let pieces = [
      "a", "word ", "é", "e\u{301}", "👋🏽", "\u{0}", "\"\\\n", "日本", "yellow", "\u{202E}",
    ]
    let count = Int.random(in: 0...limit, using: &random)
    return (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
  }

  mutating func dot() -> Dot {
    let sequences: [Int64] = [1, 2, 300, .random(in: 1...Int64.max >> 1, using: &random)]
    return Dot(
      replica: SampleVault.replicas.randomElement(using: &random)!,
      sequence: sequences.randomElement(using: &random)!)
  }

  mutating func field() -> Operation.Field {
    let fields: [Operation.Field] = [
      .created, .path, .title, .trashed, .purged, .selector, .document, .detached, .color, .origin,
      .note, .format, .tag("a"), .tag("é"), .tag("e\u{301}"), .tag("x/y"), .label(.green),
      .query("q"), .alias(Document.ID(dot())), Operation.Field(rawValue: "from-the-future"),
      Operation.Field(rawValue: "\u{0}"), Operation.Field(rawValue: "tag"),
      Operation.Field(rawValue: "future/a/b"),
    ]
    return fields.randomElement(using: &random)!
  }

  mutating func selector() -> Selector {
    if let carried = texts.randomElement(using: &random), Bool.random(using: &random) {
      let characters = Array(carried.text.unicodeScalars)
      let cuts = (0..<4).map { _ in Int.random(in: 0...characters.count, using: &random) }.sorted()
      func part(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: characters[range])
        return String(view)
      }
      let start = part(0..<cuts[1]).utf16.count
      let exact = part(cuts[1]..<cuts[2])
      return Selector(
        exact: exact, prefix: part(cuts[0]..<cuts[1]), suffix: part(cuts[2]..<cuts[3]),
        position: TextRange(utf16: start..<start + exact.utf16.count),
        textDigest: carried.digest, renderVersion: carried.renderVersion)
    }
    let start = Int.random(in: 0...1000, using: &random)
    return Selector(
      exact: text(upTo: 9), prefix: text(upTo: 9), suffix: text(upTo: 9),
      position: TextRange(utf16: start..<start + .random(in: 0...99, using: &random)),
      textDigest: Bool.random(using: &random) ? nil : digest(.random(in: 0...5, using: &random)),
      renderVersion: .random(in: 0...9, using: &random))
  }

  mutating func value() -> Operation.Value {
    switch Int.random(in: 0...7, using: &random) {
    case 0: .none
    case 1: .flag(.random(using: &random))
    case 2: .text(text(upTo: 20))
    case 3: .text(["yellow", "green", "", "blue"].randomElement(using: &random)!)
    case 4, 5: .selector(selector())
    case 6: .reference(dot())
    default:
      .other(
        [.random(in: 64...255, using: &random)]
          + (0..<Int.random(in: 0...40, using: &random)).map { _ in
            .random(in: 0...255, using: &random)
          })
    }
  }

  mutating func record() -> RecordReference {
    switch Int.random(in: 0...5, using: &random) {
    case 0: .library
    case 1: .document(Document.ID(dot()))
    case 2: .other(kind: .random(in: 4...99, using: &random), dot: dot())
    default: .highlight(Highlight.ID(dot()))
    }
  }

  mutating func operation(_ dot: Dot, after last: Operation?) -> Operation {
    let time: Int64 =
      switch (Int.random(in: 0...4, using: &random), last) {
      case (0, let last?): last.time.packed
      case (1, let last?): min(last.time.packed + 1, Int64.max - 1 << 32)
      case (2, _): .random(in: 0...1 << 46, using: &random) << 16
      case (3, let last?): max(0, last.time.packed - .random(in: 0...99_999, using: &random))
      default: .random(in: 0...Int64.max - 1 << 32, using: &random)
      }
    let groups = [
      dot.sequence, last?.group ?? dot.sequence, .random(in: 1...dot.sequence, using: &random),
    ]
    var record = record()
    if Bool.random(using: &random), let last { record = last.record }
    if Int.random(in: 0...5, using: &random) == 0 { record = .highlight(Highlight.ID(dot)) }
    return Operation(
      dot: dot, time: Timestamp(packed: time),
      group: groups.filter { $0 <= dot.sequence }.randomElement(using: &random)!, record: record,
      field: field(), value: value(),
      basis: Bool.random(using: &random)
        ? [] : (0..<Int.random(in: 0...3, using: &random)).map { _ in self.dot() })
  }

  mutating func run(
    _ count: Int, from first: Int64 = 1, of replica: ReplicaID = SampleVault.replicas[0]
  )
    -> SegmentContent
  {
    var operations: [Operation] = []
    for offset in 0..<count {
      let dot = Dot(replica: replica, sequence: first + Int64(offset))
      operations.append(operation(dot, after: operations.last))
    }
    return SegmentContent(operations: operations, texts: texts)
  }

  /// Returns a snapshot with some operations, and the operations.
  mutating func snapshot(_ count: Int, keys: VaultKeys, device: DeviceKeys) throws -> (
    sealed: SealedObject, vector: [ReplicaID: SnapshotFile.Reach], operations: [Operation]
  ) {
    var (vector, operations): ([ReplicaID: SnapshotFile.Reach], [Operation]) = ([:], [])
    for _ in 0..<count {
      let dot = dot()
      operations.append(operation(dot, after: operations.last))
      let chain = ChainHash(bytes: (0..<32).map { _ in .random(in: 0...255, using: &random) })!
      let sequence = max(dot.sequence, vector[dot.replica]?.sequence ?? 0)
      vector[dot.replica] = .init(sequence: sequence, chain: chain)
    }
    var writer = SnapshotFile.Writer(vector: vector)
    for operation in operations { try writer.add(operation) }
    let sealed = try writer.sealed(replica: SampleVault.replicas[0], keys: keys, device: device)
    return (sealed, vector, operations)
  }
}

extension Operation {
  /// An exact description. `==` treats canonically equivalent texts as equal.
  var exactly: [String] {
    [OperationLine(self).description, "\(group) \(time.packed) \(field.rawValue.utf8.map { $0 })"]
  }
}

extension SegmentContent {
  var exactly: [[String]] {
    operations.map(\.exactly)
      + texts.map { ["\($0.document) \($0.digest) \($0.renderVersion) \($0.text.utf8.map { $0 })"] }
  }
}
