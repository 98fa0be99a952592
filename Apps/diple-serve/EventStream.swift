import Model
import NIOCore
import NIOHTTP1
import Pairing
import Synchronization
import WebReader

/// Writes events to one page until the connection is closed.
final class EventStream: Sendable {
  /// The interval of keep-alive comments, by which both sides notice a broken connection.
  private static let pulse = TimeAmount.seconds(15)

  private let channel: any Channel
  private let service: WebService
  private var pages: LivePages { service.pages }
  private struct State {
    var id: Int?
    /// The identifier of the watch on devices.
    var devices: Int?
    var pulse: RepeatedTask?
    var hasEnded = false
  }
  private let state = Mutex(State())

  init(_ channel: any Channel, _ service: WebService) {
    (self.channel, self.service) = (channel, service)
  }

  /// Starts to write events.
  ///
  /// - Parameter caller: the reader of the stream. A device receives its own permission, the owner
  ///   the changes of all devices.
  func begin(_ document: Document.ID?, for caller: Principal) {
    let pulse = channel.eventLoop.scheduleRepeatedTask(
      initialDelay: Self.pulse, delay: Self.pulse
    ) { [weak self] _ in self?.write(": here\n\n") }
    let devices = service.devices.watch(caller.device?.id) { [weak self] event in
      if let event = PageEvent(event) { self?.write(event.lines) }
    }
    state.withLock { ($0.pulse, $0.devices) = (pulse, devices) }
    Task {
      let id = await pages.join(document) { [weak self] event in self?.write(event.lines) }
      let isOver = state.withLock { state in
        state.id = id
        return state.hasEnded
      }
      if isOver { await pages.leave(id) }
    }
  }

  /// Writes text. If the page hasn't read the previous output, closes the connection; the page
  /// reconnects.
  private func write(_ text: String) {
    guard channel.isWritable else { return channel.close(promise: nil) }
    var buffer = channel.allocator.buffer(capacity: text.utf8.count)
    buffer.writeString(text)
    channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
  }

  /// Stops the stream after the connection was closed.
  func end() {
    let (id, pulse, devices) = state.withLock { state in
      state.hasEnded = true
      defer { (state.pulse, state.devices) = (nil, nil) }
      return (state.id, state.pulse, state.devices)
    }
    pulse?.cancel()
    if let devices { service.devices.endWatching(devices) }
    if let id { Task { await pages.leave(id) } }
  }
}
