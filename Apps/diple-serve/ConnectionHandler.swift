import NIOCore
import NIOHTTP1
import Pairing
import WebReader

/// Handles one connection: collects a request, has it answered asynchronously, and writes the
/// response.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case waiting
    case reading(RequestHead, [UInt8], keepsAlive: Bool)
    case answering
    /// No more requests are processed; pending output is sent.
    case closing
  }

  private let service: WebService
  private let listener: Listener
  private let count: ConnectionCount
  private let limits: RequestLimits
  private var state = State.waiting
  /// Parts that were received while a response was pending. The next request is processed after it.
  /// Reading is paused meanwhile, so there are only a few parts.
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
    case (.body(let part), .reading(let head, var bytes, let keepsAlive)):
      // Bytes beyond the `Content-Length` aren't part of the body, whatever the parser reports.
      guard bytes.count + part.readableBytes <= head.bodyLength ?? 0 else {
        return refuse(.refused(400, "the body is longer than its Content-Length"), context)
      }
      bytes += part.readableBytesView
      state = .reading(head, bytes, keepsAlive: keepsAlive)
    case (.end(let trailers), .reading(let head, let bytes, let keepsAlive)):
      guard trailers == nil, bytes.count == head.bodyLength else {
        return refuse(.refused(400, "the body is shorter than its Content-Length"), context)
      }
      answer(head, bytes, keepsAlive: keepsAlive, context)
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
    let request = RequestHead(
      method: head.method.rawValue, target: head.uri,
      version: "\(head.version.major).\(head.version.minor)",
      fields: head.headers.map { (name: $0.name, value: $0.value) },
      client: context.remoteAddress?.ipAddress ?? "")
    if let refusal = service.refusal(request, from: listener) { return refuse(refusal, context) }
    let caller = service.caller(request, from: listener)
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
    _ head: RequestHead, _ body: [UInt8], keepsAlive: Bool, _ context: ChannelHandlerContext
  ) {
    state = .answering
    context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
    limits.requestEnded()
    let (service, listener) = (service, listener)
    let done = context.eventLoop.makePromise(of: WebAnswer.self)
    // Answer asynchronously, because other connections share this thread.
    done.completeWithTask { await service.answer(head, body, from: listener) }
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    let caller = service.caller(head, from: listener)
    done.futureResult.assumeIsolated().whenSuccess { [weak self] answer in
      guard let self, case .answering = self.state else { return }
      self.write(answer, to: caller, keepsAlive: keepsAlive, context.value)
    }
  }

  // MARK: - Responses

  private func refuse(_ answer: WebAnswer, _ context: ChannelHandlerContext) {
    if case .closing = state { return }
    write(answer, to: .nobody, keepsAlive: false, context)
  }

  private func write(
    _ answer: WebAnswer, to caller: Principal, keepsAlive: Bool, _ context: ChannelHandlerContext
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
    case .events(let document):
      // The caller may have lost access since the request.
      guard caller != .nobody else { return context.close(promise: nil) }
      headers.add(name: "Connection", value: "close")
      put(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), context)
      context.flush()
      limits.answerStreams()
      // The end of the connection is only noticed while reading.
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
  /// unread input, so it is read for another second.
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
