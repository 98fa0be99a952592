import Model
import RichText

/// The same operations on an array with an entry for each unit, in the simplest form.
struct NaiveText {
  var units: [UInt16]
  var characters: [AttributeSet<CharacterAttribute>]
  var paragraphs: [AttributeSet<ParagraphAttribute>]
  let styles = StyleSheet()

  init(_ text: String) {
    units = Array(text.utf16)
    characters = units.map { _ in [] }
    paragraphs = units.map { _ in [] }
  }

  func isBreak(_ index: Int) -> Bool { [0x0A, 0x0D, 0x2029].contains(units[index]) }

  /// The paragraph number of each unit, and one more entry for the end.
  var paragraphNumbers: [Int] {
    var numbers: [Int] = []
    var number = 0
    for index in units.indices {
      numbers.append(number)
      let isFirstOfTwo =
        units[index] == 0x0D && index + 1 < units.count && units[index + 1] == 0x0A
      if isBreak(index), !isFirstOfTwo { number += 1 }
    }
    return numbers + [number]
  }

  mutating func change(_ range: Range<Int>, _ changes: [AttributeChange<CharacterAttribute>]) {
    for index in range { characters[index] = characters[index].applying(changes) }
  }

  mutating func changeParagraphs(
    _ range: Range<Int>, _ changes: [AttributeChange<ParagraphAttribute>]
  ) {
    let numbers = paragraphNumbers
    let touched =
      range.isEmpty ? [numbers[range.lowerBound]] : Set(range.map { numbers[$0] })
    for index in units.indices where touched.contains(numbers[index]) {
      paragraphs[index] = paragraphs[index].applying(changes)
    }
  }

  func inherited(_ kind: CharacterAttribute.Kind, at index: Int) -> CharacterAttribute? {
    var style = StyleID.body
    if case .style(let id)? = paragraphs[index][.style] { style = id }
    return styles.resolved(style).characters[kind] ?? FormatDefaults.standard.characters[kind]
  }

  func value(_ kind: CharacterAttribute.Kind, at index: Int) -> CharacterAttribute? {
    characters[index][kind] ?? inherited(kind, at: index)
  }

  mutating func toggle(_ attribute: CharacterAttribute, in range: Range<Int>) {
    let asked = range.filter { !isBreak($0) }
    let kind = attribute.kind
    let turnsOff = !asked.isEmpty && asked.allSatisfy { value(kind, at: $0) == attribute }
    for index in range {
      let inherits = inherited(kind, at: index) == attribute
      if !turnsOff {
        characters[index].clear(kind)
        if !inherits { characters[index].set(attribute) }
      } else if value(kind, at: index) == attribute {
        characters[index].clear(kind)
        if inherits, let off = attribute.off { characters[index].set(off) }
      }
    }
  }

  mutating func replace(
    _ range: Range<Int>, _ text: String, typing: AttributeSet<CharacterAttribute>
  ) {
    let new = Array(text.utf16)
    let old =
      range.lowerBound < units.count
      ? paragraphs[range.lowerBound] : paragraphs.last ?? AttributeSet()
    units.replaceSubrange(range, with: new)
    characters.replaceSubrange(range, with: new.map { _ in typing })
    paragraphs.replaceSubrange(range, with: new.map { _ in old })
    let numbers = paragraphNumbers
    for index in units.indices.dropFirst() where numbers[index] == numbers[index - 1] {
      paragraphs[index] = paragraphs[index - 1]
    }
  }

  /// Returns the character attributes of a text, one entry for each unit.
  static func characters(of text: AttributedText) -> [AttributeSet<CharacterAttribute>] {
    expanded(text.characters, text.units.count)
  }

  /// Returns the paragraph attributes of a text, one entry for each unit.
  static func paragraphs(of text: AttributedText) -> [AttributeSet<ParagraphAttribute>] {
    expanded(text.paragraphs, text.units.count)
  }

  private static func expanded<Attribute>(_ runs: FormatRuns<Attribute>, _ count: Int)
    -> [AttributeSet<Attribute>]
  {
    var result = [AttributeSet<Attribute>](repeating: [], count: count)
    for run in runs.runs { for index in run.range.utf16 { result[index] = run.set } }
    return result
  }
}
