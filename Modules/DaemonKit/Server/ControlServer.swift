import CSys
import FoundationEssentials
import Glibc
import Model
import SystemSupport
import Workspace

/// The server side of the daemon's socket. It never blocks: unsent output is buffered, up to a
/// limit.
final class ControlServer {
  private struct Client {
    var input = FrameBuffer(limit: ControlSocket.requestLimit)
    var output: [UInt8] = []
    var isSubscribed = false
    /// Whether to disconnect the client after all output is sent.
    var isClosing = false
    /// The sequence number of the client's last request or, without one, of its connection.
    var lastUse = 0
  }

  /// The maximum unsent output of a client in bytes. A client that exceeds it is disconnected.
  private static let outputLimit = 4 << 20
  /// The maximum number of clients that wait for events.
  private static let subscriberLimit = 64
  /// The maximum number of clients. Some are reserved for requests, so that a user can always query
  /// or stop the daemon.
  private static let clientLimit = subscriberLimit + 8

  private let socket: ControlSocket
  private let listening: Int32
  private var clients: [Int32: Client] = [:]
  private var uses = 0

  init(_ socket: ControlSocket) throws(UserError) {
    self.socket = socket
    listening = try socket.listen()
  }

  /// The number of clients that wait for events.
  var subscribers: Int { clients.values.count(where: \.isSubscribed) }

  /// The descriptors and events to poll for.
  var interests: [pollfd] {
    [pollfd(fd: listening, events: Int16(POLLIN), revents: 0)]
      + clients.map { descriptor, client in
        pollfd(
          fd: descriptor, events: Int16(client.output.isEmpty ? POLLIN : POLLIN | POLLOUT),
          revents: 0)
      }
  }

  /// Handles the events that `poll` returned, and answers requests.
  func serve(_ ready: ArraySlice<pollfd>, answer: (ControlRequest.Command) -> ControlMessage) {
    for entry in ready.dropFirst() where entry.revents != 0 {
      if Int32(entry.revents) & ~POLLOUT != 0 { receive(entry.fd, answer) }
      flush(entry.fd)
    }
    // Accept new clients last, because disconnected clients no longer count towards the limit then.
    if ready.first?.revents != 0 { acceptAll(answer) }
  }

  /// Sends an event to all subscribed clients.
  func broadcast(_ event: LibraryEvent) {
    guard subscribers > 0 else { return }
    var message = ControlMessage()
    message.event = event
    let frame = FrameBuffer.frame(message)
    for (descriptor, client) in clients where client.isSubscribed {
      clients[descriptor]?.output += frame
      flush(descriptor)
    }
  }

  /// Closes and deletes the socket, so that no client can connect.
  func stopListening() {
    unlink(socket.path)
    Glibc.close(listening)
  }

  /// Closes all connections. A client that requested a stop learns by this that the daemon has
  /// stopped.
  func disconnectAll() {
    for descriptor in clients.keys {
      flush(descriptor)
      Glibc.close(descriptor)
    }
    clients = [:]
  }

  private func acceptAll(_ answer: (ControlRequest.Command) -> ControlMessage) {
    while case let descriptor = csys_accept(listening), descriptor >= 0 {
      var user: uid_t = 0
      // The socket's mode excludes other users, except privileged ones such as root.
      let isOurs = csys_peer_user(descriptor, &user) == 0 && user == geteuid()
      guard isOurs else {
        Glibc.close(descriptor)
        continue
      }
      if clients.count >= Self.clientLimit { dropGone(answer) }
      if clients.count >= Self.clientLimit { dropIdle() }
      uses += 1
      var client = Client()
      client.lastUse = uses
      clients[descriptor] = client
      if clients.count > Self.clientLimit {
        refuse(descriptor, id: nil, "too many clients: \(Self.clientLimit)")
        clients[descriptor]?.isClosing = true
        flush(descriptor)
      }
    }
  }

  /// Disconnects the client that has been idle longest, so that a program with a forgotten
  /// connection doesn't exclude others. Clients that wait for events aren't idle.
  private func dropIdle() {
    let idle = clients.filter { !$0.value.isSubscribed && $0.value.output.isEmpty }
    if let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) { hangUp(oldest.key) }
  }

  /// Disconnects the clients that have closed their side, after reading their last requests.
  private func dropGone(_ answer: (ControlRequest.Command) -> ControlMessage) {
    var entries = clients.keys.map { pollfd(fd: $0, events: 0, revents: 0) }
    poll(&entries, nfds_t(entries.count), 0)
    for entry in entries where Int32(entry.revents) & POLLHUP != 0 {
      while clients[entry.fd] != nil { receive(entry.fd, answer) }
    }
  }

  private func receive(
    _ descriptor: Int32, _ answer: (ControlRequest.Command) -> ControlMessage
  ) {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    var isOpen = true
    // Read only once in each turn of the loop, so that no client delays the others.
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      uses += 1
      clients[descriptor]?.lastUse = uses
      clients[descriptor]?.input.append(buffer[..<count])
    }
    if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { isOpen = false }
    do {
      while clients[descriptor]?.isClosing == false,
        let data = try clients[descriptor]?.input.next()
      {
        reply(to: data, descriptor, answer)
      }
    } catch {
      refuse(descriptor, id: nil, "a request of \(error.length.counted("byte")) is too long")
      clients[descriptor]?.isClosing = true
    }
    if !isOpen { hangUp(descriptor) }
  }

  private func reply(
    to data: Data, _ descriptor: Int32, _ answer: (ControlRequest.Command) -> ControlMessage
  ) {
    guard let request = try? FrameBuffer.value(ControlRequest.self, from: data) else {
      refuse(
        descriptor, id: nil,
        "a request must have the form {\"id\":NUMBER,\"command\":\"WORD\"}")
      clients[descriptor]?.isClosing = true
      return
    }
    guard let command = ControlRequest.Command(rawValue: request.command) else {
      let known = ControlRequest.Command.allCases.map(\.rawValue).joined(separator: ", ")
      return refuse(descriptor, id: request.id, "unknown command; the commands are \(known)")
    }
    if command == .subscribe, clients[descriptor]?.isSubscribed == false,
      subscribers >= Self.subscriberLimit
    {
      return refuse(
        descriptor, id: request.id,
        "too many clients wait for events: \(Self.subscriberLimit)")
    }
    if command == .subscribe { clients[descriptor]?.isSubscribed = true }
    var message = answer(command)
    message.id = request.id
    message.version = ControlSocket.version
    clients[descriptor]?.output += FrameBuffer.frame(message)
  }

  private func refuse(_ descriptor: Int32, id: Int?, _ reason: String) {
    var message = ControlMessage(id: id)
    message.error = reason
    message.version = ControlSocket.version
    clients[descriptor]?.output += FrameBuffer.frame(message)
  }

  private func flush(_ descriptor: Int32) {
    guard let client = clients[descriptor], !client.output.isEmpty else {
      if clients[descriptor]?.isClosing == true { hangUp(descriptor) }
      return
    }
    let count = client.output.withUnsafeBytes {
      send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if count > 0 { clients[descriptor]?.output.removeFirst(count) }
    let left = client.output.count - max(0, count)
    let isBroken = count < 0 && errno != EAGAIN && errno != EINTR
    if isBroken || left > Self.outputLimit || left == 0 && client.isClosing { hangUp(descriptor) }
  }

  private func hangUp(_ descriptor: Int32) {
    if clients.removeValue(forKey: descriptor) != nil { Glibc.close(descriptor) }
  }
}
