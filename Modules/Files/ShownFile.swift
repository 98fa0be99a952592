import Glibc
import SystemSupport

/// Reads a file that a document only shows, such as a picture.
package enum ShownFile {
  /// The bytes of a regular file below a folder, whatever links stand on the way.
  ///
  /// - Parameters:
  ///   - path: an absolute path.
  ///   - folder: the folder; what is outside of it is not read.
  ///   - longest: the most bytes; a longer file is not read.
  /// - Returns: nil for what may not or cannot be read.
  package static func bytes(at path: String, below folder: String, longest: Int) -> [UInt8]? {
    guard !path.utf8.contains(0), let real = FileSystem.resolved(path),
      let base = FileSystem.resolved(folder), real.isBelow(base)
    else { return nil }
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let descriptor = open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > 0, status.st_size <= longest
    else { return nil }
    let size = Int(status.st_size)
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      while count < size {
        let read = pread(descriptor, buffer.baseAddress! + count, size - count, off_t(count))
        if read < 0 && errno == EINTR { continue }
        if read <= 0 { break }
        count += read
      }
      initialized = count
    }
    return count == size ? bytes : nil
  }
}
