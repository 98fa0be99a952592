import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import SystemSupport
import WebReader
import Workspace

/// Listens on this machine's own addresses.
final class WebServer {
  /// Which port is tried where none is named: pages have the same address each time, and browsers
  /// remember for it how a person likes to read.
  static let usualPort = 3_475

  /// The one on which it listens.
  let port: Int
  let service: WebService

  /// Begins to listen.
  ///
  /// - Parameter asked: the port, 0 for any; nil for the usual one, or any where that is taken.
  /// - Throws: `conflict` where the port is taken.
  init(_ library: Library, port asked: Int?) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let ready = Ready()
    let listeners = try await Self.listen(on: asked, group, ready)
    guard let port = listeners.first?.localAddress?.port else {
      throw UserError(.conflict, "the system gives no port to listen on")
    }
    let service = WebService(library, port: port, files: WebFiles.bytes)
    (self.port, self.service) = (port, service)
    // Only now are connections accepted: the service knows the port, and so how it is called.
    ready.service.withLock { $0 = service }
    for listener in listeners { try await listener.setOption(.autoRead, value: true).get() }
  }

  /// The sockets of both addresses, which accept nothing yet. A machine may have only one of them.
  private static func listen(
    on asked: Int?, _ group: MultiThreadedEventLoopGroup, _ ready: Ready
  ) async throws -> [any Channel] {
    func bind(_ host: String, _ port: Int) async throws -> any Channel {
      try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelOption(.autoRead, value: false)
        .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try ready.prepare(channel) }
        }
        .bind(host: host, port: port).get()
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
    do {
      if let found = try await both(asked ?? usualPort) { return found }
      if let asked, asked != 0 {
        throw UserError(
          .conflict, "port \(asked) is taken", hint: "--port 0 takes one that is free")
      }
      for _ in 0..<16 { if let found = try await both(0) { return found } }
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
}

/// What connections are given, as soon as it is there.
private final class Ready: Sendable {
  let service = Mutex<WebService?>(nil)
  private let count = ConnectionCount()

  /// Gives a connection its handlers.
  func prepare(_ channel: any Channel) throws {
    guard let service = service.withLock({ $0 }) else { return channel.close(promise: nil) }
    let limits = RequestLimits()
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(limits)
    try pipeline.addHandler(HTTPResponseEncoder())
    try pipeline.addHandler(
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
    try pipeline.addHandler(ConnectionHandler(service, count, limits))
  }
}
