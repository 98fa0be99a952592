import Anchoring
import Foundation
import MarkdownParse
import Model

/// Highlights in pairs of real revisions with their known places. A folder stores them in
/// `cases.jsonl.gz` and `texts.jsonl.gz`. Ranges are half-open, in UTF-16 units.
struct AnchorSet {
  struct Place: Decodable {
    var start16: Int
    var end16: Int
    /// Other places that are right too.
    var alt16: [[Int]]?

    var ranges: [Range<Int>] { [start16..<end16] + (alt16 ?? []).map { $0[0]..<$0[1] } }
  }

  private struct Line: Decodable {
    var id: String
    var old: String
    var new: String
    var old_start16: Int
    var old_end16: Int
    var truth: Place?
    var kind: String
    var `class`: String
    var tags: [String]
  }

  private struct Text: Decodable {
    var rev: String
    var text: String
  }

  /// A highlight with its known places in the new text. `truth` is empty if its passage is gone.
  struct Case {
    var id: String
    var range: Range<Int>
    var truth: [Range<Int>]
    var kind: String
    /// The groups of the highlight: its class and its tags.
    var groups: [String]
    /// The quote that another program stored. Nil for the quote that Diple itself stores.
    var selector: Selector?
  }

  /// A pair of revisions with its highlights.
  struct Pair {
    var old: AnchorText
    var new: AnchorText
    var cases: [Case]
    /// The Markdown of both revisions; nil for a generated pair.
    var sources: (old: String, new: String)?
  }

  private static let mostKinds = 30

  var pairs: [Pair]
  /// The number of omitted cases, whose passage isn't part of the rendered text.
  var unrendered = 0

  /// Creates a set of generated pairs.
  init(pairs: [Pair]) { self.pairs = pairs }

  /// Reads the set in a folder. If `rendered` is true, the texts are rendered and the places are
  /// converted to the rendered text.
  init(folder: URL, rendered: Bool) throws {
    let texts = try Self.lines(folder, "texts.jsonl.gz", Text.self)
    let sides = Dictionary(
      texts.map { ($0.rev, Side($0.text, rendered: rendered)) }, uniquingKeysWith: { a, _ in a })
    var unrendered = 0
    let lines = try Self.lines(folder, "cases.jsonl.gz", Line.self)
    // If there are too many kinds, only the first word of each is used.
    let isDivided = Set(lines.map(\.kind)).count > Self.mostKinds
    let groups = Dictionary(grouping: lines) { $0.old + " " + $0.new }
    pairs = try groups.sorted { $0.key < $1.key }.map { _, group in
      guard let old = sides[group[0].old], let new = sides[group[0].new] else {
        throw CocoaError(.fileReadCorruptFile)
      }
      let cases = group.compactMap { line -> Case? in
        let range = old.place(line.old_start16..<line.old_end16)
        let truth = line.truth.map { $0.ranges.map(new.place).filter { !$0.isEmpty } }
        guard !range.isEmpty, truth.map({ !$0.isEmpty }) ?? true else {
          unrendered += 1
          return nil
        }
        return Case(
          id: line.id, range: range, truth: truth ?? [],
          kind: isDivided ? String(line.kind.prefix { $0 != " " }) : line.kind,
          groups: [line.class] + line.tags)
      }
      return Pair(
        old: old.text, new: new.text, cases: cases, sources: (old.source, new.source))
    }
    self.unrendered = unrendered
  }

  private static func lines<T: Decodable>(_ folder: URL, _ name: String, _ type: T.Type) throws
    -> [T]
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", folder.appendingPathComponent(name).path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
    return try data.split(separator: 10).map { try JSONDecoder().decode(T.self, from: $0) }
  }
}

/// A text of a set, either its source or its rendered text.
private struct Side {
  let text: AnchorText
  let source: String
  private var document: ParsedDocument?
  /// For each UTF-16 unit of the source, the offset in bytes at which its character begins.
  private var bytes: [Int32] = []

  init(_ source: String, rendered: Bool) {
    self.source = source
    guard rendered else {
      text = AnchorText(source)
      return
    }
    let document = ParsedDocument(parsing: MarkdownSource(source))
    text = AnchorText(utf16: document.text.utf16, lineStarts: document.mapped.lineStarts)
    var byte: Int32 = 0
    for scalar in source.unicodeScalars {
      for _ in 0..<UTF16.width(scalar) { bytes.append(byte) }
      byte += Int32(UTF8.width(scalar))
    }
    bytes.append(byte)
    self.document = document
  }

  /// Returns a range of the source as a range of `text`.
  func place(_ range: Range<Int>) -> Range<Int> {
    guard let document else { return range }
    return document.map.text(
      of: SourceRange(bytes: Int(bytes[range.lowerBound])..<Int(bytes[range.upperBound]))
    ).utf16
  }
}
