package import MarkdownParse
import Model

/// The changes that a command makes to the bytes of a file, including the old bytes, so that they
/// can be undone.
///
/// ```swift
/// let patch = SourcePatch(change.edits, of: source)
/// let new = patch.applied(to: source.bytes)
/// let old = patch.inverted.applied(to: new)  // == source.bytes
/// ```
package struct SourcePatch: Hashable, Sendable {
  /// A contiguous change.
  package struct Hunk: Hashable, Sendable {
    /// The offset of the replaced bytes in the old file.
    package var start: Int
    /// The replaced bytes.
    package var old: [UInt8]
    /// The new bytes in their place.
    package var new: [UInt8]

    /// The range of the replaced bytes in the old file.
    package var range: Range<Int> { start..<start + old.count }
  }

  /// The hunks in ascending order, without overlaps.
  package let hunks: [Hunk]

  /// Creates the patch for some edits, which must be sorted and disjoint. O(edits + bytes
  /// replaced).
  package init(_ edits: [SourceEdit], of source: MarkdownSource) {
    // Replacements of the same words share their bytes.
    var (old, new): ([UInt8], [UInt8]) = ([], [])
    hunks = edits.map { edit in
      let bytes = source.bytes[edit.range.bytes]
      if !old.elementsEqual(bytes) { old = Array(bytes) }
      if new != edit.bytes { new = edit.bytes }
      return Hunk(start: edit.range.bytes.lowerBound, old: old, new: new)
    }
  }

  init(hunks: [Hunk]) { self.hunks = hunks }

  /// Whether the patch changes nothing.
  package var isEmpty: Bool { hunks.isEmpty }

  /// The patch that undoes this one. O(size).
  package var inverted: SourcePatch {
    var shift = 0
    return SourcePatch(
      hunks: hunks.map { hunk in
        defer { shift += hunk.new.count - hunk.old.count }
        return Hunk(start: hunk.start + shift, old: hunk.new, new: hunk.old)
      })
  }

  /// Returns whether the bytes contain the old bytes of every hunk at its position. O(bytes
  /// replaced).
  package func fits(_ bytes: [UInt8]) -> Bool {
    hunks.allSatisfy {
      $0.range.upperBound <= bytes.count && bytes[$0.range].elementsEqual($0.old)
    }
  }

  /// Returns the position of the first hunk whose old bytes don't match. If all match, returns the
  /// position of the first hunk. O(bytes replaced).
  package func firstMisfit(in bytes: [UInt8]) -> Int {
    let hunk = hunks.first { !SourcePatch(hunks: [$0]).fits(bytes) } ?? hunks.first
    return min(hunk?.start ?? 0, bytes.count)
  }

  /// Returns the patch adapted to bytes that another process has changed elsewhere. Expected
  /// O(bytes · log lines).
  ///
  /// - Throws: ``PatchConflictError`` if such a change touches the bytes that the patch replaces.
  package func moved(from old: [UInt8], to new: [UInt8]) throws(PatchConflictError) -> SourcePatch {
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
        throw PatchConflictError(place: others[next].new.lowerBound)
      }
      moved[index].start += shift
    }
    return SourcePatch(hunks: moved)
  }

  /// Returns the bytes with the change applied. The patch must fit them. O(bytes).
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

/// The error for a patch that conflicts with a change that another process made.
package struct PatchConflictError: Error, Hashable, Sendable {
  /// The byte offset of the other change, in the current bytes.
  package var place: Int
}

extension ByteDifference.Hunk {
  /// Returns whether this hunk only inserts whole lines directly before the range of a hunk.
  fileprivate func isLines(before hunk: SourcePatch.Hunk, in new: [UInt8]) -> Bool {
    old.isEmpty && old.lowerBound == hunk.start && !hunk.old.isEmpty
      && new[self.new].last == 10
  }

  /// Returns whether this hunk only inserts whole lines directly after the range of a hunk.
  fileprivate func isLines(behind hunk: SourcePatch.Hunk, in new: [UInt8]) -> Bool {
    old.isEmpty && old.lowerBound == hunk.range.upperBound && !hunk.old.isEmpty
      && (new[self.new].first == 10 || hunk.old.last == 10 && new[self.new].last == 10)
  }
}

/// The binary form of a patch. A hunk is three LEB128 numbers followed by its old and its new
/// bytes. The numbers are the distance from the end of the previous hunk, the length of the old
/// bytes, and the length of the new bytes.
extension SourcePatch {
  /// The binary form.
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

  /// The maximum position in a file, in bytes. A patch beyond it is refused when decoded, so that
  /// sums of distances can't overflow.
  private static let sizeLimit = 1 << 40

  /// Decodes the binary form. Returns nil if it is damaged.
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
