import Foundation
import MarkdownChecks
import TestSupport
import Testing

@testable import MarkdownParse

@Suite struct DifferentialTests {
  static let oracles = [Oracle.cmark, .cmarkGFM].filter(\.isInstalled)

  /// The number of documents that a long run generates, from a new seed each time.
  private let longRun =
    ProcessInfo.processInfo.environment["DIPLE_ORACLE_DOCUMENTS"].flatMap { Int($0) }

  /// Uses a fixed seed, except in long runs that search for new differences.
  @Test(
    .enabled(if: !oracles.isEmpty, "neither cmark nor cmark-gfm is installed"), arguments: oracles)
  func `generated documents have the same HTML as by other parsers`(oracle: Oracle) throws {
    let seed = longRun == nil ? 1 : SeededGenerator.runSeed
    print("seed \(seed)")
    var generator = DocumentGenerator(seed: seed)
    try compare((0..<(longRun ?? 400)).map { _ in generator.nextPlain() }, with: oracle)
  }

  /// The repository's own pages and, if they were fetched, those of the packages that it uses; or
  /// the files of the folder in `DIPLE_ORACLE_FILES`.
  static let realDocuments: [String] = {
    let named = ProcessInfo.processInfo.environment["DIPLE_ORACLE_FILES"]
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let top = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    let checkouts =
      named.map { URL(fileURLWithPath: $0) } ?? root.appendingPathComponent(".build/checkouts")
    let deep = FileManager.default.enumerator(atPath: checkouts.path)?.compactMap { $0 as? String }
    let files =
      top.map { root.appendingPathComponent($0) }
      + (deep ?? []).map { checkouts.appendingPathComponent($0) }
    let texts = files.filter { $0.pathExtension == "md" }
      .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    // A tenth of the packages' pages takes a second.
    return named != nil ? texts : Array(texts.filter { $0.utf8.count < 20_000 }.prefix(40))
  }()

  @Test(
    .enabled(if: !oracles.isEmpty, "neither cmark nor cmark-gfm is installed"), arguments: oracles)
  func `real documents have the same HTML as by other parsers`(oracle: Oracle) throws {
    #expect(Self.realDocuments.count >= 3)
    try compare(Self.realDocuments, with: oracle)
  }

  private func compare(_ documents: [String], with oracle: Oracle) throws {
    var reasons: [String: Int] = [:]
    for (document, html) in zip(documents, try oracle.html(of: documents)) {
      let own = Oracle.normalized(HTMLWriter.html(document, oracle.options))
      let other = Oracle.normalized(html)
      if own == other { continue }
      guard let difference = oracle.allowed.first(where: { $0.applies(document) }) else {
        Issue.record(
          "\(document.debugDescription)\n--- \(oracle.name)\n\(other)\n--- own\n\(own)\n")
        continue
      }
      reasons[difference.reason, default: 0] += 1
    }
    print("\(oracle.name): \(documents.count) documents, allowed: \(reasons)")
  }
}
