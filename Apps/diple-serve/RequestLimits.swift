import NIOCore
import WebReader

/// Stands before everything that reads: counts the bytes of a head before anybody makes sense of them,
/// and ends connections of those who take their time.
final class RequestLimits: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// Why a connection is ended.
  enum Excess { case headTooLong, tooSlow }

  /// How long a request may take to come, an answer to go, and how long nothing may happen between.
  private static let (requestTime, answerTime, pause) =
    (TimeAmount.seconds(10), TimeAmount.seconds(120), TimeAmount.seconds(60))

  private var context: ChannelHandlerContext?
  private var headBytes = 0
  /// Whether a head is being waited for or read.
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
    // The head may have ended with these bytes; then they were not all its own.
    if isInHead, headBytes > RequestGate.longestHead {
      context.fireUserInboundEventTriggered(Excess.headTooLong)
    }
  }

  /// A head is read, and what follows may come.
  func headEnded() { isInHead = false }

  /// A request is complete, and an answer is on its way.
  func requestEnded() {
    start(Self.answerTime) { $0.close(promise: nil) }
  }

  /// An answer has no end: it is watched by whoever writes it.
  func answerStreams() { timer?.cancel() }

  /// An answer is sent, and another request may come.
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
