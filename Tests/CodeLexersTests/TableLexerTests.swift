import CodeLexers
import Rendering
import TestSupport
import Testing

private let lexers: [any CodeLexer] = [TableLexer()]

private func described(_ parts: [CodePart], in code: [UInt16]) -> [String] {
  parts.map { part in
    "\(part.kind.rawValue) "
      + String(decoding: code[Int(part.start)..<Int(part.end)], as: UTF16.self)
  }
}

@Suite struct TableLexerTests {
  @Test(arguments: TableLexer.examples.map(\.language))
  func `each example has the expected parts`(language: String) {
    for example in TableLexer.examples where example.language == language {
      for lexer in lexers {
        #expect(lexer.knows(language))
        let code = Array(example.code.utf16)
        #expect(described(lexer.parts(of: code, in: language), in: code) == example.parts)
      }
    }
  }

  @Test func `common names of languages are known`() {
    let names = [
      "js", "javascript", "sh", "bash", "console", "c++", "cpp", "c#", "objective-c", "ts", "py",
      "rb",
      "yml", "html", "xml", "css", "sql", "diff", "make", "makefile", "dockerfile", "toml", "ini",
      "json", "go", "rust", "swift", "kotlin", "java", "scala", "haskell", "ocaml", "elixir",
      "erlang",
      "clojure", "lisp", "lua", "perl", "php", "r", "julia", "matlab", "powershell", "zig", "nix",
      "graphql", "protobuf", "hcl", "cmake", "latex", "markdown", "dart", "groovy", "fortran",
      "vim",
    ]
    for name in names { #expect(TableLexer().knows(name), "\(name)") }
    #expect(!TableLexer().knows("") && !TableLexer().knows("auto") && !TableLexer().knows("text"))
    #expect(TableLexer().parts(of: Array("if 1".utf16), in: "text").isEmpty)
  }

  @Test func `an element without a name is one part`() {
    let parts = TableLexer().parts(of: Array("a </> b".utf16), in: "html")
    #expect(parts.map { Int($0.start)..<Int($0.end) } == [2..<5])
  }

  /// Unclosed and repeated beginnings of every construct, in any order.
  @Test func `the parts of random code are in order and within it`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "\"", "'", "`", "\"\"\"", "'''", "/*", "*/", "//", "#", "##\"", "--", "[[", "[=", "]=]",
      "<<EOF",
      "<<", "\n", "\t", " ", "$", "${", "$(", "@", ":", "\\", "{", "}", "(", ")", "<!--", "<a", ">",
      "&", "&amp;", "r#", "R\"(", "b'", "0x", "1e+", "a", "if", "日本", "\u{1F600}", "/", "-", "=",
      "EOF",
      "+", "~~~", "```", "%", ";", "{-", "-}", "(*", "#|", "|#", "!", "user@host:~$ ",
    ]
    for name in TableLexer.examples.map(\.language) + ["php", "ruby", "d", "nix", "latex", "xml"] {
      for _ in 0..<40 {
        let code = Array((0..<60).map { _ in pieces.randomElement(using: &random)! }.joined().utf16)
        var last = 0
        for part in TableLexer().parts(of: code, in: name) {
          let isRight = Int(part.start) >= last && part.start < part.end && part.end <= code.count
          #expect(isRight, "\(name), seed \(seed): \(String(decoding: code, as: UTF16.self))")
          last = Int(part.end)
        }
      }
    }
  }

  /// Retrying a step at each character would take hours.
  @Test(arguments: [
    ("js", "=/["), ("js", "${"), ("swift", "#"), ("swift", "/*"), ("rust", "r#"), ("rust", "'\\u"),
    ("lua", "[="), ("lua", "]="), ("c++", "R\"("), ("bash", "<<A"), ("bash", "\n "), ("yaml", "a "),
    ("json", "\"a\" "), ("html", "<a "), ("html", "&a"), ("markdown", "`"), ("python", "'''"),
    ("css", "a "), ("console", "a@"), ("diff", "+"), ("c", "\\"), ("haskell", "{-"), ("make", "$("),
  ])
  func `a line of megabytes is parsed`(language: String, piece: String) {
    let code = Array(String(repeating: piece, count: 300_000).utf16)
    #expect(TableLexer().parts(of: code, in: language).count <= code.count)
  }
}
