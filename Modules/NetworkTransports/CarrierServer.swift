import Glibc
package import Sync
import SystemSupport

/// Serves requests of another process for one connection to a place.
package struct CarrierServer {
  private let input: Int32
  private let output: Int32
  private let transports: [String: any SyncTransport]

  /// - Parameters:
  ///   - input: the descriptor from which requests are read. The connection ends when it is closed.
  ///   - output: the descriptor to which responses are written.
  ///   - transports: the available transports by their ids.
  package init(input: Int32, output: Int32, transports: [String: any SyncTransport]) {
    (self.input, self.output, self.transports) = (input, output, transports)
  }

  /// Serves requests until the other process closes the connection or sends an invalid request.
  ///
  /// - Returns: true if the other process closed the connection, false after an invalid or
  ///   incomplete request.
  package func run() async -> Bool {
    var connection: (any TransportConnection)?
    while true {
      guard let head = read(4) else { return false }
      if head.isEmpty { break }
      guard let count = CarrierFrame.length(of: head), let message = read(count),
        let request = CarrierRequest(message)
      else { return false }
      if request == .close { break }
      do throws(TransportError) {
        if case .connect(let id, let place) = request {
          guard connection == nil, let transport = transports[id] else {
            throw TransportError(
              .usage, "diple-transport does not know '\(id)'; is it of another version?")
          }
          connection = try await transport.connect(to: place)
          send(.done)
        } else if case .prepare(let id, let place, let members) = request {
          guard let transport = transports[id] else {
            throw TransportError(
              .usage, "diple-transport does not know '\(id)'; is it of another version?")
          }
          try await transport.prepare(place, for: members)
          send(.done)
        } else if let connection {
          try await answer(request, connection)
        } else {
          return false
        }
      } catch { send(.failure(Self.short(error))) }
    }
    await connection?.close()
    return true
  }

  private func answer(_ request: CarrierRequest, _ connection: any TransportConnection)
    async throws(TransportError)
  {
    switch request {
    case .list(let cursor): send(try await connection.list(since: cursor))
    case .get(let name, let limit): send(.object(try await connection.get(name, limit: limit)))
    case .ends(let name, let count):
      send(.ends(try await connection.ends(of: name, count: count)))
    case .put(let objects):
      try await connection.put(objects)
      send(.done)
    case .delete(let names):
      try await connection.delete(names)
      send(.done)
    case .wait(let milliseconds):
      send(.changed(try await connection.waitForChange(upTo: .milliseconds(milliseconds))))
    case .connect, .prepare, .close: break
    }
  }

  /// Sends a listing, divided into messages of at most 50,000 entries.
  private func send(_ listing: TransportListing) {
    let step = 50_000
    var rest = listing.entries[...]
    while rest.count > step {
      send(.entries(Array(rest.prefix(step))))
      rest = rest.dropFirst(step)
    }
    send(
      .listing(TransportListing(Array(rest), cursor: listing.cursor, isWhole: listing.isWhole)))
  }

  private func send(_ answer: CarrierAnswer) {
    _ = Descriptor.write(CarrierFrame.frame(answer.bytes), to: output)
  }

  private static func short(_ error: TransportError) -> TransportError {
    TransportError(error.kind, String(error.description.prefix(1000)))
  }

  /// Reads `count` bytes of the input. Returns an empty array if the input ends before the first
  /// byte, and nil if it ends later or can't be read.
  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var start = 0
    while start < count {
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(input, $0.baseAddress! + start, count - start)
      }
      if got < 0 && errno == EINTR { continue }
      if got <= 0 { return got == 0 && start == 0 ? [] : nil }
      start += got
    }
    return bytes
  }
}
