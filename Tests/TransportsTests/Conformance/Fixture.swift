import Foundation
import Model
import Sync
import TestSupport
import Testing
import Transports

/// A place on which a transport is tried. Each has room for as many vaults as there are checks.
protocol TransportFixture: Sendable {
  /// What it is called in a failure.
  var title: String { get }
  var transport: any SyncTransport { get }
  /// What stands for the place.
  var address: String { get }
  /// A folder for caches, which goes with the test.
  var cacheFolder: String { get }
  /// The file with the certificates that its server is checked against; nil for the system's.
  var certificates: String? { get }
  /// Whether it knows of changes of others at once.
  var knowsChanges: Bool { get }
  /// How many write at once, and how often each.
  var writers: (count: Int, rounds: Int) { get }
}

extension TransportFixture {
  var certificates: String? { nil }
  var writers: (count: Int, rounds: Int) { (4, 6) }

  /// A new connection, with a cache of its own.
  func connect() async throws -> any TransportConnection {
    let cache = cacheFolder + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
    return try await transport.connect(
      to: TransportPlace(address: address, cache: cache, certificates: certificates))
  }

  /// A connection that is closed at the end.
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

/// What a check puts: objects of one vault.
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
  /// The entries of one vault.
  func list(_ vault: VaultID, since cursor: TransportCursor? = nil) async throws
    -> [TransportListing.Entry]
  {
    try await list(since: cursor).entries.filter { $0.name.vault == vault }.sorted {
      $0.name < $1.name
    }
  }

  func get(_ name: ObjectName) async throws -> [UInt8]? { try await get(name, limit: 20 << 20) }
}

/// Whether something fails with an error of a kind.
func fails(
  _ kind: TransportError.Kind, _ title: String = "",
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("\(title): it did not fail, and not with \(kind)", sourceLocation: sourceLocation)
  } catch let error as TransportError {
    #expect(error.kind == kind, "\(title): \(error)", sourceLocation: sourceLocation)
    #expect(!error.description.isEmpty && !error.description.contains("\n"))
  } catch { Issue.record("\(title): \(error)", sourceLocation: sourceLocation) }
}
