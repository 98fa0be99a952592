import BuiltIn
import Foundation
import Model
import Sync
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// How a library comes to be synced.
@Suite struct SyncBeginningTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  @Test func `an interrupted beginning is finished by the same command`() async throws {
    let a = try Machine(folder, "anna")
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    // As it is when the library could not be written after the vault was made.
    try a.forgetPlace()
    try folder.shell("cd '\(folder.path)/shared'; find . -type f ! -name 'epoch-1.*' -delete")
    let wrong = try await failure {
      _ = try await a.library.beginSync(a.offer, passphrase: "another horse", cost: .least)
    }
    #expect(wrong.code == .conflict)
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    let b = try Machine(folder, "ben")
    _ = try await b.library.joinSync(b.offer, passphrase: "correct horse")
    try await Machine.expectSame(a, b)
  }

  @Test func `two devices of one name are told apart`() async throws {
    let (a, b) = (try Machine(folder, "anna"), try Machine(folder, "ben"))
    _ = try await a.library.beginSync(a.offer, passphrase: "correct horse", cost: .least)
    var offer = b.offer
    offer.device = "anna"
    _ = try await b.library.joinSync(offer, passphrase: "correct horse")
    _ = try await a.library.sync()
    #expect(try await a.library.syncDevices().map(\.name) == ["anna", "anna 2"])
    #expect(try await b.library.syncStatus().place.device == "anna 2")
  }

  @Test func `a place within the library itself is refused`() async throws {
    let a = try Machine(folder, "anna")
    var offer = a.offer
    offer.address = a.notes + "/.diple/shared"
    let refused = try await failure {
      _ = try await a.library.beginSync(offer, passphrase: "correct horse", cost: .least)
    }
    #expect(refused.code == .usage && refused.message.contains("within the library"))
  }

  @Test func `a library that moves to another place takes all of it along`() async throws {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    _ = try await b.library.sync()
    let first = try #require(try await b.all().first)
    _ = try await b.library.annotate(first, "from ben")
    _ = try await b.library.sync()
    _ = try await a.library.sync()
    for machine in [a, b] { try await machine.library.leaveSync() }
    let other = folder.path + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    func offer(_ name: String) -> SyncOffer {
      SyncOffer(transport: "folder", address: other, device: name)
    }
    _ = try await a.library.beginSync(offer("anna"), passphrase: "correct horse", cost: .least)
    _ = try await b.library.joinSync(offer("ben"), passphrase: "correct horse")
    let c = try Machine(folder, "carl")
    _ = try await c.library.joinSync(offer("carl"), passphrase: "correct horse")
    #expect(try await c.all().map(\.note) == ["from ben"])
    _ = try await c.library.paint(first, .blue)
    for machine in [c, a, b] { _ = try await machine.library.sync() }
    #expect(try await b.all().first?.color == .blue)
    try await Machine.expectSame(a, b, c)
  }

  @Test func `keys that others can read are not used`() async throws {
    let (a, _) = try await Machine.pair(folder)
    try folder.shell("chmod 644 anna/.local/state/diple/sync/*.key")
    let error = try await failure { _ = try await a.library.sync() }
    #expect(error.message.hasPrefix("others can read or change the keys in "))
  }

  @Test func `a library that was copied without its home has to join`() async throws {
    let (a, _) = try await Machine.pair(folder)
    let copy = try Machine(folder, "copy", copyOf: a)
    let error = try await failure { _ = try await copy.library.sync() }
    #expect(error.message.contains("not on this machine"))
    _ = try await copy.library.joinSync(copy.offer, passphrase: "correct horse")
    _ = try await a.library.sync()
    try await Machine.expectSame(a, copy)
    #expect(try await copy.library.ownReplica() != a.library.ownReplica())
  }
}
