import BuiltIn
import Foundation
import Model
import Storage
import Sync
import Synchronization
import TestSupport
import Testing

@testable import Workspace

/// The wall clock of a machine, which can be wrong.
final class MachineClock: Sendable {
  private let seconds = Mutex<TimeInterval>(0)
  /// The time at which it stopped; nil if it runs.
  private let stop: Date?

  init(stoppedAt stop: Date? = nil) { self.stop = stop }

  /// How many seconds it is ahead.
  var offset: TimeInterval {
    get { seconds.withLock { $0 } }
    set { seconds.withLock { $0 = newValue } }
  }

  var now: Date { (stop ?? Date()) + offset }
}

/// One of them, with notes that nobody carries to the others.
final class Machine: @unchecked Sendable {
  let library: Library
  let notes: String
  let offer: SyncOffer

  init(
    _ folder: WorkFolder, _ name: String, copyOf other: Machine? = nil,
    over transport: (any SyncTransport)? = nil, clock: MachineClock = MachineClock(),
    sharing share: String = "shared"
  ) throws {
    let home = "\(folder.path)/\(name)"
    notes = home + "/notes"
    let files = FileManager.default
    if let other {
      try files.createDirectory(atPath: home, withIntermediateDirectories: true)
      try files.copyItem(atPath: other.notes, toPath: notes)
    } else {
      try files.createDirectory(atPath: notes + "/.diple", withIntermediateDirectories: true)
    }
    let shared = "\(folder.path)/\(share)"
    try files.createDirectory(atPath: shared, withIntermediateDirectories: true)
    var location = LibraryLocation(folder: notes + "/.diple")
    location.usePersonalFolders(of: ["HOME": home])
    var plugins = PluginSet.builtIn
    if let transport { plugins.transports.register(transport, "test", "for a test") }
    library = try Library(at: location, plugins: plugins, opening: .create, now: { clock.now })
    offer = SyncOffer(
      transport: transport == nil ? "folder" : "test", address: shared, device: name)
  }

  /// Copies all of a machine's home, with its keys.
  ///
  /// - Parameter isImage: whether the copy cannot know that it is one, as the image of a disk.
  init(
    _ folder: WorkFolder, _ name: String, cloneOf other: Machine, isImage: Bool = false,
    clock: MachineClock = MachineClock(), sharing share: String = "shared"
  ) throws {
    let home = "\(folder.path)/\(name)"
    notes = home + "/notes"
    try FileManager.default.copyItem(
      atPath: URL(fileURLWithPath: other.notes).deletingLastPathComponent().path, toPath: home)
    var location = LibraryLocation(folder: notes + "/.diple")
    location.usePersonalFolders(of: ["HOME": home])
    if isImage {
      try Store(at: notes + "/.diple/library.sqlite").write { try $0.forgetPlace() }
    }
    library = try Library(at: location, plugins: .builtIn, now: { clock.now })
    let shared = "\(folder.path)/\(share)"
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    offer = SyncOffer(transport: "folder", address: shared, device: name)
  }

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

  /// Has the library forget that it is synced.
  func forgetPlace() throws {
    try Store(at: notes + "/.diple/library.sqlite").write { try $0.forgetSync() }
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

  /// A vault of some machines, all of which know all.
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
      // What not all of them say.
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
  func stateLines() throws -> [String] {
    var lines: [String] = []
    try storage { try store.read { try $0.stateLines { lines.append($0) } } }
    return lines
  }

  /// Removes a highlight for good.
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
