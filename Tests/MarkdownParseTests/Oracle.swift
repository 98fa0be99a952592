import Foundation
import TestSupport

@testable import MarkdownParse

/// Another parser, a program of the system, which renders the same dialect as HTML.
struct Oracle: CustomStringConvertible, Sendable {
  var name: String
  var arguments: [String]
  /// How our own parser is to read the same document.
  var options: MarkdownOptions
  /// What it reads otherwise than we do, and why.
  var allowed: [AllowedDifference]

  var description: String { name }

  private var program: URL? {
    ["/usr/bin", "/usr/local/bin"].map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  var isInstalled: Bool { program != nil }

  /// The HTML of each document. One shell runs all of them: starting a program from here costs more
  /// than the parsing.
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

  /// HTML without what no reader of it sees.
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

/// Something that an oracle reads otherwise than we do.
struct AllowedDifference: Sendable {
  /// Why both may be right, or why we are.
  var reason: String
  /// Whether a document holds it.
  var applies: @Sendable (String) -> Bool
}
