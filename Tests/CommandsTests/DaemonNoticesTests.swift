import Console
import DaemonKit
import Foundation
import Testing
import Workspace

@testable import Commands

@Suite struct DaemonNoticesTests {
  private let paths = ShownPaths(nil, from: "/home/me/notes")

  /// Returns an event as received from the socket.
  private func event(_ summaries: [String], quote: String? = nil) throws -> LibraryEvent {
    let documents = summaries.map { summary in
      LibraryEvent.DocumentChange.sample(summary, quote)
    }
    var event = LibraryEvent(.changed)
    event.documents = try documents.map {
      try JSONDecoder().decode(LibraryEvent.DocumentChange.self, from: Data($0.utf8))
    }
    return event
  }

  @Test func `a notice has a line for the document and one for each lost highlight`() throws {
    let lines = CommandContext.DaemonNotices.lines(
      of: [try event(["a.md: 1 kept, 1 orphaned"], quote: "gone words")], paths)
    #expect(lines == ["a.md: 1 kept, 1 orphaned", "  orphaned 3: “gone words”"])
  }

  @Test func `a notice names a file from the current folder`() throws {
    var event = try event(["/home/me/notes/b/a.md changed: 1 edited"])
    event.documents[0].path = "/home/me/notes/b/a.md"
    let lines = CommandContext.DaemonNotices.lines(of: [event], paths)
    #expect(lines == ["b/a.md changed: 1 edited"])
  }

  @Test func `a notice is limited to 20 lines`() throws {
    func lines(_ count: Int) throws -> [String] {
      CommandContext.DaemonNotices.lines(
        of: [try event((1...count).map { "\($0).md: changed" })], paths)
    }
    #expect(try lines(20).count == 20 && lines(20).last == "20.md: changed")
    let many = try lines(50)
    #expect(many.count == 20 && many[18] == "19.md: changed")
    #expect(many.last == "… and 31 more lines; `daemon logs` shows them")
  }

  @Test(arguments: [
    "\u{1B}[31m", "\u{9B}2J", "\u{202E}", "\u{2066}", "\u{E0041}", "\u{7F}", "\u{7}",
  ])
  func `notices contain no control characters`(sequence: String) throws {
    let lines = CommandContext.DaemonNotices.lines(
      of: [
        try event(["a\(sequence)b.md: changed"], quote: "x\(sequence)y"),
        LibraryEvent(.problem, message: "cannot read \(sequence)"),
      ], paths)
    #expect(lines.count == 3)
    for line in lines {
      #expect(!line.unicodeScalars.contains { sequence.unicodeScalars.first == $0 }, "\(line)")
    }
  }
}

extension LibraryEvent.DocumentChange {
  fileprivate static func sample(_ summary: String, _ quote: String?) -> String {
    var fields: [String: Any] = [
      "id": "5-aa", "path": "a.md", "title": "A", "change": "changed", "summary": summary,
      "states": [String: Int](), "lost": [[String: String]](),
    ]
    if let quote {
      fields["lost"] = [["id": "12-aa", "name": "3", "state": "orphaned", "quote": quote]]
    }
    return String(
      decoding: (try? JSONSerialization.data(withJSONObject: fields)) ?? Data(), as: UTF8.self)
  }
}
