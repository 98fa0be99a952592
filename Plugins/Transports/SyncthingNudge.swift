import Articles
import Glibc
import Sync
import SystemSupport

/// Tells Syncthing that something is new in a folder, which it would see some seconds later by itself.
/// Only a Syncthing of this machine is told, and that it cannot be told is of no account.
struct SyncthingNudge: Equatable {
  /// The port of its interface on the loopback address.
  private let port: UInt16
  private let key: String
  /// The folder's id, and where the root lies in it; empty where it is the root.
  private let folder: String
  private let prefix: String

  /// How long an attempt may take, and the most bytes of a configuration.
  private static let (patience, configurationLimit) = (Duration.seconds(2), 4 << 20)

  /// The one that carries a folder: the one that the address names, or the one of this person whose
  /// configuration names the folder. Nil where there is none.
  ///
  /// - Throws: `.usage` for an address that is not of this machine.
  static func named(_ address: FolderAddress, _ environment: [String: String])
    throws(TransportError) -> SyncthingNudge?
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
      return known.flatMap { nudge(of: address.path, in: $0, key: key, home: configurations.home) }
    }
    guard named.address.hasPrefix("http://"), let port = port(String(named.address.dropFirst(7)))
    else {
      throw TransportError(
        .usage,
        "\(named.address) is not http://127.0.0.1:PORT, where this machine's Syncthing answers")
    }
    guard let key = key ?? known?.key else { return nil }
    let prefix = known.flatMap {
      nudge(of: address.path, in: $0, key: key, home: configurations.home)?.prefix
    }
    return SyncthingNudge(port: port, key: key, folder: named.folder, prefix: prefix ?? "")
  }

  /// The port of an address `127.0.0.1:PORT`; nil for one of another machine.
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

  /// What Syncthing's configuration says; nil where it says nothing, or its interface is not plain HTTP.
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

  private static func nudge(
    of root: String, in configuration: Configuration, key: String?, home: String?
  ) -> SyncthingNudge? {
    let key = key ?? configuration.key
    guard let port = port(configuration.address), !key.isEmpty, let real = FileSystem.resolved(root)
    else { return nil }
    for folder in configuration.folders {
      let isOfHome = folder.path == "~" || folder.path.hasPrefix("~/")
      let path = isOfHome ? (home ?? "") + folder.path.dropFirst() : folder.path
      guard path.hasPrefix("/"), let top = FileSystem.resolved(path) else { continue }
      guard real == top || real.isBelow(top) else { continue }
      let rest = real.dropFirst(top == "/" ? 1 : top.count + 1)
      return SyncthingNudge(
        port: port, key: key, folder: folder.id, prefix: rest.isEmpty ? "" : rest + "/")
    }
    return nil
  }

  // MARK: - The request

  /// Has it look at a folder, by its path below the root.
  func scan(_ path: String) async {
    let isPlain = key.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    guard isPlain else { return }
    let end = ContinuousClock.now + Self.patience
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
    // It is short: it goes as a whole, or not at all.
    guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return }
    // It answers when it has looked; the others learn of it then.
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
