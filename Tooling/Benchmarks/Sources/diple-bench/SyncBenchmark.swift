import BuiltIn
import Foundation
import LibrarySync
import Model
import Storage
import Sync
import Workspace

/// Measures the cost of syncing: merging a million operations, setting up a new device, and the
/// number of bytes and files.
struct SyncBenchmark {
  private let folder: URL
  private let highlights: Int
  private let flushes: Int
  private let replica = ReplicaID(rawValue: 0x1234_5678_9abc_def0)

  /// - Parameter words: a working folder, the number of highlights, and how often changes are sent.
  init(_ words: [String]) {
    folder = URL(fileURLWithPath: words.first ?? NSTemporaryDirectory())
    highlights = words.count > 1 ? Int(words[1]) ?? 100_000 : 100_000
    flushes = words.count > 2 ? Int(words[2]) ?? 3_000 : 3_000
  }

  private func seconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
  }

  private static let words = """
    a woman must have money and a room of her own if she is to write fiction and that leaves the great
    problem of the true nature of woman unsolved i have shirked the duty of coming to a conclusion
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  private func text(_ length: Int, _ random: inout SystemRandomNumberGenerator) -> String {
    var text = ""
    while text.utf16.count < length {
      text += Self.words.randomElement(using: &random)! + " "
    }
    return text
  }

  /// Returns ten operations for each highlight, with twenty highlights in each document.
  private func operations() -> [Model.Operation] {
    var random = SystemRandomNumberGenerator()
    var all: [Model.Operation] = []
    var sequence: Int64 = 0
    var clock: Int64 = 1_700_000_000_000
    func add(
      _ record: RecordReference?, _ field: Model.Operation.Field, _ value: Model.Operation.Value,
      highlight: Bool = true
    ) -> RecordReference {
      sequence += 1
      clock += 1_700
      let dot = Dot(replica: replica, sequence: sequence)
      let record =
        record ?? (highlight ? .highlight(Highlight.ID(dot)) : .document(Document.ID(dot)))
      all.append(
        Model.Operation(
          dot: dot, time: Timestamp(milliseconds: clock), group: sequence, record: record,
          field: field, value: value))
      return record
    }
    var document = RecordReference.library
    var dot = Dot(replica: replica, sequence: 1)
    let colors = HighlightColor.allCases
    for number in 0..<highlights {
      if number % 20 == 0 {
        document = add(nil, .created, .none, highlight: false)
        dot = Dot(replica: replica, sequence: sequence)
        _ = add(document, .path, .text("notes/\(number).md"))
        _ = add(document, .title, .text("Note \(number)"))
      }
      let mark = add(nil, .created, .reference(dot))
      let start = Int.random(in: 0..<20_000, using: &random)
      let quote = text(60, &random)
      _ = add(
        mark, .selector,
        .selector(
          Selector(
            exact: quote, prefix: text(256, &random), suffix: text(256, &random),
            position: TextRange(utf16: start..<start + quote.utf16.count),
            textDigest: ContentDigest(
              bytes: (0..<32).map { UInt8(truncatingIfNeeded: $0 &* number) }),
            renderVersion: 2)))
      for edit in 0..<8 {
        switch edit % 4 {
        case 0: _ = add(mark, .color, .text(colors[(number + edit) % 4].rawValue))
        case 1: _ = add(mark, .tag("tag\(number % 40)"), .flag(edit < 4))
        case 2: _ = add(mark, .trashed, .flag(false))
        default: _ = add(mark, .note, .text("A note on \(number)"))
        }
      }
    }
    return all
  }

  func run() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let all = operations()
    print("\(all.count) operations, \(highlights) highlights")
    let file = folder.appendingPathComponent("merge.sqlite").path
    let store = try Store(at: file)
    let shuffled = all.shuffled()
    let merge = try seconds { try store.write { _ = try $0.merge(shuffled) } }
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    let copy = try seconds {
      let copied = open(file + ".copy", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      _ = bytes.withUnsafeBytes { write(copied, $0.baseAddress, $0.count) }
      fsync(copied)
      close(copied)
    }
    print(
      String(
        format:
          "merged into SQLite in %.2f s (goal 3); copying the database of %.0f MB %.2f s, ratio %.1f",
        merge, Double(size) / 1e6, copy, merge / copy))

    let device = DeviceKeys.random()
    let vault = VaultID.random()
    let issued = try EpochRecord.issue(
      keys: VaultKeys(vault: vault), after: nil, issuer: replica, device: device,
      devices: [replica: device.publicKeys], passphrase: nil)
    let keys = issued.keys
    var standing: [Model.Operation] = []
    let gather = try seconds {
      try store.read { try $0.currentOperations { standing.append($0) } }
    }
    let chain = ChainHash.start(vault: vault, replica: replica)
    var sealed: SealedObject?
    let seal = try seconds {
      var writer = SnapshotFile.Writer(
        vector: [replica: .init(sequence: Int64(all.count), chain: chain)])
      for operation in standing { try writer.add(operation) }
      sealed = try writer.sealed(replica: replica, keys: keys, device: device)
    }
    let snapshot = sealed!
    let new = folder.appendingPathComponent("new.sqlite").path
    let fresh = try Store(at: new)
    let take = try seconds {
      let opened = try SnapshotFile.open(
        snapshot.bytes, named: snapshot.object, keys: keys, signer: device.publicKeys)
      try fresh.write { transaction in
        for index in 0..<opened.partCount {
          _ = try transaction.merge(try opened.part(index).operations)
        }
      }
    }
    let newSize = try FileManager.default.attributesOfItem(atPath: new)[.size] as? Int ?? 0
    print(
      String(
        format:
          "snapshot of %d operations, %.1f MB: gathered in %.2f s, sealed in %.2f s; new machine in %.2f s (goal 2), database %.0f MB",
        standing.count, Double(snapshot.bytes.count) / 1e6, gather, seal, take,
        Double(newSize) / 1e6))

    // Returns the average size of an operation in bytes, sealed in large segments, as on a busy
    // day.
    func bytes(_ list: [Model.Operation]) throws -> Double {
      var renumbered = list
      for index in renumbered.indices {
        renumbered[index].dot = Dot(replica: replica, sequence: Int64(index + 1))
        renumbered[index].group = Int64(index + 1)
      }
      var total = 0
      var at = chain
      for piece in try SegmentFile.split(SegmentContent(operations: renumbered)) {
        let part = try SegmentFile.seal(piece, vault: vault, after: at, keys: keys, device: device)
        total += part.bytes.count
        at = part.chain
      }
      return Double(total) / Double(list.count)
    }
    let edits = Array(
      all.filter { [.color, .trashed].contains($0.field) || $0.field.tag != nil }.prefix(100_000))
    print(String(format: "%.1f bytes an edit (goal 16)", try bytes(edits)))
    try await countFiles()
  }

  /// Prints the number of files at the target after changes were sent many times.
  private func countFiles() async throws {
    let home = folder.appendingPathComponent("home").path
    let shared = folder.appendingPathComponent("shared").path
    for path in [home + "/notes/.diple", shared] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try Data("# Note\n\nSome text to be marked.\n".utf8).write(
      to: URL(fileURLWithPath: home + "/notes/a.md"))
    var location = LibraryLocation(folder: home + "/notes/.diple")
    location.usePersonalFolders(of: ["HOME": home])
    let library = try Library(at: location, plugins: .builtIn, opening: .create)
    _ = try await library.add([home + "/notes/a.md"])
    let document = try await library.documents()[0]
    _ = try await library.beginSync(
      SyncOffer(transport: "folder", address: shared, device: "bench"), passphrase: "bench bench",
      cost: .least)
    let begin = ContinuousClock().now
    for round in 0..<flushes {
      try await library.rename(document, to: "Title \(round)")
      _ = try await library.sync()
    }
    let time = ContinuousClock().now - begin
    let files = try FileManager.default.subpathsOfDirectory(atPath: shared).filter {
      $0.hasSuffix(".seg") || $0.hasSuffix(".snap")
    }
    print("\(files.count) files after \(flushes) times sent (goal 100), \(time / flushes) each")
  }
}
