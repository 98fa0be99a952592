import Foundation
import Model
import Sync
import TestSupport
import Testing
import Transports

@Suite(.enabled(if: Engine.isThere("syncthing")), .serialized) struct SyncthingTests {
  private func connect(_ address: String) async throws -> any TransportConnection {
    try await Folder(environment: ["DIPLE_SYNCTHING_KEY": SyncthingPair.key]).connect(
      to: TransportPlace(address: address, cache: "/nowhere"))
  }

  @Test func `an object of one side wakes the other side, which reads it`() async throws {
    let pair = try SyncthingPair()
    defer { pair.stop() }
    let (one, two) = (
      try await connect(pair.sides[0].address), try await connect(pair.sides[1].address)
    )
    let mine = ObjectMaker()
    let theirs = mine.other
    var times: [Duration] = []
    for round in 1...20 {
      let object = mine("\(round)-\(round).seg", Conformance.bytes(3000))
      let begin = ContinuousClock.now
      try await one.put([object])
      while try await !two.list(mine.vault).contains(where: { $0.name == object.name }) {
        _ = try await two.waitForChange(upTo: .seconds(5))
        try #require(ContinuousClock.now - begin < .seconds(60), "round \(round)")
      }
      times.append(ContinuousClock.now - begin)
      #expect(try await two.get(object.name) == object.bytes)
    }
    times.sort()
    print("Syncthing, put to listed: p50 \(times[9]), p95 \(times[18]), longest \(times[19])")
    try await two.put([theirs("1-1.seg", "back")])
    try await eventuallyAsync("the other way", within: 60, every: 0.1) {
      try await one.get(theirs.name("1-1.seg"))
    } until: {
      $0 == Array("back".utf8)
    }
    try await one.delete([mine.name("1-1.seg")])
    try await eventuallyAsync("the deletion", within: 60, every: 0.1) {
      try await two.list(mine.vault).count
    } until: {
      $0 == 20
    }
  }

  @Test func `simultaneous objects of both sides all arrive without conflicts`()
    async throws
  {
    let pair = try SyncthingPair()
    defer { pair.stop() }
    let vault = ObjectMaker().vault
    try await withThrowingTaskGroup(of: Void.self) { group in
      for side in pair.sides {
        group.addTask {
          let maker = ObjectMaker(vault: vault)
          let connection = try await connect(side.address)
          for round in 1...20 {
            try await connection.put([maker("\(round)-\(round).seg", "round \(round)")])
          }
        }
      }
      try await group.waitForAll()
    }
    for side in pair.sides {
      let connection = try await connect(side.address)
      try await eventuallyAsync("all objects", within: 120, every: 0.1) {
        try await connection.list(since: nil).entries.count
      } until: {
        $0 == 40
      }
      let names = try FileManager.default.subpathsOfDirectory(atPath: side.folder)
      #expect(!names.contains { $0.contains("sync-conflict") })
    }
  }

  @Test func `the address and the key are read from Syncthing's configuration`() async throws {
    let pair = try SyncthingPair()
    defer { pair.stop() }
    let sides = pair.sides
    try FileManager.default.createDirectory(
      atPath: sides[0].home + "/.config", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: sides[0].home + "/.config/syncthing", withDestinationPath: sides[0].home)
    // Sync through a subfolder of the folder that Syncthing synchronizes.
    let root = sides[0].folder + "/inner"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    let environment = ["HOME": sides[0].home, "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""]
    let one = try await Folder(environment: environment).connect(
      to: TransportPlace(address: root, cache: "/nowhere"))
    let object = ObjectMaker()
    try await one.put([object("1-1.seg", "x")])
    try await eventuallyAsync("the file on the other side", within: 60, every: 0.02) {
      FileManager.default.contents(atPath: sides[1].folder + "/inner/\(object.name("1-1.seg"))")
    } until: {
      $0 == Data("x".utf8)
    }
  }

  @Test(arguments: ["http://example.org:80", "https://127.0.0.1:1", "http://127.0.0.1", "ftp://x"])
  func `an API address that is invalid or remote is rejected`(_ interface: String) async throws {
    let folder = try WorkFolder()
    await fails(.usage, interface) {
      _ = try await connect("\(folder.path)?syncthing=\(interface)&folder=x")
    }
  }

  @Test func `an unreachable Syncthing does not block writing`() async throws {
    let folder = try WorkFolder()
    let port = try Engine.freePort()
    let connection = try await connect("\(folder.path)?syncthing=http://127.0.0.1:\(port)&folder=x")
    let object = ObjectMaker()
    try await connection.put([object("1-1.seg", "x")])
    #expect(try await connection.list(object.vault).count == 1)
  }
}
