/// The code for pairing one device over the network. Only one code is valid at a time. It expires
/// when it is used, after five minutes, or after a hundred failed attempts. Each client has five
/// attempts, so that one client cannot use up those of the others. Times are milliseconds of
/// `Clock.now`.
///
/// ```swift
/// var pairing = PairingCode()
/// let code = pairing.make(now: Clock.now, by: &generator)
/// pairing.take(PairingCode.spaced(code), from: "192.0.2.7", now: Clock.now)  // .right
/// ```
package struct PairingCode: Sendable {
  /// The time after which a code expires, in milliseconds.
  package static let time = 300_000
  /// The number of failed attempts that each client has with a code.
  package static let tries = 5
  /// The number of failed attempts of all clients after which a code expires. Guessing one of the
  /// 20⁸ codes in so many attempts is as good as impossible.
  package static let allTries = 100
  /// The number of letters in a code.
  package static let length = 8
  /// The letters of codes: those that can't be confused with another letter or a digit (no I, L, O,
  /// Q, U, V).
  static let letters = Array("ABCDEFGHJKMNPRSTWXYZ")

  /// The result of an attempt.
  package enum Outcome: Hashable, Sendable {
    /// The code was correct and is now used up.
    case right
    /// The code was wrong. The value is the number of attempts that the client has left.
    case wrong(left: Int)
    /// The code was wrong, and has expired because of the number of failed attempts.
    case expired
    /// The client has no attempts left. The code was not compared.
    case blocked
    /// No code is valid: none was created, or it was used or has expired.
    case none
    /// The text doesn't have the form of a code. It doesn't count as an attempt.
    case malformed
  }

  /// The valid code, the time at which it expires, and the number of each client's failed attempts.
  private var open: (code: String, end: Int, failures: [String: Int])?

  package init() {}

  /// Creates a code, which replaces the previous one.
  package mutating func make(now: Int, by generator: inout some RandomNumberGenerator) -> String {
    let code = String(
      (0..<Self.length).map { _ in
        Self.letters[Int.random(in: 0..<Self.letters.count, using: &generator)]
      })
    open = (code, now + Self.time, [:])
    return code
  }

  /// Checks a code as typed by the user, ignoring case, spaces and hyphens.
  ///
  /// - Parameter client: the network address from which the code was sent.
  package mutating func take(_ text: String, from client: String, now: Int) -> Outcome {
    guard text.utf8.count <= 64 else { return .malformed }
    let typed = text.uppercased().filter { $0 != " " && $0 != "-" }
    guard typed.count == Self.length, typed.allSatisfy(Self.letters.contains) else {
      return .malformed
    }
    guard let (code, end, failures) = open, now < end else {
      open = nil
      return .none
    }
    let failed = failures[client] ?? 0
    if failed >= Self.tries { return .blocked }
    if SecretText.isSame(code, typed) {
      open = nil
      return .right
    }
    if failures.values.reduce(1, +) >= Self.allTries {
      open = nil
      return .expired
    }
    open?.failures[client] = failed + 1
    return .wrong(left: Self.tries - failed - 1)
  }

  /// Returns the code for display: `ABCD EFGH`.
  package static func spaced(_ code: String) -> String {
    "\(code.prefix(length / 2)) \(code.dropFirst(length / 2))"
  }
}
