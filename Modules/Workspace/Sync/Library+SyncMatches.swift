import Files
import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport

/// What came of looking for documents of other machines: remembered by what was compared, because that
/// takes long and is seldom different the next time.
struct RememberedMatches {
  /// Another way of comparing has another one.
  private static let version = 1

  /// What all of them were compared with.
  private let here: ContentDigest
  private let before: [String: [UInt8]]
  private(set) var now: [String: [UInt8]] = [:]

  init(_ stored: [String: [UInt8]], comparedWith here: [String]) {
    before = stored
    self.here = ContentDigest(sha256: Array(here.sorted().joined(separator: "\n").utf8))
  }

  /// What stands for the inputs of one comparison.
  func mark(of inputs: [String]) -> String {
    let all = ["\(Self.version)", "\(here)"] + inputs
    return ContentDigest(sha256: Array(all.joined(separator: "\n").utf8)).description
  }

  /// The answer of the last time: a path to suggest, or none; nil where something else was compared.
  func path(of document: Document.ID, _ mark: String) -> DocumentPath?? {
    guard let stored = before["\(document)"] else { return nil }
    let text = String(decoding: stored, as: UTF8.self)
    guard text == mark || text.hasPrefix(mark + " ") else { return nil }
    let path = text.dropFirst(mark.count + 1)
    return .some(path.isEmpty ? nil : DocumentPath(String(path)))
  }

  mutating func remember(_ path: DocumentPath?, of document: Document.ID, _ mark: String) {
    now["\(document)"] = Array((path.map { "\(mark) \($0.string)" } ?? mark).utf8)
  }

  /// What is different from what is stored; nil for what is forgotten.
  var changes: [String: [UInt8]?] {
    var changes: [String: [UInt8]?] = [:]
    for (name, bytes) in now where before[name] != bytes { changes[name] = .some(bytes) }
    for name in before.keys where now[name] == nil { changes[name] = .some(nil) }
    return changes
  }
}

extension Library {
  private static let matchPrefix = "match/"

  /// The answers of the last time.
  ///
  /// - Parameter here: the documents of this machine with their texts, one line each.
  func rememberedMatches(comparedWith here: [String]) throws(UserError) -> RememberedMatches {
    let stored = try storage {
      try store.read { try $0.syncStates(withPrefix: Self.matchPrefix) }
    }
    return RememberedMatches(stored, comparedWith: here)
  }

  /// What a document of another machine is compared by.
  func inputs(of remote: Document) throws(UserError) -> [String] {
    let (known, kept) = try storage {
      try store.read { try ($0.knownTexts(of: remote.id), $0.keptTexts(of: remote.id)) }
    }
    let file = localFile(at: remote.path)?.digest.description ?? "-"
    return [remote.path.string, remote.title, file] + known.map(\.description).sorted() + ["kept"]
      + kept.map(\.description).sorted()
  }

  func keep(_ answers: RememberedMatches) throws(UserError) {
    let changes = answers.changes
    guard !changes.isEmpty else { return }
    try storage {
      try store.writeCache { transaction in
        for (name, bytes) in changes {
          try transaction.setSyncState(Self.matchPrefix + name, bytes)
        }
      }
    }
  }
}
