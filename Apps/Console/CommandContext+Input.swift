import Glibc
package import SystemSupport

extension CommandContext {
  /// What a file holds that a person named, or with `-` standard input.
  ///
  /// - Parameter limit: the most bytes.
  /// - Throws: `notFound` for a file that cannot be read, `usage` for one that is larger.
  package func content(of file: String, limit: Int) throws -> [UInt8] {
    let tooLarge = UserError(
      .usage,
      "\(file == "-" ? "the input" : file) is larger than \(limit >> 20) MiB, and is not read",
      hint: "split it")
    let bytes: [UInt8]
    if file == "-" {
      bytes = try terminal.readInput(limit: limit + 1)
    } else {
      do throws(SystemFailure) {
        bytes = try Descriptor.contentOfFile(file, limit: limit)
      } catch {
        if error.number == EFBIG { throw tooLarge }
        throw Self.unreadable(file, error, hint: "check its name and permissions")
      }
    }
    if bytes.count > limit { throw tooLarge }
    return bytes
  }

  /// Says why a file that a person named cannot be read.
  package static func unreadable(
    _ file: String, _ reason: SystemFailure, hint: Hint? = nil
  ) -> UserError {
    UserError(.notFound, "cannot read \(file): \(reason)", hint: hint)
  }
}
