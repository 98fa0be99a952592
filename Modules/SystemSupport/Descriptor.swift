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

  /// All that can be read up to the end.
  ///
  /// - Parameter limit: the most bytes; more are `EFBIG`.
  package static func content(of descriptor: Int32, limit: Int) throws(SystemFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw SystemFailure() }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw SystemFailure(EFBIG) }
    }
  }

  /// The content of a file that a person named: one that never ends is `EFBIG` too.
  ///
  /// - Throws: `EISDIR` for a folder.
  package static func contentOfFile(_ path: String, limit: Int) throws(SystemFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure() }
    defer { close(descriptor) }
    return try content(of: descriptor, limit: limit)
  }

  /// The content of a regular file, also where a link leads to it. It never waits.
  ///
  /// - Throws: `EINVAL` for what is no regular file, such as a FIFO; `EFBIG` for a longer one.
  package static func contentOfRegularFile(_ path: String, limit: Int) throws(SystemFailure)
    -> [UInt8]
  {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemFailure() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemFailure(EINVAL) }
    return try content(of: descriptor, limit: limit)
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
