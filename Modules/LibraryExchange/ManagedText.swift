import Files
import Model
import Workspace

/// A text file of the user in which Diple maintains regions. The rest of the file is never changed.
///
/// A region is enclosed by two lines, `<!-- diple:begin KEY DIGEST -->` and
/// `<!-- diple:end KEY -->`. DIGEST is the digest of the content that Diple wrote. It shows whether
/// the user has edited the content since.
///
/// ```swift
/// var text = try ManagedText(bytes)
/// let entry = ManagedText.Entry(key: "hl:1a-2b", content: "> A quote")
/// let report = text.update(to: [entry], overwrites: false, prunes: false) { _ in false }
/// if report.conflicts.isEmpty { print(String(decoding: text.bytes, as: UTF8.self)) }
/// ```
package struct ManagedText: Sendable {
  /// The intended content of a region.
  package struct Entry: Hashable, Sendable {
    /// The key in the region's markers.
    package var key: String
    /// The lines of the region; each ends with a line break.
    package var content: String

    /// Creates an entry. Blank lines around the content are removed, and markers in it are escaped.
    package init(key: String, content: String) {
      self.key = key
      var lines = ManagedText.escapingMarkers(in: content)
        .split(separator: "\n", omittingEmptySubsequences: false)
      while lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
      while lines.first?.allSatisfy(\.isWhitespace) == true { lines.removeFirst() }
      self.content = lines.map { $0 + "\n" }.joined()
    }
  }

  /// The start of every marker.
  private static let markerPrefix = "<!-- diple:"

  /// Escapes the start of every marker in a text.
  private static func escapingMarkers(in text: String) -> String {
    text.replacing(markerPrefix, with: "&lt;!-- diple:")
  }

  /// The UTF-8 of a text with all markers escaped, for the parts outside of regions.
  package static func unmarked(_ text: String) -> [UInt8] { Array(escapingMarkers(in: text).utf8) }

  /// An invalid marker in a file.
  package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line number, from 1.
    package var line: Int
    /// The reason, without the line number.
    package var reason: String
    /// The line number and the reason.
    package var description: String { "line \(line): \(reason)" }
  }

  /// The outcome of an update.
  package struct Report: Hashable, Sendable {
    /// The number of new regions.
    package var added = 0
    /// The number of regions with new content.
    package var changed = 0
    /// The number of regions left as the user edited them, because Diple has no new content.
    package var edited = 0
    /// The keys of the regions that were deleted.
    package var removed: [String] = []
    /// The keys of the obsolete regions that were kept.
    package var obsolete: [String] = []
    /// The line numbers, from 1, of regions in which edits by the user would be lost. Either Diple
    /// has new content for the region, or the region is obsolete and `prunes` is true.
    package var conflicts: [Int] = []

    package init() {}
  }

  private struct Region {
    var key: String
    var digest: String
    var content: [UInt8]
    /// The lines of its markers, with their line breaks.
    var (begin, end): ([UInt8], [UInt8])
    /// The line number of the first marker, from 1.
    var line: Int
  }

  private enum Part {
    case text([UInt8])
    case region(Region)
  }

  private var parts: [Part] = []
  private let hasCarriageReturns: Bool

  /// Whether the file contains any regions.
  package var isManaged: Bool {
    parts.contains { if case .region = $0 { true } else { false } }
  }

  /// Parses a file. O(bytes).
  ///
  /// - Throws: ``Problem`` if a marker is invalid, a region is nested, repeated or not closed, or
  ///   an end marker matches no region.
  package init(_ bytes: [UInt8]) throws(Problem) {
    hasCarriageReturns =
      bytes.firstIndex(of: 10).map { $0 > 0 && bytes[$0 - 1] == 13 } ?? false
    var outside: [UInt8] = []
    var open: Region?
    var seen: [String: Int] = [:]
    var rest = bytes[...]
    var number = 0
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 10).map { $0 + 1 } ?? rest.endIndex
      let line = Array(rest[..<end])
      rest = rest[end...]
      number += 1
      guard let marker = try Self.marker(line, number) else {
        if open == nil { outside += line } else { open?.content += line }
        continue
      }
      switch marker {
      case .begin(let key, let digest):
        if let open {
          throw Problem(
            line: number,
            reason:
              "the region \(key) begins inside of \(open.key), which begins in line \(open.line)")
        }
        if let first = seen.updateValue(number, forKey: key) {
          throw Problem(
            line: number, reason: "the region \(key) occurs twice, first in line \(first)")
        }
        parts.append(.text(outside))
        outside = []
        open = Region(key: key, digest: digest, content: [], begin: line, end: [], line: number)
      case .end(let key):
        guard var region = open else {
          throw Problem(line: number, reason: "end of region \(key) without a beginning")
        }
        guard region.key == key else {
          throw Problem(
            line: number,
            reason:
              "end of region \(key) inside of \(region.key), which begins in line \(region.line)"
          )
        }
        region.end = line
        parts.append(.region(region))
        open = nil
      }
    }
    if let open {
      throw Problem(line: open.line, reason: "the region \(open.key) does not end")
    }
    parts.append(.text(outside))
  }

  private enum Marker { case begin(String, String), end(String) }

  /// Parses a line as a marker; nil if it is not one.
  ///
  /// - Throws: ``Problem`` if the line starts like a marker and is invalid.
  private static func marker(_ line: [UInt8], _ number: Int) throws(Problem) -> Marker? {
    let trimmed = line.drop { $0 == 32 || $0 == 9 }
    guard trimmed.starts(with: markerPrefix.utf8) else { return nil }
    let words = String(decoding: trimmed, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    func isKey(_ word: Substring) -> Bool {
      word.utf8.count <= 100 && !word.isEmpty
        && word.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x3A
        }
    }
    func isDigest(_ word: Substring) -> Bool {
      word.utf8.count == digestLength
        && word.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
        }
    }
    if words.count == 5, words[1] == "diple:begin", isKey(words[2]), isDigest(words[3]),
      words[4] == "-->"
    {
      return .begin(String(words[2]), String(words[3]))
    }
    if words.count == 4, words[1] == "diple:end", isKey(words[2]), words[3] == "-->" {
      return .end(String(words[2]))
    }
    throw Problem(line: number, reason: "the marker of a region is damaged")
  }

  private static let digestLength = 16

  private static func digest(_ content: [UInt8]) -> String {
    // Line endings do not affect the digest, because an editor may convert them.
    var plain: [UInt8] = []
    plain.reserveCapacity(content.count)
    for (index, byte) in content.enumerated() {
      let isReturn = byte == 13 && index + 1 < content.count && content[index + 1] == 10
      if !isReturn { plain.append(byte) }
    }
    return String(ContentDigest(sha256: plain).description.prefix(digestLength))
  }

  // MARK: - Writing

  /// Updates the regions. The text outside of regions stays the same, byte for byte.
  ///
  /// Existing regions keep their positions. A new region is inserted before the next listed region
  /// that exists, or else at the end of the file. A region that the user edited is kept, unless
  /// Diple has new content for it, which is a conflict.
  ///
  /// - Parameters:
  ///   - entries: the content of all regions, in order.
  ///   - overwrites: whether the user's edits inside of regions are discarded.
  ///   - prunes: whether obsolete regions are deleted.
  ///   - isObsolete: whether the highlight of a region is no longer in the library. Called for
  ///     regions that have no entry.
  /// - Returns: the changes. If there are conflicts, the caller must not write the file.
  package mutating func update(
    to entries: [Entry], overwrites: Bool, prunes: Bool, isObsolete: (_ key: String) -> Bool
  ) -> Report {
    var report = Report()
    var places: [String: Int] = [:]
    for (index, part) in parts.enumerated() {
      if case .region(let region) = part { places[region.key] = index }
    }
    let known = Set(entries.map(\.key))
    for (key, index) in places.sorted(by: { $0.value < $1.value }) where !known.contains(key) {
      guard case .region(let region) = parts[index], isObsolete(key) else { continue }
      let isEdited = Self.digest(region.content) != region.digest
      if prunes, isEdited, !overwrites {
        report.conflicts.append(region.line)
      } else if prunes {
        parts[index] = .text([])
        report.removed.append(key)
      } else {
        report.obsolete.append(key)
      }
    }
    for entry in entries {
      guard let index = places[entry.key], case .region(var region) = parts[index] else { continue }
      update(&region, to: entry, overwrites: overwrites, &report)
      parts[index] = .region(region)
    }
    insert(entries, places, &report)
    return report
  }

  private func update(
    _ region: inout Region, to entry: Entry, overwrites: Bool, _ report: inout Report
  ) {
    let (now, new) = (Self.digest(region.content), Self.digest(Array(entry.content.utf8)))
    if now == new {
      if region.digest != new { region.begin = marker("begin \(entry.key) \(new)") }
      region.digest = new
    } else if now == region.digest || overwrites {
      region.content = lines(entry.content)
      region.begin = marker("begin \(entry.key) \(new)")
      region.digest = new
      report.changed += 1
    } else if new == region.digest {
      report.edited += 1
    } else {
      report.conflicts.append(region.line)
    }
  }

  private mutating func insert(_ entries: [Entry], _ places: [String: Int], _ report: inout Report)
  {
    // The new entries to insert before each part, in reverse order. Those at `parts.count` are
    // appended.
    var new: [Int: [Entry]] = [:]
    var next = parts.count
    for entry in entries.reversed() {
      if let index = places[entry.key] {
        next = index
      } else {
        new[next, default: []].append(entry)
        report.added += 1
      }
    }
    guard !new.isEmpty else { return }
    var result: [Part] = []
    // The last four bytes of the result so far.
    var tail: [UInt8] = []
    func append(_ part: Part) {
      result.append(part)
      tail = Array((tail + Self.bytes(of: part).suffix(4)).suffix(4))
    }
    for index in 0...parts.count {
      for entry in (new[index] ?? []).reversed() {
        if !tail.isEmpty, tail.last != 10 { append(.text(lines("\n"))) }
        if !tail.isEmpty, !Self.endsWithBlankLine(tail) { append(.text(lines("\n"))) }
        let digest = Self.digest(Array(entry.content.utf8))
        append(
          .region(
            Region(
              key: entry.key, digest: digest, content: lines(entry.content),
              begin: marker("begin \(entry.key) \(digest)"), end: marker("end \(entry.key)"),
              line: 0)))
        if index < parts.count { append(.text(lines("\n"))) }
      }
      if index < parts.count { append(parts[index]) }
    }
    parts = result
  }

  private static func endsWithBlankLine(_ tail: [UInt8]) -> Bool {
    tail.suffix(2).elementsEqual([10, 10]) || tail.elementsEqual([13, 10, 13, 10])
      || tail.elementsEqual([10]) || tail.elementsEqual([13, 10])
  }

  private func lines(_ text: String) -> [UInt8] {
    Array((hasCarriageReturns ? text.replacing("\n", with: "\r\n") : text).utf8)
  }

  private func marker(_ words: String) -> [UInt8] { lines("<!-- diple:\(words) -->\n") }

  private static func bytes(of part: Part) -> [UInt8] {
    switch part {
    case .text(let bytes): bytes
    case .region(let region): region.begin + region.content + region.end
    }
  }

  /// The keys of all regions in the file.
  package var keys: Set<String> {
    Set(parts.compactMap { if case .region(let region) = $0 { region.key } else { nil } })
  }

  /// Appends text outside of any region, after a blank line. Text without visible characters is
  /// ignored.
  package mutating func append(_ bytes: [UInt8]) {
    guard bytes.contains(where: { ![9, 10, 13, 32].contains($0) }) else { return }
    parts.append(.text(lines("\n") + bytes))
  }

  /// The content of the whole file.
  package var bytes: [UInt8] { parts.flatMap(Self.bytes) }
}
