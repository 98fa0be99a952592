import Foundation
import TestSupport
import Testing

/// Highlights made in a page, and their relation to the displayed text and to other changes.
@Suite struct MarkingTests {
  private struct Highlight: Decodable, Equatable {
    var id: String
    var color: String
    var quote: String
    var note: String
    var tags: [String]
    var ranges: [[Int]]
    var state: String
  }

  private struct Document: Decodable {
    var digest: String
    var version: String
    var highlights: [Highlight]
    var undo: String?
    var redo: String?
  }

  private struct Made: Decodable { var highlights: [Highlight] }

  private struct Refused: Decodable {
    struct Place: Decodable {
      var range: [Int]
      var quote: String
      var score: Double
    }
    var error: String
    var candidates: [Place]?
  }

  /// A document as a page receives it, after a request for its text.
  private func document(_ served: Served) throws -> Document {
    _ = try served.get("/api/documents/\(try served.id())/body")
    return try served.get("/api/documents/\(try served.id())").decode(Document.self)
  }

  private func mark(
    _ served: Served, _ digest: String, _ ranges: [[Int]], _ rest: String = "\"color\":\"green\""
  ) throws -> Answer {
    try served.post(
      "/api/documents/\(try served.id())/marks",
      "{\"text\":\"\(digest)\",\"ranges\":\(ranges),\(rest)}")
  }

  private static let text =
    "# Title\n\nThe quick brown fox jumps over the lazy dog.\n\nA last line.\n"

  @Test func `a passage is marked, changed, removed, and all of it undone`() throws {
    let served = try Served(["a.md": Self.text])
    let digest = try document(served).digest
    // Blanks at the ends are excluded, and characters are not split.
    let made = try mark(
      served, digest, [[9, 21]], "\"color\":\"pink\",\"note\":\"why?\",\"tags\":[\"animal\"]")
    #expect(made.status == 201, "\(made)")
    let highlight = try #require(try made.decode(Made.self).highlights.first)
    #expect(highlight.quote == "quick brown")
    #expect(highlight.ranges == [[10, 21]])
    #expect((highlight.color, highlight.note) == ("pink", "why?"))
    #expect(highlight.tags == ["animal"])
    #expect(try mark(served, digest, [[10, 21]], "\"color\":\"pink\"").status == 409)

    let changed = try served.post(
      "/api/highlights/\(highlight.id)",
      #"{"color":"blue","note":"","addTags":["b"],"removeTags":["animal"]}"#, method: "PATCH"
    ).decode(Highlight.self)
    #expect((changed.color, changed.note) == ("blue", ""))
    #expect(changed.tags == ["b"])
    #expect(try served.post("/api/highlights/\(highlight.id)", method: "DELETE").status == 200)
    #expect(try document(served).highlights == [])
    #expect(try served.get("/api/highlights/\(highlight.id)").status == 404)

    let id = try served.id()
    #expect(try served.post("/api/undo", "{\"doc\":\"\(id)\"}").status == 200)
    #expect(try document(served).highlights == [changed])
    #expect(try served.post("/api/undo").status == 200)
    #expect(try document(served).highlights == [highlight])
    #expect(try served.post("/api/redo").status == 200)
    let now = try document(served)
    #expect(now.highlights == [changed])
    #expect(now.undo != nil && now.redo != nil)
  }

  @Test func `passages that are marked at once are undone at once`() throws {
    let served = try Served(["a.md": Self.text])
    let digest = try document(served).digest
    // Some of the ranges are blank, and two are equal.
    let made = try mark(served, digest, [[10, 15], [20, 22], [26, 31], [10, 15], [52, 58]])
    #expect(made.status == 201, "\(made)")
    #expect(try made.decode(Made.self).highlights.count == 4)
    #expect(try served.post("/api/undo").status == 200)
    #expect(try document(served).highlights == [])
    #expect(try served.post("/api/redo").status == 200)
    #expect(try document(served).highlights.count == 4)
  }

  @Test func `what cannot be a passage is refused in one line`() throws {
    let served = try Served(["a.md": "one \u{1F468}\u{200D}\u{1F469} two\n"])
    let digest = try document(served).digest
    for ranges in [
      "[[0,1000]]", "[[5,2]]", "[[-1,2]]", "[]", "[[1]]", "[[1,2,3]]", "[[2147483647,2147483648]]",
      "\"x\"",
    ] {
      let answer = try served.post(
        "/api/documents/\(try served.id())/marks", "{\"text\":\"\(digest)\",\"ranges\":\(ranges)}")
      #expect(answer.status == 400, "\(ranges): \(answer)")
    }
    for body in ["", "{", "[]", "null", "{\"text\":\"x\",\"ranges\":[[0,1]]}"] {
      let answer = try served.post("/api/documents/\(try served.id())/marks", body)
      #expect(answer.status == 400, "\(body): \(answer)")
    }
    #expect(try mark(served, digest, [[3, 4]]).status == 409)
    // A part of a character is extended to the whole character.
    let made = try mark(served, digest, [[5, 6]])
    #expect(try made.decode(Made.self).highlights.map(\.ranges) == [[[4, 9]]])
    #expect(try mark(served, String(repeating: "0", count: 64), [[0, 3]]).status == 409)
  }

  @Test func `a selection in an older text is carried over, or refused with where it may be`()
    throws
  {
    let served = try Served(["a.md": Self.text])
    let digest = try document(served).digest
    try served.folder.write(
      "docs/a.md", "# Title\n\nAn added paragraph.\n\n" + Self.text.dropFirst(9))
    let made = try mark(served, digest, [[10, 21]])
    #expect(made.status == 201, "\(made)")
    let highlight = try #require(try made.decode(Made.self).highlights.first)
    #expect(highlight.quote == "quick brown")
    #expect(highlight.ranges == [[30, 41]])

    try served.folder.write(
      "docs/a.md", "# Title\n\nSome slow brown cats sleep under a lazy tree.\n\nA last line.\n")
    let refused = try mark(served, digest, [[6, 50]])
    #expect(refused.status == 409, "\(refused)")
    let problem = try refused.decode(Refused.self)
    #expect(problem.candidates != nil)
    #expect(problem.candidates?.allSatisfy { $0.range.count == 2 && !$0.quote.isEmpty } == true)
    #expect(try document(served).highlights.map(\.color) == ["green"])
  }

  @Test func `the reading place is carried over to another text`() throws {
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

  @Test func `a passage is formatted in the file, or beside it`() throws {
    struct Formatted: Decodable {
      struct Part: Decodable {
        var file: Bool
        var stored: Bool
        var turnedOn: Bool?
      }
      var formatted: [Part]
    }
    struct Format: Decodable {
      struct Attribute: Decodable {
        var value: String?
        var mixed: Bool
      }
      var attributes: [String: Attribute]
    }
    let served = try Served(["a.md": Self.text])
    let (id, digest) = (try served.id(), try document(served).digest)
    func format(_ what: String, _ text: String? = nil) throws -> Answer {
      try served.post(
        "/api/documents/\(id)/format",
        "{\"text\":\"\(text ?? digest)\",\"ranges\":[[10,15]],\(what)}")
    }
    let bold = try format("\"words\":[\"bold\"]").decode(Formatted.self)
    #expect(bold.formatted.map(\.file) == [true])
    #expect(bold.formatted.map(\.turnedOn) == [true])
    #expect(try served.folder.read("docs/a.md").contains("**quick**"))
    let set = try format(
      ##""set":{"size":"20","indent first":"36","color":"#aa0000"},"clear":["font"]"##)
    #expect(try set.decode(Formatted.self).formatted.map(\.stored) == [true])
    let shown = try served.get("/api/documents/\(id)/format?start=10&end=15&text=\(digest)")
      .decode(Format.self).attributes
    #expect(shown["bold"]?.value == "on")
    #expect(shown["size"]?.value == "20")
    #expect(shown["indent first"]?.value == "36")
    #expect(try served.get("/api/documents/\(id)/body").body.contains("f-"))
    for what in [
      "\"words\":[]", "\"words\":[\"blink\"]", "\"words\":[\"bold\",\"on\",\"x\"]",
      "\"set\":{}", "\"set\":{\"size\":\"x\"}", "\"set\":{\"style\":\"x\"}", "\"clear\":[\"x\"]",
    ] { #expect(try format(what).status == 400, "\(what)") }
    let other = String(repeating: "0", count: 64)
    #expect(try format("\"words\":[\"italic\"]", other).status == 409)
    #expect(try served.post("/api/undo", "{\"doc\":\"\(id)\"}").status == 200)
    #expect(try served.post("/api/undo", "{\"doc\":\"\(id)\"}").status == 200)
    #expect(try served.folder.read("docs/a.md") == Self.text)
  }

  @Test func `a note that was changed meanwhile is not written over`() throws {
    struct Clash: Decodable {
      var error: String
      var note: String
    }
    let served = try Served(["a.md": Self.text])
    let made = try mark(served, try document(served).digest, [[10, 21]], "\"note\":\"old\"")
    let highlight = try #require(try made.decode(Made.self).highlights.first)
    let path = "/api/highlights/\(highlight.id)"
    try served.diple("highlight", "edit", highlight.id, "--note", "from the terminal")

    func write(_ note: String, seeing seen: String) throws -> Answer {
      try served.post(
        path, "{\"note\":\"\(note)\",\"seenNote\":\"\(seen)\",\"color\":\"pink\"}",
        method: "PATCH")
    }
    let refused = try write("old, and more", seeing: "old")
    #expect(refused.status == 409, "\(refused)")
    #expect(try refused.decode(Clash.self).note == "from the terminal")
    // The rest of the request is rejected too.
    let now = try served.get(path).decode(Highlight.self)
    #expect((now.note, now.color) == ("from the terminal", highlight.color))
    // An equal note does not conflict, and a client that has seen the note may replace it.
    #expect(try write("from the terminal", seeing: "old").status == 200)
    #expect(try write("mine", seeing: "from the terminal").status == 200)
    #expect(try served.get(path).decode(Highlight.self).note == "mine")
  }

  @Test func `passages that are formatted at once are undone at once`() throws {
    let served = try Served(["a.md": Self.text])
    let (id, digest) = (try served.id(), try document(served).digest)
    func format(_ what: String, _ ranges: String = "[[10,15],[20,25],[36,40]]") throws -> Answer {
      try served.post(
        "/api/documents/\(id)/format",
        "{\"text\":\"\(digest)\",\"ranges\":\(ranges),\(what)}")
    }
    func undo() throws {
      #expect(try served.post("/api/undo", "{\"doc\":\"\(id)\"}").status == 200)
      #expect(try served.folder.read("docs/a.md") == Self.text)
    }
    #expect(try format("\"words\":[\"bold\"]").status == 200)
    let bold = try served.folder.read("docs/a.md")
    #expect(bold.components(separatedBy: "**").count == 7, "\(bold)")
    try undo()
    // Both passages are in one paragraph, which is quoted once.
    #expect(try format("\"words\":[\"style\",\"Block Quote\"]").status == 200)
    #expect(try served.folder.read("docs/a.md").contains("\n> The quick"))
    try undo()
    let sized = try format("\"words\":[\"size\",\"20\"]")
    #expect(sized.status == 200, "\(sized)")
    #expect(try served.get("/api/documents/\(id)/body").body.contains("f-"))
    try undo()
    #expect(!(try served.get("/api/documents/\(id)/body").body.contains("class=\\\"f-")))
    // If one range cannot be formatted, all remain unchanged.
    #expect(try format("\"words\":[\"bold\"]", "[[10,15],[20,9999]]").status == 400)
    #expect(try served.folder.read("docs/a.md") == Self.text)
  }

  @Test func `the version of a document is another one for another format`() throws {
    let served = try Served(["a.md": Self.text])
    let plain = try document(served).version
    #expect(try document(served).version == plain)
    try served.diple("format", "size", "20", "a.md", "\"quick brown\"")
    let sized = try document(served).version
    #expect(sized != plain)
    try served.diple("mark", "a.md", "\"lazy\"")
    #expect(try document(served).version != sized)
  }

  @Test func `nothing is written into a library that was moved away`() throws {
    let served = try Served(["a.md": Self.text])
    let (id, digest) = (try served.id(), try document(served).digest)
    func mark(_ range: String) throws -> Answer {
      try served.post(
        "/api/documents/\(id)/marks", "{\"text\":\"\(digest)\",\"ranges\":[\(range)]}")
    }
    #expect(try mark("[10,15]").status == 201)
    let manager = FileManager.default
    let folder = served.folder.path + "/docs/.diple"
    try manager.copyItem(atPath: folder, toPath: folder + "-copy")
    try manager.moveItem(atPath: folder, toPath: folder + "-old")
    try manager.moveItem(atPath: folder + "-copy", toPath: folder)
    let refused = try mark("[20,25]")
    #expect(refused.status == 409, "\(refused)")
    #expect(refused.body.contains("moved or replaced"), "\(refused)")
    // Nor if the folder no longer exists.
    try manager.removeItem(atPath: folder)
    #expect(try mark("[20,25]").status == 409)
  }
}
