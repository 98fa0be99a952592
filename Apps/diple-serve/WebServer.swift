import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Pairing
import Synchronization
import SystemSupport
import WebReader
import Workspace

/// Listens on this machine's own addresses, and on one that a network reaches if a person wants that.
final class WebServer {
  /// Which port is tried where none is named: pages have the same address each time, and browsers
  /// remember for it how a person likes to read.
  static let usualPort = 3_475

  /// The one on which it listens.
  let port: Int
  let service: WebService
  /// The address at which a network reaches it; nil for none.
  let network: NetworkAddress?

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - asked: the port, 0 for any; nil for the usual one, or any where that is taken.
  ///   - network: the address at which devices on a network reach it, too.
  ///   - tell: tells the person who started it of something.
  /// - Throws: `conflict` where the port is taken.
  init(
    _ library: Library, port asked: Int?, network: NetworkAddress?, _ devices: DeviceDesk,
    tell: @escaping @Sendable (Hint) -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let ready = Ready()
    let listeners = try await Self.listen(on: asked, network, group, ready)
    guard let port = listeners.first?.localAddress?.port else {
      throw UserError(.conflict, "the system gives no port to listen on")
    }
    let service = WebService(
      library, port: port, network: network?.name, devices: devices, files: WebFiles.bytes,
      tell: tell)
    (self.port, self.service, self.network) = (port, service, network)
    Task { await devices.follow() }
    // Only now are connections accepted: the service knows the port, and so how it is called.
    ready.service.withLock { $0 = service }
    for listener in listeners { try await listener.setOption(.autoRead, value: true).get() }
  }

  /// The sockets of all addresses, which accept nothing yet. A machine may have only one of its own.
  private static func listen(
    on asked: Int?, _ network: NetworkAddress?, _ group: MultiThreadedEventLoopGroup, _ ready: Ready
  ) async throws -> [any Channel] {
    func bind(_ host: String, _ port: Int, _ entrance: Entrance = .machine) async throws
      -> any Channel
    {
      try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelOption(.autoRead, value: false)
        .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try ready.prepare(channel, entrance) }
        }
        // Not by its name, for which the system may know no address that it has.
        .bind(to: try SocketAddress(ipAddress: host, port: port)).get()
    }
    /// Both with one port; nil where one of them is taken by somebody else.
    func both(_ port: Int) async throws -> [any Channel]? {
      let first: any Channel
      do { first = try await bind("127.0.0.1", port) } catch let error as IOError
        where error.errnoCode == EADDRINUSE
      { return nil }
      guard let port = first.localAddress?.port else { return nil }
      do { return [first, try await bind("::1", port)] } catch let error as IOError {
        if error.errnoCode != EADDRINUSE { return [first] }
        // A page of somebody else's must not stand at the same port of the other address.
        try await first.close().get()
        return nil
      }
    }
    /// All with one port.
    func all(_ port: Int) async throws -> [any Channel]? {
      guard let own = try await both(port) else { return nil }
      guard let network, let port = own.first?.localAddress?.port else { return own }
      do { return own + [try await bind(network.host, port, .network)] } catch let error as IOError
      {
        for listener in own { try await listener.close().get() }
        if error.errnoCode == EADDRINUSE { return nil }
        throw UserError(
          .conflict, "cannot listen on \(network.host): \(SystemFailure(error.errnoCode))")
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
        .conflict, "cannot listen on port \(asked ?? usualPort): \(SystemFailure(error.errnoCode))",
        hint: asked.map { (1..<1_024).contains($0) } == true
          ? "ports below 1024 are for the administrator; --port 0 takes a free one" : nil)
    }
    throw UserError(.conflict, "the system gives no port to listen on")
  }

  /// Where a page with a fresh code begins.
  ///
  /// - Parameter path: of the page.
  func address(_ path: String) -> String {
    "http://127.0.0.1:\(port)\(path)#\(service.newCode())"
  }

  /// What a device on the network needs to be paired.
  struct Pairing {
    /// Where it begins.
    var address: String
    var code: String
    /// Both in one.
    var link: String { "\(address)#pair=\(code)" }
  }

  /// A fresh code for a device on the network; nil where no network reaches the server.
  func pairing() -> Pairing? {
    network.map {
      Pairing(address: "http://\($0.name):\(port)/", code: service.devices.newCode())
    }
  }
}

/// What connections are given, as soon as it is there.
private final class Ready: Sendable {
  let service = Mutex<WebService?>(nil)
  /// Strangers on the network take no connection from the person at this machine.
  private let counts: [Entrance: ConnectionCount] = [
    .machine: ConnectionCount(), .network: ConnectionCount(),
  ]

  /// Gives a connection its handlers.
  func prepare(_ channel: any Channel, _ entrance: Entrance) throws {
    guard let service = service.withLock({ $0 }), let count = counts[entrance] else {
      return channel.close(promise: nil)
    }
    let limits = RequestLimits()
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(limits)
    try pipeline.addHandler(HTTPResponseEncoder())
    try pipeline.addHandler(
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
    try pipeline.addHandler(ConnectionHandler(service, entrance, count, limits))
  }
}
