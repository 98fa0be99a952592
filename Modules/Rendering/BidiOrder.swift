import CICU

/// The order in which text that runs in two directions is seen (Unicode's Annex 9), by ICU.
enum BidiOrder {
  /// Which way a paragraph runs.
  enum Direction { case byText, leftToRight }

  /// Whether some of these units may belong to a script that runs from right to left. O(units).
  static func mayRunFromRight(_ units: ArraySlice<UInt16>) -> Bool {
    units.contains { unit in
      // Half of a pair says roughly where its scalar stands.
      unit >= 0x590
        && (unit <= 0x8FF || unit == 0x200F || 0xFB1D...0xFDFF ~= unit || 0xFE70...0xFEFF ~= unit
          || 0xD802...0xD803 ~= unit || 0xD83A...0xD83B ~= unit)
    }
  }

  /// Gives each cell of a paragraph its level: odd for text from right to left.
  ///
  /// - Returns: whether the paragraph runs from right to left; nil where nothing does, and nothing was
  ///   done. O(cells).
  static func resolve(_ cells: inout [Cell], _ direction: Direction) -> Bool? {
    guard cells.contains(where: \.text.runsFromRight) else { return nil }
    var units: [UInt16] = []
    units.reserveCapacity(cells.count)
    var starts: [Int] = []
    starts.reserveCapacity(cells.count)
    for cell in cells {
      starts.append(units.count)
      // A line's end inside a paragraph is none of the paragraph.
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

  /// The cells of a line in the order in which they are seen. O(cells × levels).
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
  /// Whether it belongs to a script that runs from right to left.
  fileprivate var runsFromRight: Bool {
    guard let first = unicodeScalars.first, first.value >= 0x590 else { return false }
    return switch first.value {
    case 0x590...0x8FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF,
      0x1E800...0x1EFFF:
      true
    default: false
    }
  }

  /// A bracket as it looks from the other side; other characters as they are.
  fileprivate var mirrored: Character {
    guard let first = unicodeScalars.first, unicodeScalars.count == 1,
      let scalar = Unicode.Scalar(icu_mirror(first.value))
    else { return self }
    return Character(scalar)
  }
}
