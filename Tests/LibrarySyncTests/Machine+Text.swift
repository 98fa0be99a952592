import Foundation
import LibrarySupport
import Model
import Storage
import Sync
import SyncHistories
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

extension Machine {
  static let text = """
    # Rooms

    A woman must have money and a room of her own if she is to write fiction; and that leaves the
    great problem of the true nature of woman unsolved. I have shirked the duty of coming to a
    conclusion upon these two questions.

    One cannot think well, love well, sleep well, if one has not dined well.
    """

  func write(_ path: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(notes)/\(path)"))
  }

  func add(_ path: String, _ text: String) async throws {
    try write(path, text)
    _ = try await library.add(["\(notes)/\(path)"])
  }

  func mark(_ path: String, _ quote: String, note: String = "") async throws -> Highlight {
    try await library.mark("\(notes)/\(path)", "\"\(quote)\"", note: note)
  }

  func all() async throws -> [Highlight] { try await library.highlights(HighlightFilter()) }

  func quotes() async throws -> [String] {
    var found: [String] = []
    for highlight in try await all() {
      found.append(try await library.words(at: highlight) ?? "-")
    }
    return found
  }

  static func pair(_ folder: WorkFolder) async throws -> (Machine, Machine) {
    let (a, b) = (try Machine(folder, "anna"), try Machine(folder, "ben"))
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    return (a, b)
  }

  /// Returns machines that share a vault, in which each knows the others.
  static func vault(_ folder: WorkFolder, _ names: String...) async throws -> [Machine] {
    let all = try names.map { try Machine(folder, $0) }
    _ = try await all[0].library.beginSync(all[0].offer, passphrase: "correct horse", cost: .least)
    for machine in all.dropFirst() {
      _ = try await machine.library.joinSync(machine.offer, passphrase: "correct horse")
    }
    try await all[0].add("room.md", Machine.text)
    for _ in 0..<2 { for machine in all { _ = try await machine.library.sync() } }
    return all
  }

  static func expectSame(_ machines: Machine...) async throws {
    var digests: Set<String> = []
    for machine in machines { digests.insert(try await machine.library.stateDigest()) }
    #expect(digests.count == 1)
    if digests.count > 1 {
      // Print the lines of each machine that some other machine lacks.
      var lines: [Set<String>] = []
      for machine in machines { lines.append(Set(try await machine.library.stateLines())) }
      let common = lines.dropFirst().reduce(lines[0]) { $0.intersection($1) }
      for (machine, said) in zip(machines, lines) {
        print(machine.offer.device, said.subtracting(common).sorted())
      }
    }
    for machine in machines {
      let problems = try await machine.library.integrityProblems()
      #expect(problems == [])
    }
  }
}

extension Library {
  /// Removes a highlight permanently.
  func destroy(_ highlight: Highlight) throws {
    try storage { try store.write { try $0.purge(highlight.id) } }
  }

  func paint(_ highlight: Highlight, _ color: HighlightColor) throws -> Highlight {
    var said = HighlightChange()
    said.color = color
    return try change(highlight, said)
  }

  func annotate(_ highlight: Highlight, _ note: String) throws -> Highlight {
    var said = HighlightChange()
    said.note = note
    return try change(highlight, said)
  }
}
