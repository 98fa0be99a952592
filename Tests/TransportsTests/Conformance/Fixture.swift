import Foundation
import Model
import Sync
import TestSupport
import Testing
import Transports

/// A target at which a transport is tested. A target must accept as many vaults as there are
/// checks.
protocol TransportFixture: Sendable {
  /// The name in failures.
  var title: String { get }
  var transport: any SyncTransport { get }
  /// The address of the target.
  var address: String { get }
  /// A folder for caches, which is deleted with the test.
  var cacheFolder: String { get }
  /// The file with the certificates that its server must match. Nil for those of the system.
  var certificates: String? { get }
  /// Whether the transport reports changes by others immediately.
  var knowsChanges: Bool { get }
  /// The number of simultaneous writers, and how often each writes.
  var writers: (count: Int, rounds: Int) { get }
}

extension TransportFixture {
  var certificates: String? { nil }
  var writers: (count: Int, rounds: Int) { (4, 6) }

  /// Opens a new connection with a separate cache.
  func connect() async throws -> any TransportConnection {
    let cache = cacheFolder + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
    return try await transport.connect(
      to: TransportPlace(address: address, cache: cache, certificates: certificates))
  }

  /// Runs a closure with a connection, and closes it.
  func withConnection<Result>(_ body: (any TransportConnection) async throws -> Result) async throws
    -> Result
  {
    let connection = try await connect()
    do {
      let result = try await body(connection)
      await connection.close()
      return result
    } catch {
      await connection.close()
      throw error
    }
  }
}

/// Creates objects of one vault.
struct ObjectMaker {
  let vault: VaultID
  let replica: ReplicaID

  init(
    vault: VaultID = .random(), replica: ReplicaID = ReplicaID(rawValue: .random(in: 1...(.max)))
  ) {
    (self.vault, self.replica) = (vault, replica)
  }

  func callAsFunction(_ file: String, _ text: String) -> TransportObject {
    self(file, Array(text.utf8))
  }

  func callAsFunction(_ file: String, _ bytes: [UInt8]) -> TransportObject {
    TransportObject(name(file), bytes)
  }

  func name(_ file: String) -> ObjectName {
    ObjectName(vault: vault, replica: replica, file: file)!
  }

  /// Another replica of the vault.
  var other: ObjectMaker { ObjectMaker(vault: vault) }
}

extension VaultID {
  static func random() -> VaultID {
    VaultID(bytes: (0..<16).map { _ in .random(in: .min ... .max) })!
  }
}

extension TransportConnection {
  /// Returns the entries of one vault.
  func list(_ vault: VaultID, since cursor: TransportCursor? = nil) async throws
    -> [TransportListing.Entry]
  {
    try await list(since: cursor).entries.filter { $0.name.vault == vault }.sorted {
      $0.name < $1.name
    }
  }

  func get(_ name: ObjectName) async throws -> [UInt8]? { try await get(name, limit: 20 << 20) }
}

/// Expects a closure to fail with an error of a kind.
func fails(
  _ kind: TransportError.Kind, _ title: String = "",
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("\(title): it did not fail with \(kind)", sourceLocation: sourceLocation)
  } catch let error as TransportError {
    #expect(error.kind == kind, "\(title): \(error)", sourceLocation: sourceLocation)
    #expect(!error.description.isEmpty && !error.description.contains("\n"))
  } catch { Issue.record("\(title): \(error)", sourceLocation: sourceLocation) }
}
