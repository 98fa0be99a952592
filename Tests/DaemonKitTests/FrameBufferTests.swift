import DaemonKit
import FoundationEssentials
import Testing

@Suite struct FrameBufferTests {
  @Test(arguments: 1...7) func `frames are complete in whatever pieces they arrive`(step: Int)
    throws
  {
    let texts = ["", "a", "{\"id\":1}", String(repeating: "ü", count: 300)]
    let bytes = texts.flatMap { FrameBuffer.frame($0) }
    var buffer = FrameBuffer(limit: 1_000)
    var received: [String] = []
    for start in stride(from: 0, to: bytes.count, by: step) {
      buffer.append(bytes[start..<min(start + step, bytes.count)])
      while let data = try buffer.next() {
        received.append(try FrameBuffer.value(String.self, from: data))
      }
    }
    #expect(received == texts)
  }

  @Test func `a frame that exceeds the limit is rejected by its header`() {
    var buffer = FrameBuffer(limit: 10)
    buffer.append(FrameBuffer.frame(String(repeating: "x", count: 20))[..<4])
    #expect(throws: (any Error).self) { try buffer.next() }
  }
}
