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
  private let breaksAfterFirst: Bool

  /// Signs by which editors set variables when they open a file of any format: Emacs reads `-*-`
  /// and `Local Variables:`, Vim its modelines.
  public static let editorSigns = ["-*-", "local variables:", "vim:", "vi:", "ex:"]

  /// The commands of TeX that read or write files, run programs or Lua, or make other commands.
  /// Pandoc and Org pass them on from a text to LaTeX, also from formulas.
  public static let commandsOfTeX =
    [
      "input", "include", "openin", "openout", "read", "write", "immediate", "csname", "catcode",
      "scantokens", "expandafter", "let", "def", "edef", "gdef", "xdef", "newcommand",
      "renewcommand", "providecommand", "newenvironment", "usepackage", "require", "document",
      "loadclass", "lstinput", "verbatiminput", "import", "subfile", "subimport", "bibliography",
      "addbibresource", "special", "pdf", "directlua", "latelua", "lua", "shellescape", "href",
      "url", "html", "class", "cssid", "style", "@", "begin{filecontents", "begin{verbatimwrite",
      "begin{lua", "begin{py", "begin{sage",
    ].map { "\\" + $0 } + ["^^"]

  /// - Parameters:
  ///   - signs: the strings, in ASCII and lower case. They are found in any case.
  ///   - breaker: the character to insert before the last character of each sign.
  ///   - breaksAfterFirst: whether it is inserted after the first character instead.
  public init(_ signs: [String], breaker: Unicode.Scalar, breaksAfterFirst: Bool = false) {
    self.breaksAfterFirst = breaksAfterFirst
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
          let sign = signs.first(where: { recent.suffix($0.count).elementsEqual($0) })
        {
          let place = breaksAfterFirst ? 2 - sign.count : 0
          result.insert(breaker, at: result.index(result.endIndex, offsetBy: place))
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
