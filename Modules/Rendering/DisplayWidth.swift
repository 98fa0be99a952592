/// The columns that a text takes in a terminal.
///
/// Terminals draw graphemes, so width is measured by `Character`: two columns for one that is drawn
/// as an emoji (a variation selector 16, joined or modified emoji, a flag); for letters with others
/// that belong to them, as in the scripts of India, the columns of all of them, as most terminals
/// draw them side by side; otherwise what the Unicode tables say of its scalars. O(length).
public func displayWidth(of text: some StringProtocol) -> Int {
  if text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth(of: $1) }
}

/// The columns that a grapheme takes in a terminal: 0, 1, 2, or more for letters that are joined.
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
    let own = width(scalar.value)
    widest = max(widest, own)
    sum += own
    count += 1
  }
  if regionals >= 2 { return 2 }
  guard count > 1, sum > widest, let first = scalars.first else { return widest }
  return first.properties.isAlphabetic ? sum : widest
}

extension Character {
  /// The columns that the scalars take in a terminal which joins none of them. O(length).
  var unjoinedWidth: Int { unicodeScalars.reduce(0) { $0 + width($1.value) } }

  /// Whether a line may break before and after it: ideographs and emoji are no part of a word.
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

/// Binary search in a table of runs. O(log runs).
private func contains(_ runs: [UInt32], _ scalar: UInt32) -> Bool {
  var low = 0
  var high = runs.count / 2
  while low < high {
    let middle = (low + high) / 2
    if runs[2 * middle + 1] < scalar { low = middle + 1 } else { high = middle }
  }
  return low < runs.count / 2 && runs[2 * low] <= scalar
}
