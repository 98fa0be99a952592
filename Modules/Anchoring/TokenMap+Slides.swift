/// Adjustment of the borders of insertions and deletions. If the text on both sides of a border
/// repeats, the border can be shifted. The shift is chosen so that whole sentences, lines or
/// paragraphs were inserted or deleted.
extension TokenMap {
  /// Shifts the borders of insertions, then of deletions. O(tokens) expected.
  mutating func slide() {
    slideInsertions()
    slideDeletions()
    updateClaims()
  }

  /// The maximum shift of a border in tokens.
  private static let reach = 200

  private mutating func slideInsertions() {
    for index in old.indices.dropFirst() {
      let (before, after) = (Int(target[index - 1]), Int(target[index]))
      guard before >= 0, after > before + 1, !isClaimed[before + 1..<after].contains(true),
        isMoved[index - 1] == isMoved[index]
      else { continue }
      let gap = after - before - 1
      // A shift up is possible if the token before the insertion equals the insertion's last token.
      // A shift down is possible if the insertion's first token equals the token after the
      // insertion.
      let up = length { step in
        index - 1 - step >= 0 && Int(target[index - 1 - step]) == before - step
          && new[before - step].hash == new[after - 1 - step].hash
      }
      let down = length { step in
        index + step < old.count && Int(target[index + step]) == after + step
          && new[before + 1 + step].hash == new[after + step].hash
      }
      let shift = best(-up...down) {
        new[before + 1 + $0].boundary.rawValue + following(new, after + $0)
      }
      if shift < 0 {
        for step in 0..<(-shift) { put(index - 1 - step, after - 1 - step) }
      } else if shift > 0 {
        for step in 0..<shift { put(index + step, after + step - gap) }
      }
    }
  }

  private mutating func slideDeletions() {
    var last = -1
    for index in old.indices where target[index] >= 0 {
      defer { last = index }
      guard last >= 0, index > last + 1, target[index] == target[last] + 1 else { continue }
      let gap = index - last - 1
      let up = length { step in
        last - step >= 0 && target[last - step] == target[last] - Int32(step)
          && old[last - step].hash == old[index - 1 - step].hash
      }
      let down = length { step in
        index + step < old.count && target[index + step] == target[index] + Int32(step)
          && old[last + 1 + step].hash == old[index + step].hash
      }
      let shift = best(-up...down) {
        old[last + 1 + $0].boundary.rawValue + following(old, index + $0)
      }
      let place = Int(target[index])
      if shift < 0 {
        for step in 0..<(-shift) {
          target[last - step] = -1
          put(index - 1 - step, place - 1 - step)
        }
      } else if shift > 0 {
        for step in 0..<shift {
          target[index + step] = -1
          put(index + step - gap, place + step)
        }
      }
    }
  }

  private func following(_ tokens: [Token], _ index: Int) -> UInt8 {
    index < tokens.count ? tokens[index].boundary.rawValue : Token.Boundary.paragraph.rawValue
  }

  private func length(_ fits: (Int) -> Bool) -> Int {
    var length = 0
    while length < Self.reach, fits(length) { length += 1 }
    return length
  }

  /// Returns the shift at which the insertion or deletion consists of the largest whole parts. Of
  /// several equally good shifts, the smallest is returned.
  private func best(_ shifts: ClosedRange<Int>, score: (Int) -> UInt8) -> Int {
    guard shifts.count > 1 else { return 0 }
    return shifts.max { (score($0), -abs($0)) < (score($1), -abs($1)) } ?? 0
  }

  private mutating func put(_ index: Int, _ place: Int) {
    target[index] = Int32(place)
  }
}
