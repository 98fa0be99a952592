public import Rendering
import Synchronization

/// Reads code by a table of languages: remarks, texts, numbers and words, as they are written there.
/// It understands no grammar, and so nothing can confuse it for longer than a text goes on.
public struct TableLexer: CodeLexer {
  /// The name by which it is chosen.
  public static let id = "table"
  /// What it does, in one line.
  public static let summary = "comments, strings, numbers and keywords of over sixty languages"
  /// What it must do; these are its tests.
  public static let examples = CodeLanguages.examples

  private static let index: [String: Int] = Dictionary(
    CodeLanguages.all.enumerated().flatMap { index, language in
      language.names.map { ($0, index) }
    }, uniquingKeysWith: { first, _ in first })

  /// The languages that were read before: a page has many blocks of few.
  private static let compiled = Mutex<[Int: CompiledLanguage]>([:])

  private static func language(_ index: Int) -> CompiledLanguage {
    compiled.withLock { known in
      if let language = known[index] { return language }
      let language = CompiledLanguage(CodeLanguages.all[index])
      known[index] = language
      return language
    }
  }

  /// Makes the lexer.
  public init() {}

  /// Whether it knows a language by a name that stands after a fence, in small letters.
  public func knows(_ language: String) -> Bool { Self.index[language] != nil }

  /// The parts of some code that have a colour. O(units).
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
