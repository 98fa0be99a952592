import Foundation
import TestSupport
import Testing

/// Tests creating, changing and undoing highlights through the HTTP API.
@Suite struct MarkingTests {
  private struct Highlight: Decodable, Equatable {
    var id: String
    var color: String
    var quote: String
    var note: String
    var tags: [String]
    var range: Range?
    var state: String

    struct Range: Decodable, Equatable {
      var start: Int
      var end: Int
    }

    /// The range as an argument of `mark`; empty without a range.
    var ranges: [[Int]] { range.map { [[$0.start, $0.end]] } ?? [] }
  }

  private struct Document: Decodable {
    var digest: String
    var version: String
    var highlights: [Highlight]
    var undo: String?
    var redo: String?
  }

  /// The result of an action on one or several highlights.
  private struct Made: Decodable {
    var highlights: [Highlight]

    private enum CodingKeys: String, CodingKey { case data, schema }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      highlights =
        switch try container.decode(String.self, forKey: .schema) {
        case "diple.highlight/1": [try container.decode(Highlight.self, forKey: .data)]
        default: try container.decode([Highlight].self, forKey: .data)
        }
    }
  }

  private struct Refused: Decodable {
    struct Place: Decodable {
      var range: Highlight.Range
      var quote: String
      var score: Double
    }
    struct Details: Decodable { var candidates: [Place] }
    var message: String
    var details: Details?
  }

  /// Requests the text of the document, then returns the document as a page receives it.
  private func document(_ served: Served) throws -> Document {
    _ = try served.get("/api/documents/\(try served.id())/body")
    return try served.get("/api/documents/\(try served.id())").decode(Document.self)
  }

  private func mark(
    _ served: Served, _ digest: String, _ ranges: [[Int]], _ rest: String = "\"color\":\"green\"",
    in id: String? = nil
  ) throws -> Answer {
    let ranges = ranges.map { "{\"start\":\($0[0]),\"end\":\($0[1])}" }.joined(separator: ",")
    return try send(served, "[\(ranges)]", digest, ",\(rest)", in: id)
  }

  /// Sends `highlight.mark` with `ranges`, a JSON array.
  private func send(
    _ served: Served, _ ranges: String, _ digest: String, _ rest: String = "",
    in id: String? = nil
  ) throws -> Answer {
    try served.act(
      "highlight.mark",
      """
      {"document":"\(try id ?? served.id())","passage":{"ranges":\(ranges),"text":"\(digest)"}\(rest)}
      """)
  }

  private func shown(_ served: Served, _ id: String) throws -> Highlight? {
    let answer = try served.act("highlight.show", "{\"highlight\":\"\(id)\"}")
    return try answer.decode(Made.self).highlights.first
  }

  private static let text =
    "# Title\n\nThe quick brown fox jumps over the lazy dog.\n\nA last line.\n"

  @Test func `a passage is highlighted, changed and removed, and everything is undone`() throws {
    let served = try Served(["a.md": Self.text])
    let digest = try document(served).digest
    // Blanks at the ends are excluded.
    let response = try mark(
      served, digest, [[9, 21]], "\"color\":\"pink\",\"note\":\"why?\",\"tags\":[\"animal\"]")
    #expect(response.status == 200, "\(response)")
    let highlight = try #require(try response.decode(Made.self).highlights.first)
    #expect(highlight.quote == "quick brown")
    #expect(highlight.ranges == [[10, 21]])
    #expect((highlight.color, highlight.note) == ("pink", "why?"))
    #expect(highlight.tags == ["animal"])
    #expect(try mark(served, digest, [[10, 21]], "\"color\":\"pink\"").status == 409)

    let changed = try #require(
      try served.act(
        "highlight.change",
        """
        {"highlight":"\(highlight.id)","color":"blue","note":"","addTags":["b"],
        "removeTags":["animal"]}
        """
      ).decode(Made.self).highlights.first)
    #expect((changed.color, changed.note) == ("blue", ""))
    #expect(changed.tags == ["b"])
    #expect(
      try served.act("highlight.remove", "{\"highlights\":[\"\(highlight.id)\"]}").status == 200)
    #expect(try document(served).highlights == [])
    let shown = try served.act("highlight.show", "{\"highlight\":\"\(highlight.id)\"}")
    #expect(shown.status == 404)

    let id = try served.id()
    #expect(try served.act("history.undo", "{\"document\":\"\(id)\"}").status == 200)
    #expect(try document(served).highlights == [changed])
    #expect(try served.act("history.undo").status == 200)
    #expect(try document(served).highlights == [highlight])
    #expect(try served.act("history.redo").status == 200)
    let now = try document(served)
    #expect(now.highlights == [changed])
    #expect(now.undo != nil && now.redo != nil)
  }

  @Test func `passages highlighted in one request are undone in one step`() throws {
    let served = try Served(["a.md": Self.text])
    let digest = try document(served).digest
    // Some of the ranges begin or end with a blank, and two are equal.
    let response = try mark(
      served, digest, [[10, 15], [20, 22], [26, 31], [10, 15], [52, 58]])
    #expect(response.status == 200, "\(response)")
    #expect(try response.decode(Made.self).highlights.count == 4)
    #expect(try served.act("history.undo").status == 200)
    #expect(try document(served).highlights == [])
    #expect(try served.act("history.redo").status == 200)
    #expect(try document(served).highlights.count == 4)
  }

  @Test func `an invalid passage is rejected with status 400`() throws {
    let served = try Served(["a.md": "one \u{1F468}\u{200D}\u{1F469} two\n"])
    let digest = try document(served).digest
    for ranges in [
      "[{\"start\":0,\"end\":1000}]", "[{\"start\":5,\"end\":2}]", "[{\"start\":-1,\"end\":2}]",
      "[]",
      "[{\"start\":1}]", "[[1,2]]", "[{\"start\":2147483647,\"end\":2147483648}]", "\"x\"",
    ] {
      let answer = try send(served, ranges, digest)
      #expect(answer.status == 400, "\(ranges): \(answer)")
    }
    let id = try served.id()
    for body in [
      "", "{", "[]", "null", "{}", "{\"document\":\"\(id)\"}",
      "{\"document\":\"\(id)\",\"passage\":{\"spec\":\"word:\"}}",
      "{\"document\":\"\(id)\",\"passage\":{\"spec\":\"word:1\"},\"colour\":\"green\"}",
      "{\"document\":\"x\",\"passage\":{\"spec\":\"word:1\"}}",
    ] {
      let answer = try served.act("highlight.mark", body)
      #expect(answer.status == 400, "\(body): \(answer)")
    }
    #expect(try mark(served, digest, [[3, 4]]).status == 409)
    // A part of a character is extended to the whole character.
    let response = try mark(served, digest, [[5, 6]])
    #expect(try response.decode(Made.self).highlights.map(\.ranges) == [[[4, 9]]])
    #expect(try mark(served, String(repeating: "0", count: 64), [[0, 3]]).status == 409)
  }

  @Test func `a selection in an outdated text is relocated, or rejected with candidates`()
    throws
  {
    let served = try Served(["a.md": Self.text])
    let digest = try document(served).digest
    try served.folder.write(
      "docs/a.md", "# Title\n\nAn added paragraph.\n\n" + Self.text.dropFirst(9))
    let response = try mark(served, digest, [[10, 21]])
    #expect(response.status == 200, "\(response)")
    let highlight = try #require(try response.decode(Made.self).highlights.first)
    #expect(highlight.quote == "quick brown")
    #expect(highlight.ranges == [[30, 41]])

    try served.folder.write(
      "docs/a.md", "# Title\n\nSome slow brown cats sleep under a lazy tree.\n\nA last line.\n")
    let refused = try mark(served, digest, [[6, 50]])
    #expect(refused.status == 409, "\(refused)")
    let problem = try refused.decode(Refused.self)
    let candidates = try #require(problem.details?.candidates)
    #expect(candidates.allSatisfy { $0.range.start < $0.range.end && !$0.quote.isEmpty })
    #expect(try document(served).highlights.map(\.color) == ["green"])
  }

  @Test func `the reading position is mapped to the changed text`() throws {
    struct Body: Decodable {
      var at: Int?
      var digest: String
    }
    let served = try Served(["a.md": Self.text])
    let (id, digest) = (try served.id(), try document(served).digest)
    func at(_ offset: Int) throws -> Body {
      try served.get("/api/documents/\(id)/body?at=\(offset)&text=\(digest)").decode(Body.self)
    }
    #expect(try at(52).at == 52)
    try served.folder.write(
      "docs/a.md", "# Title\n\nAn added paragraph.\n\n" + Self.text.dropFirst(9))
    let moved = try at(51)
    #expect(moved.at == 71)
    #expect(moved.digest != digest)
  }

  @Test func `the body is also the Markdown source, with the same positions and highlights`() throws
  {
    struct Body: Decodable {
      struct Part: Decodable { var html: String? }
      var version: String
      var length: Int
      var parts: [Part]
      var html: String { parts.compactMap(\.html).joined() }
    }
    let served = try Served(["a.md": "# T\n\nA **bold** <b onclick=x>word</b>.\n"])
    let (id, digest) = (try served.id(), try document(served).digest)
    #expect(try mark(served, digest, [[4, 8]]).status == 200)
    func body(_ query: String) throws -> Body {
      try served.get("/api/documents/\(id)/body\(query)").decode(Body.self)
    }
    let (text, source) = (try body(""), try body("?view=source"))
    #expect(text.length == source.length && text.version != source.version)
    #expect(source.html.contains("data-line=\"3\"") && !text.html.contains("data-line"))
    #expect(source.html.contains("&lt;b onclick=x&gt;") && !source.html.contains("<b onclick"))
    for html in [text.html, source.html] { #expect(html.contains("class=\"green\"")) }
    // The page has all parts of this version already.
    #expect(try body("?view=source&known=\(source.version)").html.isEmpty)
    #expect(try served.get("/api/documents/\(id)/body?view=other").status == 400)
  }

  @Test func `a passage is formatted in the file or in the library`() throws {
    struct Formatted: Decodable {
      struct Part: Decodable {
        var stored: Bool
        var turnedOn: Bool?
      }
      struct File: Decodable { var written: Bool }
      struct Data: Decodable {
        var file: File?
        var passages: [Part]
      }
      var data: Data
    }
    struct Format: Decodable {
      struct Attribute: Decodable {
        var name: String
        var value: String?
        var mixed: Bool
      }
      struct Data: Decodable { var attributes: [Attribute] }
      var data: Data
    }
    let served = try Served(["a.md": Self.text])
    let (id, digest) = (try served.id(), try document(served).digest)
    func format(_ what: String, _ text: String? = nil) throws -> Answer {
      try served.act(
        "passage.format",
        """
        {"document":"\(id)","passage":{"text":"\(text ?? digest)",\
        "ranges":[{"start":10,"end":15}]},\(what)}
        """)
    }
    let bold = try format(##""toggle":"bold""##).decode(Formatted.self)
    #expect(bold.data.file?.written == true)
    #expect(bold.data.passages.map(\.turnedOn) == [true])
    #expect(try served.folder.read("docs/a.md").contains("**quick**"))
    let set = try format(
      ##""set":{"size":"20","indent first":"36","color":"#aa0000"},"clear":["font"]"##)
    #expect(try set.decode(Formatted.self).data.passages.map(\.stored) == [true])
    let shown = try served.act(
      "passage.show",
      """
      {"document":"\(id)","passage":{"text":"\(digest)","ranges":[{"start":10,"end":15}]}}
      """
    ).decode(Format.self).data.attributes
    func value(_ name: String) -> String? { shown.first { $0.name == name }?.value }
    #expect(value("bold") == "on")
    #expect(value("size") == "20")
    #expect(value("indent first") == "36")
    #expect(try served.get("/api/documents/\(id)/body").body.contains("f-"))
    for what in [
      #""dryRun":false"#, #""toggle":"blink""#, #""toggle":"bold on x""#,
      #""toggle":"bold","heading":2"#, #""heading":7"#,
      #""set":{}"#, #""set":{"size":"x"}"#, #""set":{"style":"x"}"#, #""clear":["x"]"#,
    ] { #expect(try format(what).status == 400, "\(what)") }
    let other = String(repeating: "0", count: 64)
    #expect(try format(##""toggle":"italic""##, other).status == 409)
    #expect(try served.act("history.undo", "{\"document\":\"\(id)\"}").status == 200)
    #expect(try served.act("history.undo", "{\"document\":\"\(id)\"}").status == 200)
    #expect(try served.folder.read("docs/a.md") == Self.text)
  }

  @Test func `an error contains the field, its allowed values, and suggestions`() throws {
    let served = try Served(["a.md": "One cat, two cats.\n"])
    let id = try served.id()
    func refused(_ action: String, _ json: String, _ status: Int) throws -> String {
      let answer = try served.act(action, json)
      #expect(answer.status == status, "\(answer)")
      return answer.body
    }
    let color = try refused(
      "highlight.mark",
      "{\"document\":\"\(id)\",\"passage\":{\"spec\":\"One\"},\"color\":\"yelow\"}", 400)
    for part in [
      #""where":"color""#, #""allowed":["yellow","green","blue","pink"]"#,
      #""candidates":["yellow"]"#, #""code":"usage""#, #""schema":"diple.error/1""#,
    ] { #expect(color.contains(part), "\(color)") }
    let unknown = try refused("highlight.makr", "{}", 404)
    #expect(unknown.contains(#""code":"notFound""#), "\(unknown)")
    #expect(unknown.contains(#""candidates":["highlight.mark"]"#), "\(unknown)")
    let named = try refused("document.statistics", #"{"document":"a.md"}"#, 400)
    #expect(named.contains("\"candidates\":[\"\(id)  a.md"), "\(named)")
    let twice = try refused(
      "highlight.mark", "{\"document\":\"\(id)\",\"passage\":{\"spec\":\"cat\"}}", 409)
    #expect(twice.contains(##""candidates":["#1  1:5"##), "\(twice)")
    #expect(twice.contains(#""where":"passage.spec""#), "\(twice)")
  }

  @Test func `a note that was changed in the meantime is not overwritten`() throws {
    struct Clash: Decodable {
      struct Details: Decodable { var note: String }
      var message: String
      var details: Details
    }
    let served = try Served(["a.md": Self.text])
    let response = try mark(served, try document(served).digest, [[10, 21]], "\"note\":\"old\"")
    let highlight = try #require(try response.decode(Made.self).highlights.first)
    try served.diple("highlight", "edit", highlight.id, "--note", "from the terminal")

    func write(_ note: String, seeing seen: String) throws -> Answer {
      try served.act(
        "highlight.change",
        """
        {"highlight":"\(highlight.id)","note":"\(note)","seenNote":"\(seen)","color":"pink"}
        """)
    }
    let refused = try write("old, and more", seeing: "old")
    #expect(refused.status == 409, "\(refused)")
    #expect(try refused.decode(Clash.self).details.note == "from the terminal")
    // The rest of the request is rejected too.
    let stored = try #require(try shown(served, highlight.id))
    #expect((stored.note, stored.color) == ("from the terminal", highlight.color))
    // An equal note does not conflict, and a client that has seen the note may replace it.
    #expect(try write("from the terminal", seeing: "old").status == 200)
    #expect(try write("mine", seeing: "from the terminal").status == 200)
    #expect(try shown(served, highlight.id)?.note == "mine")
  }

  @Test func `passages formatted in one request are undone in one step`() throws {
    let served = try Served(["a.md": Self.text])
    let (id, digest) = (try served.id(), try document(served).digest)
    func format(_ what: String, _ ranges: [Range<Int>] = [10..<15, 20..<25, 36..<40]) throws
      -> Answer
    {
      let list = ranges.map { "{\"start\":\($0.lowerBound),\"end\":\($0.upperBound)}" }
      return try served.act(
        "passage.format",
        """
        {"document":"\(id)","passage":{"text":"\(digest)","ranges":[\(list.joined(separator: ","))]},\
        \(what)}
        """)
    }
    func undo() throws {
      #expect(try served.act("history.undo", "{\"document\":\"\(id)\"}").status == 200)
      #expect(try served.folder.read("docs/a.md") == Self.text)
    }
    #expect(try format(##""toggle":"bold""##).status == 200)
    let bold = try served.folder.read("docs/a.md")
    #expect(bold.components(separatedBy: "**").count == 7, "\(bold)")
    try undo()
    // All passages are in one paragraph, which is quoted once.
    #expect(try format(##""style":"Block Quote""##).status == 200)
    #expect(try served.folder.read("docs/a.md").contains("\n> The quick"))
    try undo()
    let sized = try format(##""set":{"size":"20"}"##)
    #expect(sized.status == 200, "\(sized)")
    #expect(try served.get("/api/documents/\(id)/body").body.contains("f-"))
    try undo()
    #expect(!(try served.get("/api/documents/\(id)/body").body.contains("class=\\\"f-")))
    // If one range cannot be formatted, all remain unchanged.
    #expect(try format(##""toggle":"bold""##, [10..<15, 20..<9999]).status == 400)
    #expect(try served.folder.read("docs/a.md") == Self.text)
  }

  @Test func `the version of a document changes with its formatting`() throws {
    let served = try Served(["a.md": Self.text])
    let plain = try document(served).version
    #expect(try document(served).version == plain)
    try served.diple("format", "size", "20", "a.md", "\"quick brown\"")
    let sized = try document(served).version
    #expect(sized != plain)
    try served.diple("mark", "a.md", "\"lazy\"")
    #expect(try document(served).version != sized)
  }

  @Test func `an action's answer equals the command's JSON output`() throws {
    let served = try Served(["a.md": Self.text])
    let id = try served.id()
    let response = try mark(served, try document(served).digest, [[10, 21]])
    let highlight = try #require(try response.decode(Made.self).highlights.first?.id)
    for (action, request, command) in [
      ("document.statistics", "{\"document\":\"\(id)\"}", ["doc", "statistics", "a.md"]),
      ("highlight.show", "{\"highlight\":\"\(highlight)\"}", ["highlight", "show", highlight]),
      ("library.tags", "{}", ["tags"]), ("library.colors", "{}", ["color", "list"]),
      ("history.undo", "{\"dryRun\":true}", ["undo", "--dry-run"]),
    ] {
      try served.diple("highlight", "edit", highlight, "--tag", action)
      let page = try served.act(action, request)
      #expect(page.status == 200, "\(page)")
      let printed = try served.output(of: command + ["--json"]).body
      #expect(page.body == printed.trimmingCharacters(in: .newlines), "\(action)")
    }
    #expect(try served.act("highlight.none").status == 404)
  }

  @Test func `nothing is written to a library that was moved or replaced`() throws {
    let served = try Served(["a.md": Self.text])
    let (id, digest) = (try served.id(), try document(served).digest)
    func mark(_ range: [Int]) throws -> Answer {
      try self.mark(served, digest, [range], in: id)
    }
    #expect(try mark([10, 15]).status == 200)
    let manager = FileManager.default
    let folder = served.folder.path + "/docs/.diple"
    try manager.copyItem(atPath: folder, toPath: folder + "-copy")
    try manager.moveItem(atPath: folder, toPath: folder + "-old")
    try manager.moveItem(atPath: folder + "-copy", toPath: folder)
    let refused = try mark([20, 25])
    #expect(refused.status == 409, "\(refused)")
    #expect(refused.body.contains("moved or replaced"), "\(refused)")
    // The request is also rejected if the folder no longer exists.
    try manager.removeItem(atPath: folder)
    #expect(try mark([20, 25]).status == 409)
  }
}
