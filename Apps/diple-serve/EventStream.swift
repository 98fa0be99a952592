import Model
import NIOCore
import NIOHTTP1
import Synchronization
import WebReader

/// Writes what happens to one page, until that or the connection ends.
final class EventStream: Sendable {
  /// How often a sign of life is written, so that both sides notice when the other is gone.
  private static let pulse = TimeAmount.seconds(15)

  private let channel: any Channel
  private let pages: LivePages
  private struct State {
    var id: Int?
    var pulse: RepeatedTask?
    var hasEnded = false
  }
  private let state = Mutex(State())

  init(_ channel: any Channel, _ pages: LivePages) { (self.channel, self.pages) = (channel, pages) }

  /// Begins to write.
  func begin(_ document: Document.ID?) {
    let pulse = channel.eventLoop.scheduleRepeatedTask(
      initialDelay: Self.pulse, delay: Self.pulse
    ) { [weak self] _ in self?.write(": here\n\n") }
    state.withLock { $0.pulse = pulse }
    Task {
      let id = await pages.join(document) { [weak self] event in self?.write(event.lines) }
      let isOver = state.withLock { state in
        state.id = id
        return state.hasEnded
      }
      if isOver { await pages.leave(id) }
    }
  }

  /// Writes; a page that does not read what it was sent before is given up, and may come again.
  private func write(_ text: String) {
    guard channel.isWritable else { return channel.close(promise: nil) }
    var buffer = channel.allocator.buffer(capacity: text.utf8.count)
    buffer.writeString(text)
    channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
  }

  /// The connection is gone.
  func end() {
    let (id, pulse) = state.withLock { state in
      state.hasEnded = true
      defer { state.pulse = nil }
      return (state.id, state.pulse)
    }
    pulse?.cancel()
    if let id { Task { await pages.leave(id) } }
  }
}
