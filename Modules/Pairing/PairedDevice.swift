import Files
package import FoundationEssentials
import Model

/// A device on the network whose browser has access to the library.
package struct PairedDevice: Codable, Hashable, Sendable {
  /// The identifier: eight hexadecimal digits.
  package let id: String
  /// The displayed name.
  package let name: String
  /// Whether the device may make changes; otherwise it may only read.
  package var mayWrite: Bool
  /// The time of pairing.
  package let paired: Date
  /// The last use, accurate to a few minutes.
  package var used: Date
  /// The hash of the token. Only the device stores the token itself.
  let token: String

  /// The duration of a pairing in seconds: 365 days.
  package static let time = 31_536_000

  /// The maximum length of a name in UTF-8 bytes, without a number that makes it unique.
  static let longestName = 80

  /// Creates a device that may only read.
  ///
  /// - Parameters:
  ///   - name: the name that the device proposes.
  ///   - others: the existing devices. Their names aren't used again.
  init(
    _ name: String, token: String, besides others: [PairedDevice], now: Date,
    by generator: inout some RandomNumberGenerator
  ) {
    id = SecretText.random(4, by: &generator)
    self.name = Self.name(name, besides: Set(others.map(\.name)))
    mayWrite = false
    (paired, used) = (now, now)
    self.token = Self.digest(token)
  }

  /// Returns whether the pairing has expired.
  package func isOver(_ now: Date) -> Bool {
    now.timeIntervalSince(paired) >= Double(Self.time)
  }

  /// Returns the hash to store for a token.
  static func digest(_ token: String) -> String {
    ContentDigest(sha256: Array(token.utf8)).description
  }

  /// Returns a name that is safe to display and type: on one line, without invisible or reordering
  /// characters, of limited length, and different from the names in `usedNames`.
  static func name(_ text: String, besides usedNames: Set<String>) -> String {
    let cleaned = cleaned(text, longest: longestName)
    let base = cleaned.isEmpty ? "device" : cleaned
    guard usedNames.contains(base) else { return base }
    var number = 2
    while usedNames.contains("\(base) \(number)") { number += 1 }
    return "\(base) \(number)"
  }

  private static func cleaned(_ text: String, longest: Int) -> String {
    var scalars = String.UnicodeScalarView()
    // Ignore the rest of a very long name.
    for scalar in text.unicodeScalars.prefix(1_024) {
      switch scalar.properties.generalCategory {
      case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control:
        if let last = scalars.last, last != " " { scalars.append(" ") }
      case .format, .surrogate, .privateUse, .unassigned: break
      default: scalars.append(scalar)
      }
    }
    var name = ""
    for character in String(scalars) {
      guard name.utf8.count + character.utf8.count <= longest else { break }
      name.append(character)
    }
    while name.hasSuffix(" ") { name.removeLast() }
    return name
  }

  /// Whether the stored values are valid.
  var isValid: Bool {
    SecretText.isHexadecimal(id, digits: 8) && SecretText.isHexadecimal(token, digits: 64)
      // Allow for the number that makes a name unique.
      && !name.isEmpty && name == Self.cleaned(name, longest: Self.longestName + 8)
  }
}
