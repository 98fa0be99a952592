import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Pairing
import Synchronization
import SystemSupport
import WebReader
import Workspace

/// Listens on the loopback addresses and, if the user wants it, on a network address.
///
/// ```swift
/// let server = try await WebServer(library, port: nil, network: nil, devices, notify: show)
/// print(server.address("/"))
/// ```
final class WebServer {
  /// The default port. With a fixed port, pages have the same address each time, and browsers keep
  /// the user's reading preferences for it.
  static let usualPort = 3_475

  /// The port on which the server listens; not 0, even if the system chose it.
  let port: Int
  let service: WebService
  /// The address for other devices on the network; nil if only this machine is served.
  let network: NetworkAddress?

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - asked: the port, or 0 for any. If nil, the default port, or any if that is in use.
  ///   - network: the address for devices on the network, or nil.
  ///   - notify: displays a message to the user who started the server.
  /// - Throws: ``UserError`` with the code `conflict` if the port is in use or can't be opened.
  init(
    _ library: Library, port asked: Int?, network: NetworkAddress?, _ devices: DeviceSessions,
    notify: @escaping @Sendable (Hint) -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let ready = Ready()
    let listeners = try await Self.listen(on: asked, network, group, ready)
    guard let port = listeners.first?.localAddress?.port else {
      throw UserError(.conflict, "no port available")
    }
    let service = WebService(
      library, port: port, network: network?.name, devices: devices, files: WebFiles.bytes,
      notify: notify)
    (self.port, self.service, self.network) = (port, service, network)
    Task { await devices.follow() }
    // Accept connections only now: the service knows its port and therefore the valid host names.
    ready.service.withLock { $0 = service }
    for listener in listeners { try await listener.setOption(.autoRead, value: true).get() }
  }

  /// Opens the sockets for all addresses, without accepting connections. IPv6 may be unavailable.
  private static func listen(
    on asked: Int?, _ network: NetworkAddress?, _ group: MultiThreadedEventLoopGroup, _ ready: Ready
  ) async throws -> [any Channel] {
    func bind(_ host: String, _ port: Int, _ listener: Listener = .machine) async throws
      -> any Channel
    {
      try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelOption(.autoRead, value: false)
        .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try ready.prepare(channel, listener) }
        }
        // Don't bind by host name, which may not resolve.
        .bind(to: try SocketAddress(ipAddress: host, port: port)).get()
    }
    /// Opens both loopback addresses on one port. Returns nil if another process uses it on one of
    /// them. Throws an `IOError` for other failures.
    func both(_ port: Int) async throws -> [any Channel]? {
      let first: any Channel
      do { first = try await bind("127.0.0.1", port) } catch let error as IOError
        where error.errnoCode == EADDRINUSE
      { return nil }
      guard let port = first.localAddress?.port else { return nil }
      do { return [first, try await bind("::1", port)] } catch let error as IOError {
        if error.errnoCode != EADDRINUSE { return [first] }
        // Another program must not be able to serve pages on the same port of the other address.
        try await first.close().get()
        return nil
      }
    }
    /// Opens all addresses on one port. Returns nil if another process uses it on one of them.
    /// Throws ``UserError`` if the network address can't be opened, and an `IOError` for other
    /// failures.
    func all(_ port: Int) async throws -> [any Channel]? {
      guard let loopback = try await both(port) else { return nil }
      guard let network, let port = loopback.first?.localAddress?.port else { return loopback }
      do { return loopback + [try await bind(network.host, port, .network)] } catch let error
        as IOError
      {
        for channel in loopback { try await channel.close().get() }
        if error.errnoCode == EADDRINUSE { return nil }
        throw UserError(
          .conflict, "cannot listen on \(network.host): \(SystemCallError(error.errnoCode))")
      }
    }
    do {
      if let found = try await all(asked ?? usualPort) { return found }
      if let asked, asked != 0 {
        throw UserError(
          .conflict, "port \(asked) is taken", hint: "--port 0 takes one that is free")
      }
      for _ in 0..<16 { if let found = try await all(0) { return found } }
    } catch let error as IOError {
      throw UserError(
        .conflict,
        "cannot listen on port \(asked ?? usualPort): \(SystemCallError(error.errnoCode))",
        hint: asked.map { (1..<1_024).contains($0) } == true
          ? "only the administrator can use ports below 1024; --port 0 uses a free one" : nil)
    }
    throw UserError(.conflict, "no port available")
  }

  /// Returns the URL of a page with a new login code.
  ///
  /// - Parameter path: the path of the page.
  func address(_ path: String) -> String {
    "http://127.0.0.1:\(port)\(path)#\(service.newCode())"
  }

  /// The data for pairing a device on the network.
  struct Pairing {
    /// The URL to open.
    var address: String
    var code: String
    /// The URL with the code.
    var link: String { "\(address)#pair=\(code)" }
  }

  /// Creates a pairing code. Returns nil if the server isn't reachable over a network.
  func pairing() -> Pairing? {
    network.map {
      Pairing(address: "http://\($0.name):\(port)/", code: service.devices.newCode())
    }
  }
}

/// The service for new connections, which is set after the sockets are opened.
private final class Ready: Sendable {
  let service = Mutex<WebService?>(nil)
  /// Separate counts, so that connections from the network can't block the owner on this machine.
  private let counts: [Listener: ConnectionCount] = [
    .machine: ConnectionCount(), .network: ConnectionCount(),
  ]

  /// Adds the handlers to a connection's pipeline.
  func prepare(_ channel: any Channel, _ listener: Listener) throws {
    guard let service = service.withLock({ $0 }), let count = counts[listener] else {
      return channel.close(promise: nil)
    }
    let limits = RequestLimits()
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(limits)
    try pipeline.addHandler(HTTPResponseEncoder())
    try pipeline.addHandler(
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
    try pipeline.addHandler(ConnectionHandler(service, listener, count, limits))
  }
}
