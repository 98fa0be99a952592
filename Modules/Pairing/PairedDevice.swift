import Files
package import FoundationEssentials
import Model

/// A device on the network that may read the library in its browser.
package struct PairedDevice: Codable, Hashable, Sendable {
  /// Eight hexadecimal digits.
  package let id: String
  /// What a person calls it.
  package let name: String
  /// Whether it may change things, too.
  package var mayWrite: Bool
  /// When it was paired.
  package let paired: Date
  /// When it was last there, to within a few minutes.
  package var used: Date
  /// The hash of its token; the token itself is on the device alone.
  let token: String

  /// How long a device stays paired, in seconds: a year of 365 days.
  package static let time = 31_536_000

  /// The most bytes of a name.
  static let longestName = 80

  /// A new device, which may only read.
  ///
  /// - Parameters:
  ///   - name: what it calls itself.
  ///   - others: those that there are: their names are not given twice.
  init(
    _ name: String, token: String, besides others: [PairedDevice], now: Date,
    by generator: inout some RandomNumberGenerator
  ) {
    id = Secret.random(4, by: &generator)
    self.name = Self.name(name, besides: Set(others.map(\.name)))
    mayWrite = false
    (paired, used) = (now, now)
    self.token = Self.digest(token)
  }

  /// Whether it is no longer paired.
  package func isOver(_ now: Date) -> Bool {
    now.timeIntervalSince(paired) >= Double(Self.time)
  }

  /// What is kept of a token.
  static func digest(_ token: String) -> String {
    ContentDigest(sha256: Array(token.utf8)).description
  }

  /// A name that can be shown anywhere and typed: on one line, without characters that are not seen or
  /// reorder others, not too long, and not one of some others.
  static func name(_ text: String, besides taken: Set<String>) -> String {
    let cleaned = cleaned(text, longest: longestName)
    let base = cleaned.isEmpty ? "device" : cleaned
    guard taken.contains(base) else { return base }
    var number = 2
    while taken.contains("\(base) \(number)") { number += 1 }
    return "\(base) \(number)"
  }

  private static func cleaned(_ text: String, longest: Int) -> String {
    var scalars = String.UnicodeScalarView()
    // What comes behind that is not looked at.
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

  /// Whether it can have been written here.
  var isValid: Bool {
    Secret.isHexadecimal(id, digits: 8) && Secret.isHexadecimal(token, digits: 64)
      // A number behind the name makes it a little longer.
      && !name.isEmpty && name == Self.cleaned(name, longest: Self.longestName + 8)
  }
}
