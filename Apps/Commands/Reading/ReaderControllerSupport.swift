import Console
import DaemonKit
import Glibc
import SystemSupport
import Workspace

/// The output of commands while the reader uses the screen: an unnamed temporary file.
final class CapturedOutput {
  let output: Output
  private let file: UnsafeMutablePointer<FILE>

  init() throws {
    guard let file = tmpfile() else {
      throw UserError.noTemporaryFile
    }
    self.file = file
    output = Output(descriptor: fileno(file))
  }

  deinit { fclose(file) }

  /// Returns and clears the output since the last call.
  func take() -> String {
    output.flush()
    let descriptor = fileno(file)
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard size > 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = pread(descriptor, &bytes, size, 0)
    ftruncate(descriptor, 0)
    lseek(descriptor, 0, SEEK_SET)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
