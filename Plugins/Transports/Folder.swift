import Model
package import Sync
import SystemSupport

/// A folder that another program synchronizes between devices. An object is stored in the folder as
/// `v1/VAULT/REPLICA/FILE`. Each replica writes only its own files, each of them once and
/// completely, so conflicts can't occur.
///
/// ```swift
/// let connection = try await Folder().connect(
///   to: TransportPlace(address: "/home/ada/Sync/diple", cache: "/home/ada/.cache/diple/sync"))
/// let objects = try await connection.list(since: nil).entries
/// ```
package struct Folder: SyncTransport {
  package static let id = "folder"
  package static let summary = "a folder that Syncthing, a cloud drive or a network disk shares"
  package static let examples = TransportExample.forEveryTransport(at: "/home/ada/Sync/diple")

  private let environment: [String: String]

  /// - Parameter environment: variables that override those of this process when Syncthing's key
  ///   and configuration are searched for.
  package init(environment: [String: String] = [:]) { self.environment = environment }

  package func connect(to place: TransportPlace) async throws(TransportError)
    -> any TransportConnection
  {
    let connection = try FolderConnection(try FolderAddress(place.address), environment)
    try await connection.check()
    return connection
  }
}

/// The address of a folder: its path and, if it can't be found in Syncthing's configuration, the
/// address of Syncthing's API: `PATH?syncthing=http://127.0.0.1:8384&folder=ID`.
struct FolderAddress: Equatable {
  var path: String
  /// The address of Syncthing's API and the id of the folder there; nil if they aren't specified.
  var syncthing: (address: String, folder: String)?

  init(_ text: String) throws(TransportError) {
    guard let mark = text.firstRange(of: "?syncthing=") else {
      path = try Self.checked(text)
      return
    }
    path = try Self.checked(String(text[..<mark.lowerBound]))
    let parts = text[mark.upperBound...].split(
      separator: "&", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasPrefix("folder="), parts[1].utf8.count > 7 else {
      throw TransportError(
        .usage, "\(text): the path is followed by ?syncthing=http://127.0.0.1:PORT&folder=ID")
    }
    syncthing = (String(parts[0]), String(parts[1].dropFirst(7)))
  }

  private static func checked(_ path: String) throws(TransportError) -> String {
    guard path.hasPrefix("/"), !path.utf8.contains(0) else {
      throw TransportError(.usage, "'\(path)' is not an absolute path")
    }
    return FileSystem.absolute(path)
  }

  static func == (a: Self, b: Self) -> Bool {
    a.path == b.path && a.syncthing?.address == b.syncthing?.address
      && a.syncthing?.folder == b.syncthing?.folder
  }
}

extension TransportExample {
  /// The examples that every transport must satisfy.
  ///
  /// - Parameter address: an address of the transport, for the documentation.
  static func forEveryTransport(at address: String) -> [TransportExample] {
    func object(_ file: String, _ text: String, replica: UInt64 = 7) -> TransportObject {
      let name = ObjectName(
        vault: VaultID(bytes: Array(1...16))!, replica: ReplicaID(rawValue: replica), file: file)!
      return TransportObject(name, Array(text.utf8))
    }
    let (one, two) = (object("1-2.a.seg", "one"), object("3-3.b.seg", "two"))
    let other = object("1-2.a.seg", "another's", replica: 8)
    let empty = object("4-4.c.seg", "")
    return [
      TransportExample(
        "all objects are listed", address: address, puts: [[one, two]], held: [one, two]),
      TransportExample(
        "an object put twice exists once", address: address, puts: [[one], [one, two]],
        held: [one, two]),
      TransportExample(
        "existing files are not changed", address: address,
        puts: [[one], [TransportObject(one.name, Array("eno".utf8))]], held: [one]),
      TransportExample(
        "replicas can use the same file name", address: address, puts: [[one], [other, empty]],
        held: [one, other, empty]),
      TransportExample(
        "deleted files are missing", address: address, puts: [[one, two]],
        deleted: [one.name, empty.name], held: [two]),
    ]
  }
}
