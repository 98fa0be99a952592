import Glibc

/// Reads and writes file descriptors.
package enum Descriptor {
  /// Writes all bytes: continues after a short write or an interrupt, and waits if the descriptor
  /// doesn't block.
  ///
  /// - Returns: false, with the reason in `errno`, if not all bytes were written.
  package static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
    let done = bytes.withContiguousStorageIfAvailable {
      write(UnsafeRawBufferPointer($0), to: descriptor)
    }
    return done ?? Array(bytes).withUnsafeBytes { write($0, to: descriptor) }
  }

  /// Reads a descriptor up to its end.
  ///
  /// - Parameter limit: the maximum number of bytes.
  /// - Throws: `EFBIG` for more bytes, or the error of read(2).
  package static func content(of descriptor: Int32, limit: Int) throws(SystemCallError) -> [UInt8] {
    var bytes: [UInt8] = []
    // Growing a long array would take twice its size.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      bytes.reserveCapacity(min(Int(status.st_size), limit))
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw SystemCallError() }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw SystemCallError(EFBIG) }
    }
  }

  /// Reads a file that the user named: a regular file, or a pipe that has no name, which is what a
  /// shell passes for `<(COMMAND)`. A FIFO is not read, because it may never have a writer.
  ///
  /// - Throws: `EISDIR` for a folder; ``notAFile`` for a FIFO or a device; `EFBIG` for more than
  ///   `limit` bytes.
  package static func contentOfFile(_ path: String, limit: Int) throws(SystemCallError) -> [UInt8] {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemCallError() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemCallError() }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR: break
    case S_IFIFO where isUnnamedPipe(descriptor):
      // Opening the pipe has created a separate open file description, so the flags of the pipe's
      // other users don't change.
      guard fcntl(descriptor, F_SETFL, 0) == 0 else { throw SystemCallError() }
    default: throw notAFile
    }
    return try content(of: descriptor, limit: limit)
  }

  /// The error for something that is neither a file nor a pipe of a shell.
  package static let notAFile = SystemCallError(EINVAL)

  /// Returns whether a pipe is not in any folder. Its link in `/proc` is `pipe:[NUMBER]`, and that
  /// of a FIFO is an absolute path.
  private static func isUnnamedPipe(_ descriptor: Int32) -> Bool {
    var name = [CChar](repeating: 0, count: 5)
    return readlink("/proc/self/fd/\(descriptor)", &name, name.count) == name.count
      && name.elementsEqual("pipe:".utf8.map(CChar.init))
  }

  /// Reads a regular file, following symbolic links. Never blocks.
  ///
  /// - Throws: `EINVAL` if it isn't a regular file, such as a FIFO; `EFBIG` for more than `limit`
  ///   bytes.
  package static func contentOfRegularFile(_ path: String, limit: Int) throws(SystemCallError)
    -> [UInt8]
  {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemCallError() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemCallError() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemCallError(EINVAL) }
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
