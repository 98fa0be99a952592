import RichText
import RichTextFormats
import Testing

@Suite struct LiteralListsTests {
  /// Returns the paragraphs of a text; a list item has its list, level and marker before it.
  private func paragraphs(_ body: String) throws -> [String] {
    var document = try RTFReader.read(Array(#"{\rtf1\ansi\uc1 \#(body)}"#.utf8))
    document.recognizeLists()
    var offset = 0
    let lines = document.text.string.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { line in
      defer { offset += line.utf16.count + 1 }
      guard offset < document.text.units.count,
        case .list(let item)? = document.text.paragraphs[offset][.list]
      else { return String(line) }
      return "[\(item.list) \(item.level) \(item.marker)] \(line)"
    }
  }

  @Test func `bullets become items, nested by their indents and tabs`() throws {
    #expect(
      try paragraphs(
        #"\u8226?\tab a\par\tab\u9702?\tab b\par\tab *\tab c\par\tab\tab -\tab d\par \'95\tab e\par f"#
      ) == [
        "[1 0 bullet] a", "[2 1 bullet] b", "[2 1 bullet] c", "[3 2 bullet] d", "[1 0 bullet] e",
        "f",
      ])
    #expect(
      try paragraphs(#"\li360 -\tab a\par\li720 -\tab b\par\li180 -\tab c\par"#)
        == ["[1 0 bullet] a", "[2 1 bullet] b", "[3 0 bullet] c", ""])
  }

  @Test func `numbers are markers if they count from the first`() throws {
    #expect(
      try paragraphs(#"1.\tab a\par 2.\tab b\par\par 3.\tab c\par text\par 4.\tab d"#) == [
        "[1 0 decimal] a", "[1 0 decimal] b", "", "[1 0 decimal] c", "text", "[1 0 decimal] d",
      ])
    #expect(
      try paragraphs(
        #"a)\tab a\par b)\tab b\par (i)\tab c\par (ii)\tab d\par I.\tab e\par II.\tab f"#)
        == [
          "[1 0 lowerLetter] a", "[1 0 lowerLetter] b", "[2 0 lowerRoman] c", "[2 0 lowerRoman] d",
          "[3 0 upperRoman] e", "[3 0 upperRoman] f",
        ])
    #expect(try paragraphs(#"\fi-360 1.\tab a\par\pard b"#) == ["[1 0 decimal] a", "b"])
  }

  @Test(arguments: [
    #"1.\tab Introduction\par text"#, #"2.\tab a\par 3.\tab b"#, #"1.\tab a\par 3.\tab b"#,
    #"1. a\par 2. b"#, #"\u8226? a"#, #"\u8226?\tab \par b"#, #"\u8211?\tab Oui.\par b"#,
    #"2024.\tab a\par 2025.\tab b"#, #"fi.\tab a"#,
    #"{\stylesheet{\s1 heading 1;}}\s1 1.\tab a\par\s1 2.\tab b"#,
    #"\intbl\u8226?\tab a\cell b\cell\row"#,
  ])
  func `other text is not changed`(_ body: String) throws {
    let before = try RTFReader.read(Array(#"{\rtf1\ansi\uc1 \#(body)}"#.utf8))
    var document = before
    document.recognizeLists()
    #expect(document == before)
  }

  @Test func `notes and pictures keep their places`() throws {
    let body = #"\u8226?\tab a{\footnote x}\par\u8226?\tab b{\pict\pngblip 89}{\footnote y}"#
    var document = try RTFReader.read(Array(#"{\rtf1\uc1 \#(body)}"#.utf8))
    document.recognizeLists()
    #expect(document.text.string == "a\u{FFFC}\nb\u{FFFC}\u{FFFC}")
    #expect(document.notes.map(\.offset) == [1, 5])
    #expect(document.images.map(\.offset) == [4])
  }

  @Test func `a text of many items takes linear time`() throws {
    let items = String(repeating: #"\u8226?\tab a\par 1.\tab b\par "#, count: 20_000)
    #expect(try paragraphs(items).count == 40_001)
  }
}
