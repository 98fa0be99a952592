import BuiltIn
import Files
import Foundation
import LibrarySync
import Model
import Storage
package import Sync
import Synchronization
import TestSupport
import Testing

@testable import Workspace

/// A place at which random histories sync, such as a server of the test.
package protocol HistoryPlace: Sendable {
  var transport: any SyncTransport { get }
  /// Creates an empty target and returns its address.
  ///
  /// - Parameter number: Unique among all targets of the place.
  func makeTarget(_ number: Int) throws -> String
}

/// A random history of whole libraries that are synced: user actions, objects that arrive late and
/// in any order, snapshots of small sizes, wrong clocks, copies of devices, changes of the target.
/// In the end all libraries must be equal and contain every change.
///
/// Without a `HistoryPlace`, each device has its own folder, as with Syncthing, and files are
/// copied between them.
package final class SyncSchedule {
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// A user's device.
  private final class Device {
    var name: String
    let machine: Machine
    let clock: MachineClock
    /// Whether the clock was wrong since the last sync.
    var wasWrong = false
    /// The number of its target. Nil if it uses none.
    var target: Int?
    /// The folder that is synchronized with those of other devices.
    var folder: String { machine.offer.address }
    /// The objects that it can see at a shared place.
    let view: LateView

    init(_ name: String, _ machine: Machine, _ clock: MachineClock, _ view: LateView) {
      (self.name, self.machine, self.clock, self.view) = (name, machine, clock, view)
    }
  }

  /// The changes of a highlight, which is identified by its unique words.
  private struct Work {
    var isFormat: Bool
    var isPurged = false
    var wasTrashed = false
    /// The written notes, and whether each was replaced by a user who had seen it.
    var notes: [String: Bool] = [:]
    /// The added tags, and whether each was removed.
    var tags: [String: Bool] = [:]
  }

  package private(set) var log: [String] = []
  private var random: SeededGenerator
  private let place: WorkFolder
  private let shared: (any HistoryPlace)?
  private var devices: [Device] = []
  private var works: [String: Work] = [:]
  private var target = 0
  /// The addresses of the targets at the shared place.
  private var addresses: [String] = []
  /// The number of targets that histories have created at shared places.
  private static let targets = Atomic(0)
  /// The paths that were created in the folders of a target, and the paths deleted since.
  private var made: [Int: Set<String>] = [:]
  private var deleted: [Int: Set<String>] = [:]
  /// The highlights that were created since a device was copied. Nil without a copy.
  private var apart: Set<String>?
  private var number = 0

  /// Whether a copy of a device cannot detect that it is one.
  private let withImages: Bool

  package init(seed: UInt64, withImages: Bool, at shared: (any HistoryPlace)? = nil) throws {
    self.withImages = withImages
    self.shared = shared
    random = SeededGenerator(seed: seed)
    place = try WorkFolder()
  }

  /// Prints how many histories are run and which, for `Tooling/torture-sync`.
  package static func announce(_ histories: [(seed: UInt64, withImages: Bool)], over name: String) {
    guard let first = histories.first?.seed, let last = histories.last?.seed else { return }
    let images = histories.count { $0.withImages }
    print(
      "histories over \(name): \(histories.count), seeds \(first) to \(last),",
      "\(images) with disk images")
  }

  private func draw(_ count: Int) -> Int { .random(in: 0..<count, using: &random) }

  private func fail(_ what: String) -> Failure { Failure(description: what) }

  // MARK: - Running

  package func run() async throws {
    try beginTarget()
    try await add()
    for _ in 0..<draw(3) + 1 { try await add() }
    for _ in 0..<30 + draw(40) { try await step() }
    try await finish()
  }

  private func step() async throws {
    let device = devices[draw(devices.count)]
    switch draw(40) {
    case 0..<18: try await act(device)
    case 18..<28: try await sync(device)
    case 28..<34: carry(device, to: devices[draw(devices.count)], all: false)
    case 34:
      device.clock.offset = [0, 0, 3_600, -3_600, 315_360_000, -315_360_000][draw(6)]
      if device.clock.offset != 0 { device.wasWrong = true }
      log.append("the clock of \(device.name) is \(device.clock.offset) s ahead")
    case 35: device.clock.offset = 0
    case 36 where devices.count < 8: try await add()
    case 37 where devices.count < 8: try await copy(device)
    case 38: try await move(device)
    default: try await sync(device)
    }
  }

  /// Adds a new device, which joins.
  private func add() async throws {
    let name = "device\(devices.count)"
    let clock = MachineClock()
    let view = LateView()
    let machine = try Machine(
      place, name, over: late(view), clock: clock, sharing: "\(name)-shared")
    let device = Device(name, machine, clock, view)
    devices.append(device)
    log.append("\(name) joins")
    if devices.count == 1 {
      useTarget(device)
      _ = try await machine.library.beginSync(
        machine.offer, passphrase: "correct horse", cost: .least)
      device.target = target
      note(device, before: [])
      try await machine.library.plain { _ = try $0.scheduleDocument() }
      try await sync(device)
    } else {
      try await join(device)
    }
  }

  private func late(_ view: LateView) -> LateTransport? {
    shared.map { LateTransport(transport: $0.transport, view: view) }
  }

  private func beginTarget() throws {
    guard let shared else { return }
    let number = Self.targets.wrappingAdd(1, ordering: .relaxed).newValue
    addresses.append(try shared.makeTarget(number))
  }

  private func useTarget(_ device: Device) {
    if shared != nil { device.machine.offer.address = addresses[target] }
  }

  private func join(_ device: Device) async throws {
    device.target = target
    useTarget(device)
    for other in devices where other !== device && other.target == target {
      carry(other, to: device, all: true)
    }
    let before = paths(device)
    _ = try await device.machine.library.joinSync(
      device.machine.offer, passphrase: "correct horse", syncOptions())
    note(device, before: before)
  }

  /// Copies a device with its keys and its part of the target.
  private func copy(_ device: Device) async throws {
    // Unsent changes made under a wrong clock get different times in the two copies.
    guard apart == nil, !device.wasWrong, devices.allSatisfy({ $0.target == target }) else {
      return
    }
    let name = "device\(devices.count)"
    let clock = MachineClock()
    let view = LateView(copyOf: device.view)
    let machine = try Machine(
      place, name, cloneOf: device.machine, isImage: withImages, over: late(view), clock: clock,
      sharing: "\(name)-shared")
    let copy = Device(name, machine, clock, view)
    useTarget(copy)
    if shared == nil {
      // The address of the target is stored in the library.
      var carried = try #require(try await machine.library.syncPlace())
      carried.address = copy.folder
      try await machine.library.setSyncPlace(carried)
    }
    copy.target = device.target
    devices.append(copy)
    carry(device, to: copy, all: true)
    apart = []
    log.append("\(name) is a copy of \(device.name)")
  }

  /// Lets a device leave and continue with another target.
  private func move(_ device: Device) async throws {
    guard apart == nil, device.clock.offset == 0 else { return }
    // A device at the current target sets up another target, to which the other devices follow.
    guard device.target != target || draw(3) == 0 else { return }
    try await leave(device)
    if devices.contains(where: { $0.target == target }) {
      if devices.allSatisfy({ $0.target == target || $0 === device }), draw(2) == 0 {
        try await begin(device)
      } else {
        log.append("\(device.name) joins again")
        try await join(device)
      }
    } else {
      try await begin(device)
    }
  }

  private func leave(_ device: Device) async throws {
    log.append("\(device.name) leaves")
    _ = try await device.machine.library.leaveSync()
    device.target = nil
    device.view.clear()
    if shared == nil { try? FileManager.default.removeItem(atPath: device.folder + "/v1") }
  }

  private func begin(_ device: Device) async throws {
    target += 1
    try beginTarget()
    useTarget(device)
    log.append("\(device.name) begins target \(target)")
    device.target = target
    _ = try await device.machine.library.beginSync(
      device.machine.offer, passphrase: "correct horse", cost: .least, syncOptions())
    note(device, before: [])
  }

  private func syncOptions() -> SyncOptions {
    var options = SyncOptions()
    options.isRoutine = log.count % 2 == 0
    options.summing =
      [
        SnapshotRule(operations: 5, laterShare: 0), SnapshotRule(operations: 60), SnapshotRule(),
      ][draw(3)]
    options.removals = true
    return options
  }

  private func sync(_ device: Device) async throws {
    guard device.target != nil else { return }
    log.append("\(device.name) syncs")
    let before = paths(device)
    _ = try await device.machine.library.sync(syncOptions())
    note(device, before: before)
    if device.clock.offset == 0 { device.wasWrong = false }
  }

  // MARK: - Synchronizing folders

  private func paths(_ device: Device) -> Set<String> {
    if shared != nil { return [] }
    return Set(
      (FileManager.default.enumerator(atPath: device.folder)?.allObjects as? [String] ?? [])
        .filter { $0.split(separator: "/").count == 4 })
  }

  private func note(_ device: Device, before: Set<String>) {
    guard let target = device.target else { return }
    let after = paths(device)
    made[target, default: []].formUnion(after.subtracting(before))
    deleted[target, default: []].formUnion(before.subtracting(after))
  }

  /// Copies files from one device to another: all, or some of them, in any order.
  private func carry(_ device: Device, to other: Device, all: Bool) {
    guard let target = device.target, other.target == target, device !== other else { return }
    if shared != nil {
      other.view.reveal(device.view.names.filter { _ in all || draw(3) > 0 })
      if !all { log.append("\(device.name) → \(other.name)") }
      return
    }
    let deletedPaths = deleted[target, default: []]
    let files = FileManager.default
    for path in paths(device).subtracting(paths(other)).subtracting(deletedPaths).sorted()
    where all || draw(3) > 0 {
      let end = other.folder + "/" + path
      try? files.createDirectory(
        atPath: URL(fileURLWithPath: end).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try? files.copyItem(atPath: device.folder + "/" + path, toPath: end)
    }
    for path in paths(other).intersection(deletedPaths).sorted() where all || draw(2) == 0 {
      try? files.removeItem(atPath: other.folder + "/" + path)
    }
    if !all { log.append("\(device.name) → \(other.name)") }
  }

  // MARK: - Acting

  private func act(_ device: Device) async throws {
    let library = device.machine.library
    let marks = try await library.highlights(HighlightFilter(trash: .excluded, kind: .all))
    guard let mark = marks.isEmpty ? nil : marks[draw(marks.count)], draw(4) > 0 else {
      number += 1
      let (words, isFormat) = ("words \(number)", draw(6) == 0)
      let isMade = try await library.plain { try $0.scheduleMark(words, isFormat: isFormat) }
      guard isMade else { return }
      works[words] = Work(isFormat: isFormat)
      apart?.insert(words)
      log.append("\(device.name) marks “\(words)”")
      return
    }
    let words = mark.selector.exact
    guard works[words] != nil else { throw fail("“\(words)” is of nobody") }
    number += 1
    switch draw(12) {
    case 0..<5 where mark.format == nil:
      let text = "note \(number)"
      log.append("\(device.name) notes “\(text)” at “\(words)”, which said “\(mark.note)”")
      if !mark.note.isEmpty { works[words]?.notes[mark.note] = true }
      works[words]?.notes[text] = false
      try await library.plain { _ = try $0.setNote(text, of: mark.id) }
    case 5, 6:
      let color = HighlightColor.allCases[draw(4)]
      try await library.plain { _ = try $0.setColor(color, of: mark.id) }
      if draw(2) == 0 {
        log.append("\(device.name) takes back a colour of “\(words)”")
        try await library.plain { transaction in
          guard let entry = try transaction.nextUndo() else { return }
          transaction.journal(JournalStep(.undo, of: entry.id))
          let operations = try transaction.operations(of: entry)
          if operations.allSatisfy({ $0.field == .color }) {
            _ = try transaction.reverse(operations)
          }
        }
      }
    case 7, 8:
      let tag = "tag \(number)"
      works[words]?.tags[tag] = false
      try await library.plain { _ = try $0.setTag(tag, true, of: mark.id) }
    case 9:
      guard let tag = mark.tags.first else { return }
      works[words]?.tags[tag] = true
      try await library.plain { _ = try $0.setTag(tag, false, of: mark.id) }
    case 10:
      log.append("\(device.name) removes “\(words)”")
      works[words]?.wasTrashed = true
      try await library.plain { _ = try $0.setTrashed(true, of: mark.id) }
    default:
      // Purging a record by an id that both copies use would purge the other copy's record too.
      guard apart?.contains(words) != true else { return }
      log.append("\(device.name) removes “\(words)” for good")
      works[words]?.isPurged = true
      try await library.plain { try $0.purge(mark.id) }
    }
  }

  // MARK: - The end

  private func finish() async throws {
    for device in devices { device.clock.offset = 0 }
    log.append("end")
    for device in devices where device.target != target {
      if device.target != nil { try await leave(device) }
      try await join(device)
    }
    var accepting = SyncOptions()
    accepting.clock = true
    accepting.removals = true
    var digests: [String] = []
    for _ in 0..<8 {
      for device in devices {
        for other in devices { carry(other, to: device, all: true) }
        let before = paths(device)
        _ = try await device.machine.library.sync(accepting)
        note(device, before: before)
      }
    }
    for device in devices {
      digests.append(try await device.machine.library.stateDigest())
      let problems = try await device.machine.library.integrityProblems()
      guard problems.isEmpty else { throw fail("\(device.name): \(problems)") }
      let held = try await device.machine.library.sync(accepting).held
      guard held.isEmpty else {
        throw fail("\(device.name) holds \(held.map(\.reason.detail))")
      }
    }
    if let other = digests.firstIndex(where: { $0 != digests[0] }) {
      let (a, b) = (
        Set(try await devices[0].machine.library.stateLines()),
        Set(try await devices[other].machine.library.stateLines())
      )
      throw fail(
        """
        \(devices[0].name) and \(devices[other].name) are different:
        \(a.subtracting(b).sorted().joined(separator: "\n"))
        ---
        \(b.subtracting(a).sorted().joined(separator: "\n"))
        """)
    }
    for device in devices { try await check(device) }
  }

  /// Expects that all changes are in the library.
  private func check(_ device: Device) async throws {
    let library = device.machine.library
    let found = try await library.highlights(HighlightFilter(trash: .included, kind: .all))
    let marks = Dictionary(grouping: found, by: \.selector.exact)
    let conflicts = try await library.noteConflicts()
    for words in marks.keys where works[words] == nil {
      throw fail("\(device.name): “\(words)” is of nobody")
    }
    for (words, work) in works.sorted(by: { $0.key < $1.key }) {
      let copies = marks[words] ?? []
      guard copies.count == (work.isPurged ? 0 : 1) else {
        throw fail("\(device.name): “\(words)” is there \(copies.count) times")
      }
      guard let mark = copies.first else { continue }
      if mark.isTrashed, !work.wasTrashed {
        throw fail("\(device.name): “\(words)” is in the trash")
      }
      if work.isFormat != (mark.format != nil) { throw fail("“\(words)” is of another kind") }
      let others =
        conflicts.first { $0.record == .highlight(mark.id) }?.others.map(\.text) ?? []
      let texts = Set([mark.note] + others)
      for (text, isReplaced) in work.notes where !isReplaced && !texts.contains(text) {
        throw fail("\(device.name): “\(text)” of “\(words)” is lost; there are \(texts)")
      }
      for text in texts where !text.isEmpty && work.notes[text] == nil {
        throw fail("\(device.name): “\(text)” at “\(words)” is of another highlight")
      }
      for (tag, isRemoved) in work.tags where !isRemoved && !mark.tags.contains(tag) {
        throw fail("\(device.name): “\(tag)” of “\(words)” is lost")
      }
      for tag in mark.tags where work.tags[tag] == nil {
        throw fail("\(device.name): “\(tag)” at “\(words)” is of another highlight")
      }
    }
  }
}

extension Library {
  /// Changes the store like a command.
  fileprivate func plain<T: Sendable>(_ body: @Sendable (WriteTransaction) throws -> T) throws -> T
  {
    try store.write(body)
  }
}

extension WriteTransaction {
  private static let text = TextPreparation().prepare("the quick fox", positions: [])

  fileprivate func scheduleDocument() throws -> Document {
    let digest = ContentDigest(sha256: Array("the quick fox".utf8))
    return try createDocument(
      path: DocumentPath("room.md"), title: "Room",
      revision: Revision(
        sourceDigest: digest, textDigest: digest, renderVersion: 1, dialect: "github",
        stamp: FileStamp(size: 1, mtime: 2, ctime: 3, inode: .max, device: 5, checked: 6),
        seen: Date(timeIntervalSince1970: 1)),
      text: Self.text)
  }

  /// Returns false if the document has not arrived.
  fileprivate func scheduleMark(_ words: String, isFormat: Bool) throws -> Bool {
    guard let document = try documents(includingRemoved: false).first else { return false }
    let selector = Selector(
      exact: words, prefix: "", suffix: "", position: TextRange(utf16: 0..<words.utf16.count),
      textDigest: nil, renderVersion: 1)
    let anchor = Anchor(
      range: TextRange(utf16: 0..<3), state: .exact, score: 1, method: "marked")
    if isFormat {
      _ = try createFormat("{\"bold\":true}", in: document.id, selector: selector, anchor: anchor)
    } else {
      _ = try createHighlight(
        in: document.id, selector: selector, color: .green, note: "", tags: [], anchor: anchor)
    }
    return true
  }
}
