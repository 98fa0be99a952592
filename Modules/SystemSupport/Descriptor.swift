import Glibc

/// Writing to a file descriptor.
package enum Descriptor {
  /// Writes all bytes: goes on after a short write or an interrupt, and waits where the descriptor
  /// does not block.
  ///
  /// - Returns: false with the reason in `errno` when not all could be written.
  package static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
    let done = bytes.withContiguousStorageIfAvailable {
      write(UnsafeRawBufferPointer($0), to: descriptor)
    }
    return done ?? Array(bytes).withUnsafeBytes { write($0, to: descriptor) }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        start += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      default: return false
      }
    }
    return true
  }
}
