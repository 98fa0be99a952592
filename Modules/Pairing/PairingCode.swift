/// The code for pairing one device over the network. Only one code is valid at a time. It expires
/// when it is used, after five minutes, or after five failed attempts from any devices. Times are
/// milliseconds of `Clock.now`.
///
/// ```swift
/// var pairing = PairingCode()
/// let code = pairing.make(now: Clock.now, by: &generator)
/// pairing.take(PairingCode.spaced(code), now: Clock.now)  // .right
/// ```
package struct PairingCode: Sendable {
  /// The time after which a code expires, in milliseconds.
  package static let time = 300_000
  /// The number of failed attempts after which a code expires.
  package static let tries = 5
  /// The number of letters in a code.
  package static let length = 8
  /// The letters of codes: those that can't be confused with another letter or a digit (no I, L, O,
  /// Q, U, V).
  static let letters = Array("ABCDEFGHJKMNPRSTWXYZ")

  /// The result of an attempt.
  package enum Outcome: Hashable, Sendable {
    /// The code was correct and is now used up.
    case right
    /// The code was wrong. The value is the number of attempts left.
    case wrong(left: Int)
    /// No code is valid: none was created, or it was used or has expired.
    case none
    /// The text doesn't have the form of a code. It doesn't count as an attempt.
    case malformed
  }

  private var open: (code: String, end: Int, tries: Int)?

  /// Creates a value without a code.
  package init() {}

  /// Creates a code, which replaces the previous one.
  package mutating func make(now: Int, by generator: inout some RandomNumberGenerator) -> String {
    let code = String(
      (0..<Self.length).map { _ in
        Self.letters[Int.random(in: 0..<Self.letters.count, using: &generator)]
      })
    open = (code, now + Self.time, Self.tries)
    return code
  }

  /// Checks a code as typed by the user, ignoring case, spaces and hyphens.
  package mutating func take(_ text: String, now: Int) -> Outcome {
    guard text.utf8.count <= 64 else { return .malformed }
    let typed = text.uppercased().filter { $0 != " " && $0 != "-" }
    guard typed.count == Self.length, typed.allSatisfy(Self.letters.contains) else {
      return .malformed
    }
    guard let (code, end, tries) = open, now < end else {
      open = nil
      return .none
    }
    if Secret.isSame(code, typed) {
      open = nil
      return .right
    }
    open = tries > 1 ? (code, end, tries - 1) : nil
    return .wrong(left: tries - 1)
  }

  /// Returns the code for display: `ABCD EFGH`.
  package static func spaced(_ code: String) -> String {
    "\(code.prefix(length / 2)) \(code.dropFirst(length / 2))"
  }
}
