import Foundation
import SystemSupport
import TestSupport
import Testing
import Workspace

@testable import DaemonKit

/// Tests how a client handles the replies of daemons and other programs at a library's socket.
@Suite final class DaemonClientTests {
  private let folder = NSTemporaryDirectory() + "/diple-client-" + UUID().uuidString
  private let location: LibraryLocation
  private let listening: Int32

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var location = LibraryLocation(folder: folder)
    location.usePersonalFolders(of: ["HOME": folder])
    self.location = location
    listening = try ControlSocket(of: location).listen()
  }

  deinit {
    close(listening)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Returns a connection whose other end sends bytes, and then closes or stays open.
  private func client(hearing bytes: [UInt8], stays: Bool = false) throws -> (DaemonClient, Int32) {
    let client = try #require(DaemonClient(location))
    let other = try eventually("the connection arrives") {
      accept(listening, nil, nil)
    } until: {
      $0 >= 0
    }
    #expect(write(other, bytes, bytes.count) == bytes.count)
    if !stays { shutdown(other, Int32(SHUT_WR)) }
    return (client, other)
  }

  private func answer(_ id: Int, version: Int = ControlSocket.version, more: String = "")
    -> [UInt8]
  {
    let text = Array("{\"id\":\(id),\"version\":\(version)\(more)}".utf8)
    return [0, 0, UInt8(text.count >> 8), UInt8(text.count & 0xFF)] + text
  }

  @Test func `a refusal is read although the daemon has closed the connection`() throws {
    let text = Array("{\"version\":\(ControlSocket.version),\"error\":\"no room\"}".utf8)
    let (client, other) = try client(hearing: [0, 0, 0, UInt8(text.count)] + text)
    close(other)
    let error = #expect(throws: UserError.self) { try client.ask(.status, timeout: 20_000) }
    #expect(error?.message == "the daemon: no room")
  }

  private func failure(_ bytes: [UInt8], _ command: ControlRequest.Command = .settled) throws
    -> String
  {
    let (client, other) = try client(hearing: bytes)
    defer { close(other) }
    do {
      _ = try client.ask(command, timeout: 20_000)
      return "no error"
    } catch {
      #expect(error.code == .conflict)
      return error.description
    }
  }

  @Test func `connecting returns nil if no process listens`() {
    var elsewhere = LibraryLocation(folder: folder + "/nowhere")
    elsewhere.usePersonalFolders(of: ["HOME": folder])
    #expect(DaemonClient(elsewhere) == nil)
  }

  @Test func `a reply is read after the preceding events`() throws {
    var event = ControlMessage()
    event.event = LibraryEvent(.paused)
    let (client, other) = try client(
      hearing: FrameBuffer.frame(event) + answer(9) + answer(1, more: ",\"settled\":true"))
    defer { close(other) }
    #expect(try client.ask(.settled, timeout: 20_000).settled == true)
    #expect(try client.takeEvents()?.map(\.kind) == [.paused])
    #expect(try client.takeEvents() == nil, "the other end is closed")
  }

  @Test func `a daemon of another version is reported, and can be stopped`() throws {
    let foreign = answer(1, version: 2, more: ",\"status\":{\"mood\":\"fine\"}")
    #expect(try failure(foreign).contains("it speaks protocol 2, and this program 1"))
    let (client, other) = try client(hearing: foreign)
    defer { close(other) }
    #expect(try client.ask(.stop, timeout: 20_000).version == 2)
  }

  @Test(
    arguments: [
      [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 3] + Array("{no".utf8), Array("HTTP/1.1 400 Bad".utf8),
    ] as [[UInt8]])
  func `a reply that does not follow the protocol is reported in one line`(bytes: [UInt8]) throws {
    let message = try failure(bytes)
    #expect(message.contains("showDaemonLog") && !message.contains("\n"), "\(message)")
  }

  @Test func `an invalid reply of the same version is reported`() throws {
    #expect(try failure(answer(1, more: ",\"settled\":\"maybe\"")).contains("showDaemonLog"))
  }

  @Test func `a truncated reply is reported as the end of the daemon`() throws {
    #expect(try failure([]) == "the daemon has ended")
    #expect(
      try failure(Array(answer(1, more: ",\"settled\":true").dropLast())) == "the daemon has ended")
  }

  @Test func `an error in a reply is thrown`() throws {
    #expect(try failure(answer(1, more: ",\"error\":\"too tired\"")) == "the daemon: too tired")
  }

  @Test func `a request times out after its time limit`() throws {
    let (client, other) = try client(hearing: answer(2), stays: true)
    defer { close(other) }
    do {
      _ = try client.ask(.status, timeout: 50)
      Issue.record("there is an answer")
    } catch { #expect(error.message == "the daemon does not answer") }
    #expect(try client.takeEvents() == [])
  }
}
