/// Returns the number of columns that a text occupies in a terminal.
///
/// Terminals draw graphemes, so the width is computed for each `Character`:
///
/// - An emoji sequence (with variation selector 16, a joiner or a modifier, or a flag) has two
///   columns.
/// - A letter with other letters attached to it, as in Indian scripts, has the columns of all of
///   them, because most terminals draw them side by side.
/// - Other characters have the width in Unicode's tables.
///
/// O(length).
public func displayWidth(of text: some StringProtocol) -> Int {
  if text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth(of: $1) }
}

/// Returns the number of columns that a grapheme occupies in a terminal: 0, 1, 2, or more for
/// attached letters.
public func displayWidth(of character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return 0 }
  if first.value < 0x300 { return first.value < 32 || first.value == 0x7F ? 0 : width(scalars) }
  return width(scalars)
}

private func width(_ scalars: Character.UnicodeScalarView) -> Int {
  var (widest, sum, count, regionals) = (0, 0, 0, 0)
  for scalar in scalars {
    if scalar.value == 0xFE0F, widest > 0 { return 2 }
    if (0x1F1E6...0x1F1FF).contains(scalar.value) { regionals += 1 }
    let scalarWidth = width(scalar.value)
    widest = max(widest, scalarWidth)
    sum += scalarWidth
    count += 1
  }
  if regionals >= 2 { return 2 }
  guard count > 1, sum > widest, let first = scalars.first else { return widest }
  return first.properties.isAlphabetic ? sum : widest
}

extension Character {
  /// The number of columns in a terminal that doesn't combine scalars into graphemes. O(length).
  var unjoinedWidth: Int { unicodeScalars.reduce(0) { $0 + width($1.value) } }

  /// Whether a line may break before and after the character, as with ideographs and emoji.
  var standsAlone: Bool {
    guard let first = unicodeScalars.first, first.value >= 0x300 else { return false }
    return width(first.value) == 2 || unicodeScalars.contains { $0.value == 0xFE0F }
      || (0x1F1E6...0x1F1FF).contains(first.value)
  }
}

private func width(_ scalar: UInt32) -> Int {
  if scalar < 0x300 { return 1 }
  if contains(zeroRuns, scalar) { return 0 }
  return contains(wideRuns, scalar) ? 2 : 1
}

/// Whether a scalar is in a sorted table of runs. O(log runs).
private func contains(_ runs: [UInt32], _ scalar: UInt32) -> Bool {
  var low = 0
  var high = runs.count / 2
  while low < high {
    let middle = (low + high) / 2
    if runs[2 * middle + 1] < scalar { low = middle + 1 } else { high = middle }
  }
  return low < runs.count / 2 && runs[2 * low] <= scalar
}
