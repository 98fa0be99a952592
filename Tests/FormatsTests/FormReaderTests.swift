import Foundation
import Interchange
import Model
import Testing

@testable import Formats

@Suite struct FormReaderTests {
  @Test func `CSV cells can contain commas, quotation marks and line ends`() throws {
    var rows = CSVRows(Array("\u{FEFF}a,\"b,\"\"c\"\"\r\nd\",\r\n\r\ne\"f,g\rh".utf8))
    #expect(try rows.next() == ["a", "b,\"c\"\r\nd", ""])
    #expect(try rows.next() == [""])
    #expect(try rows.next() == ["e\"f", "g"])
    #expect(try rows.next() == ["h"])
    #expect(try rows.next() == nil)
    var open = CSVRows(Array("a\nb,\"c\nd".utf8))
    _ = try open.next()
    #expect(throws: CSVRows.Unclosed.self) { try open.next() }
  }

  @Test func `Readwise CSV has eleven columns in any order`() throws {
    let content = try ReadwiseCSV().read(
      ImportSource(
        Array(
          """
          Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags
          "a ""b""\n\nc",T,A,,"n, m",,,order,0,,x
          ,T,A,,,,,,,,
          d,T,A,,,purple,one,location,12,2026-01-27 05:56:46.123456+02:00,x

          """.utf8)))
    #expect(content.records.map(\.quote) == ["a \"b\"\n\nc", "d"])
    #expect(content.records.map(\.color) == [.yellow, .pink])
    #expect(content.records[0].created == nil && content.records[0].location == "")
    #expect(content.records[1].created?.timeIntervalSince1970 == 1_769_486_206)
    #expect(content.skipped == ["line 5 has no highlight"])
  }

  @Test(arguments: [
    ("2026-01-27 05:56:46+00:00", 1_769_493_406, false),
    ("2026-01-27T05:56:46Z", 1_769_493_406, false),
    ("2026-01-27T05:56:46.123456+0000", 1_769_493_406, false),
    ("2026-01-27 05:56:46", 1_769_493_406, true),
    ("2026-01-27T00:56:46-05", 1_769_493_406, false), ("2026-01-27", 1_769_472_000, true),
    ("1969-12-31T23:59:59Z", -1, false), ("2024-02-29T00:00Z", 1_709_164_800, false),
  ])
  func `dates of many formats are parsed`(_ text: String, _ seconds: Int, _ isLocal: Bool) throws {
    let found = try #require(WrittenDate(text))
    #expect(Int(found.date.timeIntervalSince1970) == seconds && found.isLocal == isLocal)
  }

  @Test(arguments: ["", "yesterday", "2026-13-01", "26-01-01", "2026-01-27T99:00:00Z"])
  func `an invalid date is nil`(_ text: String) { #expect(WrittenDate(text) == nil) }

  @Test func `Lua tables are parsed, and code is rejected`() throws {
    let table = try LuaValue(
      reading: Array(
        #"""
        -- a comment
        --[[ a long
        one ]] return { 1, "two", x = [==[
        lo]]ng]==], ["k\"\65\x41\n"] = { [3] = -1.5e3, [1] = true, }; nested = {{}}, }
        """#.utf8))
    #expect(table.values.map(\.text) == ["1", "two"])
    #expect(table["x"].text == "lo]]ng")
    #expect(table["k\"AA\n"].numbered.map(\.number) == [1, 3])
    #expect(table["k\"AA\n"].values.last?.text == "-1500")
    for text in [
      "return {", "return 1", "return { a }", "return { f() }", "return {} x",
      "return { [1.5] = 1 }",
      "return { \"a", "return { \"\\q\" }", "{}", "return { [[a }", "return { a = }",
      "return {1 2}",
      "return " + String(repeating: "{", count: 100_000),
    ] {
      #expect(throws: LuaValue.Problem.self, "\(text.prefix(30))") {
        try LuaValue(reading: Array(text.utf8))
      }
    }
  }

  @Test func `other colours are mapped to the nearest of the four`() {
    let colors: [(String, HighlightColor)] = [
      ("#ffd400", .yellow), ("#ff6666", .pink), ("#5fb236", .green), ("#2ea8e5", .blue),
      ("#a28ae5", .blue), ("#e56eee", .pink), ("#f19837", .yellow), ("#aaaaaa", .blue),
      ("Orange", .yellow), ("purple", .pink), ("", .yellow), ("#zz", .yellow),
    ]
    for (name, color) in colors { #expect(HighlightColor(nearest: name) == color, "\(name)") }
  }
}
