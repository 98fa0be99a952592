import Articles
import Model
package import Sync

/// A folder on a WebDAV server. Only PUT, GET, PROPFIND, MKCOL and DELETE are used. Servers
/// implement conditional requests, locks and entity tags differently, so none of these are needed.
///
/// ```swift
/// let connection = try await WebDAV().connect(
///   to: TransportPlace(
///     address: "https://example.org/dav/diple", cache: "/home/ada/.cache/diple/sync"))
/// let objects = try await connection.list(since: nil).entries
/// ```
package struct WebDAV: SyncTransport {
  package static let id = "webdav"
  package static let summary = "a folder of a WebDAV server"
  package static let examples: [TransportExample] = []

  private let timeout: Int

  /// - Parameter timeout: the maximum time without a response, in seconds.
  package init(timeout: Int = 30) { self.timeout = timeout }

  package func connect(to place: TransportPlace) async throws(TransportError)
    -> any TransportConnection
  {
    let address = try WebDAVAddress(place.address)
    let connection = WebDAVConnection(
      address,
      try WebClient(address.address, certificates: place.certificates, timeout: timeout))
    try await connection.check()
    return connection
  }
}

/// The address of a folder on a server, with `https`; `http` is allowed on the loopback interface
/// only.
struct WebDAVAddress {
  let address: WebAddress
  /// The address with a slash at the end.
  let text: String

  init(_ text: String) throws(TransportError) {
    guard let address = WebAddress(text), !text.contains("?"), !text.contains("#") else {
      throw TransportError(.usage, "the address of a WebDAV folder begins with https://")
    }
    guard !address.hasCredentials else {
      throw TransportError(
        .usage, "the address contains a name or a password; put them in ~/.netrc")
    }
    guard address.text.hasPrefix("https:") || Self.isLoopback(address.host) else {
      throw TransportError(
        .usage, "\(address.host) is not on this machine, so its address must begin with https://")
    }
    self.address = address
    self.text = address.text.hasSuffix("/") ? address.text : address.text + "/"
  }

  static func isLoopback(_ host: String) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    let isNumeric = numbers.count == 4 && numbers.allSatisfy { $0 != nil }
    return isNumeric && numbers[0] == 127 || host == "localhost" || host == "[::1]"
  }
}

/// A connection to a folder on a server.
actor WebDAVConnection: TransportConnection {
  private let base: WebDAVAddress
  private let client: WebClient
  /// The folders that exist, as paths relative to the base.
  private var made: Set<String> = []

  /// The maximum size of a folder's listing in bytes, and the maximum number of entries in all
  /// folders.
  private static let (listingLimit, entryLimit) = (64 << 20, 1_000_000)

  init(_ base: WebDAVAddress, _ client: sending WebClient) {
    (self.base, self.client) = (base, client)
  }

  func check() async throws(TransportError) {
    guard try await members(of: "", depth: 0) != nil else { throw absence }
  }

  /// Lists the folders of the replicas. A folder is left out if it is unchanged since the cursor.
  func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing {
    var entries: [TransportListing.Entry] = []
    guard let (vaults, _) = try await members(of: "v1/") else {
      try await check()
      return TransportListing([])
    }
    var known = FolderStamps(cursor)
    var stamps = FolderStamps(nil)
    for vault in vaults where vault.isFolder {
      guard VaultID(vault.name) != nil else { continue }
      let (replicas, date) = try await members(of: "v1/\(vault.name)/") ?? ([], nil)
      for replica in replicas where replica.isFolder {
        guard ReplicaID(replica.name)?.description == replica.name else { continue }
        let folder = "v1/\(vault.name)/\(replica.name)/"
        if known.remove(folder, replica) {
          stamps.insert(folder, replica)
          continue
        }
        let files = try await members(of: folder)?.members ?? []
        if FolderStamps.isReliable(replica, at: date, files) { stamps.insert(folder, replica) }
        entries += Self.objects(files, in: folder)
        guard entries.count <= Self.entryLimit else {
          throw TransportError(
            .unavailable, "\(base.text) contains more files than the limit of \(Self.entryLimit)")
        }
      }
    }
    return TransportListing(entries, cursor: stamps.cursor, isWhole: !known.hasMatched)
  }

  func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]? {
    var request = WebClient.Request(method: "GET", url: base.text + name.description)
    request.limit = limit
    request.headers = ["Accept-Encoding: identity"]
    let answer: WebClient.Answer
    do throws(TransportError) { answer = try await send(request) } catch {
      guard error.kind == .tooLarge else { throw error }
      // A response that reports a missing object can also exceed the limit.
      let isThere = try await objects(in: Self.folder(of: name)).contains { $0.name == name }
      if isThere {
        throw TransportError(.tooLarge, "\(name) is larger than the limit of \(limit) B")
      }
      return nil
    }
    switch answer.status {
    case 200: return answer.bytes
    case 404, 410: return nil
    default: throw failure(answer.status, name.description)
    }
  }

  func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds? {
    guard count > 0, let first = try await part(of: name, "0-\(count - 1)", count),
      let last = try await part(of: name, "-\(count)", count)
    else { return nil }
    return ObjectEnds(first: first, last: last)
  }

  /// Returns a range of an object's bytes; nil if the object is missing or the server sends no
  /// ranges.
  private func part(of name: ObjectName, _ range: String, _ count: Int)
    async throws(TransportError) -> [UInt8]?
  {
    var request = WebClient.Request(method: "GET", url: base.text + name.description)
    request.limit = count
    request.headers = ["Accept-Encoding: identity", "Range: bytes=\(range)"]
    do throws(TransportError) {
      let answer = try await send(request)
      return answer.status == 206 ? answer.bytes : nil
    } catch {
      // A server without ranges sends the whole object.
      if error.kind == .tooLarge { return nil }
      throw error
    }
  }

  func put(_ objects: [TransportObject]) async throws(TransportError) {
    for (folder, objects) in Dictionary(grouping: objects, by: { Self.folder(of: $0.name) }) {
      try await makeFolders(folder)
      let there = try await sizes(in: folder)
      // An object of another size is incomplete and is stored again.
      let new = objects.filter { there[$0.name] != $0.bytes.count }
      if new.isEmpty { continue }
      for object in new {
        var request = WebClient.Request(method: "PUT", url: base.text + object.name.description)
        request.headers = ["Content-Type: application/octet-stream"]
        request.body = object.bytes
        let answer = try await send(request)
        if answer.status == 404 || answer.status == 409 { made = [] }
        guard (200..<300).contains(answer.status) else {
          throw failure(answer.status, object.name.description)
        }
      }
      // Success depends on the sizes that the server lists afterwards, not on its responses.
      let sizes = try await sizes(in: folder)
      for object in new where sizes[object.name] != object.bytes.count {
        throw TransportError(
          .unavailable, "\(base.text) did not store all of \(object.name)")
      }
    }
  }

  func delete(_ names: [ObjectName]) async throws(TransportError) {
    for name in names {
      let request = WebClient.Request(method: "DELETE", url: base.text + name.description)
      let answer = try await send(request)
      guard (200..<300).contains(answer.status) || [404, 409, 410].contains(answer.status) else {
        throw failure(answer.status, name.description)
      }
    }
  }

  /// Sends a request, and sends it again after status 403. Apache also uses 403 if another client
  /// created or removed the same file or folder meanwhile; it then answers the repeated request
  /// with the real state.
  private func send(_ request: WebClient.Request) async throws(TransportError) -> WebClient.Answer {
    let answer = try await client.send(request)
    return answer.status == 403 ? try await client.send(request) : answer
  }

  func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool {
    try? await Task.sleep(for: time)
    return false
  }

  func close() async {}

  // MARK: - Folders

  private static func folder(of name: ObjectName) -> String {
    "v1/\(name.vault)/\(name.replica)/"
  }

  private func makeFolders(_ folder: String) async throws(TransportError) {
    if made.contains(folder) { return }
    var path = ""
    for part in folder.split(separator: "/") {
      path += part + "/"
      if !made.insert(path).inserted { continue }
      let answer = try await send(
        WebClient.Request(method: "MKCOL", url: base.text + path))
      // If the folder exists, some servers respond with 405 and others redirect.
      let isThere = (200..<300).contains(answer.status) || [301, 405].contains(answer.status)
      guard isThere else {
        made = []
        if [404, 409].contains(answer.status) { throw absence }
        throw failure(answer.status, path)
      }
    }
  }

  private func objects(in folder: String) async throws(TransportError) -> [TransportListing.Entry] {
    Self.objects(try await members(of: folder)?.members ?? [], in: folder)
  }

  private static func objects(_ members: [WebDAVListing.Member], in folder: String)
    -> [TransportListing.Entry]
  {
    members.compactMap { member in
      guard !member.isFolder, let size = member.size, let name = ObjectName(folder + member.name)
      else { return nil }
      return TransportListing.Entry(name, size: size)
    }
  }

  private func sizes(in folder: String) async throws(TransportError) -> [ObjectName: Int] {
    Dictionary(try await objects(in: folder).map { ($0.name, $0.size) }) { first, _ in first }
  }

  /// Lists a folder; nil if it doesn't exist. The date is the server's time, in seconds since 1970.
  private func members(of folder: String, depth: Int = 1) async throws(TransportError)
    -> (members: [WebDAVListing.Member], date: Int?)?
  {
    var request = WebClient.Request(method: "PROPFIND", url: base.text + folder)
    request.headers = ["Depth: \(depth)", "Content-Type: application/xml; charset=utf-8"]
    request.body = Array(WebDAVListing.question.utf8)
    request.limit = Self.listingLimit
    let answer: WebClient.Answer
    do throws(TransportError) { answer = try await send(request) } catch {
      guard error.kind == .tooLarge else { throw error }
      throw TransportError(.unavailable, "the listing of \(base.text)\(folder) is too long")
    }
    switch answer.status {
    case 207: break
    case 404, 410: return nil
    default: throw failure(answer.status, folder)
    }
    guard let members = WebDAVListing.members(in: answer.bytes) else {
      throw TransportError(
        .unavailable, "the listing of \(base.text)\(folder) is not valid WebDAV, or is too long")
    }
    return (members, answer.date)
  }

  private var absence: TransportError {
    TransportError(.absent, "there is no folder \(base.text)")
  }

  private func failure(_ status: Int, _ path: String) -> TransportError {
    let place = base.text + path
    return switch status {
    case 401, 407:
      TransportError(
        .refused,
        "\(place) needs credentials: use ~/.netrc, or DIPLE_WEBDAV_USER and DIPLE_WEBDAV_PASSWORD"
      )
    case 403: TransportError(.refused, "access to \(place) is denied (HTTP 403)")
    case 413, 507: TransportError(.full, "\(base.text) has no space left (HTTP \(status))")
    case 300..<400:
      TransportError(.unavailable, "\(place) redirects to another address (HTTP \(status))")
    case 405, 501:
      TransportError(.unavailable, "\(base.text) is not a WebDAV folder (HTTP \(status))")
    default: TransportError(.unavailable, "\(place) is not available now (HTTP \(status))")
    }
  }
}
