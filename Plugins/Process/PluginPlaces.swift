import Model
import SystemSupport

/// Places in a text as a plugin counts them, and as Diple does.
struct PluginPlaces {
  private let text: [UInt16]
  private let unit: PluginManifest.Unit
  /// How far it has been counted: UTF-16 units, and the plugin's.
  private var reached = (own: 0, theirs: 0)

  init(_ text: [UInt16], _ unit: PluginManifest.Unit) {
    self.text = text
    self.unit = unit
  }

  /// The range between two places of the plugin's; nil when it is empty, lies outside the text or
  /// divides a character. Places that rise are found in O(text) all together.
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

  /// A place of ours as the plugin counts it.
  mutating func theirs(_ own: Int) -> Int {
    if unit == .utf16 { return own }
    if own < reached.own { reached = (0, 0) }
    while reached.own < own { advance() }
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
    // A half pair is sent as U+FFFD, which has three bytes as others of its size.
    case .bytes: reached.theirs += isPair ? 4 : first < 0x80 ? 1 : first < 0x800 ? 2 : 3
    }
  }
}
