package import MarkdownParse
import Model

/// What a command does to the bytes of a file, with all that is needed to take it back.
package struct SourcePatch: Hashable, Sendable {
  /// One place that changes.
  package struct Hunk: Hashable, Sendable {
    /// Where, in bytes before the change.
    package var start: Int
    /// What stands there before.
    package var old: [UInt8]
    /// What stands there afterwards.
    package var new: [UInt8]

    /// The bytes that are replaced.
    package var range: Range<Int> { start..<start + old.count }
  }

  /// The places in order; no two overlap.
  package let hunks: [Hunk]

  /// The patch that makes some edits, which are sorted and disjoint. O(edits + bytes replaced).
  package init(_ edits: [SourceEdit], of source: MarkdownSource) {
    hunks = edits.map {
      Hunk(
        start: $0.range.bytes.lowerBound, old: Array(source.bytes[$0.range.bytes]),
        new: $0.bytes)
    }
  }

  init(hunks: [Hunk]) { self.hunks = hunks }

  /// Whether nothing changes.
  package var isEmpty: Bool { hunks.isEmpty }

  /// The patch that takes this one back. O(size).
  package var inverted: SourcePatch {
    var shift = 0
    return SourcePatch(
      hunks: hunks.map { hunk in
        defer { shift += hunk.new.count - hunk.old.count }
        return Hunk(start: hunk.start + shift, old: hunk.new, new: hunk.old)
      })
  }

  /// Whether the bytes have what the patch replaces, where it replaces it. O(bytes replaced).
  package func fits(_ bytes: [UInt8]) -> Bool {
    hunks.allSatisfy {
      $0.range.upperBound <= bytes.count && bytes[$0.range].elementsEqual($0.old)
    }
  }

  /// Where the bytes first have something else than what the patch replaces, or its first place when
  /// they have all of it. O(bytes replaced).
  package func firstMisfit(in bytes: [UInt8]) -> Int {
    let hunk = hunks.first { !SourcePatch(hunks: [$0]).fits(bytes) } ?? hunks.first
    return min(hunk?.start ?? 0, bytes.count)
  }

  /// The patch for bytes that another process has changed in places. Expected O(bytes · log lines).
  ///
  /// - Throws: `PatchConflict` when one of these places touches what the patch replaces.
  package func moved(from old: [UInt8], to new: [UInt8]) throws(PatchConflict) -> SourcePatch {
    let others = ByteDifference(from: old, to: new).hunks
    var next = 0
    var shift = 0
    var moved = hunks
    for (index, hunk) in hunks.enumerated() {
      while next < others.count,
        others[next].old.upperBound < hunk.start || others[next].isLines(before: hunk, in: new)
      {
        shift += others[next].new.count - others[next].old.count
        next += 1
      }
      if next < others.count, others[next].old.lowerBound <= hunk.range.upperBound,
        !others[next].isLines(behind: hunk, in: new)
      {
        throw PatchConflict(place: others[next].new.lowerBound)
      }
      moved[index].start += shift
    }
    return SourcePatch(hunks: moved)
  }

  /// The bytes with the change made; they must fit. O(bytes).
  package func applied(to bytes: [UInt8]) -> [UInt8] {
    let growth = hunks.reduce(0) { $0 + $1.new.count - $1.old.count }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + max(0, growth))
    var position = 0
    for hunk in hunks {
      result += bytes[position..<hunk.start]
      result += hunk.new
      position = hunk.range.upperBound
    }
    result += bytes[position...]
    return result
  }
}

/// A patch meets a change that another process made.
package struct PatchConflict: Error, Hashable, Sendable {
  /// Where, in the bytes as they are now.
  package var place: Int
}

extension ByteDifference.Hunk {
  /// Whether it only puts whole lines directly before what a hunk replaces.
  fileprivate func isLines(before hunk: SourcePatch.Hunk, in new: [UInt8]) -> Bool {
    old.isEmpty && old.lowerBound == hunk.start && !hunk.old.isEmpty
      && new[self.new].last == 10
  }

  /// Whether it only puts whole lines directly behind what a hunk replaces.
  fileprivate func isLines(behind hunk: SourcePatch.Hunk, in new: [UInt8]) -> Bool {
    old.isEmpty && old.lowerBound == hunk.range.upperBound && !hunk.old.isEmpty
      && (new[self.new].first == 10 || hunk.old.last == 10 && new[self.new].last == 10)
  }
}

/// A patch as bytes: for each hunk the distance from the end of the one before, the length of what
/// is replaced and of what replaces it, each as a number of LEB128, and then both.
extension SourcePatch {
  /// The stored form.
  package var encoded: [UInt8] {
    var result: [UInt8] = []
    var position = 0
    for hunk in hunks {
      for number in [hunk.start - position, hunk.old.count, hunk.new.count] {
        var rest = number
        while rest >= 0x80 {
          result.append(UInt8(rest & 0x7F) | 0x80)
          rest >>= 7
        }
        result.append(UInt8(rest))
      }
      result += hunk.old
      result += hunk.new
      position = hunk.range.upperBound
    }
    return result
  }

  /// No file is larger, in bytes: a sum of distances stays a number.
  private static let sizeLimit = 1 << 40

  /// Reads the stored form; nil when it is damaged.
  package init?(encoded bytes: [UInt8]) {
    var index = 0
    func number() -> Int? {
      var value = 0
      for shift in stride(from: 0, to: 56, by: 7) {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        value |= Int(bytes[index] & 0x7F) << shift
        if bytes[index] < 0x80 { return value }
      }
      return nil
    }
    func take(_ count: Int) -> [UInt8]? {
      guard count <= bytes.count - index else { return nil }
      defer { index += count }
      return Array(bytes[index..<index + count])
    }
    var hunks: [Hunk] = []
    var position = 0
    while index < bytes.count {
      guard let gap = number(), let oldCount = number(), let newCount = number(),
        let old = take(oldCount), let new = take(newCount), gap <= Self.sizeLimit - position
      else { return nil }
      hunks.append(Hunk(start: position + gap, old: old, new: new))
      position += gap + oldCount
    }
    self.hunks = hunks
  }
}
