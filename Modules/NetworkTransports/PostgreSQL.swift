import Glibc
import Model
package import Sync

/// A PostgreSQL database, for teams. The database decides which users have access to which vaults.
/// Each vault has a counter without gaps, which serves as the cursor of its listings.
package struct PostgreSQL: SyncTransport {
  package static let id = "postgres"
  package static let summary = "a PostgreSQL database"
  package static let examples: [TransportExample] = []

  package init() {}

  package func connect(to place: TransportPlace) async throws(TransportError)
    -> any TransportConnection
  {
    let connection = PostgresConnection(place.address)
    try await connection.check()
    return connection
  }

  package func prepare(_ place: TransportPlace, for members: [String]) async throws(TransportError)
  {
    try PostgresSchema.prepare(place.address, for: members)
  }
}

/// A connection to a database.
actor PostgresConnection: TransportConnection {
  private let address: String
  private var session: PostgresSession?
  private var identity: [UInt8] = []
  /// The last number of each vault, as of the last listing or check.
  private var known: [VaultID: Int64] = [:]
  /// The channels on which notifications are received.
  private var channels: Set<String> = []
  /// The vaults with new objects of which the other members haven't been notified.
  private var unannounced: Set<VaultID> = []
  private var listings = 0

  private static let attempts = 4
  /// One in this many listings is complete, so that deleted objects are noticed.
  private static let wholeEvery = 100
  private static let pollInterval = Duration.seconds(30)

  init(_ address: String) { self.address = address }

  func check() throws(TransportError) { try attempt { (_) throws(TransportError) in } }

  func list(since cursor: TransportCursor?) throws(TransportError) -> TransportListing {
    try attempt { (session) throws(TransportError) in
      listings += 1
      let known = listings % Self.wholeEvery == 0 ? nil : cursor.flatMap(numbers)
      let vaults = Array((known ?? [:]).keys)
      let rows = try session.run(
        "SELECT vault, replica, file, size, last FROM diple.list($1::bytea[], $2::bigint[])",
        [.byteArrays(vaults.map(\.bytes)), .numbers(vaults.map { known?[$0] ?? 0 })])
      var numbers: [VaultID: Int64] = [:]
      var entries: [TransportListing.Entry] = []
      for row in rows {
        guard let vault = row[0].flatMap(VaultID.init(bytes:)), let last = row[4].map(Self.number)
        else { continue }
        // The query reads the vault's counter together with its objects.
        numbers[vault] = last
        guard let replica = row[1], let file = row[2], let size = row[3],
          let id = ReplicaID(String(decoding: replica, as: UTF8.self)),
          let name = ObjectName(
            vault: vault, replica: id, file: String(decoding: file, as: UTF8.self))
        else { continue }
        entries.append(TransportListing.Entry(name, size: Int(Self.number(size))))
      }
      self.known = numbers
      // If a known vault is missing, the database was emptied.
      let isWhole = known.map { known in known.keys.contains { numbers[$0] == nil } } ?? true
      return TransportListing(entries, cursor: cursorFor(numbers), isWhole: isWhole)
    }
  }

  func get(_ name: ObjectName, limit: Int) throws(TransportError) -> [UInt8]? {
    let rows = try attempt { (session) throws(TransportError) in
      try session.run(
        "SELECT size, content FROM diple.pull($1::bytea, $2::text, $3::text, $4::bigint)",
        [
          .bytes(name.vault.bytes), .text(name.replica.description), .text(name.file),
          .number(Int64(limit)),
        ])
    }
    guard let row = rows.first, let size = row[0].map(Self.number) else { return nil }
    guard let content = row[1] else {
      throw TransportError(.tooLarge, "\(name) has \(size) bytes, more than \(limit)")
    }
    return content
  }

  func ends(of name: ObjectName, count: Int) throws(TransportError) -> ObjectEnds? {
    let rows: [[[UInt8]?]]
    do throws(TransportError) {
      rows = try attempt { (session) throws(TransportError) in
        try session.run(
          "SELECT first, last FROM diple.ends($1::bytea, $2::text, $3::text, $4::bigint)",
          [
            .bytes(name.vault.bytes), .text(name.replica.description), .text(name.file),
            .number(Int64(count)),
          ])
      }
    } catch {
      // An earlier version of the schema lacks the function.
      if error.kind == .absent { return nil }
      throw error
    }
    guard let row = rows.first, let first = row[0], let last = row[1] else { return nil }
    return ObjectEnds(first: first, last: last)
  }

  func put(_ objects: [TransportObject]) throws(TransportError) {
    for (vault, objects) in Dictionary(grouping: objects, by: \.name.vault) {
      try attempt { (session) throws(TransportError) in
        _ = try session.run(
          "SELECT diple.push($1::bytea, $2::text[], $3::text[], $4::bytea[])",
          [
            .bytes(vault.bytes), .texts(objects.map(\.name.replica.description)),
            .texts(objects.map(\.name.file)), .byteArrays(objects.map(\.bytes)),
          ])
      }
      unannounced.insert(vault)
    }
    announce()
  }

  func delete(_ names: [ObjectName]) throws(TransportError) {
    for (vault, names) in Dictionary(grouping: names, by: \.vault) {
      try attempt { (session) throws(TransportError) in
        _ = try session.run(
          "SELECT diple.remove($1::bytea, $2::text[], $3::text[])",
          [
            .bytes(vault.bytes), .texts(names.map(\.replica.description)),
            .texts(names.map(\.file)),
          ])
      }
    }
  }

  func waitForChange(upTo time: Duration) throws(TransportError) -> Bool {
    let end = ContinuousClock.now + time
    var nextPoll = ContinuousClock.now
    while true {
      let now = ContinuousClock.now
      if now >= nextPoll {
        // Changes before the notifications were enabled are noticed here, too.
        if try isChanged() { return true }
        nextPoll = now + Self.pollInterval
      }
      guard now < end else { return false }
      announce()
      var rest = min(end, nextPoll) - now
      if !unannounced.isEmpty { rest = min(rest, .seconds(1)) }
      let milliseconds = max(1, Int((rest / .milliseconds(1)).rounded(.up)))
      let heard = try attempt { (session) throws(TransportError) in
        try session.notifications(upTo: milliseconds)
      }
      if !heard.isEmpty { nextPoll = .now }
    }
  }

  func close() {
    announce()
    session = nil
  }

  // MARK: - Changes

  /// Returns whether the counter of a vault has changed since the last listing, and enables
  /// notifications for new vaults.
  private func isChanged() throws(TransportError) -> Bool {
    try attempt { (session) throws(TransportError) in
      let rows = try session.run("SELECT vault, last, md5(session_user) FROM diple.vaults")
      if rows.isEmpty || channels.isEmpty {
        let user = try session.run("SELECT md5(session_user)").first?[0] ?? []
        try listen("diple_" + String(decoding: user, as: UTF8.self), session)
      }
      var isChanged = false
      for row in rows {
        guard let vault = row[0].flatMap(VaultID.init(bytes:)), let last = row[1].map(Self.number)
        else { continue }
        // At most 2,000 channels are used. Changes of other vaults are noticed by polling.
        if channels.count < 2000 { try listen("diple_\(vault)", session) }
        if known[vault] != last {
          known[vault] = last
          isChanged = true
        }
      }
      return isChanged
    }
  }

  private func listen(_ channel: String, _ session: PostgresSession) throws(TransportError) {
    // The name is safe, because it consists of `diple_` and hexadecimal digits only.
    if channels.insert(channel).inserted { try session.script("LISTEN \(channel)") }
  }

  /// Notifies the other members of new objects. Notifications that the server postpones are
  /// repeated later.
  private func announce() {
    for vault in unannounced {
      guard let session,
        let announced = try? session.run("SELECT diple.announce($1::bytea)", [.bytes(vault.bytes)])
      else { return }
      if announced.first?[0] == [1] { unannounced.remove(vault) }
    }
  }

  // MARK: - Sessions

  /// Runs `work`, and repeats it if the server was restarted or a transaction conflicted with
  /// another. All statements can be repeated safely.
  private func attempt<Result>(_ work: (PostgresSession) throws(TransportError) -> Result)
    throws(TransportError) -> Result
  {
    var attempt = 0
    while true {
      attempt += 1
      do throws(TransportError) { return try work(try connected()) } catch {
        let isBroken = session?.isBroken ?? false
        let canTryAgain = isBroken || (session?.canTryAgain ?? false)
        if isBroken { session = nil }
        guard error.kind == .unavailable, canTryAgain, attempt < Self.attempts else { throw error }
        usleep(useconds_t(50_000 << attempt))
      }
    }
  }

  private func connected() throws(TransportError) -> PostgresSession {
    if let session { return session }
    let new = try PostgresSession(address)
    let row = try new.run(
      "SELECT decode(replace(identity::text, '-', ''), 'hex') FROM diple.server")
    guard let identity = row.first?[0], identity.count == 16 else {
      throw TransportError(
        .absent, PostgresSession.noTables)
    }
    if identity != self.identity { known = [:] }
    (self.identity, session, channels) = (identity, new, [])
    return new
  }

  // MARK: - Cursors

  /// Returns a cursor: the server's identity, followed by each vault's id and number. Nil if it
  /// would exceed 4096 bytes.
  private func cursorFor(_ numbers: [VaultID: Int64]) -> TransportCursor? {
    var bytes = identity
    for (vault, number) in numbers.sorted(by: { $0.key < $1.key }) {
      bytes += vault.bytes
      withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
    return bytes.count <= 4096 ? TransportCursor(bytes) : nil
  }

  /// Parses a cursor; nil if it is invalid or belongs to another server.
  private func numbers(_ cursor: TransportCursor) -> [VaultID: Int64]? {
    let bytes = cursor.bytes
    guard bytes.count >= 16, (bytes.count - 16) % 24 == 0, Array(bytes[..<16]) == identity else {
      return nil
    }
    var numbers: [VaultID: Int64] = [:]
    for start in stride(from: 16, to: bytes.count, by: 24) {
      guard let vault = VaultID(bytes: Array(bytes[start..<(start + 16)])) else { return nil }
      numbers[vault] = max(0, Self.number(Array(bytes[(start + 16)..<(start + 24)])))
    }
    return numbers
  }

  /// Decodes a big-endian number of two, four or eight bytes.
  private static func number(_ bytes: [UInt8]) -> Int64 {
    Int64(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}
