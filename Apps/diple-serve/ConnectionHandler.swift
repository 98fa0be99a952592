import Model
import NIOCore
import NIOHTTP1
import Pairing
import Synchronization
import WebReader

/// Handles one connection: collects a request, has it answered asynchronously, and writes the
/// response.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case waiting
    case reading(AcceptedRequest, [UInt8], keepsAlive: Bool)
    case answering
    /// No more requests are processed; pending output is sent.
    case closing
  }

  private let service: WebService
  private let listener: Listener
  private let count: ConnectionCount
  private let limits: RequestLimits
  private var state = State.waiting
  /// Parts of the next request that were received while a response was pending. They are processed
  /// after the response was sent. Reading is paused meanwhile, so there are only a few parts.
  private var pending: [HTTPServerRequestPart] = []
  /// The number in `count`, or nil if the connection isn't counted.
  private var number: Int?
  private var isKnown = false
  private var events: EventStream?
  private var watched: WatchedDevice?

  init(
    _ service: WebService, _ listener: Listener, _ count: ConnectionCount, _ limits: RequestLimits
  ) {
    (self.service, self.listener, self.count, self.limits) = (service, listener, count, limits)
  }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    number = count.begin { channel.close(promise: nil) }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    if let number { count.end(number) }
    (number, state) = (nil, .closing)
    events?.end()
    watched?.end()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    take(unwrapInboundIn(data), context)
  }

  private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch (part, state) {
    case (.head(let head), .waiting): begin(head, context)
    case (.body(let part), .reading(let request, var bytes, let keepsAlive)):
      // Bytes beyond the `Content-Length` aren't part of the body, whatever the parser reports.
      guard bytes.count + part.readableBytes <= request.head.bodyLength ?? 0 else {
        return refuse(.refused(400, "the body is longer than its Content-Length"), context)
      }
      bytes += part.readableBytesView
      state = .reading(request, bytes, keepsAlive: keepsAlive)
    case (.end(let trailers), .reading(let request, let bytes, let keepsAlive)):
      guard trailers == nil, bytes.count == request.head.bodyLength else {
        return refuse(.refused(400, "the body is shorter than its Content-Length"), context)
      }
      answer(request, bytes, keepsAlive: keepsAlive, context)
    case (_, .answering): pending.append(part)
    default: break
    }
  }

  /// Resumes reading and processes the pending parts.
  private func takePending(_ context: ChannelHandlerContext) {
    context.channel.setOption(.autoRead, value: true).whenFailure { _ in }
    let parts = pending
    pending = []
    for part in parts { take(part, context) }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    limits.headEnded()
    let read = RequestHead(
      method: head.method.rawValue, target: head.uri,
      version: "\(head.version.major).\(head.version.minor)",
      fields: head.headers.map { (name: $0.name, value: $0.value) },
      client: context.remoteAddress?.ipAddress ?? "")
    let request: AcceptedRequest
    switch service.decide(read, from: listener) {
    case .refused(let refusal): return refuse(refusal, context)
    case .accepted(let accepted): request = accepted
    }
    let caller = request.caller
    watch(caller, context)
    if !isKnown, let number, caller != .nobody {
      guard count.recognize(number, as: caller.device?.id) else {
        return refuse(
          .refused(503, "too many pages are open in this browser; close some"), context)
      }
      isKnown = true
    }
    state = .reading(request, [], keepsAlive: head.isKeepAlive)
  }

  /// Closes the connection when its device is revoked.
  private func watch(_ caller: Principal, _ context: ChannelHandlerContext) {
    guard let device = caller.device, watched?.id != device.id else { return }
    watched?.end()
    watched = WatchedDevice(device.id, service.devices, context.channel)
  }

  private func answer(
    _ request: AcceptedRequest, _ body: [UInt8], keepsAlive: Bool,
    _ context: ChannelHandlerContext
  ) {
    state = .answering
    context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
    limits.requestEnded()
    let service = service
    let done = context.eventLoop.makePromise(of: WebAnswer.self)
    // Answer asynchronously, because other connections share this thread.
    done.completeWithTask { await service.answer(request, body) }
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    done.futureResult.assumeIsolated().whenSuccess { [weak self] answer in
      guard let self, case .answering = self.state else { return }
      self.write(answer, keepsAlive: keepsAlive, context.value)
    }
  }

  // MARK: - Responses

  private func refuse(_ answer: WebAnswer, _ context: ChannelHandlerContext) {
    if case .closing = state { return }
    write(answer, keepsAlive: false, context)
  }

  private func write(
    _ answer: WebAnswer, keepsAlive: Bool, _ context: ChannelHandlerContext
  ) {
    var headers = HTTPHeaders(answer.head.map { ($0.name, $0.value) })
    let status = HTTPResponseStatus(statusCode: answer.status)
    switch answer.content {
    case .bytes(let bytes):
      if answer.status != 204 { headers.add(name: "Content-Length", value: "\(bytes.count)") }
      if !keepsAlive { headers.add(name: "Connection", value: "close") }
      put(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), context)
      if !bytes.isEmpty, answer.status != 204 {
        put(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes))), context)
      }
      if !keepsAlive { state = .closing }
      let sent = context.eventLoop.makePromise(of: Void.self)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
      let context = NIOLoopBound(context, eventLoop: context.eventLoop)
      sent.futureResult.assumeIsolated().whenComplete { [weak self] _ in
        self?.answered(keepsAlive: keepsAlive, context.value)
      }
    case .events(let document, let caller):
      headers.add(name: "Connection", value: "close")
      put(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), context)
      context.flush()
      limits.answerStreams()
      // Ignore further requests, but keep reading, because the end of the connection would not be
      // noticed otherwise.
      pending = []
      state = .closing
      context.channel.setOption(.autoRead, value: true).whenFailure { _ in }
      let stream = EventStream(context.channel, service)
      events = stream
      stream.begin(document, for: caller)
    }
  }

  /// Continues after a response was sent.
  private func answered(keepsAlive: Bool, _ context: ChannelHandlerContext) {
    guard keepsAlive else { return Self.close(context) }
    guard case .answering = state else { return }
    state = .waiting
    limits.answerEnded()
    takePending(context)
  }

  private func put(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(part), promise: nil)
  }

  /// Closes a connection without losing the response. Closing it at once would reset it if there is
  /// unread input, so only the output is closed, and the input is read for another second.
  private static func close(_ context: ChannelHandlerContext) {
    context.close(mode: .output, promise: nil)
    context.channel.setOption(.autoRead, value: true).whenFailure { _ in }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .seconds(1)) { bound.value.close(promise: nil) }
  }

  // MARK: - Errors

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case RequestLimits.Excess.headTooLong:
      switch state {
      case .waiting: refuse(.refused(431, "request head too large"), context)
      default: break
      }
    case RequestLimits.Excess.tooSlow:
      switch state {
      case .waiting, .reading: refuse(.refused(408, "request timed out"), context)
      default: break
      }
    case ChannelEvent.inputClosed where events != nil: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A malformed request gets one response. The start of a following request can't be found.
    guard error is HTTPParserError, case .waiting = state else {
      return context.close(promise: nil)
    }
    let isTooLong = error as? HTTPParserError == .headerOverflow
    refuse(
      isTooLong
        ? .refused(431, "request head too large") : .refused(400, "invalid request"),
      context)
  }
}

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

/// Closes the connection of a paired device when the device is revoked.
final class WatchedDevice: Sendable {
  let id: String
  private let devices: DeviceSessions
  private let name: Int

  init(_ id: String, _ devices: DeviceSessions, _ channel: any Channel) {
    (self.id, self.devices) = (id, devices)
    name = devices.watch(id) { event in
      if event == .revoked { channel.close(promise: nil) }
    }
  }

  /// Stops watching, after the connection was closed or is used by another device.
  func end() { devices.endWatching(name) }
}
