import Foundation
import SystemSupport
import TestSupport
import Testing
import Workspace

@testable import DaemonKit

/// Tests both ends of the socket without a daemon. The test runs the server's loop.
@Suite final class ControlServerTests {
  private let folder = NSTemporaryDirectory() + "/diple-control-" + UUID().uuidString
  private let location: LibraryLocation
  private let server: ControlServer
  private var asked: [ControlRequest.Command] = []
  /// Whether the test has ended the server. A descriptor must be closed only once, because its
  /// number is reused.
  private var isOver = false

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var location = LibraryLocation(folder: folder)
    location.usePersonalFolders(of: ["HOME": folder])
    self.location = location
    server = try ControlServer(ControlSocket(of: location))
  }

  deinit {
    if !isOver {
      server.disconnectAll()
      server.stopListening()
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Runs one turn of the loop.
  private func turn() {
    var entries = server.interests
    poll(&entries, nfds_t(entries.count), 10)
    server.serve(entries[...]) { command in
      asked.append(command)
      var message = ControlMessage()
      if command == .settled { message = ControlMessage(settled: true) }
      return message
    }
  }

  /// Runs turns until a condition is true.
  private func turn(
    _ wanted: String, file: StaticString = #fileID, line: UInt = #line, until isSo: () -> Bool
  ) throws {
    try eventually(wanted, every: 0, file: file, line: line) {
      turn()
      return isSo()
    }
  }

  /// A client that uses the protocol directly.
  private final class Raw {
    let descriptor: Int32
    private var input = FrameBuffer(limit: ControlSocket.messageLimit)
    private(set) var messages: [ControlMessage] = []
    private(set) var isOpen = true

    init(_ location: LibraryLocation) throws {
      descriptor = try #require(ControlSocket(of: location).connect())
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      #expect(count == bytes.count)
    }

    func ask(_ id: Int, _ command: ControlRequest.Command) {
      send(FrameBuffer.frame(ControlRequest(id: id, command)))
    }

    /// Reads the available messages without waiting.
    func take() throws {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while isOpen {
        let count = read(descriptor, &buffer, buffer.count)
        if count == 0 || count < 0 && errno == ECONNRESET { isOpen = false }
        if count < 0 { break }
        input.append(buffer[..<count])
      }
      while let data = try input.next() {
        messages.append(try FrameBuffer.value(ControlMessage.self, from: data))
      }
    }
  }

  private func wait(
    for client: Raw, _ wanted: String, file: StaticString = #fileID, line: UInt = #line,
    until isSo: (Raw) -> Bool
  ) throws {
    try eventually(wanted, every: 0, file: file, line: line) {
      turn()
      try client.take()
      return isSo(client)
    }
  }

  @Test func `two clients receive the replies to their requests, and a subscriber receives events`()
    throws
  {
    let (first, second) = (try Raw(location), try Raw(location))
    first.ask(7, .subscribe)
    second.ask(8, .settled)
    second.ask(9, .documents)
    try wait(for: second, "two answers") { $0.messages.count == 2 }
    try wait(for: first, "an answer") { $0.messages.count == 1 }
    #expect(first.messages[0].id == 7 && first.messages[0].version == ControlSocket.version)
    #expect(second.messages.map(\.id) == [8, 9] && second.messages[0].settled == true)
    #expect(server.subscribers == 1 && asked.count == 3)
    server.broadcast(LibraryEvent(.problem, message: "größer"))
    try wait(for: first, "the event") { $0.messages.count == 2 }
    #expect(first.messages[1].event?.message == "größer" && first.messages[1].id == nil)
    turn()
    try second.take()
    #expect(second.messages.count == 2 && second.isOpen)
  }

  @Test func `a request that arrives byte by byte is answered once`() throws {
    let client = try Raw(location)
    for byte in FrameBuffer.frame(ControlRequest(id: 3, .settled)) {
      client.send([byte])
      turn()
    }
    try wait(for: client, "an answer") { !$0.messages.isEmpty }
    #expect(client.messages.map(\.id) == [3] && asked == [.settled])
  }

  @Test(
    arguments: [
      ([0xFF, 0xFF, 0xFF, 0xFF], "a request of 4294967295 bytes is too long"),
      ([0, 1, 0, 1], "a request of 65537 bytes is too long"),
      (
        [0, 0, 0, 2] + Array("[]".utf8),
        "a request must have the form {\"id\":NUMBER,\"command\":\"WORD\"}"
      ),
      ([0, 0, 0, 0], "a request must have the form {\"id\":NUMBER,\"command\":\"WORD\"}"),
    ] as [([UInt8], String)])
  func `an invalid request closes its connection, and others continue`(
    bytes: [UInt8], reason: String
  ) throws {
    let (bad, good) = (try Raw(location), try Raw(location))
    bad.send(bytes)
    // Data after an invalid request is not read.
    bad.ask(1, .stop)
    good.ask(2, .settled)
    try wait(for: bad, "the client is disconnected") { !$0.isOpen }
    #expect(bad.messages.map(\.error) == [reason] && bad.messages[0].id == nil)
    try wait(for: good, "an answer") { !$0.messages.isEmpty }
    #expect(good.messages.map(\.id) == [2] && asked == [.settled])
  }

  @Test func `an unknown command is rejected, and its connection continues`() throws {
    let client = try Raw(location)
    var request = ControlRequest(id: 1, .status)
    request.command = "dream"
    client.send(FrameBuffer.frame(request))
    client.ask(2, .settled)
    try wait(for: client, "two answers") { $0.messages.count == 2 }
    #expect(client.messages[0].error?.hasPrefix("unknown command; ") == true)
    #expect(client.messages[0].id == 1 && client.messages[1].settled == true && client.isOpen)
  }

  @Test func `a subscriber that does not read is disconnected, and others receive all events`()
    throws
  {
    let (deaf, good) = (try Raw(location), try Raw(location))
    deaf.ask(1, .subscribe)
    good.ask(1, .subscribe)
    try turn("both wait for events") { server.subscribers == 2 }
    // Send events until they exceed the buffers of the system and the server for one client.
    let event = LibraryEvent(.problem, message: String(repeating: "x", count: 1 << 18))
    var count = 0
    while server.subscribers == 2 {
      try #require(count < 100, "the client is never disconnected")
      server.broadcast(event)
      count += 1
      try wait(for: good, "event \(count)") { $0.messages.count == count + 1 }
    }
    #expect(server.subscribers == 1 && good.isOpen)
    server.broadcast(LibraryEvent(.rescanned))
    try wait(for: good, "the next event") { $0.messages.count == count + 2 }
    #expect(good.messages.last?.event?.kind == .rescanned)
  }

  @Test func `the number of subscribers is limited, and disconnected ones are not counted`() throws
  {
    var clients = try (0..<64).map { _ in try Raw(location) }
    for client in clients { client.ask(1, .subscribe) }
    try turn("all clients are subscribed") { server.subscribers == 64 }
    // Even if the limit is reached, the user can query and stop the daemon.
    let refused = try Raw(location)
    refused.ask(1, .subscribe)
    refused.ask(2, .settled)
    try wait(for: refused, "a subscription is refused, but another request is answered") {
      $0.messages.count == 2
    }
    #expect(refused.messages[0].error == "too many clients wait for events: 64")
    #expect(refused.messages[1].error == nil && refused.isOpen && server.subscribers == 64)
    clients.removeLast(10)
    let late = try Raw(location)
    late.ask(5, .settled)
    try wait(for: late, "an answer") { $0.messages.map(\.id) == [5] }
    #expect(server.subscribers == 54)
  }

  @Test func `the reply to a stop request is sent before the connection is closed`() throws {
    let client = try Raw(location)
    client.ask(1, .stop)
    try turn("the request is received") { asked == [.stop] }
    isOver = true
    server.stopListening()
    #expect(ControlSocket(of: location).connect() == nil)
    server.disconnectAll()
    try client.take()
    #expect(client.messages.map(\.id) == [1] && !client.isOpen)
  }
}
