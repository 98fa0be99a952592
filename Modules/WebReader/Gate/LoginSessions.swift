import Pairing

/// The login codes and session tokens of the owner's browsers on this machine. They are only kept
/// in memory.
package struct LoginSessions: Sendable {
  /// The time after which a code expires, in milliseconds.
  package static let codeTime = 60_000
  /// The maximum numbers of valid codes and tokens. The oldest are removed, so a new code replaces
  /// the previous one.
  private static let (mostCodes, mostTokens) = (1, 64)

  private var codes: [(code: String, end: Int)] = []
  private var tokens: [String] = []

  package init() {}

  /// Creates a login code.
  ///
  /// - Parameter now: The time in milliseconds of `Clock.now`.
  package mutating func newCode(now: Int, by generator: inout some RandomNumberGenerator) -> String
  {
    let code = SecretText.random(16, by: &generator)
    codes = codes.filter { $0.end > now }.suffix(Self.mostCodes - 1)
    codes.append((code, now + Self.codeTime))
    return code
  }

  /// Uses up a login code.
  ///
  /// - Returns: A new session token, or nil if the code is wrong or has expired.
  package mutating func enter(
    with code: String, now: Int, by generator: inout some RandomNumberGenerator
  ) -> String? {
    guard let index = codes.firstIndex(where: { $0.end > now && SecretText.isSame($0.code, code) })
    else {
      return nil
    }
    codes.remove(at: index)
    let token = SecretText.random(32, by: &generator)
    tokens = tokens.suffix(Self.mostTokens - 1) + [token]
    return token
  }

  /// Returns whether a session token is valid.
  package func knows(_ token: String) -> Bool {
    // Compare all tokens completely, so that the time reveals nothing.
    tokens.reduce(false) { SecretText.isSame($1, token) || $0 }
  }

  /// Invalidates a session token.
  package mutating func leave(_ token: String) {
    tokens.removeAll { SecretText.isSame($0, token) }
  }
}
