import Foundation
import SystemSupport
import Testing

@Suite struct DescriptorTests {
  @Test func `all bytes are written to a full non-blocking pipe`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
    let reading = ends[0]
    let received = Received()
    let reader = Thread {
      received.bytes = Array(FileHandle(fileDescriptor: reading).readDataToEndOfFile())
      received.isDone.signal()
    }
    reader.start()
    #expect(Descriptor.write(bytes, to: ends[1]))
    close(ends[1])
    #expect(received.isDone.wait(timeout: .now() + 30) == .success)
    #expect(received.bytes == bytes)
    close(reading)
  }

  @Test func `writing to a closed pipe returns an error`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    signal(SIGPIPE, SIG_IGN)
    #expect(!Descriptor.write("x".utf8, to: ends[1]))
    #expect(errno == EPIPE)
    close(ends[1])
  }

  private final class Received: @unchecked Sendable {
    // The semaphore synchronizes access.
    var bytes: [UInt8] = []
    let isDone = DispatchSemaphore(value: 0)
  }
}
