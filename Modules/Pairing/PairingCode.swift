/// The code with which a device on the network is paired: one at a time, for one device, for five minutes
/// and five tries, from whomever they come. Time is given, in milliseconds of `Clock.now`.
package struct PairingCode: Sendable {
  /// How long a code is good for, in milliseconds.
  package static let time = 300_000
  /// How often a wrong code may be given before the right one is void.
  package static let tries = 5
  /// How many letters it has.
  package static let length = 8
  /// Letters that nobody takes for another one, or for a digit: no I, L, O, Q, U and V.
  static let letters = Array("ABCDEFGHJKMNPRSTWXYZ")

  /// What became of an attempt.
  package enum Outcome: Hashable, Sendable {
    /// The code was right, and is used up.
    case right
    /// It was wrong; so many more may be tried.
    case wrong(left: Int)
    /// There is none: none was made, or it is used up, too old, or void.
    case none
    /// This can be no code, and was no try.
    case malformed
  }

  private var open: (code: String, end: Int, tries: Int)?

  /// There is no code yet.
  package init() {}

  /// Makes a code, in the place of the one before.
  package mutating func make(now: Int, by generator: inout some RandomNumberGenerator) -> String {
    let code = String(
      (0..<Self.length).map { _ in
        Self.letters[Int.random(in: 0..<Self.letters.count, using: &generator)]
      })
    open = (code, now + Self.time, Self.tries)
    return code
  }

  /// Tries a code as a person types it: in either case, with blanks and hyphens anywhere.
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

  /// The code as it is shown: `ABCD EFGH`.
  package static func spaced(_ code: String) -> String {
    "\(code.prefix(length / 2)) \(code.dropFirst(length / 2))"
  }
}
