import Foundation
import TestSupport
import Testing

/// Tests searching in one document and in all documents.
@Suite struct SearchTests {
  private struct Found: Decodable {
    struct Document: Decodable {
      struct Reference: Decodable {
        var id: String
        var path: String
      }
      struct Range: Decodable { var start: Int }
      struct Match: Decodable { var range: Range? }
      var document: Reference
      var count: Int
      var matches: [Match]
    }
    var documents: [Document]
    var count: Int
    var documentCount: Int
    var shown: Int
    var limited: Bool
    var incomplete: Bool
    var problem: String?
  }

  private struct Answered: Decodable { var data: Found }

  private func search(_ served: Served, _ request: String) throws -> Found {
    let answer = try served.act("library.search", request)
    #expect(answer.status == 200, "\(answer)")
    return try answer.decode(Answered.self).data
  }

  private struct Problem: Decodable {
    var message: String
    var code: String?
  }

  private static let files = [
    "a.md": String(repeating: "A fox. ", count: 57) + "\n", "b.md": "One fox.\n",
    "c.md": "Two: fox, fox.\n", "d.md": "None.\n",
  ]

  @Test func `all matches are counted, and unlisted ones can be requested`() throws {
    let served = try Served(Self.files)
    func search(_ rest: String = "") throws -> Found {
      try self.search(served, "{\"query\":\"fox\"\(rest)}")
    }
    let first = try search()
    #expect(first.documents.map(\.document.path) == ["a.md", "b.md", "c.md"])
    #expect(first.documents.map(\.count) == [57, 1, 2])
    #expect(first.documents.map(\.matches.count) == [20, 1, 2])
    #expect((first.count, first.documentCount, first.shown) == (60, 3, 23))
    #expect(first.limited && !first.incomplete)

    let id = first.documents[0].document.id
    let rest = try search(",\"documents\":[\"\(id)\"],\"from\":20,\"limit\":30")
    #expect(rest.documents.map(\.document.path) == ["a.md"])
    #expect(rest.documents[0].count == 57)
    #expect(rest.documents[0].matches.compactMap { $0.range?.start }.first == 20 * 7 + 2)
    #expect(rest.shown == 30 && rest.limited)
    let last = try search(",\"documents\":[\"\(id)\"],\"from\":50")
    #expect(last.documents[0].matches.count == 7)

    // With a limit, only some documents are listed. The next request lists the others.
    let few = try search(",\"limit\":5")
    #expect(few.documents.map(\.document.path) == ["a.md"])
    #expect((few.count, few.documentCount, few.shown) == (60, 3, 5))
    #expect(
      try search(",\"limit\":5,\"skip\":1").documents.map(\.document.path) == ["b.md", "c.md"])

    let whole = try self.search(served, "{\"query\":\"Two\"}")
    #expect((whole.count, whole.shown) == (1, 1))
    #expect(!whole.limited)
  }

  @Test func `a pattern that needs too many steps is rejected in one line`() throws {
    let slow = String(repeating: "a", count: 60) + "c b\n"
    let served = try Served(["a.md": slow])
    let answer = try served.act(
      "document.find",
      "{\"document\":\"\(try served.id())\",\"strategy\":\"regex\",\"query\":\"(a+)+b\"}")
    #expect(answer.status == 400, "\(answer)")
    let problem = try answer.decode(Problem.self)
    #expect(problem.message.contains("needs too many steps"))
    #expect(!problem.message.contains("\n"))
    // Other documents may have matches, so the result contains the problem beside them.
    let found = try search(served, "{\"query\":\"(a+)+b\",\"strategy\":\"regex\"}")
    #expect(found.problem?.contains("needs too many steps") == true)
    #expect(found.limited && found.incomplete)
  }
}
