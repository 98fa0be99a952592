import Model
import SystemSupport

/// Converts offsets in a text between UTF-16 units and a plugin's unit.
struct OffsetConverter {
  private let text: [UInt16]
  private let unit: PluginManifest.Unit
  /// The last converted position, in UTF-16 units and in the plugin's unit.
  private var reached = (own: 0, theirs: 0)

  init(_ text: [UInt16], _ unit: PluginManifest.Unit) {
    self.text = text
    self.unit = unit
  }

  /// Converts a plugin's range. Returns nil if it is empty, extends beyond the text or divides a
  /// character. Converting ascending offsets takes O(text) in total.
  mutating func range(_ start: Int, _ end: Int) -> TextRange? {
    guard start < end, let from = own(start), let to = own(end), from < to else { return nil }
    return TextRange(utf16: from..<to)
  }

  private mutating func own(_ theirs: Int) -> Int? {
    guard theirs >= 0 else { return nil }
    if unit == .utf16 { return theirs <= text.count ? theirs : nil }
    if theirs < reached.theirs { reached = (0, 0) }
    while reached.theirs < theirs, reached.own < text.count { advance() }
    return reached.theirs == theirs ? reached.own : nil
  }

  /// Converts an offset in UTF-16 units to the plugin's unit.
  mutating func theirs(_ offset: Int) -> Int {
    if unit == .utf16 { return offset }
    if offset < reached.own { reached = (0, 0) }
    while reached.own < offset { advance() }
    return reached.theirs
  }

  private mutating func advance() {
    let first = text[reached.own]
    let isPair =
      first & 0xFC00 == 0xD800 && reached.own + 1 < text.count
      && text[reached.own + 1] & 0xFC00 == 0xDC00
    reached.own += isPair ? 2 : 1
    switch unit {
    case .utf16: reached.theirs += isPair ? 2 : 1
    case .codepoints: reached.theirs += 1
    // An unpaired surrogate is sent as U+FFFD, which also has three bytes.
    case .bytes: reached.theirs += isPair ? 4 : first < 0x80 ? 1 : first < 0x800 ? 2 : 3
    }
  }
}
