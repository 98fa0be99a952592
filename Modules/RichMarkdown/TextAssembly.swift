import RichText

/// Builds a text from parts of other texts, with their attributes.
struct TextAssembly {
  private(set) var units: [UInt16] = []
  private(set) var layer = FormatLayer()

  /// Reserves memory for a number of units, so that the text is not copied while it grows.
  mutating func reserveCapacity(_ count: Int) { units.reserveCapacity(count) }

  /// Appends a part of a text. O(part + runs in it).
  mutating func append(_ range: Range<Int>, of text: AttributedText) {
    let shift = units.count - range.lowerBound
    if units.isEmpty, range == text.units.indices {
      units = text.units
    } else {
      units += text.units[range]
    }
    text.characters.forEach(in: range) { part, set in
      layer.characters.append(part.lowerBound + shift..<part.upperBound + shift, set)
    }
    text.paragraphs.forEach(in: range) { part, set in
      layer.paragraphs.append(part.lowerBound + shift..<part.upperBound + shift, set)
    }
  }

  /// Appends a unit with the attributes of another one.
  mutating func append(_ unit: UInt16, like offset: Int, of text: AttributedText) {
    let end = units.count
    units.append(unit)
    layer.characters.append(end..<end + 1, text.characters[offset])
    layer.paragraphs.append(end..<end + 1, text.paragraphs[offset])
  }
}
