import Sync
import Testing

/// A target on a server that the test runs.
protocol ServedFixture: TransportFixture {
  var engine: Engine { get }
}

extension ServedFixture {
  /// Expects that a stopped server is reported, and used again after its restart.
  ///
  /// - Parameter hasCache: Whether reading and deleting may succeed without the server, by a cache.
  func checkStop(hasCache: Bool = false) async throws {
    let object = ObjectMaker()
    try await withConnection { connection in
      try await connection.put([object("1-1.seg", "x")])
      engine.stop()
      await fails(.unavailable) { _ = try await connection.list(since: nil) }
      if !hasCache {
        await fails(.unavailable) { _ = try await connection.get(object.name("1-1.seg")) }
        await fails(.unavailable) { try await connection.delete([object.name("1-1.seg")]) }
      }
      await fails(.unavailable) { try await connection.put([object("2-2.seg", "y")]) }
      await fails(.unavailable) { _ = try await connect() }
      try engine.start()
      // A confirmed object exists even if the server was killed.
      #expect(try await connection.list(object.vault).count == 1, "\(title)")
      try await connection.put([object("2-2.seg", "y")])
      #expect(try await connection.list(object.vault).count == 2, "\(title)")
    }
  }

  /// Expects that the ends of a large object are read without the rest.
  func checkEnds(of object: ObjectMaker = ObjectMaker()) async throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try await withConnection { connection in
      try await connection.put([object("1-1.seg", bytes)])
      let ends = try await connection.ends(of: object.name("1-1.seg"), count: 100)
      #expect(
        ends == ObjectEnds(first: Array(bytes.prefix(100)), last: Array(bytes.suffix(100))),
        "\(title)")
    }
  }
}
