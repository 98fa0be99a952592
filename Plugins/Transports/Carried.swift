import Glibc
import Model
package import Sync
package import SystemSupport

/// A network transport that runs in the program `diple-transport`. Only that program loads the
/// libraries that network transports need.
package struct Carried: SyncTransport {
  package static let id = "carried"
  package static let summary = "a place that diple-transport connects to"
  package static let examples = TransportExample.forEveryTransport(
    at: "https://example.org/dav/diple")

  /// The ids of the network transports, with their descriptions.
  package static let all = [
    ("webdav", "a folder of a WebDAV server, such as Nextcloud"),
    ("postgres", "a PostgreSQL database, for teams"),
  ]

  private let transport: String
  private let program: @Sendable () -> Program
  private let timeout: Duration

  /// - Parameters:
  ///   - transport: the id of the transport, one of those in `all`.
  ///   - program: returns the program to start; nil for `diple-transport` in the folder of this
  ///     program.
  ///   - timeout: the maximum time of a response.
  package init(
    _ transport: String, program: (@Sendable () -> Program)? = nil,
    timeout: Duration = .seconds(300)
  ) {
    self.transport = transport
    self.program = program ?? { .sibling("diple-transport", ["--serve"]) }
    self.timeout = timeout
  }

  package func connect(to place: TransportPlace) async throws(TransportError)
    -> any TransportConnection
  {
    let connection = CarriedConnection(transport, place, program, timeout: timeout)
    try await connection.start()
    return connection
  }

  package func prepare(_ place: TransportPlace, for members: [String]) async throws(TransportError)
  {
    let connection = CarriedConnection(transport, place, program, timeout: timeout)
    do throws(TransportError) { try await connection.prepare(for: members) } catch {
      await connection.close()
      throw error
    }
    await connection.close()
  }
}

/// A connection to a place through `diple-transport`. If the program doesn't respond or sends
/// invalid data, it is terminated, and the next call starts it again.
actor CarriedConnection: TransportConnection {
  private let transport: String
  private let place: TransportPlace
  private let program: @Sendable () -> Program
  private let timeout: Duration
  private var carrier: (program: RunningProgram, descriptor: Int32)?

  /// The maximum content of a message in bytes, and the maximum number of entries in a listing.
  private static let (batchLimit, entryLimit) = (16 << 20, 1_000_000)

  init(
    _ transport: String, _ place: TransportPlace, _ program: @escaping @Sendable () -> Program,
    timeout: Duration
  ) {
    (self.transport, self.place) = (transport, place)
    (self.program, self.timeout) = (program, timeout)
  }

  deinit { if let carrier { Self.end(carrier) } }

  /// Starts the program and connects to the place.
  ///
  /// - Throws: `TransportError`; `.missingProgram` if the program can't be started.
  func start() async throws(TransportError) {
    try startProgram()
    let answer: CarrierAnswer
    do throws(TransportError) {
      answer = try await exchange(.connect(transport: transport, place))
    } catch {
      stop()
      throw error
    }
    guard answer == .done else { throw senseless() }
  }

  /// Starts the program, which prepares the place without connecting to it.
  ///
  /// - Throws: `TransportError`.
  func prepare(for members: [String]) async throws(TransportError) {
    try startProgram()
    let request = CarrierRequest.prepare(transport: transport, place, members: members)
    guard try await exchange(request) == .done else { throw senseless() }
  }

  private func startProgram() throws(TransportError) {
    do { carrier = try program().startConnected() } catch {
      throw TransportError(.missingProgram, "\(error)")
    }
  }

  func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing {
    var answer = try await ask(.list(cursor))
    var entries: [TransportListing.Entry] = []
    while case .entries(let some) = answer, entries.count + some.count <= Self.entryLimit {
      entries += some
      answer = try await receive(within: timeout)
    }
    guard case .listing(var listing) = answer else { throw senseless() }
    listing.entries = entries + listing.entries
    return listing
  }

  func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]? {
    // A larger object doesn't fit into a frame.
    let limit = max(0, min(limit, CarrierFrame.limit - 1024))
    guard case .object(let bytes) = try await ask(.get(name, limit: limit)),
      (bytes?.count ?? 0) <= limit
    else { throw senseless() }
    return bytes
  }

  func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds? {
    guard case .ends(let ends) = try await ask(.ends(name, count: count)),
      max(ends?.first.count ?? 0, ends?.last.count ?? 0) <= count
    else { throw senseless() }
    return ends
  }

  func put(_ objects: [TransportObject]) async throws(TransportError) {
    var batch: [TransportObject] = []
    var size = 0
    for object in objects {
      guard object.bytes.count <= Self.batchLimit else {
        throw TransportError(
          .tooLarge, "\(object.name) is larger than the limit of \(Self.batchLimit) B")
      }
      if size + object.bytes.count > Self.batchLimit || batch.count == 5000 {
        try await confirm(.put(batch))
        (batch, size) = ([], 0)
      }
      batch.append(object)
      size += object.bytes.count
    }
    if !batch.isEmpty { try await confirm(.put(batch)) }
  }

  func delete(_ names: [ObjectName]) async throws(TransportError) {
    for start in stride(from: 0, to: names.count, by: 5000) {
      try await confirm(.delete(Array(names[start..<min(names.count, start + 5000)])))
    }
  }

  func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool {
    let milliseconds = Int(max(0, min(time / .milliseconds(1), 86_400_000)))
    let answer = try await ask(.wait(milliseconds: milliseconds), longer: time)
    guard case .changed(let isChanged) = answer else { throw senseless() }
    return isChanged
  }

  func close() async {
    guard let carrier else { return }
    _ = try? await send(.close, until: .now + .seconds(1))
    // If the message couldn't be sent, the program was terminated already.
    guard self.carrier?.program === carrier.program else { return }
    self.carrier = nil
    Glibc.close(carrier.descriptor)
    _ = await carrier.program.exitCode(within: 5)
  }

  // MARK: - Messages

  private func confirm(_ request: CarrierRequest) async throws(TransportError) {
    guard case .done = try await ask(request) else { throw senseless() }
  }

  private func ask(_ request: CarrierRequest, longer: Duration = .zero) async throws(TransportError)
    -> CarrierAnswer
  {
    if carrier == nil { try await start() }
    return try await exchange(request, longer: longer)
  }

  private func exchange(_ request: CarrierRequest, longer: Duration = .zero)
    async throws(TransportError) -> CarrierAnswer
  {
    try await send(request, until: .now + timeout)
    return try await receive(within: timeout + longer)
  }

  private func send(_ request: CarrierRequest, until end: ContinuousClock.Instant)
    async throws(TransportError)
  {
    var rest = CarrierFrame.frame(request.bytes)[...]
    while !rest.isEmpty {
      // Another call may have terminated the program during a wait.
      guard let descriptor = carrier?.descriptor else { throw broken("is not running") }
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, min($0.count, 1 << 20), Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        try await wait(for: .writable, until: end)
      } else if errno != EINTR {
        throw broken("has ended")
      }
    }
  }

  private func receive(within time: Duration) async throws(TransportError) -> CarrierAnswer {
    let end = ContinuousClock.now + time
    let head = try await read(4, until: end)
    guard let count = CarrierFrame.length(of: head) else { throw senseless() }
    guard let answer = CarrierAnswer(try await read(count, until: end)) else { throw senseless() }
    if case .failure(let error) = answer { throw error }
    return answer
  }

  private func read(_ count: Int, until end: ContinuousClock.Instant) async throws(TransportError)
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    // The buffer grows with the received bytes, not with the announced length.
    var buffer = [UInt8](repeating: 0, count: min(count, 1 << 16))
    while bytes.count < count {
      guard let descriptor = carrier?.descriptor else { throw broken("is not running") }
      let most = min(buffer.count, count - bytes.count)
      let got = Glibc.read(descriptor, &buffer, most)
      if got > 0 {
        bytes += buffer[..<got]
      } else if got < 0 && errno == EAGAIN {
        try await wait(for: .readable, until: end)
      } else if got == 0 || errno != EINTR {
        throw broken("has ended")
      }
    }
    return bytes
  }

  private func wait(for readiness: Descriptor.Readiness, until end: ContinuousClock.Instant)
    async throws(TransportError)
  {
    guard let descriptor = carrier?.descriptor else { throw broken("is not running") }
    let rest = end - ContinuousClock.now
    guard rest > .zero else { throw broken("does not answer") }
    if await Descriptor.wait(for: readiness, of: descriptor, upTo: rest) { return }
    throw broken(Task.isCancelled ? "was cancelled" : "does not answer")
  }

  private func senseless() -> TransportError { broken("sends an invalid answer") }

  /// Terminates the program and returns the error to throw.
  private func broken(_ what: String) -> TransportError {
    stop()
    return TransportError(.unavailable, "diple-transport, which reaches \(transport), \(what)")
  }

  private func stop() {
    guard let carrier else { return }
    self.carrier = nil
    Self.end(carrier)
  }

  private static func end(_ carrier: (program: RunningProgram, descriptor: Int32)) {
    Glibc.close(carrier.descriptor)
    carrier.program.kill()
    Task { _ = await carrier.program.exitCode(within: 5) }
  }
}
