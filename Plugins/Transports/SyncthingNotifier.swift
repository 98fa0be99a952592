import Articles
import Glibc
import Sync
import SystemSupport

/// Notifies Syncthing of new files in a folder. Otherwise Syncthing notices them some seconds
/// later. Only Syncthing on this device is notified, and errors are ignored.
struct SyncthingNotifier: Equatable {
  /// The port of Syncthing's API on the loopback address.
  private let port: UInt16
  private let key: String
  /// The id of the folder, and the path of the root in it; empty if the root is the folder.
  private let folder: String
  private let prefix: String

  /// The maximum time of a request, and the maximum size of a configuration in bytes.
  private static let (timeout, configurationLimit) = (Duration.seconds(2), 4 << 20)

  /// Returns the Syncthing instance that synchronizes a folder: the one in the address, or this
  /// user's instance if its configuration contains the folder. Nil if there is no such instance.
  ///
  /// - Throws: `TransportError.usage` if the address isn't on this device.
  static func named(_ address: FolderAddress, _ environment: [String: String])
    throws(TransportError) -> SyncthingNotifier?
  {
    func variable(_ name: String) -> String? {
      let value = environment[name] ?? getenv(name).map { String(cString: $0) }
      return value.flatMap { $0.isEmpty ? nil : $0 }
    }
    let key = variable("DIPLE_SYNCTHING_KEY")
    let configurations = StandardFolders(
      environment: ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"].reduce(into: [:]) {
        $0[$1] = variable($1)
      })
    let paths = [configurations.state, configurations.config].compactMap { $0 }.map {
      $0 + "/syncthing/config.xml"
    }
    let known = paths.lazy.compactMap(configuration).first
    guard let named = address.syncthing else {
      return known.flatMap {
        notifier(of: address.path, in: $0, key: key, home: configurations.home)
      }
    }
    guard named.address.hasPrefix("http://"), let port = port(String(named.address.dropFirst(7)))
    else {
      throw TransportError(
        .usage,
        "\(named.address) is not http://127.0.0.1:PORT, where this machine's Syncthing answers")
    }
    guard let key = key ?? known?.key else { return nil }
    let prefix = known.flatMap {
      notifier(of: address.path, in: $0, key: key, home: configurations.home)?.prefix
    }
    return SyncthingNotifier(port: port, key: key, folder: named.folder, prefix: prefix ?? "")
  }

  /// Returns the port of an address `127.0.0.1:PORT`; nil for an address on another device.
  private static func port(_ address: String) -> UInt16? {
    let parts = address.split(separator: ":")
    guard parts.count == 2, ["127.0.0.1", "localhost", "0.0.0.0"].contains(parts[0]) else {
      return nil
    }
    return UInt16(parts[1].prefix { $0 != "/" })
  }

  // MARK: - Configuration

  private struct Configuration {
    var key: String
    var address: String
    var folders: [(id: String, path: String)]
  }

  /// Reads Syncthing's configuration; nil if it doesn't exist or is invalid, or if the API uses
  /// TLS.
  private static func configuration(at path: String) -> Configuration? {
    guard let bytes = try? Descriptor.contentOfRegularFile(path, limit: configurationLimit),
      let tree = try? XMLReader.read(bytes), let top = tree.first("configuration"),
      let gui = tree.elements(in: top).first(where: { tree.name(of: $0) == "gui" }),
      tree.attribute("tls", of: gui) != "true",
      let address = tree.first("address", in: gui), let key = tree.first("apikey", in: gui)
    else { return nil }
    let folders = tree.elements(in: top).filter { tree.name(of: $0) == "folder" }.compactMap {
      folder -> (id: String, path: String)? in
      guard let id = tree.attribute("id", of: folder), let path = tree.attribute("path", of: folder)
      else { return nil }
      return (id, path)
    }
    return Configuration(
      key: tree.text(of: key), address: tree.text(of: address), folders: folders)
  }

  private static func notifier(
    of root: String, in configuration: Configuration, key: String?, home: String?
  ) -> SyncthingNotifier? {
    let key = key ?? configuration.key
    guard let port = port(configuration.address), !key.isEmpty, let real = FileSystem.resolved(root)
    else { return nil }
    for folder in configuration.folders {
      let isOfHome = folder.path == "~" || folder.path.hasPrefix("~/")
      let path = isOfHome ? (home ?? "") + folder.path.dropFirst() : folder.path
      guard path.hasPrefix("/"), let top = FileSystem.resolved(path) else { continue }
      guard real == top || real.isBelow(top) else { continue }
      let rest = real.dropFirst(top == "/" ? 1 : top.count + 1)
      return SyncthingNotifier(
        port: port, key: key, folder: folder.id, prefix: rest.isEmpty ? "" : rest + "/")
    }
    return nil
  }

  // MARK: - The request

  /// Requests a scan of a folder.
  ///
  /// - Parameter path: the path of the folder relative to the root.
  func scan(_ path: String) async {
    let isPlain = key.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    guard isPlain else { return }
    let end = ContinuousClock.now + Self.timeout
    let query = "folder=\(Self.encoded(folder))&sub=\(Self.encoded(prefix + path))"
    let request =
      "POST /rest/db/scan?\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-API-Key: \(key)\r\n"
      + "Content-Length: 0\r\nConnection: close\r\n\r\n"
    let connection = socket(
      AF_INET,
      Int32(SOCK_STREAM.rawValue) | Int32(bitPattern: SOCK_CLOEXEC.rawValue)
        | Int32(bitPattern: SOCK_NONBLOCK.rawValue), 0)
    guard connection >= 0 else { return }
    defer { close(connection) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let number = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 ? 0 : errno
      }
    }
    guard number == 0 || number == EINPROGRESS else { return }
    func wait(_ readiness: Descriptor.Readiness) async -> Bool {
      await Descriptor.wait(for: readiness, of: connection, upTo: end - ContinuousClock.now)
    }
    guard await wait(.writable) else { return }
    let bytes = Array(request.utf8)
    // The request is short enough to be sent completely or not at all.
    guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return }
    // Syncthing responds after the scan; then it announces the files to other devices.
    _ = await wait(.readable)
  }

  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.map { byte in
      let isPlain =
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-_./".utf8.contains(byte)
      let character = String(decoding: [byte], as: UTF8.self)
      return isPlain ? character : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }.joined()
  }
}
