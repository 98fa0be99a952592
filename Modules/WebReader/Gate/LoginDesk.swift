import Pairing

/// Who may use the server on this machine: codes that let somebody in once, and the tokens of those who came in. Nothing
/// of it outlives the program.
package struct LoginDesk: Sendable {
  /// How long a code is good for, in milliseconds.
  package static let codeTime = 60_000
  /// How many codes are open, and how many people are in, at most; the oldest go first. So a new code
  /// replaces the one before.
  private static let (mostCodes, mostTokens) = (1, 64)

  private var codes: [(code: String, end: Int)] = []
  private var tokens: [String] = []

  /// Nobody is in yet.
  package init() {}

  /// Makes a code.
  ///
  /// - Parameter now: milliseconds by `Clock.now`.
  package mutating func newCode(now: Int, by generator: inout some RandomNumberGenerator) -> String
  {
    let code = Secret.random(16, by: &generator)
    codes = codes.filter { $0.end > now }.suffix(Self.mostCodes - 1)
    codes.append((code, now + Self.codeTime))
    return code
  }

  /// Takes a code, which then is used up.
  ///
  /// - Returns: the token of whoever gave it; nil for a wrong or an old one.
  package mutating func enter(
    with code: String, now: Int, by generator: inout some RandomNumberGenerator
  ) -> String? {
    guard let index = codes.firstIndex(where: { $0.end > now && Secret.isSame($0.code, code) })
    else {
      return nil
    }
    codes.remove(at: index)
    let token = Secret.random(32, by: &generator)
    tokens = tokens.suffix(Self.mostTokens - 1) + [token]
    return token
  }

  /// Whether a token is that of somebody who came in.
  package func knows(_ token: String) -> Bool {
    // All are compared, and wholly, so that how long it takes tells nothing.
    tokens.reduce(false) { Secret.isSame($1, token) || $0 }
  }

  /// Forgets somebody who came in.
  package mutating func leave(_ token: String) {
    tokens.removeAll { Secret.isSame($0, token) }
  }
}
