import Glibc

/// A failed system call, for callers that say in their own words what was tried.
package struct SystemFailure: Error, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  package var number: Int32

  /// Takes the value of `errno` as it is now.
  package init(_ number: Int32 = errno) { self.number = number }

  /// What the system says of it, such as `No space left on device`.
  package var description: String { String(cString: strerror(number)) }
}
