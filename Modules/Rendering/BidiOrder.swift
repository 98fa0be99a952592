import CICU

/// Reorders bidirectional text for display (Unicode Annex 9) with ICU.
enum BidiOrder {
  /// The base direction of a paragraph: that of its first letters, or always left to right.
  enum Direction { case byText, leftToRight }

  /// Whether any of the units may belong to a right-to-left script. O(units).
  static func mayRunFromRight(_ units: ArraySlice<UInt16>) -> Bool {
    units.contains { unit in
      // A lead surrogate identifies the block of its scalar only roughly.
      unit >= 0x590
        && (unit <= 0x8FF || unit == 0x200F || 0xFB1D...0xFDFF ~= unit || 0xFE70...0xFEFF ~= unit
          || 0xD802...0xD803 ~= unit || 0xD83A...0xD83B ~= unit)
    }
  }

  /// Sets the embedding level of each cell of a paragraph: odd for right-to-left text.
  ///
  /// - Returns: whether the base direction is right to left; nil if the paragraph has no
  ///   right-to-left text and its cells weren't changed. O(cells).
  static func resolve(_ cells: inout [Cell], _ direction: Direction) -> Bool? {
    guard cells.contains(where: \.text.runsFromRight) else { return nil }
    var units: [UInt16] = []
    units.reserveCapacity(cells.count)
    var starts: [Int] = []
    starts.reserveCapacity(cells.count)
    for cell in cells {
      starts.append(units.count)
      // A line break inside the paragraph doesn't begin a new paragraph.
      if cell.isLineFeed, direction == .byText {
        units.append(0x2028)
      } else {
        units += cell.text.utf16
      }
    }
    var levels = [UInt8](repeating: 0, count: units.count)
    let base = icu_bidi_levels(
      units, Int32(units.count), direction == .leftToRight ? 0 : -1, &levels)
    guard base >= 0 else { return nil }
    for index in cells.indices { cells[index].level = levels[starts[index]] }
    return base & 1 == 1
  }

  /// Returns the cells of a line in display order. O(cells × levels).
  static func visual(_ line: [Cell]) -> [Cell] {
    guard let highest = line.map(\.level).max(), highest > 0 else { return line }
    var line = line
    for index in line.indices where line[index].level & 1 == 1 {
      line[index].text = line[index].text.mirrored
    }
    for level in stride(from: highest, to: 0, by: -1) {
      var start = 0
      while start < line.count {
        guard line[start].level >= level else {
          start += 1
          continue
        }
        let end = line[start...].firstIndex { $0.level < level } ?? line.count
        line[start..<end].reverse()
        start = end
      }
    }
    return line
  }
}

extension Character {
  /// Whether the character belongs to a right-to-left script.
  fileprivate var runsFromRight: Bool {
    guard let first = unicodeScalars.first, first.value >= 0x590 else { return false }
    return switch first.value {
    case 0x590...0x8FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF,
      0x1E800...0x1EFFF:
      true
    default: false
    }
  }

  /// The mirror image of a bracket; the character itself if it has no mirror image.
  fileprivate var mirrored: Character {
    guard let first = unicodeScalars.first, unicodeScalars.count == 1,
      let scalar = Unicode.Scalar(icu_mirror(first.value))
    else { return self }
    return Character(scalar)
  }
}
