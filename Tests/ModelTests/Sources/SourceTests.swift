import Foundation
import Model
import Testing

@Suite struct SourceTests {
  private func source(_ json: String) throws -> Source {
    let value = try #require(JSONValue(Array(json.utf8)))
    return try #require(Source(item: value))
  }

  @Test func `CSL-JSON is equal after parsing and writing`() throws {
    let json = """
      {"id":"k","type":"book","title":"A","author":[{"family":"Lee","given":"Ann","ORCID":"x"},
      {"family":"Sade","dropping-particle":"de","given":"D."},{"literal":"W3C"}],
      "issued":{"date-parts":[["2019","5"]],"season":2},"custom":{"a":[1,2.5,true,null]},"NEW":3}
      """
    let read = try source(json)
    #expect(read.text(.author) == "Lee, Ann; de Sade, D.; W3C")
    #expect(read.text(.issued) == "2019-05")
    var copy = read
    copy.set(.author, to: read.names(.author))
    #expect(copy.item == read.item)
    var expected = try #require(JSONValue(Array(json.utf8)))
    if case .object(var object) = expected {
      object["citation-key"] = object.removeValue(forKey: "id")
      expected = .object(object)
    }
    #expect(read.item == expected)
  }

  @Test func `empty fields are omitted`() throws {
    var read = try source(#"{"title":"","author":[],"note":null,"page":"3"}"#)
    #expect(read.values.count == 1)
    read.set(.page, typed: "  ")
    #expect(read.isEmpty)
    #expect(Source(item: .list([])) == nil)
    #expect(try source(#"{"a b":"c","":"d"}"#).isEmpty)
  }

  @Test(arguments: [
    ("1929", "1929"), ("1929-1", "1929-01"), ("1929-10-24", "1929-10-24"),
    ("2024-05-01T10:00:00Z", "2024-05-01"), ("2024-05-01 10:00:00 +0200", "2024-05-01"),
    ("2024/05/01", "2024-05-01"), ("-0044-03-15", "-0044-03-15"), ("ca. 1850", "ca. 1850"),
    ("1929-13", "1929-13"), ("12 May 1929", "12 May 1929"), ("", ""),
  ])
  func `dates are parsed`(text: String, expected: String) {
    #expect(SourceDate(text).description == expected)
  }

  @Test func `an invalid date has no year`() {
    #expect(SourceDate("1929-13").year == nil)
    #expect(SourceDate("ca. 1850").year == nil)
  }

  @Test(arguments: [
    ("9780156030410", true), ("978-0-15-603041-0", true), ("0156030411", true),
    ("080442957X", true), ("9780156030411", false), ("0156030412", false), ("X156030411", false),
    ("123", false), ("", false), ("٣١٢٣٤٥٦٧٨٩", false),
  ])
  func `ISBN check digits are verified`(text: String, isOne: Bool) {
    #expect(Source.isISBN(text) == isOne)
  }

  @Test func `ISBNs of both lengths are comparable`() {
    #expect(Source.isbn13("0-15-603041-1") == "9780156030410")
    #expect(Source.isbn13("978-0-15-603041-0") == "9780156030410")
  }

  @Test(arguments: [
    "https://doi.org/10.1000/182", "doi:10.1000/182", "DOI: 10.1000/182", "10.1000/182",
    "http://dx.doi.org/10.1000/182",
  ])
  func `a DOI is stored without its URL`(text: String) {
    #expect(Source.bareDOI(text) == "10.1000/182")
  }

  @Test func `only valid names of variables are accepted`() {
    #expect(Source.Variable(rawValue: "a b") == nil)
    #expect(Source.Variable(rawValue: "") == nil)
    #expect(Source.Variable(rawValue: String(repeating: "a", count: 65)) == nil)
    #expect(Source.Variable(rawValue: "DOI") == .doi)
  }
}
