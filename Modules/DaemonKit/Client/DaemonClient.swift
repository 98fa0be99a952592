import FoundationEssentials
import Glibc
package import SystemSupport
package import Workspace

/// A connection to the daemon of a library. Not thread-safe.
///
/// ```swift
/// if let client = DaemonClient(location) {
///   let status = try client.ask(.status).status
/// }
/// ```
package final class DaemonClient {
  /// The socket, readable when the daemon has sent something.
  package let descriptor: Int32
  private var input = FrameBuffer(limit: ControlSocket.messageLimit)
  private var events: [LibraryEvent] = []
  private var lastID = 0

  /// Connects to the daemon. Returns nil if no daemon runs for the library.
  package init?(_ location: LibraryLocation) {
    guard let descriptor = ControlSocket(of: location).connect() else { return nil }
    self.descriptor = descriptor
  }

  /// Connects to the daemon and subscribes to its events. Returns nil if no daemon runs for the
  /// library, or if it refuses or does not reply within half a second.
  package convenience init?(subscribingTo location: LibraryLocation) {
    self.init(location)
    guard (try? ask(.subscribe, timeout: 500)) != nil else { return nil }
  }

  deinit { close(descriptor) }

  /// Sends a request and waits for the reply. Events that arrive meanwhile are kept for
  /// `takeEvents()`.
  ///
  /// - Parameter timeout: the maximum time to wait, in milliseconds.
  /// - Throws: ``UserError`` with the code `conflict` if the daemon refuses the request, closes the
  ///   connection, doesn't reply in time, or speaks another protocol version, or if the process at
  ///   the socket isn't a Diple daemon. `stop` works with every version.
  package func ask(_ command: ControlRequest.Command, timeout: Int = 5_000) throws(UserError)
    -> ControlMessage
  {
    lastID += 1
    let end = Clock.now + timeout
    var isOpen = true
    do { try send(FrameBuffer.frame(ControlRequest(id: lastID, command)), until: end) } catch {
      guard error == Self.ended else { throw error }
      // The daemon may have sent the reason before it closed the connection.
      _ = receive()
      isOpen = false
    }
    while true {
      while let message = try next() {
        if let event = message.event {
          events.append(event)
        } else if message.id == nil, let reason = message.error {
          throw Self.refusal(reason)
        } else if message.id == lastID {
          if command != .stop { try message.checkVersion() }
          if let reason = message.error { throw Self.refusal(reason) }
          return message
        }
      }
      guard isOpen else { throw Self.ended }
      try wait(for: POLLIN, until: end)
      isOpen = receive()
    }
  }

  private static func refusal(_ reason: String) -> UserError {
    UserError(.conflict, "the daemon: \(reason)")
  }

  /// Returns the events received so far, without waiting. Returns nil if the daemon has closed the
  /// connection and all events were returned. Throws ``UserError`` with the code `conflict` if the
  /// process at the socket isn't a Diple daemon.
  package func takeEvents() throws(UserError) -> [LibraryEvent]? {
    let isOpen = receive()
    while let message = try next() {
      if let event = message.event { events.append(event) }
    }
    defer { events = [] }
    return isOpen || !events.isEmpty ? events : nil
  }

  /// The members that all versions of the protocol have in common.
  private struct Head: Decodable {
    var id: Int?
    var version: Int?
  }

  private static let foreign = UserError(
    .conflict, "the process on the library's socket is not a Diple daemon",
    hint: "\(tool: .showDaemonLog) shows its messages")
  private static let ended = UserError(.conflict, "the daemon has ended")

  private func next() throws(UserError) -> ControlMessage? {
    do {
      guard let data = try input.next() else { return nil }
      if let message = try? FrameBuffer.value(ControlMessage.self, from: data) { return message }
      // Another version may send unknown values; the common members are still readable.
      let head = try FrameBuffer.value(Head.self, from: data)
      var message = ControlMessage(id: head.id)
      message.version = head.version
      if head.version == ControlSocket.version { throw Self.foreign }
      return message
    } catch let error as UserError {
      throw error
    } catch { throw Self.foreign }
  }

  /// Reads the available bytes. Returns false if the daemon has closed the connection.
  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 { input.append(buffer[..<count]) }
      if count == 0 { return false }
      if count < 0 && errno != EINTR { return errno == EAGAIN }
    }
  }

  private func send(_ bytes: [UInt8], until end: Int) throws(UserError) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        try wait(for: POLLOUT, until: end)
      } else if errno != EINTR {
        throw Self.ended
      }
    }
  }

  private func wait(for events: Int32, until end: Int) throws(UserError) {
    var subject = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while poll(&subject, 1, Int32(clamping: max(0, end - Clock.now))) <= 0 {
      if Clock.now >= end { throw UserError(.conflict, "the daemon does not answer") }
    }
  }
}

extension DaemonClient {
  /// Whether the library contains all changes of files until now. False if the daemon doesn't
  /// confirm it within 200 ms.
  package var isSettled: Bool {
    (try? ask(.settled, timeout: 200))?.meansSettled == true
  }
}
