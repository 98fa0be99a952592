import Files
import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Cached results of searching for the documents of other devices. A search takes long and its
/// result rarely changes, so each result is stored with a hash of its inputs.
struct RememberedMatches {
  /// The version of the comparison. Changing it invalidates all cached results.
  private static let version = 1

  /// The hash of the local documents. It is an input of every comparison.
  private let here: ContentDigest
  private let before: [String: [UInt8]]
  private(set) var now: [String: [UInt8]] = [:]

  init(_ stored: [String: [UInt8]], comparedWith here: [String]) {
    before = stored
    self.here = ContentDigest(sha256: Array(here.sorted().joined(separator: "\n").utf8))
  }

  /// Returns the hash of all inputs of a comparison.
  func mark(of inputs: [String]) -> String {
    let all = ["\(Self.version)", "\(here)"] + inputs
    return ContentDigest(sha256: Array(all.joined(separator: "\n").utf8)).description
  }

  /// Returns the cached result: a path to suggest, or nil for no match. The outer optional is nil
  /// if no result is cached, or if the inputs changed.
  func path(of document: Document.ID, _ mark: String) -> DocumentPath?? {
    guard let stored = before["\(document)"] else { return nil }
    let text = String(decoding: stored, as: UTF8.self)
    guard text == mark || text.hasPrefix(mark + " ") else { return nil }
    let path = text.dropFirst(mark.count + 1)
    return .some(path.isEmpty ? nil : DocumentPath(String(path)))
  }

  /// Returns the path in a cached result, even if the inputs have changed since; nil without one.
  func lastPath(of document: Document.ID) -> DocumentPath? {
    guard let stored = before["\(document)"],
      let mark = stored.firstIndex(of: UInt8(ascii: " "))
    else { return nil }
    return DocumentPath(String(decoding: stored[(mark + 1)...], as: UTF8.self))
  }

  mutating func remember(_ path: DocumentPath?, of document: Document.ID, _ mark: String) {
    now["\(document)"] = Array((path.map { "\(mark) \($0.string)" } ?? mark).utf8)
  }

  /// The results to store. A nil value deletes an entry.
  var changes: [String: [UInt8]?] {
    var changes: [String: [UInt8]?] = [:]
    for (name, bytes) in now where before[name] != bytes { changes[name] = .some(bytes) }
    for name in before.keys where now[name] == nil { changes[name] = .some(nil) }
    return changes
  }
}

extension Library {
  private static let matchPrefix = "match/"
  /// The key under which the hash of the state before the last search is stored.
  static let searchedName = "matched"

  /// Returns a hash of all inputs of the search for the files of documents, except the properties
  /// that other devices sent. O(documents).
  ///
  /// - Parameters:
  ///   - elsewhere: the documents without a file on this device.
  ///   - here: the local documents and their text hashes, one line for each.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func stateOfSearch(for elsewhere: [Document], besides here: [String]) throws(UserError)
    -> [UInt8]
  {
    // The progress represents the texts of other devices, because these arrive with operations.
    let (progress, last) = try storage {
      try store.read { try ($0.progress(), $0.lastSequence()) }
    }
    var lines = here + progress.map { "\($0.key) \($0.value.sequence)" }.sorted() + ["\(last)"]
    for document in elsewhere {
      let file = localFile(at: document.path)?.digest.description ?? "-"
      lines.append("\(document.id) \(document.path.string) \(document.title) \(file)")
    }
    return Array(RememberedMatches([:], comparedWith: lines).mark(of: []).utf8)
  }

  /// Returns the matches that the last search suggested.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func suggestedBefore(for elsewhere: [Document]) throws(UserError) -> [DocumentMatch] {
    let answers = try rememberedMatches(comparedWith: [])
    return elsewhere.compactMap { remote in
      answers.lastPath(of: remote.id).map {
        DocumentMatch(remote: remote, path: $0, ground: .similar)
      }
    }
  }

  /// Reads the cached results.
  ///
  /// - Parameter here: the local documents and their text hashes, one line for each.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func rememberedMatches(comparedWith here: [String]) throws(UserError) -> RememberedMatches {
    let stored = try storage {
      try store.read { try $0.syncStates(withPrefix: Self.matchPrefix) }
    }
    return RememberedMatches(stored, comparedWith: here)
  }

  /// Returns the inputs of the comparison for a remote document: its path and title, its known
  /// texts and the file at its path.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func inputs(of remote: Document) throws(UserError) -> [String] {
    let (known, kept) = try storage {
      try store.read { try ($0.knownTexts(of: remote.id), $0.keptTexts(of: remote.id)) }
    }
    let file = localFile(at: remote.path)?.digest.description ?? "-"
    return [remote.path.string, remote.title, file] + known.map(\.description).sorted() + ["kept"]
      + kept.map(\.description).sorted()
  }

  /// Stores the results of a search.
  ///
  /// - Parameter state: the hash of the state before the search. If the search linked a document,
  ///   the state has changed, so the next sync searches again.
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  func storeMatches(_ answers: RememberedMatches, _ state: [UInt8]) throws(UserError) {
    try storage {
      try store.writeCache { transaction in
        for (name, bytes) in answers.changes {
          try transaction.setSyncState(Self.matchPrefix + name, bytes)
        }
        try transaction.setSyncState(Self.searchedName, state)
      }
    }
  }
}
