import Foundation
import Model
import Sync
import TestSupport
import Testing

/// The checks that every transport must pass. Checks of one target run one after another, each with
/// a separate vault.
struct Conformance {
  let fixture: any TransportFixture

  init(_ fixture: any TransportFixture) { self.fixture = fixture }

  private var title: String { fixture.title }

  func check() async throws {
    try await examples()
    try await absence()
    try await limits()
    try await ends()
    try await twoConnections()
    try await emptyAndLarge()
    try await cursors()
    try await manySmall()
    try await concurrentWriters()
    try await changes()
  }

  func examples() async throws {
    for example in type(of: fixture.transport).examples {
      // All examples name the same vault, which the target may already contain. Each example
      // therefore gets a new vault.
      let vault = VaultID.random()
      func own(_ name: ObjectName) -> ObjectName {
        ObjectName(vault: vault, replica: name.replica, file: name.file)!
      }
      func own(_ objects: [TransportObject]) -> [TransportObject] {
        objects.map { TransportObject(own($0.name), $0.bytes) }
      }
      try await fixture.withConnection { connection in
        for objects in example.puts { try await connection.put(own(objects)) }
        try await connection.delete(example.deleted.map(own))
        let held = own(example.held)
        let entries = held.map { TransportListing.Entry($0.name, size: $0.bytes.count) }
        #expect(
          try await connection.list(vault) == entries.sorted { $0.name < $1.name },
          "\(title): \(example.title)")
        for object in held {
          #expect(
            try await connection.get(object.name) == object.bytes, "\(title): \(example.title)")
        }
      }
    }
  }

  func absence() async throws {
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      #expect(try await connection.list(object.vault).isEmpty, "\(title)")
      #expect(try await connection.get(object.name("1-1.seg")) == nil, "\(title)")
      try await connection.delete([object.name("1-1.seg")])
      try await connection.put([])
      try await connection.delete([])
      try await connection.put([object("2-2.seg", "there")])
      #expect(try await connection.get(object.name("1-1.seg")) == nil, "\(title)")
      try await connection.delete([object.name("1-1.seg")])
      #expect(try await connection.list(object.vault).count == 1, "\(title)")
      try await connection.delete([object.name("2-2.seg"), object.name("2-2.seg")])
      #expect(try await connection.list(object.vault).isEmpty, "\(title)")
    }
  }

  func limits() async throws {
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", [UInt8](repeating: 7, count: 5000))])
      await fails(.tooLarge, title) {
        _ = try await connection.get(object.name("1-1.seg"), limit: 4999)
      }
      await fails(.tooLarge, title) {
        _ = try await connection.get(object.name("1-1.seg"), limit: 0)
      }
      #expect(
        try await connection.get(object.name("1-1.seg"), limit: 5000)?.count == 5000, "\(title)")
    }
  }

  /// `ends` returns nil if the transport cannot read a part of an object.
  func ends() async throws {
    let object = ObjectMaker()
    let (long, short) = (Self.bytes(100_000), Self.bytes(40))
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", long), object("2-2.seg", short)])
      if let ends = try await connection.ends(of: object.name("1-1.seg"), count: 64) {
        #expect(
          ends.first == Array(long.prefix(64)) && ends.last == Array(long.suffix(64)), "\(title)")
      }
      if let ends = try await connection.ends(of: object.name("2-2.seg"), count: 64) {
        #expect(ends.first == short && ends.last == short, "\(title)")
      }
      #expect(try await connection.ends(of: object.name("3-3.seg"), count: 64) == nil, "\(title)")
      #expect(try await connection.get(object.name("2-2.seg")) == short, "\(title)")
    }
  }

  func twoConnections() async throws {
    let mine = ObjectMaker()
    let theirs = mine.other
    try await fixture.withConnection { one in
      try await fixture.withConnection { two in
        try await one.put([mine("1-1.seg", "mine")])
        try await two.put([theirs("1-1.seg", "theirs")])
        #expect(try await one.list(mine.vault).count == 2, "\(title)")
        #expect(try await two.list(mine.vault).count == 2, "\(title)")
        #expect(try await one.get(theirs.name("1-1.seg")) == Array("theirs".utf8), "\(title)")
        #expect(try await two.get(mine.name("1-1.seg")) == Array("mine".utf8), "\(title)")
        try await one.delete([mine.name("1-1.seg")])
        #expect(try await two.list(mine.vault).map(\.name) == [theirs.name("1-1.seg")], "\(title)")
        try await one.put([mine("2-2.seg", "again")])
        #expect(try await two.list(mine.vault).count == 2, "\(title)")
      }
    }
  }

  func emptyAndLarge() async throws {
    let object = ObjectMaker()
    let large = Self.bytes(8 << 20)
    let all: [UInt8] = Array(0...255)
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.large", large), object("2-2.bytes", all)])
      try await connection.put([object("3-3.empty", [])])
      #expect(
        try await connection.list(object.vault).map(\.size) == [8 << 20, 256, 0], "\(title)")
    }
    try await fixture.withConnection { connection in
      for (file, bytes) in [("1-1.large", large), ("2-2.bytes", all), ("3-3.empty", [])] {
        let read = try await connection.get(object.name(file))
        #expect(read == bytes, "\(title): \(file)")
      }
    }
  }

  func cursors() async throws {
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", "1")])
      let first = try await connection.list(since: nil)
      #expect(first.isWhole, "\(title)")
      #expect((first.cursor?.bytes.count ?? 0) <= 4096, "\(title)")
      try await connection.put([object("2-2.seg", "2")])
      let second = try await connection.list(since: first.cursor)
      #expect(second.entries.contains { $0.name == object.name("2-2.seg") }, "\(title)")
      // An invalid cursor is ignored, so that the listing contains all objects.
      let strange = try await connection.list(since: TransportCursor([1, 2, 3]))
      #expect(strange.entries.count { $0.name.vault == object.vault } == 2, "\(title)")
      // A stored cursor is valid for another connection.
      try await fixture.withConnection { other in
        let listing = try await other.list(since: first.cursor)
        #expect(listing.entries.contains { $0.name == object.name("2-2.seg") }, "\(title)")
      }
    }
  }

  func manySmall(_ count: Int = 1000) async throws {
    let object = ObjectMaker()
    let objects = (1...count).map { object("\($0)-\($0).seg", "object \($0)") }
    try await fixture.withConnection { connection in
      try await connection.put(objects)
      try await connection.put(Array(objects.prefix(10)))
    }
    try await fixture.withConnection { connection in
      let entries = try await connection.list(object.vault)
      #expect(entries.map(\.name) == objects.map(\.name).sorted(), "\(title)")
      for object in [objects[0], objects[count / 2], objects[count - 1]] {
        #expect(try await connection.get(object.name) == object.bytes, "\(title)")
      }
    }
  }

  /// Several connections write while another connection lists with cursors. The listings together
  /// must contain all objects.
  func concurrentWriters() async throws {
    let (writers, rounds) = fixture.writers
    let maker = ObjectMaker()
    let makers = (0..<writers).map { _ in maker.other }
    let expected = Set(
      makers.flatMap { maker in (1...rounds).map { maker.name("\($0)-\($0).seg") } })
    let seen = try await withThrowingTaskGroup(of: Set<ObjectName>?.self) { group in
      for maker in makers {
        group.addTask {
          try await fixture.withConnection { connection in
            for round in 1...rounds {
              try await connection.put([maker("\(round)-\(round).seg", "round \(round)")])
            }
          }
          return nil
        }
      }
      group.addTask {
        try await fixture.withConnection { connection in
          var seen: Set<ObjectName> = []
          var cursor: TransportCursor?
          try await eventuallyAsync("all objects of all writers", within: 240, every: 0.05) {
            let listing = try await connection.list(since: cursor)
            cursor = listing.cursor
            seen.formUnion(listing.entries.map(\.name).filter { $0.vault == maker.vault })
            return seen.count
          } until: {
            $0 >= expected.count
          }
          return seen
        }
      }
      var result: Set<ObjectName> = []
      for try await seen in group { if let seen { result = seen } }
      return result
    }
    #expect(seen == expected, "\(title)")
  }

  func changes() async throws {
    let object = ObjectMaker()
    try await fixture.withConnection { waiting in
      // Earlier changes are ignored.
      _ = try await waiting.list(since: nil)
      _ = try await waiting.waitForChange(upTo: .milliseconds(50))
      let begin = ContinuousClock.now
      _ = try await waiting.waitForChange(upTo: .milliseconds(300))
      #expect(ContinuousClock.now - begin < .seconds(60), "\(title)")
      guard fixture.knowsChanges else { return }
      try await fixture.withConnection { writing in
        let woke = try await withThrowingTaskGroup(of: Bool?.self) { group in
          group.addTask {
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
              let rest = end - ContinuousClock.now
              guard try await waiting.waitForChange(upTo: rest) else { return false }
              if try await waiting.list(object.vault).count == 1 { return true }
            }
            return false
          }
          group.addTask {
            try await writing.put([object("1-1.seg", "new")])
            return nil
          }
          return try await group.reduce(false) { $0 || $1 == true }
        }
        #expect(woke, "\(title): it was not woken")
        #expect(ContinuousClock.now - begin < .seconds(59), "\(title): it was woken late")
      }
    }
  }

  /// Returns bytes that cannot be compressed.
  ///
  /// - Parameter count: A multiple of 8.
  static func bytes(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 1)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      // Eight bytes at a time, because single bytes take seconds in a debug build.
      for offset in stride(from: 0, to: count, by: 8) {
        UnsafeMutableRawBufferPointer(buffer).storeBytes(
          of: generator.next(), toByteOffset: offset, as: UInt64.self)
      }
      initialized = count
    }
  }
}
