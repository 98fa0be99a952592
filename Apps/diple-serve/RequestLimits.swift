import NIOCore
import WebReader

/// Limits requests before they are parsed: counts the bytes of the head, and closes slow
/// connections.
final class RequestLimits: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The limit that a connection exceeded.
  enum Excess { case headTooLong, tooSlow }

  /// The maximum times for receiving a request, for sending a response, and between two requests.
  private static let (requestTime, answerTime, pause) =
    (TimeAmount.seconds(10), TimeAmount.seconds(120), TimeAmount.seconds(60))

  private var context: ChannelHandlerContext?
  private var headBytes = 0
  /// Whether the next bytes belong to a head.
  private var isInHead = true
  private var timer: Scheduled<Void>?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    start(Self.requestTime) { $0.fireUserInboundEventTriggered(Excess.tooSlow) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isInHead {
      if headBytes == 0 {
        start(Self.requestTime) { $0.fireUserInboundEventTriggered(Excess.tooSlow) }
      }
      headBytes += unwrapInboundIn(data).readableBytes
    }
    context.fireChannelRead(data)
    // The head may have ended inside these bytes; then not all of them belong to it.
    if isInHead, headBytes > RequestGate.longestHead {
      context.fireUserInboundEventTriggered(Excess.headTooLong)
    }
  }

  /// Stops counting after the parser has read a head.
  func headEnded() { isInHead = false }

  /// Starts the time limit for the response, after a request was received.
  func requestEnded() {
    start(Self.answerTime) { $0.close(promise: nil) }
  }

  /// Stops the time limit for an endless response; its writer watches the connection.
  func answerStreams() { timer?.cancel() }

  /// Starts waiting for the next request, after a response was sent.
  func answerEnded() {
    (isInHead, headBytes) = (true, 0)
    start(Self.pause) { $0.close(promise: nil) }
  }

  private func start(
    _ time: TimeAmount, _ act: @escaping (ChannelHandlerContext) -> Void
  ) {
    timer?.cancel()
    guard let context else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
      if let context = self?.context { act(context) }
    }
  }
}
