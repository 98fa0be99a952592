public import Rendering
import Synchronization

/// Highlights code by a table of languages: comments, strings, numbers and keywords by their
/// lexical syntax. It doesn't parse the grammar, so an unusual construct affects at most the rest
/// of a string or comment.
///
/// ```swift
/// let lexer = TableLexer()
/// let parts = lexer.parts(of: Array("let a = 1 // b".utf16), in: "swift")
/// ```
public struct TableLexer: CodeLexer {
  /// The identifier of the lexer in settings.
  public static let id = "table"
  /// The description in lists of lexers, one line.
  public static let summary = "comments, strings, numbers and keywords of over sixty languages"
  /// Examples of code and its parts, at least one for each kind of syntax. They are also tests.
  public static let examples = CodeLanguages.examples

  private static let index: [String: Int] = Dictionary(
    CodeLanguages.all.enumerated().flatMap { index, language in
      language.names.map { ($0, index) }
    }, uniquingKeysWith: { first, _ in first })

  /// The compiled languages. They are cached, because a page has many blocks in a few languages.
  private static let compiled = Mutex<[Int: CompiledLanguage]>([:])

  private static func language(_ index: Int) -> CompiledLanguage {
    compiled.withLock { known in
      if let language = known[index] { return language }
      let language = CompiledLanguage(CodeLanguages.all[index])
      known[index] = language
      return language
    }
  }

  /// Creates the lexer. It has no settings.
  public init() {}

  /// Returns whether the lexer supports a language.
  ///
  /// - Parameter language: a name from a fence's info string, in lower case.
  public func knows(_ language: String) -> Bool { Self.index[language] != nil }

  /// Returns the highlighted parts of some code in order, or an empty array for an unknown
  /// language. O(units).
  public func parts(of code: [UInt16], in language: String) -> [CodePart] {
    guard let index = Self.index[language] else { return [] }
    let row = CodeLanguages.all[index]
    var scanner = CodeScanner(Self.language(index), code)
    switch row.grammar {
    case .code: scanner.scan()
    case .markup: scanner.scanMarkup()
    case .markdown: scanner.scanMarkdown()
    case .diff: scanner.scanDiff()
    case .console:
      guard let shell = Self.index["sh"] else { return [] }
      scanner.scanConsole(Self.language(shell))
    }
    return scanner.parts
  }
}
