import Foundation
import Testing

/// Tests the language of string literals, comments, documents, pages and names of tests.
@Suite struct LanguageTests {
  /// A phrase that literals must not contain, and what to write instead.
  struct Refused: CustomStringConvertible, Sendable {
    var phrase: String
    var instead: String
    var description: String { "'\(phrase)': \(instead)" }
  }

  private static let refused: [Refused] =
    ([
      // Subjects are programs and values.
      "somebody": "name who: another process, another user", "whoever": "name who",
      "nobody": "say what is missing: no terminal, no daemon",
      "whom you trust": "what is trusted", "nowhere": "no match for", "is said": "name the message",
      "stands at": "is at", "stands there": "is there", "would stand": "would be placed at",
      "may stand there": "possible places", "set elsewhere": "moved", "carried to": "moved to",
      "the time is over": "timed out", "its time is over": "timed out",
      "was quicker": "changed it first",
      "cleanupSequence": "shutdown", "of its own accord": "by itself",
      // Undo and trash.
      "took back": "undid", "taken back": "undone", "did again": "redid",
      "thrown away": "in the trash",
      "threw away": "removed", "for good?": "permanently", "called gone": "marked as gone",
      "takes it away": "removes it", "taken away": "removed", "took the": "removed the",
      "brings it back": "restores it", "bring it back": "restore it", "brings one in": "adds one",
      "brings in": "adds", "put the file back": "restore the file", "anew": "again, or rebuild",
      // Searching and checking.
      "looked for": "searched for", "nothing to look for": "the query is empty",
      "looked at": "checked, or processed", "look at everything": "full rescan",
      "looks at everything": "full rescans", "to look at": "to review",
      "cannot look": "cannot stat",
      "place like it": "no similar passage", "no place before": "no earlier position",
      "further on": "no more …", "sure place": "not in doubt",
      // Negated nouns.
      "is no TOML": "invalid TOML", "is no value": "invalid value", "is no id": "invalid id",
      "is no highlight": "is not a valid highlight", "is no part": "is not a valid part",
      "is no flag": "is not a flag", "and is no option": "is not an option",
      "is no daemon": "is not a daemon", "is no JSON": "is not JSON",
      "is no Web Annotation": "is not a Web Annotation",
      // Failures.
      "without saying": "ended before", "goes on after": "wrote output after",
      "it was lost": "its process disappeared", "did not answer within": "timed out after N s",
      "at once than": "the event queue overflowed", "is not what it must be": "is not valid",
      "no format reads": "not a file that Diple can import",
      "left out": "skipped, ignored, omitted",
      "leave it out": "omit it", "say which": "choose one", "say one": "name one",
      "say where": "name the file", "this takes": "expected …, got …",
      "what runs here": "is not available here",
      // Help and settings: short imperatives.
      "REPL ": "line editor", "the ways": "name them", "shall be": "is", "made anew": "rebuilt",
      "so many": "N", "found out": "detected", "when none is named": "when omitted",
      "its words": "its options", "The form": "Format", "may be given": "can be repeated",
      "The most ": "Maximum", "The least ": "Minimum", "For how many": "Milliseconds …",
      "Every how many": "Seconds between …", "What is run": "Command run when …",
      "What is painted": "Background of …", "As what": "Format of …",
      "the daemon ends": "the daemon stops",
      "lines more": "counted(\"more line\")", "light letters": "light text",
    ] as KeyValuePairs).map { Refused(phrase: $0, instead: $1) }

  private static let project = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let sources: [URL] = ["Modules", "Plugins", "Apps"].flatMap { swiftFiles($0) }

  private static func swiftFiles(_ folder: String) -> [URL] {
    let files = FileManager.default.enumerator(
      at: project.appending(path: folder), includingPropertiesForKeys: nil)
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
  }

  /// All literals, with the file and line in which each begins.
  private static let literals: [(place: String, text: String)] = sources.flatMap { file in
    guard let source = try? String(contentsOf: file, encoding: .utf8) else {
      Issue.record("\(file.path) cannot be read")
      return [(place: String, text: String)]()
    }
    return Literals(of: source).found.map { ("\(file.lastPathComponent):\($0.line)", $0.text) }
  }

  @Test func `no string literal contains a refused phrase`() throws {
    for literal in Self.literals {
      for refused in Self.refused where literal.text.contains(refused.phrase) {
        Issue.record("\(literal.place): \(literal.text) — \(refused)")
      }
    }
    let count = Self.literals.count
    #expect(
      Self.sources.count > 300 && count > 3_000, "\(Self.sources.count) files, \(count) literals")
  }

  /// An interpolated number before a plural would be wrong for 1, as in “1 lines”.
  @Test func `variable numbers in messages are written with counted`() throws {
    let counted =
      #/\$ (?:more )?(?:lines|files|folders|documents|highlights|matches|words|steps|bytes) /#
    /// Numbers that are always greater than one.
    let always = ["' matches $ times"]
    for literal in Self.literals where literal.text.contains("\u{FFFC}") {
      let text = literal.text.replacing("\u{FFFC}", with: "$") + " "
      if text.firstMatch(of: counted) != nil, !always.contains(where: text.contains) {
        Issue.record("\(literal.place): \(text)")
      }
    }
  }

  /// Phrases that are hard to read, with plain ones.
  private static let hard: [(pattern: String, instead: String)] = [
    (#"\b(some|any|no)body\b|\bwho(m)?ever\b"#, "the caller, the user, another process"),
    (#"\b(is|are) none\b|\b(is|are|was) no [a-z]"#, "is not, isn't valid, nil if"),
    (
      #"\bwhat (\w+ ){0,3}(is|are|was|were|has|had|says?|said|gives?|holds?|stands?|tells?)\b"#,
      "a noun: the text, the message"
    ),
    (#"\bstands?\b(?! for)|\bstood\b"#, "is"), (#"\bsa(ys?|id)\b"#, "prints, reports, states"),
    (#"\btells?\b|\btold\b"#, "reports, sends"),
    (#"\b(one|those|that) (that|which|who)\b"#, "name the thing"),
    (#"\bbut for\b"#, "except"), (#"\bpersons?\b|\bpeople\b"#, "user"),
    (#"\b(take|takes|taken|took) (it |them )?(as|away|up|back|in|for|out)\b"#, "removes, treats"),
    (#"\banew\b|\bthence\b|\bthere(by|in|of)\b|\bwhence\b"#, "again"),
    (#"\bgives?\b"#, "returns"), (#"\b(is|are) to be\b"#, "must be"),
    (
      #"\b(comes?|goes) (to|from|with|in|out|on|before|after)\b"#, "is written, follows"
    ),
    (#"\bholds?\b"#, "contains, is true"),
    (#"\bof (its|their) own\b|\bby itself\b|\bas (it|they) (is|are)\b"#, "separate, unchanged"),
    (#"\bgone\b"#, "deleted, missing"), (#"\bmeans?\b|\bmeant\b"#, "names, refers to"),
  ]

  /// Lines of text with the hard phrases in them.
  private struct Reading {
    var lines = 0
    /// A line for each phrase.
    var found: [String] = []

    mutating func read(_ text: String, at place: String, _ hard: NSRegularExpression) {
      lines += 1
      let range = NSRange(location: 0, length: text.utf16.count)
      for _ in 0..<hard.numberOfMatches(in: text, range: range) {
        found.append("\(place): \(text)")
      }
    }

    /// Records an issue if there are more than three phrases in a hundred lines. A small text may
    /// have one in its plain meaning.
    func check(_ name: String) {
      guard found.count > max(1, lines * 3 / 100) else { return }
      Issue.record(
        "\(name): \(found.count) in \(lines) lines\n\(found.prefix(20).joined(separator: "\n"))")
    }
  }

  private static func hardPhrases() throws -> NSRegularExpression {
    try NSRegularExpression(
      pattern: hard.map { "(?:\($0.pattern))" }.joined(separator: "|"), options: .caseInsensitive)
  }

  private static func lines(of file: URL) throws -> [Substring] {
    try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func path(of file: URL) -> String {
    String(file.path.dropFirst(project.path.count).drop { $0 == "/" })
  }

  /// Returns the comments of files and the names of their tests, by folder.
  private static func readings(of files: [URL]) throws -> [String: Reading] {
    let hard = try hardPhrases()
    var readings: [String: Reading] = [:]
    for file in files {
      let folder = path(of: file).split(separator: "/").prefix(2).joined(separator: "/")
      for (number, line) in try lines(of: file).enumerated() {
        guard let text = prose(in: line) else { continue }
        readings[folder, default: Reading()]
          .read(text, at: "\(file.lastPathComponent):\(number + 1)", hard)
      }
    }
    return readings
  }

  /// Returns the comment in a line, or the name of a test. A long name is on a separate line.
  private static func prose(in line: Substring) -> String? {
    let code = line.drop { $0 == " " }
    if code.hasPrefix("//") { return String(code) }
    let parts = code.split(separator: "`", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty || parts[0].hasSuffix("func ") else { return nil }
    return String(parts[1])
  }

  @Test func `comments have at most three hard phrases in a hundred lines`() throws {
    let readings = try Self.readings(of: Self.sources)
    #expect(readings.count > 40 && readings.values.reduce(0) { $0 + $1.lines } > 10_000)
    for (folder, reading) in readings.sorted(by: { $0.key < $1.key }) { reading.check(folder) }
  }

  @Test func `comments and names of tests have at most three hard phrases in a hundred lines`()
    throws
  {
    let readings = try Self.readings(of: Self.swiftFiles("Tests"))
    #expect(readings.count > 40 && readings.values.reduce(0) { $0 + $1.lines } > 3_000)
    for (folder, reading) in readings.sorted(by: { $0.key < $1.key }) { reading.check(folder) }
  }

  @Test func `documents and pages have at most three hard phrases in a hundred lines`() throws {
    let hard = try Self.hardPhrases()
    let manager = FileManager.default
    var files = try manager.contentsOfDirectory(
      at: Self.project, includingPropertiesForKeys: nil)
    for folder in ["Documentation", "Apps/diple-serve/Web"] {
      files += try manager.contentsOfDirectory(
        at: Self.project.appending(path: folder), includingPropertiesForKeys: nil)
    }
    files = files.filter { ["md", "js", "html"].contains($0.pathExtension) }
    #expect(files.count > 20)
    for file in files {
      var reading = Reading()
      for (number, line) in try Self.lines(of: file).enumerated() {
        reading.read(String(line), at: "\(number + 1)", hard)
      }
      reading.check(Self.path(of: file))
    }
  }

  @Test func `string literals of every form are found`() {
    let source = ##"""
      // "a comment" is none
      let a = "one \("two \(b ? "three" : "")") \"quoted\" // no comment"  /* "nor this" */
      let c = #"raw "four" \(x)"#, d = """
        five
        six \
        seven \(e + "eight")
        """
      """##
    let found = Literals(of: source).found
    #expect(
      found.map { $0.text.replacing("\u{FFFC}", with: "$") } == [
        "three", "", "two $", "one $ \"quoted\" // no comment", "raw \"four\" \\(x)", "eight",
        "five six seven $",
      ])
    #expect(found.last?.line == 3)
  }
}

/// The string literals of a Swift text. An interpolation is replaced by U+FFFC; literals inside it
/// precede their outer literal. Sequences of blanks and line ends are one blank. O(length).
private struct Literals {
  struct Found {
    var text: String
    var line: Int
  }

  private(set) var found: [Found] = []
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  init(of source: String) {
    bytes = Array(source.utf8)
    code(untilParenthesis: false)
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    index + offset < bytes.count ? bytes[index + offset] : nil
  }

  private func starts(_ text: StaticString, at offset: Int = 0) -> Bool {
    text.withUTF8Buffer { bytes.dropFirst(index + offset).starts(with: $0) }
  }

  private mutating func step() {
    if byte() == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  /// Reads code up to the end, or to the parenthesis that ends an interpolation.
  private mutating func code(untilParenthesis: Bool) {
    var depth = 0
    while let next = byte() {
      if starts("//") {
        while let next = byte(), next != UInt8(ascii: "\n") { step() }
      } else if starts("/*") {
        while byte() != nil, !starts("*/") { step() }
        index += 2
      } else if next == UInt8(ascii: "\"") {
        literal(hashes: 0)
      } else if next == UInt8(ascii: "#") {
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        index += hashes
        if byte() == UInt8(ascii: "\"") { literal(hashes: hashes) }
      } else {
        if next == UInt8(ascii: "(") { depth += 1 }
        if next == UInt8(ascii: ")") {
          if untilParenthesis, depth == 0 { return step() }
          depth -= 1
        }
        step()
      }
    }
  }

  private mutating func literal(hashes: Int) {
    let first = line
    let quotes = starts("\"\"\"") ? 3 : 1
    index += quotes
    let end =
      [UInt8](repeating: UInt8(ascii: "\""), count: quotes)
      + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    let escape = [UInt8(ascii: "\\")] + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    var text: [UInt8] = []
    while let next = byte(), !bytes.dropFirst(index).starts(with: end) {
      guard bytes.dropFirst(index).starts(with: escape) else {
        text.append(next)
        step()
        continue
      }
      index += escape.count
      guard let escaped = byte() else { break }
      step()
      if escaped == UInt8(ascii: "(") {
        code(untilParenthesis: true)
        text += Array("\u{FFFC}".utf8)
      } else {
        text.append(
          [UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "r")].contains(escaped)
            ? UInt8(ascii: " ") : escaped)
      }
    }
    index += end.count
    let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    found.append(Found(text: words.joined(separator: " "), line: first))
  }
}
