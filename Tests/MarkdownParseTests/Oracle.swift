import Foundation
import TestSupport

@testable import MarkdownParse

/// Another installed parser, which renders the same dialect as HTML.
struct Oracle: CustomStringConvertible, Sendable {
  var name: String
  var arguments: [String]
  /// The options of our parser for the same dialect.
  var options: MarkdownOptions
  /// The known differences, with reasons.
  var allowed: [AllowedDifference]

  var description: String { name }

  private var program: URL? {
    ["/usr/bin", "/usr/local/bin"].map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  var isInstalled: Bool { program != nil }

  /// Returns the HTML of each document. One shell runs all of them, because starting a program from
  /// here takes longer than the parsing.
  func html(of documents: [String]) throws -> [String] {
    let place = FileManager.default.temporaryDirectory
      .appendingPathComponent("oracle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    for (number, document) in documents.enumerated() {
      try Data(document.utf8).write(to: place.appendingPathComponent("\(number).md"))
    }
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    let command = ([program?.path ?? name] + arguments).joined(separator: " ")
    shell.arguments = ["-ec", "for file in *.md; do \(command) \"$file\" >\"$file.html\"; done"]
    shell.currentDirectoryURL = place
    try shell.run()
    guard try shell.end() == 0 else { throw CocoaError(.executableLoad) }
    return try documents.indices.map {
      String(
        decoding: try Data(contentsOf: place.appendingPathComponent("\($0).md.html")),
        as: UTF8.self)
    }
  }

  /// Returns HTML without insignificant differences.
  static func normalized(_ html: String) -> String {
    var html = html
    for (spelling, other) in [
      ("&#x27;", "'"), ("%27", "'"), ("<input type=\"checkbox\" disabled=\"\" />", "<input>"),
      ("<input type=\"checkbox\" checked=\"\" disabled=\"\" />", "<input checked>"),
      ("<input disabled=\"\" type=\"checkbox\">", "<input>"),
      ("<input checked=\"\" disabled=\"\" type=\"checkbox\">", "<input checked>"),
    ] {
      html = html.replacing(spelling, with: other)
    }
    return html.split(whereSeparator: \.isNewline).joined(separator: "\n")
  }
}

/// A known difference of an oracle.
struct AllowedDifference: Sendable {
  /// The reason why both results, or ours, are correct.
  var reason: String
  /// Returns whether a document is affected.
  var applies: @Sendable (String) -> Bool
}
