import Foundation
import Model
import Sync
import SystemSupport
import TestSupport
import Testing
import Transports

/// A transport process that is killed while it writes.
struct KilledCarrier {
  private let folder: WorkFolder
  private let transport: Carried

  init(_ transport: String) throws {
    let folder = try WorkFolder()
    self.folder = folder
    let carrier = SiblingExecutable.path("diple-transport") ?? "diple-transport"
    let script = "echo $$ >'\(folder.path)/id'; exec '\(carrier)' --serve"
    self.transport = Carried(transport, program: { Program("sh", ["-c", script]) })
  }

  /// Kills the process after increasing times. Listed objects must be complete, and writing them
  /// again must succeed.
  func check(_ fixture: any TransportFixture) async throws {
    let maker = ObjectMaker()
    let objects = (1...6).map { maker("\($0)-\($0).seg", Conformance.bytes(1 << 21)) }
    for milliseconds in [0, 5, 20, 50, 120, 300] {
      let place = TransportPlace(address: fixture.address, cache: folder.path)
      let connection = try await transport.connect(to: place)
      let id = try #require(Int32(try folder.read("id").dropLast()))
      async let put: Void? = try? await connection.put(objects)
      try await Task.sleep(for: .milliseconds(milliseconds))
      kill(id, SIGKILL)
      _ = await put
      await connection.close()
      try await fixture.withConnection { reading in
        for entry in try await reading.list(maker.vault) {
          let object = try #require(objects.first { $0.name == entry.name })
          #expect(entry.size == object.bytes.count, "\(fixture.title), \(milliseconds) ms")
          let bytes = try await reading.get(entry.name)
          #expect(bytes == object.bytes, "\(fixture.title), \(milliseconds) ms")
        }
      }
    }
    try await fixture.withConnection { connection in
      try await connection.put(objects)
      let entries = try await connection.list(maker.vault)
      #expect(entries.count == objects.count, "\(fixture.title)")
    }
  }
}
