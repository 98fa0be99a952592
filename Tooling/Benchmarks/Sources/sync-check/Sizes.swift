import Foundation
import Model
import Sync

/// Measures the size of sealed operations, and the time to seal and open them.
struct Sizes {
  private typealias Operation = Model.Operation
  private struct Line: Decodable { var text: String }

  private let vault = VaultID.random()
  private let replica = ReplicaID.random()
  private let device = DeviceKeys.random()
  private let keys: VaultKeys
  private var sequence: Int64 = 0
  private var milliseconds: Int64 = 1_790_000_000_000
  private let texts: [String]

  /// Reads a file of JSON lines, each with a document in `text`. Texts with the same first line are
  /// revisions of one document. Only the last of them is used.
  init(file: String) throws {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    var byTitle: [Substring: String] = [:]
    for line in lines {
      let text = try JSONDecoder().decode(Line.self, from: Data(line.utf8)).text
      byTitle[text.prefix { $0 != "\n" }[...]] = text
    }
    texts = byTitle.values.filter { $0.utf16.count > 3000 }.sorted()
    (_, keys) = try EpochRecord.issue(
      keys: VaultKeys(vault: vault), after: nil, issuer: replica, device: device,
      devices: [replica: device.publicKeys], passphrase: nil)
  }

  mutating func run() throws {
    try measureHighlights()
    for count in [1, 10, 100, 1000, 6000, 100_000] {
      let size = try sealed(SegmentContent(operations: edits(count))).bytes.count
      print(
        "\(count) edits: \(size) bytes, \(String(format: "%.1f", Double(size) / Double(count))) each"
      )
    }
    try measureSpeed()
  }

  private func sealed(_ content: SegmentContent) throws -> (
    object: ObjectName, bytes: [UInt8], chain: ChainHash
  ) {
    try SegmentFile.seal(
      content, vault: vault, after: .start(vault: vault, replica: replica), keys: keys,
      device: device)
  }

  private mutating func operation(
    _ record: RecordReference?, _ field: Operation.Field, _ value: Operation.Value
  ) -> Operation {
    sequence += 1
    let dot = Dot(replica: replica, sequence: sequence)
    return Operation(
      dot: dot, time: Timestamp(milliseconds: milliseconds), group: sequence,
      record: record ?? .highlight(Highlight.ID(dot)), field: field, value: value)
  }

  // MARK: - Highlights

  /// Prints the size of coloured highlights, with twenty in each document.
  private mutating func measureHighlights() throws {
    var contents: [SegmentContent] = []
    var apart = (with: 0, without: 0)
    for (number, text) in texts.enumerated() {
      let digest = ContentDigest(bytes: (0..<32).map { _ in .random(in: 0...255) })!
      let document = Document.ID(Dot(replica: replica, sequence: Int64(number + 1)))
      let units = Array(text.utf16)
      var content = SegmentContent(
        operations: [],
        texts: [CarriedText(document: document, digest: digest, renderVersion: 1, text: text)])
      for _ in 0..<20 {
        milliseconds += .random(in: 3000...60_000)
        let start = Int.random(in: 0..<units.count - 200)
        let range = start..<start + Int.random(in: 30...200)
        let made = operation(nil, .created, .reference(document.dot))
        content.operations += [
          made,
          operation(made.record, .selector, .selector(selector(range, units, digest))),
          operation(made.record, .color, .text("yellow")),
        ]
      }
      apart.with += try sealed(content).bytes.count
      apart.without += try sealed(SegmentContent(operations: content.operations)).bytes.count
      contents.append(content)
    }
    var all = SegmentContent(
      operations: contents.flatMap(\.operations), texts: contents.flatMap(\.texts))
    let count = all.operations.count / 3
    let merged = try sealed(all).bytes.count
    all.texts = []
    let mergedWithout = try sealed(all).bytes.count
    print(
      """
      \(count) highlights, 20 in each of \(texts.count) texts of \
      \(texts.reduce(0) { $0 + $1.utf16.count } / texts.count) units on average, bytes each:
        with texts    \(merged / count) in one segment, \(apart.with / count) in one for each text
        without       \(mergedWithout / count) in one segment, \(apart.without / count) in one for each text
      """)
  }

  private func selector(_ range: Range<Int>, _ units: [UInt16], _ digest: ContentDigest) -> Selector
  {
    func part(_ range: Range<Int>) -> String { String(decoding: units[range], as: UTF16.self) }
    return Selector(
      exact: part(range), prefix: part(max(0, range.lowerBound - 256)..<range.lowerBound),
      suffix: part(range.upperBound..<min(units.count, range.upperBound + 256)),
      position: TextRange(utf16: range), textDigest: digest, renderVersion: 1)
  }

  // MARK: - Edits

  /// Returns random changes of the colours, tags and deletion of 100,000 highlights.
  private mutating func edits(_ count: Int) -> [Operation] {
    sequence = 300_000
    return (0..<count).map { number in
      milliseconds += .random(in: 500...30_000)
      let target = RecordReference.highlight(
        Highlight.ID(Dot(replica: replica, sequence: 1 + 3 * .random(in: 0..<100_000))))
      return switch number % 3 {
      case 0: operation(target, .color, .text(HighlightColor.allCases.randomElement()!.rawValue))
      case 1: operation(target, .tag("tag-number-\(Int.random(in: 0..<40))"), .flag(.random()))
      default: operation(target, .trashed, .flag(.random()))
      }
    }
  }

  private mutating func measureSpeed() throws {
    let operations = edits(1_000_000)
    let clock = ContinuousClock()
    var pieces: [SegmentContent] = []
    let cut = try clock.measure {
      pieces = try SegmentFile.split(SegmentContent(operations: operations))
    }
    var files: [(object: ObjectName, bytes: [UInt8], chain: ChainHash)] = []
    let seal = try clock.measure { for piece in pieces { files.append(try sealed(piece)) } }
    var count = 0
    let open = try clock.measure {
      for file in files {
        count += try SegmentFile.open(
          file.bytes, named: file.object, keys: keys, signer: device.publicKeys
        ).content.operations.count
      }
    }
    print("\(count) edits in \(files.count) segments: cut \(cut), sealed \(seal), opened \(open)")
  }
}
