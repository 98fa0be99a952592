import Glibc

/// A failed system call, for callers with their own error messages.
package struct SystemCallError: Error, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  package var number: Int32

  /// Stores an error number; by default the current `errno`.
  package init(_ number: Int32 = errno) { self.number = number }

  /// The system's message, such as `No space left on device`.
  package var description: String { String(cString: strerror(number)) }
}
