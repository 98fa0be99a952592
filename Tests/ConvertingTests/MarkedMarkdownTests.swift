import Converting
import Foundation
import Model
import SystemSupport
import TestSupport
import Testing

@Suite struct MarkedMarkdownTests {
  /// The character that starts (0) or ends (1) a passage.
  private func mark(_ passage: Int, _ side: Int) -> String {
    String(Unicode.Scalar(UInt32(0xF0000 + 2 * passage + side))!)
  }

  @Test func `marks are inside of the document, ends before starts`() {
    var text = MarkedMarkdown()
    let yellow = MarkedMarkdown.Passage(color: .yellow, comment: nil)
    #expect(text.append(Array("ab cd".utf8), [(0..<2, yellow), (2..<5, yellow)]) == 0)
    #expect(text.append(Array("ef".utf8), [(0..<2, yellow)]) == 0)
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == "\(mark(0, 0))ab\(mark(0, 1))\(mark(1, 0)) cd\(mark(1, 1))\n\n"
        + "\(mark(2, 0))ef\(mark(2, 1))")
    // A document with such characters is not marked.
    #expect(text.append(Array("g\u{F0000}".utf8), [(0..<1, yellow)]) == 1)
    #expect(text.bytes.suffix(5) == Array("g\u{F0000}".utf8)[...])
    #expect(text.append(Array("g".utf8), Array(repeating: (0..<1, yellow), count: 40_000)) > 7_000)
  }

  /// Converts a tree as pandoc's reader writes it, and returns the tree for pandoc's writer.
  private func converted(_ blocks: String, _ passages: [MarkedMarkdown.Passage]) async throws
    -> String
  {
    let folder = try WorkFolder()
    try Data(#"{"pandoc-api-version":[1,22],"meta":{},"blocks":[\#(blocks)]}"#.utf8).write(
      to: URL(filePath: folder.path + "/blocks.json"))
    let script = """
      #!/bin/sh
      for word; do case "$word" in --output=*) out=${word#--output=};; esac; done
      case "$*" in
      --version) echo "pandoc 2.17";;
      *--to=json*) cp "\(folder.path)/blocks.json" "$out";;
      *) { printf 'PK\\003\\004'; cat "$(dirname "$out")/tree.json"; } > "$out";;
      esac
      """
    let path = folder.path + "/pandoc"
    try Data(script.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    var text = MarkedMarkdown()
    _ = text.append(Array("x".utf8), passages.map { (0..<1, $0) })
    let pandoc = Pandoc(searchPath: folder.path + ":/usr/bin:/bin")
    let book = try await pandoc.convert(text, to: .epub, title: "A", author: "Ada & Bo")
    return String(decoding: book.dropFirst(4), as: UTF8.self)
  }

  private func passage(_ color: HighlightColor, _ comment: String? = nil) -> MarkedMarkdown.Passage
  {
    MarkedMarkdown.Passage(color: color, comment: comment)
  }

  @Test func `passages become elements, and their comments footnotes`() async throws {
    let (a, b) = (mark(0, 0), mark(0, 1))
    let (c, d) = (mark(1, 0), mark(1, 1))
    let tree = try await converted(
      #"""
      {"t":"Para","c":[{"t":"Str","c":"on\#(a)e"},{"t":"Space"},
      {"t":"Emph","c":[{"t":"Str","c":"t\#(c)w\#(b)o"},{"t":"Code","c":[["",[],[]],"th\#(d)ree"]}]},
      {"t":"Str","c":"end"}]},
      {"t":"CodeBlock","c":[["",[],[]],"pl\#(a)ain\#(b)"]},
      {"t":"Header","c":[1,["id\#(a)\#(b)",[],[]],[{"t":"Math","c":[{"t":"InlineMath"},"x\#(c)y"]},{"t":"Str","c":"z\#(d)"}]]}
      """#, [passage(.green, "[G] Why?\n#a"), passage(.pink)])
    #expect(!tree.unicodeScalars.contains { (0xF0000...0xFFFFF).contains($0.value) })
    #expect(tree.matches(of: /diple-green/).count == 3)
    // The overlap is in elements of both colours.
    #expect(tree.matches(of: /diple-pink/).count == 4)
    #expect(tree.contains("background-color:#a6e8b4"))
    #expect(tree.matches(of: /"t":"Note"/).count >= 1)
    #expect(tree.contains("[G] Why?"))
    #expect(tree.contains("Ada & Bo"))
    #expect(tree.contains(#""plain""#))
    for word in ["on", "e", "t", "w", "o", "th", "ree", "end", "xy", "z"] {
      #expect(tree.contains("\"\(word)\""), "\(word)")
    }
  }

  @Test func `a passage does not continue in a footnote`() async throws {
    let tree = try await converted(
      #"""
      {"t":"Para","c":[{"t":"Str","c":"\#(mark(0, 0))one"},
      {"t":"Note","c":[{"t":"Para","c":[{"t":"Str","c":"note\#(mark(1, 0))d\#(mark(1, 1))"}]}]},
      {"t":"Str","c":"two\#(mark(0, 1))"}]}
      """#, [passage(.green), passage(.blue)])
    #expect(tree.matches(of: /diple-green/).count == 2)
    #expect(tree.matches(of: /diple-blue/).count == 1)
  }
}
