import Foundation
import Model
import Storage

/// `diple-bench storage PATH [DOCUMENTS [HIGHLIGHTS]]`: measures the store with a library that it
/// creates, with a number of highlights in each document. An existing library is only read.
struct StorageBenchmark {
  private var path: String
  private var documents = 10_000
  private var highlightsEach = 10
  private var random = SystemRandomNumberGenerator()

  /// Parses the arguments after `storage`.
  init(_ words: [String]) {
    path = words.first ?? "library.sqlite"
    if words.count > 1 { documents = Int(words[1]) ?? documents }
    if words.count > 2 { highlightsEach = Int(words[2]) ?? highlightsEach }
  }

  mutating func run() throws {
    if !FileManager.default.fileExists(atPath: path) { try fill() }
    try read()
  }

  // MARK: - Making

  private mutating func fill() throws {
    let store = try Store(at: path)
    let preparation = TextPreparation()
    var made: [(id: Document.ID, digest: ContentDigest, text: [UInt16])] = []
    let part = 1_000
    for start in stride(from: 0, to: documents, by: part) {
      try store.write { transaction in
        for number in start..<min(documents, start + part) {
          let text = prose(words: 150)
          let digest = Self.digest(number)
          let stamp = FileStamp(size: 1, mtime: 2, ctime: 3, inode: 4, device: 5, checked: 6)
          let document = try transaction.createDocument(
            path: DocumentPath("\(number &* 7_919 % 1_000_003).md"), title: "Title \(number)",
            revision: Revision(
              sourceDigest: digest, textDigest: digest, renderVersion: 1, dialect: "github",
              stamp: stamp,
              seen: Date()), text: preparation.prepare(text, positions: []))
          made.append((document.id, digest, Array(text.utf16)))
        }
      }
    }
    var count = 0
    for start in stride(from: 0, to: made.count, by: part) {
      let time = try seconds {
        try store.write { transaction in
          for (id, digest, text) in made[start..<min(made.count, start + part)] {
            for _ in 0..<highlightsEach {
              let selector = passage(of: text, digest)
              _ = try transaction.createHighlight(
                in: id, selector: selector, color: .green, note: "",
                tags: count % 100 == 0 ? ["rare"] : [],
                anchor: Anchor(range: selector.position, state: .exact, score: 1, method: "marked"))
              count += 1
            }
          }
        }
      }
      // If creating is linear, the rate is the same from the first to the last highlight.
      if start % max(part, documents / 10 / part * part) == 0 {
        let speed = Int(Double(part * highlightsEach) / time)
        print("created \(count) highlights, \(speed) per second")
      }
    }
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    print("database: \(size / max(1, count)) bytes per highlight, documents included")
  }

  private static let words =
    "the quick brown fox jumps over a lazy dog while readers mark what is worth keeping in mind"
    .split(separator: " ")

  private mutating func prose(words: Int) -> String {
    (0..<words).map { _ in Self.words.randomElement(using: &random)! }.joined(separator: " ")
  }

  private static func digest(_ number: Int) -> ContentDigest {
    var bytes = [UInt8](repeating: 7, count: 32)
    for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    return ContentDigest(bytes: bytes)!
  }

  private mutating func passage(of text: [UInt16], _ digest: ContentDigest) -> Selector {
    let start = Int.random(in: 0..<max(1, text.count - 40), using: &random)
    let end = min(text.count, start + 40)
    let context = Selector.contextLength
    func words(_ range: Range<Int>) -> String {
      String(decoding: text[range.clamped(to: 0..<text.count)], as: UTF16.self)
    }
    return Selector(
      exact: words(start..<end), prefix: words(start - context..<start),
      suffix: words(end..<end + context), position: TextRange(utf16: start..<end),
      textDigest: digest, renderVersion: 1)
  }

  // MARK: - Reading

  private func read() throws {
    let path = path
    try time("open, and one query") {
      _ = try Store(at: path).read { try $0.replica() }
      return 1
    }
    let store = try Store(at: path)
    var listing = HighlightFilter()
    listing.detail = .line
    var tagged = listing
    tagged.tags = ["rare"]
    try time("first 50 highlights") {
      try store.read { try $0.highlights(listing, after: nil, limit: 50).highlights.count }
    }
    try time("all highlights, by document") {
      var count = 0
      try store.read { transaction in
        let reader = try transaction.highlightReader(listing)
        while let next = try reader.next() { count += next.highlights.count }
      }
      return count
    }
    try time("highlights with a tag") { try store.read { try $0.highlights(tagged).count } }
    try time("history, 20 steps") {
      try store.read { transaction in
        try transaction.journal(limit: 20).map { try transaction.outline(of: $0) }.count
      }
    }
    try time("documents") { try store.read { try $0.documents(includingRemoved: false).count } }
    try time("check", runs: 1) { try store.integrityProblems().count }
  }

  /// Prints the shortest time of some runs in milliseconds, and the count that the closure returns.
  private func time(_ name: String, runs: Int = 3, _ body: () throws -> Int) rethrows {
    var count = 0
    let best = try (0..<runs).map { _ in try seconds { count = try body() } }.min() ?? 0
    print(String(format: "%@: %.2f ms (%d)", name, best * 1e3, count))
  }

  private func seconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
  }
}
