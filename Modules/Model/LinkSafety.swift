/// Decides which link destinations may be passed to other programs, such as a terminal, a browser
/// or an editor.
///
/// Documents may come from any source. A browser may run a link's destination as a program, and the
/// destination may be one of the user's private files. Every link is therefore checked against this
/// single allowlist.
///
/// ```swift
/// LinkSafety.isSafe("https://example.org/")  // true
/// LinkSafety.isSafe("java\u{1}script:alert(1)")  // false
/// ```
public enum LinkSafety {
  /// The schemes of web pages and email addresses.
  package static let schemes: Set<String> = ["http", "https", "mailto"]

  /// Whether a destination may be passed to another program.
  ///
  /// Safe destinations are addresses with one of `schemes`, `file:` addresses below a folder, and
  /// relative paths and fragments, which have no scheme.
  ///
  /// Browsers ignore control characters and decode percent escapes, so the check does both first.
  /// O(length).
  ///
  /// - Parameter folder: the folder that must contain the target of a `file:` address; nil rejects
  ///   all of these addresses.
  public static func isSafe(_ destination: String, below folder: String? = nil) -> Bool {
    [destination, decoded(destination)].allSatisfy { isPlain($0, below: folder) }
  }

  /// Whether a destination may be written to a file for another program: it is safe, and it isn't
  /// an absolute path, which such programs treat as a `file:` address. O(destination).
  public static func isSafeElsewhere(_ destination: String) -> Bool {
    isSafe(destination)
      && [destination, decoded(destination)].allSatisfy { shown($0).first != "/" }
  }

  /// Whether the destination of a picture may be passed to another program, which would load the
  /// picture: it must be an address with one of `schemes`, or a relative path without `..`.
  /// O(destination).
  public static func isSafePicture(_ destination: String) -> Bool {
    guard isSafeElsewhere(destination) else { return false }
    return [destination, decoded(destination)].allSatisfy { text in
      let path = shown(text).prefix { $0 != "?" && $0 != "#" }
      return path.split { $0 == "/" || $0 == "\\" }.allSatisfy {
        !$0.elementsEqual("..".unicodeScalars)
      }
    }
  }

  /// Returns an address with its control characters, spaces and invisible characters
  /// percent-encoded. O(length).
  public static func encoded(_ address: String) -> String {
    address.unicodeScalars.reduce(into: "") { text, scalar in
      let isShown =
        scalar.value > 0x20 && !(0x7F..<0xA0).contains(scalar.value)
        && !scalar.properties.isDefaultIgnorableCodePoint
      guard !isShown else { return text.unicodeScalars.append(scalar) }
      PercentEncoding.append(scalar, to: &text)
    }
  }

  private static func isPlain(_ destination: String, below folder: String?) -> Bool {
    let scalars = shown(destination)
    // After `//` without a scheme, the name of another machine follows. Browsers also accept `\\`.
    let strokes = scalars.prefix(2).map { $0 == "\\" ? "/" : $0 }
    if strokes == ["/", "/"] || scalars.first == "\\" { return false }
    let end = scalars.firstIndex { ":/?#".unicodeScalars.contains($0) }
    guard let end, scalars[end] == ":" else { return true }
    let scheme = String(String.UnicodeScalarView(scalars[..<end])).lowercased()
    guard
      scheme.unicodeScalars.allSatisfy({
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789+.-".unicodeScalars.contains($0))
      })
    else { return true }
    let text = String(String.UnicodeScalarView(scalars))
    if schemes.contains(scheme) { return true }
    guard scheme == "file", let folder else { return false }
    var path = text.dropFirst(scheme.count + 1)
    if path.hasPrefix("//") { path = path.dropFirst(2) }
    guard path.hasPrefix("/"), !path.hasPrefix("//") else { return false }
    return !path.split(separator: "/").contains("..")
      && path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }

  /// Returns the scalars that a browser considers: without control characters, invisible characters
  /// and leading blanks. They are scalars because a colon with a combining mark is another
  /// character.
  private static func shown(_ destination: String) -> [Unicode.Scalar] {
    let seen = destination.unicodeScalars.filter {
      !($0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
        || $0.properties.isDefaultIgnorableCodePoint)
    }
    return Array(seen.drop { $0.properties.isWhitespace })
  }

  /// Returns a text with its percent escapes decoded. Invalid escapes are unchanged, and invalid
  /// UTF-8 becomes U+FFFD. O(length).
  package static func decoded(_ text: String) -> String {
    String(decoding: PercentEncoding.decoded(text).bytes, as: UTF8.self)
  }
}
