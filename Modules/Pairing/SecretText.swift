import Model

/// Functions for secrets, such as tokens and codes.
package enum SecretText {
  /// Returns `count` random bytes as hexadecimal digits.
  package static func random(
    _ count: Int, by generator: inout some RandomNumberGenerator
  ) -> String {
    hexadecimal((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// Compares two texts in a time that depends only on their lengths.
  package static func isSame(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Returns whether a text consists of exactly this many lower-case hexadecimal digits.
  static func isHexadecimal(_ text: String, digits: Int) -> Bool {
    text.utf8.count == digits
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
