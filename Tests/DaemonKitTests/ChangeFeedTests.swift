import Foundation
import Synchronization
import SystemSupport
import TestSupport
import Testing
import Workspace

@testable import DaemonKit

/// Tests the changes that a feed reports, with and without a daemon.
@Suite final class ChangeFeedTests {
  private let folder = NSTemporaryDirectory() + "/diple-feed-" + UUID().uuidString
  private let location: LibraryLocation

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var location = LibraryLocation(folder: folder)
    location.usePersonalFolders(of: ["HOME": folder])
    self.location = location
    try write(location.database)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ path: String) throws {
    try Data(UUID().uuidString.utf8).write(to: URL(fileURLWithPath: path))
  }

  @Test func `changes of the database and of followed files are reported separately`() throws {
    let feed = ChangeFeed(location)
    let file = folder + "/a.md"
    feed.follow([file])
    #expect(feed.take().isEmpty)
    try write(location.database + "-wal")
    #expect(isReadable(feed.descriptor))
    var change = feed.take()
    #expect(change.isStored && change.files.isEmpty)
    try write(file)
    change = feed.take()
    #expect(!change.isStored && change.files == [file])
    #expect(feed.take().isEmpty)
  }

  @Test func `a feed that excludes the database does not report its changes`() throws {
    let feed = ChangeFeed(location, .daemon)
    try write(location.database)
    #expect(feed.take().isEmpty)
  }

  @Test func `waiting ends at a change, at the timeout, or when the task is cancelled`()
    async throws
  {
    let feed = ChangeFeed(location, .database)
    #expect(await feed.next(upTo: .milliseconds(1)) == nil)
    let path = location.database
    let writer = Task.detached {
      try await Task.sleep(for: .milliseconds(20))
      try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    }
    #expect(await feed.next(upTo: .seconds(60))?.isStored == true)
    try await writer.value
    let location = location
    let waiting = Task.detached {
      let feed = ChangeFeed(location, .database)
      for await _ in feed {}
      return true
    }
    try await Task.sleep(for: .milliseconds(20))
    waiting.cancel()
    #expect(await waiting.value)
  }

  @Test func `a daemon that starts later is connected, and its end is reported as a change`()
    async throws
  {
    let feed = ChangeFeed(location, .daemon)
    #expect(!feed.hasDaemon)
    let listening = try ControlSocket(of: location).listen()
    defer { close(listening) }
    // A daemon in a thread, which confirms each subscription and sends an event. On a busy machine
    // the feed may close a connection before the answer arrives, and connect again.
    let connections = Mutex<[Int32]>([])
    Thread.detachNewThread {
      while isReadable(listening, within: 1_200_000) {
        let other = accept(listening, nil, nil)
        guard other >= 0 else { return }
        connections.withLock { $0.append(other) }
        var request = [UInt8](repeating: 0, count: 1_024)
        var message = ControlMessage(id: 1)
        message.version = ControlSocket.version
        var event = ControlMessage()
        event.event = LibraryEvent(.paused)
        let answer = FrameBuffer.frame(message) + FrameBuffer.frame(event)
        if isReadable(other, within: 300_000), read(other, &request, request.count) > 0 {
          _ = send(other, answer, answer.count, Int32(MSG_NOSIGNAL))
        }
      }
    }
    // The feed reports a change when it connects, because the daemon may have stored something
    // before.
    var change: LibraryChange?
    for _ in 0..<100 where !feed.hasDaemon { change = await feed.next(upTo: .seconds(10)) }
    #expect(change?.isStored == true)
    #expect(feed.hasDaemon)
    // Both messages may be read at once.
    if change?.events.isEmpty == true { change = await feed.next(upTo: .seconds(300)) }
    #expect(change?.events.map(\.kind) == [.paused])
    shutdown(listening, Int32(SHUT_RDWR))
    for other in connections.withLock({ $0 }) { shutdown(other, Int32(SHUT_RDWR)) }
    defer { for other in connections.withLock({ $0 }) { close(other) } }
    #expect(await feed.next(upTo: .seconds(300))?.isStored == true)
    #expect(!feed.hasDaemon)
  }
}

private func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&waiting, 1, milliseconds) > 0
}
