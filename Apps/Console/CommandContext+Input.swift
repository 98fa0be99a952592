import Files
import Glibc
package import SystemSupport

extension CommandContext {
  /// Returns the contents of a file named by the user, or of standard input for `-`.
  ///
  /// - Parameter limit: the maximum size in bytes.
  /// - Throws: ``UserError`` with the code `notFound` if the file can't be read, `usage` if it is
  ///   larger than the limit, or a FIFO or a device.
  package func content(of file: String, limit: Int) throws -> [UInt8] {
    let tooLarge = UserError(
      .usage,
      "\(file == "-" ? "the input" : file) is larger than \(limit >> 20) MiB, and is not read",
      hint: "split the file")
    let bytes: [UInt8]
    if file == "-" {
      bytes = try terminal.readInput(limit: limit + 1)
    } else {
      do throws(SystemCallError) {
        bytes = try Descriptor.contentOfFile(file, limit: limit)
      } catch {
        if error.number == EFBIG { throw tooLarge }
        if error == Descriptor.notAFile {
          throw UserError(
            .usage, "\(file) is not a file",
            hint: "to read a FIFO or a device, pass - and redirect standard input")
        }
        throw Self.unreadable(file, error, hint: "check its name and permissions")
      }
    }
    if bytes.count > limit { throw tooLarge }
    return bytes
  }

  /// Reads a text from standard input, with the limits of files.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the input is too large or not text.
  package func pipedText() throws -> [UInt8] {
    let bytes = try content(of: "-", limit: Int(SourceFile.sizeLimit))
    try SourceFile.check(bytes, called: "standard input")
    return bytes
  }

  /// Returns the error for a file named by the user that can't be read.
  package static func unreadable(
    _ file: String, _ reason: SystemCallError, hint: Hint? = nil
  ) -> UserError {
    UserError(.notFound, "cannot read \(file): \(reason)", hint: hint)
  }
}
