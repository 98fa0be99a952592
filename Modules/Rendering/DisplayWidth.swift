/// The columns that a text takes in a terminal.
///
/// Terminals draw graphemes, so width is measured by `Character`: two columns for one that is drawn
/// as an emoji (a variation selector 16, joined or modified emoji, a flag), otherwise what the
/// Unicode tables say of its scalars. O(length).
public func displayWidth(of text: some StringProtocol) -> Int {
  if text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth(of: $1) }
}

/// The columns that a grapheme takes in a terminal: 0, 1 or 2.
public func displayWidth(of character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return 0 }
  if first.value < 0x300 { return first.value < 32 || first.value == 0x7F ? 0 : width(scalars) }
  return width(scalars)
}

private func width(_ scalars: Character.UnicodeScalarView) -> Int {
  var widest = 0
  var regionals = 0
  for scalar in scalars {
    if scalar.value == 0xFE0F { return 2 }
    if (0x1F1E6...0x1F1FF).contains(scalar.value) { regionals += 1 }
    widest = max(widest, width(scalar.value))
  }
  return regionals >= 2 ? 2 : widest
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
