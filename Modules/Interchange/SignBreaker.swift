/// Inserts a character into each occurrence of some strings, so that they are text and not active
/// syntax of a format.
///
/// ```swift
/// let breaker = SignBreaker(["vim:"], breaker: "\u{200B}")
/// breaker.broken("vim: set ft=sh")  // "vim\u{200B}: set ft=sh"
/// ```
public struct SignBreaker: Sendable {
  private let signsByEnd: [UInt8: [[UInt8]]]
  private let longest: Int
  private let breaker: Unicode.Scalar

  /// Signs by which editors set variables when they open a file of any format: Emacs reads `-*-`
  /// and `Local Variables:`, Vim its modelines.
  public static let editorSigns = ["-*-", "local variables:", "vim:", "vi:", "ex:"]

  /// Creates a breaker of some strings, which are called signs here.
  ///
  /// - Parameters:
  ///   - signs: the strings, in ASCII and lower case. They are found in any case.
  ///   - breaker: the character to insert before the last character of each sign.
  public init(_ signs: [String], breaker: Unicode.Scalar) {
    let bytes = signs.map { Array($0.utf8) }
    signsByEnd = Dictionary(grouping: bytes) { $0[$0.count - 1] }
    longest = bytes.map(\.count).max() ?? 0
    self.breaker = breaker
  }

  /// Returns the text with the breaker inside each sign. O(length).
  public func broken(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    // The end of the text since the last breaker, in lower case.
    var recent: [UInt8] = []
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        let byte = UInt8(scalar.value)
        recent.append((0x41...0x5A).contains(byte) ? byte + 0x20 : byte)
        if recent.count > 4 * longest { recent.removeFirst(3 * longest) }
        if let signs = signsByEnd[recent[recent.count - 1]],
          signs.contains(where: { recent.suffix($0.count).elementsEqual($0) })
        {
          result.append(breaker)
          recent.removeSubrange(..<(recent.count - 1))
        }
      } else {
        recent.removeAll(keepingCapacity: true)
      }
      result.append(scalar)
    }
    return String(result)
  }
}
