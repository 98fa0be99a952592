import Foundation
import NetworkTransports
import Sync
import SyncHistories
import TestSupport
import Testing

extension GitFixture: HistoryPlace {
  func makeTarget(_ number: Int) throws -> String {
    try folder.git("init", "--quiet", "--bare", "\(number).git")
    return folder.path + "/\(number).git"
  }
}

extension RcloneFixture: HistoryPlace {
  func makeTarget(_ number: Int) throws -> String {
    try folder.shell("mkdir files/\(number)")
    return address + "/\(number)"
  }
}

extension WebDAVFixture: HistoryPlace {
  func makeTarget(_ number: Int) throws -> String {
    // The server's user must be able to write.
    try folder.shell("mkdir -m 777 root/dav/files/\(number)")
    return address + "/\(number)"
  }
}

extension PostgresFixture: HistoryPlace {
  func makeTarget(_ number: Int) throws -> String {
    let database = "/team\(number)"
    try PostgresSchema.prepare(
      address(of: "postgres").replacingOccurrences(of: "/team", with: database), for: ["ada"])
    return address.replacingOccurrences(of: "/team", with: database)
  }
}

/// Tests random histories of libraries that are synced over each transport.
///
/// `DIPLE_SYNC_SCHEDULES` sets the number of new histories for each transport, and
/// `DIPLE_TEST_SEED` the first seed. Without the variable, a few fixed histories are run.
/// `DIPLE_SYNC_ALL=1` continues after a failure.
@Suite struct TransportHistoryTests {
  private func check(_ place: some HistoryPlace, over transport: String) async throws {
    let variables = ProcessInfo.processInfo.environment
    let count = variables["DIPLE_SYNC_SCHEDULES"].flatMap(UInt64.init)
    let first = count == nil ? 5 : SeededGenerator.runSeed
    let histories = (0..<(count ?? 2)).map { (first &+ $0, (first &+ $0) % 2 == 1) }
    SyncSchedule.announce(histories, over: transport)
    for (seed, withImages) in histories {
      let schedule = try SyncSchedule(seed: seed, withImages: withImages, at: place)
      do { try await schedule.run() } catch {
        Issue.record(
          "DIPLE_TEST_SEED=\(seed): \(error)\n\(schedule.log.joined(separator: "\n"))")
        guard variables["DIPLE_SYNC_ALL"] == "1" else { return }
      }
    }
  }

  @Test func `random histories converge over git`() async throws {
    try await check(try GitFixture(), over: "git")
  }

  @Test(.enabled(if: Engine.isThere("rclone"))) func `random histories converge over rclone`()
    async throws
  {
    try await check(try RcloneFixture("local"), over: "rclone")
  }

  @Test(.enabled(if: Engine.isThere("apache2") && Engine.isThere("nginx")))
  func `random histories converge over WebDAV`() async throws {
    for server in ["apache2", "nginx"] {
      let fixture = try WebDAVFixture(server, transport: WebDAV())
      defer { fixture.engine.stop() }
      try await check(fixture, over: "WebDAV (\(server))")
    }
  }

  @Test(.enabled(if: Engine.isThere("postgres"))) func `random histories converge over PostgreSQL`()
    async throws
  {
    let fixture = try PostgresFixture(transport: PostgreSQL())
    defer { fixture.engine.stop() }
    try await check(fixture, over: "PostgreSQL")
  }
}
