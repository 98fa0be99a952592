import BuiltIn
import Foundation
import Model
import Sync
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Two copies of one device, each with its keys.
@Suite struct SyncForkTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  @Test func `a copy of a library that goes on under its name becomes a device of its own`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    // All of the home is copied, the keys too.
    let clone = try Machine(folder, "clone", cloneOf: a)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await clone.mark("room.md", "the great problem")
    _ = try await a.library.sync()
    let healed = try await clone.library.sync()
    #expect(healed.notices.contains { $0.contains("new device") })
    for _ in 0..<2 {
      _ = try await a.library.sync()
      _ = try await b.library.sync()
      _ = try await clone.library.sync()
    }
    try await Machine.expectSame(a, b, clone)
    #expect(try await b.all().count == 3)
    #expect(try await a.library.syncDevices().count == 3)
  }

  /// Whether one copy did more than the other, and whether another device heard the one that goes on
  /// under a new name before it did.
  @Test(arguments: [false, true], [false, true])
  func `two copies of a device that both sent before they met lose nothing`(
    _ isLonger: Bool, _ isHeard: Bool
  ) async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    let clone = try Machine(folder, "clone", cloneOf: a)
    _ = try await a.mark("room.md", "One cannot think well")
    if isLonger { _ = try await a.mark("room.md", "the true nature", note: "more") }
    _ = try await clone.mark("room.md", "the great problem")
    // Neither hears of the other: what carries the folder is late.
    try folder.shell("cp -a shared late")
    _ = try await a.library.sync()
    try folder.shell("mv shared first; mv late shared")
    _ = try await clone.library.sync()
    if isHeard {
      _ = try await b.library.sync()
      #expect(try await b.all().contains { $0.selector.exact == "the great problem" })
    }
    try folder.shell("cp -an first/. shared/")
    for _ in 0..<3 {
      _ = try await a.library.sync()
      _ = try await clone.library.sync()
    }
    for _ in 0..<2 { _ = try await b.library.sync() }
    try await Machine.expectSame(a, b, clone)
    #expect(try await b.all().count == (isLonger ? 4 : 3))
    #expect(Set(try await b.all().map(\.selector.exact)).count == (isLonger ? 4 : 3))
    #expect(try await b.library.sync().held.isEmpty)
  }

  @Test func `what others said of a copy's records since is not renamed`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try await b.add("room.md", Machine.text)
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    let clone = try Machine(folder, "clone", cloneOf: a)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await clone.mark("room.md", "the great problem")
    try folder.shell("cp -a shared late")
    _ = try await a.library.sync()
    try folder.shell("mv shared first; mv late shared")
    _ = try await clone.library.sync()
    _ = try await b.library.sync()
    let heard = try #require(try await b.all().first)
    _ = try await b.library.annotate(heard, "mine")
    try folder.shell("cp -an first/. shared/")
    for machine in [a, clone, b, a, clone, b] { _ = try await machine.library.sync() }
    // What was said of it stays here, and that the copies differ is told.
    #expect(try await b.all().contains { $0.note == "mine" })
    #expect(try await b.library.syncDevices().contains { $0.held?.kind == .fork })
    #expect(try await b.library.integrityProblems() == [])
  }

  /// Whether the copy goes on itself, or takes the place of the first one as a backup does.
  @Test(arguments: [false, true])
  func `what both copies had and neither had sent is there once`(_ isBackup: Bool) async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.library.sync()
    _ = try await a.mark("room.md", "a room of her own", note: "not sent")
    let copy = try Machine(folder, "copy", cloneOf: a)
    _ = try await a.mark("room.md", "One cannot think well")
    _ = try await a.library.sync()
    if !isBackup { _ = try await copy.mark("room.md", "the great problem") }
    _ = try await copy.library.sync()
    let all = isBackup ? [copy, b] : [a, copy, b]
    for _ in 0..<2 { for machine in all { _ = try await machine.library.sync() } }
    let quotes = try await b.all().map(\.selector.exact)
    #expect(quotes.count == (isBackup ? 2 : 3) && Set(quotes).count == quotes.count)
    try await isBackup ? Machine.expectSame(copy, b) : Machine.expectSame(a, copy, b)
  }
}
