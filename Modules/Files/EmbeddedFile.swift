import Glibc
import SystemSupport

/// Reads files that a document embeds, such as pictures.
package enum EmbeddedFile {
  /// Reads a regular file. Links are followed, but the file itself must be below a folder.
  ///
  /// - Parameters:
  ///   - path: the absolute path of the file.
  ///   - folder: the folder. Files outside of it are not read.
  ///   - longest: the maximum size in bytes. Longer files are not read.
  /// - Returns: the content; nil if the file is empty, is not a permitted file, or cannot be read.
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
